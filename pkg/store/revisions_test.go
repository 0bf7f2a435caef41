package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

func configMap(name, value string) unstructured.Unstructured {
	return unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"name": name, "namespace": "memo"},
		"data":     map[string]any{"value": value},
		"count":    int64(3), "share": 0.5,
	}}
}

// noise returns a text of at least that many bytes that does not compress to few parts.
func noise(bytes int) string {
	source := rand.New(rand.NewSource(1))
	var text strings.Builder
	for text.Len() < bytes {
		fmt.Fprintf(&text, "%016x", source.Uint64())
	}
	return text.String()
}

func revisionOf(number int64, objects ...unstructured.Unstructured) *Revision {
	return &Revision{
		Header: Header{
			Number: number, Source: "registry/memo:v1", Resolved: "registry/memo@" + digestA,
			Bundle: corev1alpha2.BundleMetadata{Name: "memo.v1", Version: "1.0.0", MaxOpenShiftVersions: []string{"4.20"}},
		},
		Objects: objects,
	}
}

func TestRevisionsAreSavedAndLoaded(t *testing.T) {
	cases := map[string]*Revision{
		"one object":               revisionOf(1, configMap("a", "x")),
		"more than one Secret may": revisionOf(7, configMap("a", noise(1<<20)), configMap("b", noise(3<<20)), configMap("c", "x")),
	}
	owner := Owner{Name: "memo", UID: "uid-1"}
	for name, revision := range cases {
		t.Run(name, func(t *testing.T) {
			client := fake.NewClientset()
			revisions := NewRevisions(client.CoreV1().Secrets("system"))
			if err := revisions.Save(t.Context(), owner, revision); err != nil {
				t.Fatal(err)
			}
			headers, err := revisions.List(t.Context(), owner)
			if err != nil || len(headers) != 1 {
				t.Fatalf("listing gave %v, %v", headers, err)
			}
			loaded, err := revisions.Load(t.Context(), owner, headers[0])
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(revision, loaded); diff != "" {
				t.Errorf("loaded revision (-saved +loaded):\n%s", diff)
			}
			for _, secret := range secretsOf(t, client) {
				if secret.Immutable == nil || !*secret.Immutable {
					t.Errorf("Secret %q is not immutable", secret.Name)
				}
				if size := len(secret.Data[keyObject]); size > partBytes {
					t.Errorf("Secret %q has %d bytes", secret.Name, size)
				}
			}
			if err := revisions.Delete(t.Context(), owner, headers[0]); err != nil {
				t.Fatal(err)
			}
			if left := secretsOf(t, client); len(left) != 0 {
				t.Errorf("%d Secrets are left after deletion", len(left))
			}
		})
	}
}

func secretsOf(t *testing.T, client *fake.Clientset) []corev1.Secret {
	t.Helper()
	list, err := client.CoreV1().Secrets("system").List(context.Background(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return list.Items
}

func TestRevisionsSavedTwiceAreWrittenOnce(t *testing.T) {
	client := fake.NewClientset()
	revisions := NewRevisions(client.CoreV1().Secrets("system"))
	owner := Owner{Name: "memo", UID: "uid-1"}
	for range 2 {
		if err := revisions.Save(t.Context(), owner, revisionOf(1, configMap("a", "x"))); err != nil {
			t.Fatal(err)
		}
	}
	for _, action := range client.Actions() {
		if verb := action.GetVerb(); verb != "create" && verb != "get" {
			t.Errorf("the second save did %s", verb)
		}
	}
}

func TestDeleteRemovesOnlyOwnedAndUnownedSecrets(t *testing.T) {
	later := Owner{Name: "memo", UID: "uid-2"}
	for name, c := range map[string]struct {
		by       Owner
		unowned  bool
		refused  error
		wantLeft int
	}{
		"a Secret of the owner":                                             {by: later},
		"a Secret of a later BundleDeployment of the same name":             {by: Owner{Name: "memo", UID: "uid-1"}, wantLeft: 2},
		"a Secret without owner references, as a restored backup leaves it": {by: later, unowned: true},
		"a Secret whose deletion conflicts":                                 {by: later, refused: apierrors.NewConflict(corev1.Resource("secrets"), "revision.memo.r1", errors.New("changed")), wantLeft: 2},
	} {
		t.Run(name, func(t *testing.T) {
			client := fake.NewClientset()
			revisions := NewRevisions(client.CoreV1().Secrets("system"))
			revision := revisionOf(1, configMap("a", "x"))
			if err := revisions.Save(t.Context(), later, revision); err != nil {
				t.Fatal(err)
			}
			for _, each := range secretsOf(t, client) {
				if !c.unowned {
					break
				}
				each.OwnerReferences = nil
				if _, err := client.CoreV1().Secrets("system").Update(t.Context(), &each, metav1.UpdateOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			if c.refused != nil {
				client.PrependReactor("delete", "secrets", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, c.refused })
			}
			if err := revisions.Delete(t.Context(), c.by, revision.Header); !errors.Is(err, c.refused) {
				t.Errorf("got error %v, want %v", err, c.refused)
			}
			if left := secretsOf(t, client); len(left) != c.wantLeft {
				t.Errorf("%d Secrets are left, want %d", len(left), c.wantLeft)
			}
		})
	}
}

func TestListOmitsUnfinishedRevisionsAndOtherOwners(t *testing.T) {
	client := fake.NewClientset()
	secrets := client.CoreV1().Secrets("system")
	revisions := NewRevisions(secrets)
	now, earlier := Owner{Name: "memo", UID: "uid-2"}, Owner{Name: "memo", UID: "uid-1"}

	if err := revisions.Save(t.Context(), earlier, revisionOf(1, configMap("a", "old"))); err != nil {
		t.Fatal(err)
	}
	unfinished := newSecret(now, partName("memo", 2, 0), 2, RolePart, []byte("half"))
	if _, err := secrets.Create(t.Context(), unfinished, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if headers, err := revisions.List(t.Context(), now); err != nil || len(headers) != 0 {
		t.Errorf("listing gave %v, %v; want none", headers, err)
	}
	for number := int64(1); number <= 2; number++ {
		saved := revisionOf(number, configMap("a", "new"))
		if err := revisions.Save(t.Context(), now, saved); err != nil {
			t.Fatalf("saving over the remains of revision %d: %v", number, err)
		}
		if _, err := revisions.Load(t.Context(), now, saved.Header); err != nil {
			t.Error(err)
		}
	}
}

func TestCorruptRevisionsAreUnusable(t *testing.T) {
	owner := Owner{Name: "memo", UID: "uid-1"}
	cases := map[string]func(*testing.T, *fake.Clientset){
		"a part is missing": func(t *testing.T, client *fake.Clientset) {
			if err := client.CoreV1().Secrets("system").Delete(t.Context(), partName("memo", 1, 0), metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
		},
		"a part has other objects": func(t *testing.T, client *fake.Clientset) {
			parts, err := encode(revisionOf(1, configMap("evil", "x")), partBytes)
			if err != nil {
				t.Fatal(err)
			}
			replace(t, client, parts[0])
		},
		"a part is no archive": func(t *testing.T, client *fake.Clientset) { replace(t, client, []byte("nothing")) },
	}
	for name, spoil := range cases {
		t.Run(name, func(t *testing.T) {
			client := fake.NewClientset()
			revisions := NewRevisions(client.CoreV1().Secrets("system"))
			saved := revisionOf(1, configMap("a", "x"))
			if err := revisions.Save(t.Context(), owner, saved); err != nil {
				t.Fatal(err)
			}
			spoil(t, client)
			if _, err := revisions.Load(t.Context(), owner, saved.Header); !IsUnusable(err) {
				t.Errorf("got %v, want an error that says the revision is lost", err)
			}
		})
	}
}

func replace(t *testing.T, client *fake.Clientset, data []byte) {
	t.Helper()
	secrets := client.CoreV1().Secrets("system")
	secret, err := secrets.Get(t.Context(), partName("memo", 1, 0), metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	secret.Data[keyObject] = data
	if _, err := secrets.Update(t.Context(), secret, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func TestRevisionNamesAreNeverEqual(t *testing.T) {
	names := map[string]string{}
	for _, deployment := range []string{"a", "a.r1", "a.r1.p0", "a.p0"} {
		for _, name := range []string{indexName(deployment, 1), indexName(deployment, 2), partName(deployment, 1, 0), partName(deployment, 1, 1)} {
			if other, ok := names[name]; ok {
				t.Errorf("%q is a name for %q and for %q", name, other, deployment)
			}
			names[name] = deployment
		}
	}
}

func FuzzRevisionDecode(f *testing.F) {
	revision := revisionOf(1, configMap("a", "x"))
	parts, err := encode(revision, partBytes)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(parts[0])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, part []byte) {
		loaded, err := decode(revision.Header, [][]byte{part})
		if err == nil && loaded.Digest != revision.Digest {
			t.Fatal("other content was accepted")
		}
	})
}

func TestMarkRenderer(t *testing.T) {
	owner := Owner{Name: "memo", UID: "uid-1"}
	revisions := NewRevisions(fake.NewClientset().CoreV1().Secrets("system"))
	saved := revisionOf(1, configMap("a", "x"))
	saved.Renderer = "one"
	if err := revisions.Save(t.Context(), owner, saved); err != nil {
		t.Fatal(err)
	}
	if err := revisions.MarkRenderer(t.Context(), owner, &saved.Header, "two"); err != nil {
		t.Fatal(err)
	}
	headers, err := revisions.List(t.Context(), owner)
	if err != nil || len(headers) != 1 {
		t.Fatalf("listing gave %v, %v", headers, err)
	}
	if headers[0].Renderer != "two" || saved.Renderer != "two" || headers[0].Digest != saved.Digest {
		t.Errorf("listed %+v", headers[0])
	}
	if _, err := revisions.Load(t.Context(), owner, headers[0]); err != nil {
		t.Errorf("a marked revision cannot be loaded: %v", err)
	}
}
