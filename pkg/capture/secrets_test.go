package capture

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/mustgather"
	"github.com/openshift/platform-operators/pkg/store"
)

// stored returns the Secrets of the revisions with the given objects, numbered from 1.
func stored(t *testing.T, owner store.Owner, revisions ...[]unstructured.Unstructured) []mustgather.Object {
	t.Helper()
	secrets := fake.NewClientset().CoreV1().Secrets("manager")
	for i, objects := range revisions {
		if err := store.NewRevisions(secrets).Save(t.Context(), owner, &store.Revision{Header: store.Header{Number: int64(i + 1)}, Objects: objects}); err != nil {
			t.Fatal(err)
		}
	}
	list, err := secrets.List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var found []mustgather.Object
	for i := range list.Items {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&list.Items[i])
		if err != nil {
			t.Fatal(err)
		}
		object := &unstructured.Unstructured{Object: content}
		object.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
		found = append(found, mustgather.Object{Unstructured: object, Resource: corev1.SchemeGroupVersion.WithResource("secrets")})
	}
	return found
}

func objectOf(kind, name string) unstructured.Unstructured {
	object := unstructured.Unstructured{}
	object.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind(kind))
	object.SetName(name)
	return object
}

// secretOf returns an object of kind Secret with a value and a certificate.
func secretOf(name string) unstructured.Unstructured {
	secret := objectOf("Secret", name)
	secret.Object["data"] = map[string]any{"password": "aHVudGVyMg==", "ca.crt": "Y2VydA=="}
	secret.Object["stringData"] = map[string]any{"token": "swordfish"}
	secret.SetAnnotations(map[string]string{corev1.LastAppliedConfigAnnotation: "hunter2"})
	return secret
}

// decoded returns the only revision of an owner in objects.
func decoded(t *testing.T, objects []mustgather.Object, owner store.Owner) *store.Revision {
	t.Helper()
	all := revisionsOf(objects)[owner]
	if len(all) != 1 {
		t.Fatalf("%d revisions can be read", len(all))
	}
	return all[0]
}

func TestARevisionSurvivesWithoutTheValuesOfItsSecrets(t *testing.T) {
	owner := store.Owner{Name: "memo", UID: "1"}
	objects := stored(t, owner, []unstructured.Unstructured{objectOf("ConfigMap", "a"), secretOf("b"), objectOf("ConfigMap", "c")})
	before := decoded(t, objects, owner)
	deployment, live, others := objectOf("BundleDeployment", "memo"), secretOf("b"), secretOf("d")
	deployment.Object["status"] = map[string]any{"revisions": []any{map[string]any{"digest": before.Digest}, map[string]any{"digest": "sha256:other"}}}
	live.SetLabels(map[string]string{corev1alpha2.LabelOwnerName: "memo"})
	for _, each := range []unstructured.Unstructured{deployment, live, others} {
		objects = append(objects, mustgather.Object{Unstructured: &each})
	}
	kept := withoutValues(objects)
	after := decoded(t, kept, owner)
	want := `{"apiVersion":"v1","data":{"ca.crt":"Y2VydA==","password":"cmVtb3ZlZCBieSBjYXB0dXJlLCBzaXplIDc="},"kind":"Secret","metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":""},"name":"b"},"stringData":{"token":"removed by capture, size 9"}}`
	if got, err := json.Marshal(after.Objects[1].Object); err != nil || string(got) != want {
		t.Errorf("error %v; got %s", err, got)
	}
	if len(after.Objects) != 3 || after.Objects[0].GetName() != "a" || after.Objects[2].GetName() != "c" {
		t.Errorf("got %v", after.Objects)
	}
	status := deployment.Object["status"].(map[string]any)["revisions"].([]any) //nolint:forcetypeassert // set above
	if after.Digest == before.Digest || status[0].(map[string]any)["digest"] != after.Digest || status[1].(map[string]any)["digest"] != "sha256:other" {
		t.Errorf("the revision has %s, and the status %v", after.Digest, status)
	}
	if got := live.Object["data"].(map[string]any)["password"]; got != "cmVtb3ZlZCBieSBjYXB0dXJlLCBzaXplIDc=" {
		t.Errorf("the Secret that the bundle has differs from the revision: %v", got)
	}
	if !(mustgather.Object{Unstructured: &others}).IsElided() {
		t.Errorf("the Secret of somebody else has values: %v", others.Object)
	}
	text := fmt.Sprint(kept)
	for _, each := range kept {
		text += fmt.Sprint(each.Object)
	}
	for _, secret := range []string{"hunter2", "aHVudGVyMg", "swordfish"} {
		if strings.Contains(text, secret) {
			t.Errorf("the capture has %q", secret)
		}
	}
}

func TestARevisionWithoutSecretsStaysAsItIs(t *testing.T) {
	owner := store.Owner{Name: "memo", UID: "1"}
	objects := stored(t, owner, []unstructured.Unstructured{objectOf("ConfigMap", "a")})
	before := fmt.Sprint(objects[0].Object, objects[1].Object)
	if kept := withoutValues(objects); len(kept) != 2 || fmt.Sprint(kept[0].Object, kept[1].Object) != before {
		t.Errorf("got %v", kept)
	}
}

func TestADamagedRevisionLosesItsValues(t *testing.T) {
	objects := stored(t, store.Owner{Name: "memo", UID: "1"}, []unstructured.Unstructured{objectOf("ConfigMap", "a")})
	for _, each := range objects {
		if each.GetLabels()[store.LabelRole] == store.RolePart {
			each.Object["data"] = map[string]any{"objects.jsonl.gz.part": "YQ=="}
		}
	}
	for _, each := range withoutValues(objects) {
		if !each.IsElided() {
			t.Errorf("%s has values, and nobody knows what they are", each.GetName())
		}
	}
}

// growing returns a ConfigMap with a number of random bytes, which do not compress, and a Secret with values that are empty, and so smaller than what replaces them.
func growing(size int) []unstructured.Unstructured {
	random := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{}).Read(random) // never fails
	configMap, secret := objectOf("ConfigMap", "a"), objectOf("Secret", "b")
	configMap.Object["binaryData"] = map[string]any{"random": base64.StdEncoding.EncodeToString(random)}
	values := map[string]any{}
	for i := range 200 {
		values[fmt.Sprint(i)] = ""
	}
	secret.Object["data"] = values
	return []unstructured.Unstructured{configMap, secret}
}

// A revision that needs more Secrets without the values counts as not collected, and not as lost.
func TestARevisionThatGrowsWithoutTheValuesIsElided(t *testing.T) {
	partsOf := func(objects []unstructured.Unstructured) int {
		parts, err := store.Parts(objects)
		if err != nil {
			t.Fatal(err)
		}
		return parts
	}
	replaced := func(size int) []unstructured.Unstructured {
		objects := growing(size)
		mask(&objects[1])
		return objects
	}
	size := sort.Search(1<<20, func(size int) bool { return size > 1000 && partsOf(replaced(size)) > 1 })
	owner := store.Owner{Name: "memo", UID: "1"}
	if partsOf(growing(size)) != 1 {
		t.Fatal("the revision has two parts with the values, too")
	}
	kept := withoutValues(stored(t, owner, growing(size)))
	if len(kept) != 2 {
		t.Errorf("%d Secrets are kept of an index and a part", len(kept))
	}
	for _, each := range kept {
		if !each.IsElided() {
			t.Errorf("%s has values", each.GetName())
		}
	}
}
