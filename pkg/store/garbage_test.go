package store

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

var errKilled = errors.New("killed")

// killedAt returns revisions of a process that is killed before its nth write: that request and all later ones fail. With 0, no request
// fails.
func killedAt(client *fake.Clientset, write int) *Revisions {
	writes := 0
	client.PrependReactor("*", "secrets", func(action clienttesting.Action) (bool, runtime.Object, error) {
		switch action.GetVerb() {
		case "create", "delete", "patch", "update":
			writes++
		}
		return write > 0 && writes >= write, nil, errKilled
	})
	return revisionsOf(client)
}

// restarted returns the revisions that the next process reads from the same cluster.
func restarted(client *fake.Clientset) *Revisions {
	client.ReactionChain = client.ReactionChain[1:]
	return revisionsOf(client)
}

// namesOf returns the names of the existing Secrets, without their common parts.
func namesOf(t *testing.T, client *fake.Clientset) string {
	t.Helper()
	var names []string
	for _, secret := range secretsOf(t, client) {
		names = append(names, strings.TrimPrefix(secret.Name, "revision.memo."))
	}
	return strings.Join(names, " ")
}

// large returns a revision of several parts.
func large(number int64) *Revision {
	return revisionOf(number, configMap("a", noise(1<<10)))
}

// whole are the names of the Secrets of a small revision 1.
const whole = "r1 r1.p0"

// revisionsOf stores revisions in small parts, so that few objects make several parts.
func revisionsOf(client *fake.Clientset) *Revisions {
	return &Revisions{secrets: client.CoreV1().Secrets("system"), partBytes: 200}
}

func TestCrashAtEveryWriteLeavesNoGarbage(t *testing.T) {
	owner := Owner{Name: "memo", UID: "uid-1"}
	acts := map[string]func(*testing.T, *Revisions) error{
		"while a revision is saved": func(t *testing.T, revisions *Revisions) error { return revisions.Save(t.Context(), owner, large(2)) },
		"while a revision is deleted": func(t *testing.T, revisions *Revisions) error {
			headers, err := revisions.List(t.Context(), owner)
			if err != nil || len(headers) == 0 {
				t.Fatalf("listing gave %v, %v", headers, err)
			}
			return revisions.Delete(t.Context(), owner, headers[len(headers)-1])
		},
	}
	for name, act := range acts {
		t.Run(name, func(t *testing.T) {
			for write := 1; ; write++ {
				client := fake.NewClientset()
				revisions := revisionsOf(client)
				if err := revisions.Save(t.Context(), owner, revisionOf(1, configMap("a", "x"))); err != nil {
					t.Fatal(err)
				}
				if name == "while a revision is deleted" {
					if err := revisions.Save(t.Context(), owner, large(2)); err != nil {
						t.Fatal(err)
					}
				}
				err := act(t, killedAt(client, write))
				revisions = restarted(client)
				headers, listErr := revisions.List(t.Context(), owner)
				if listErr != nil {
					t.Fatal(listErr)
				}
				if err := revisions.CollectGarbage(t.Context(), owner, headers); err != nil {
					t.Fatal(err)
				}
				for _, header := range headers {
					if _, err := revisions.Load(t.Context(), owner, header); err != nil {
						t.Errorf("killed before write %d: %v", write, err)
					}
				}
				if left := namesOf(t, client); len(headers) == 1 && left != whole {
					t.Errorf("killed before write %d: %q is left", write, left)
				}
				if err == nil {
					if write < 4 {
						t.Errorf("it takes %d writes; the test wants several parts", write-1)
					}
					return
				}
			}
		})
	}
}

func TestSaveDeletesExcessPartsOfAnUnfinishedRevision(t *testing.T) {
	owner := Owner{Name: "memo", UID: "uid-1"}
	for _, write := range []int{2, 3, 4} {
		for again := 1; ; again++ {
			client := fake.NewClientset()
			if err := killedAt(client, write).Save(t.Context(), owner, large(1)); !errors.Is(err, errKilled) {
				t.Fatalf("got %v; the test wants more than %d writes", err, write)
			}
			restarted(client)
			saved := revisionOf(1, configMap("b", "x"))
			killed := killedAt(client, again).Save(t.Context(), owner, saved)
			if err := restarted(client).Save(t.Context(), owner, saved); err != nil {
				t.Fatal(err)
			}
			if left := namesOf(t, client); left != whole {
				t.Errorf("killed before write %d, and then before write %d: %q is left", write, again, left)
			}
			if killed == nil {
				break
			}
		}
	}
}

func TestCollectGarbageKeepsStoredRevisionsAndOtherOwners(t *testing.T) {
	client := fake.NewClientset()
	revisions := revisionsOf(client)
	owner, earlier, neighbour := Owner{Name: "memo", UID: "uid-2"}, Owner{Name: "memo", UID: "uid-1"}, Owner{Name: "beacon", UID: "uid-3"}
	for number, each := range []Owner{owner, earlier, neighbour, owner} {
		if err := revisions.Save(t.Context(), each, revisionOf(int64(number), configMap("a", fmt.Sprint(number)))); err != nil {
			t.Fatal(err)
		}
	}
	before := namesOf(t, client)
	headers, err := revisions.List(t.Context(), owner)
	if err != nil {
		t.Fatal(err)
	}
	for _, known := range [][]Header{headers, headers[:1]} { // the restore of a backup may have brought back the last one
		if err := revisions.CollectGarbage(t.Context(), owner, known); err != nil {
			t.Fatal(err)
		}
		if after := namesOf(t, client); after != before {
			t.Errorf("with %d known revisions, there was %q and is %q", len(known), before, after)
		}
	}
	if err := client.CoreV1().Secrets("system").Delete(t.Context(), indexName("memo", 3), metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := revisions.CollectGarbage(t.Context(), owner, headers[:1]); err != nil {
		t.Fatal(err)
	}
	if after := namesOf(t, client); strings.Contains(after, "r3.p0") || !strings.Contains(after, "r0.p0") || !strings.Contains(after, "r1.p0") {
		t.Errorf("without the index of the last, %q is left", after)
	}
}

func TestCollectGarbageKeepsAPartWhoseNumberLabelIsChanged(t *testing.T) {
	owner := Owner{Name: "memo", UID: "uid-1"}
	for name, change := range map[string]func(*corev1.Secret){
		"to another number":  func(s *corev1.Secret) { s.Labels[LabelNumber] = "99" },
		"to another text":    func(s *corev1.Secret) { s.Labels[LabelNumber] = "one" },
		"so that it is gone": func(s *corev1.Secret) { delete(s.Labels, LabelNumber) },
	} {
		t.Run(name, func(t *testing.T) {
			client, _, _ := storedRevision(t, owner)
			replaceSecret(t, client, partName("memo", 1, 1), change)
			next := NewRevisions(client.CoreV1().Secrets("system")) // the next process
			headers, err := next.List(t.Context(), owner)
			if err != nil || len(headers) != 1 {
				t.Fatalf("listing gave %v, %v", headers, err)
			}
			if err := next.CollectGarbage(t.Context(), owner, headers); err != nil {
				t.Fatal(err)
			}
			if _, err := next.Load(t.Context(), owner, headers[0]); err != nil {
				t.Errorf("the revision was complete before: %v", err)
			}
		})
	}
}
