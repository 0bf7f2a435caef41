package store

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/fake"
)

// killedSave saves a revision by a process that is killed before its nth write. It returns the error of Save, and the next process.
func killedSave(t *testing.T, client *fake.Clientset, write int, owner Owner, saved *Revision) (*Revisions, error) {
	t.Helper()
	killed := killedAt(client, write)
	killed.partBytes = 500
	err := killed.Save(t.Context(), owner, saved)
	if err != nil && !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	return restarted(client), err
}

func TestCrashWhileMetadataIsCorrectedKeepsTheRevision(t *testing.T) {
	owner := Owner{Name: "memo", UID: "uid-1"}
	index, part := indexName("memo", 1), partName("memo", 1, 1)
	for name, test := range map[string]struct {
		secret string
		change func(*corev1.Secret)
	}{
		"a label of a part":          {part, func(s *corev1.Secret) { delete(s.Labels, LabelNumber) }},
		"the immutability of a part": {part, func(s *corev1.Secret) { s.Immutable = nil }},
		"another label of the index": {index, func(s *corev1.Secret) { s.Labels[LabelNumber] = "9" }},
		"the renderer of the index":  {index, func(s *corev1.Secret) { s.Annotations = map[string]string{annotationRenderer: "former"} }},
	} {
		t.Run(name, func(t *testing.T) {
			for write, isDone := 1, false; !isDone; write++ {
				client, _, saved := storedRevision(t, owner)
				replaceSecret(t, client, test.secret, test.change)
				next, err := killedSave(t, client, write, owner, saved)
				headers, listErr := next.List(t.Context(), owner)
				if listErr != nil || len(headers) != 1 {
					t.Fatalf("killed before write %d, listing gave %v, %v", write, headers, listErr)
				}
				if _, err := next.Load(t.Context(), owner, headers[0]); err != nil {
					t.Errorf("killed before write %d: %v", write, err)
				}
				if isDone = err == nil; isDone {
					if err := next.Verify(t.Context(), owner, saved.Header); err != nil || headers[0].Renderer != saved.Renderer {
						t.Errorf("renderer %q, %v", headers[0].Renderer, err)
					}
				}
			}
		})
	}
}

func TestCrashWhileAPartIsReplacedLeavesNoIndexWithoutAllParts(t *testing.T) {
	owner := Owner{Name: "memo", UID: "uid-1"}
	for write, isDone := 1, false; !isDone; write++ {
		client, _, saved := storedRevision(t, owner)
		replaceSecret(t, client, partName("memo", 1, 1), func(s *corev1.Secret) { s.Data[keyObject] = []byte("else") })
		next, err := killedSave(t, client, write, owner, saved)
		isDone = err == nil
		headers, listErr := next.List(t.Context(), owner)
		if listErr != nil {
			t.Fatal(listErr)
		}
		if left := len(secretsOf(t, client)); len(headers) == 1 && left != 1+saved.Parts {
			t.Errorf("killed before write %d: %d Secrets are left, one of them the index", write, left)
		}
		if !isDone {
			continue
		}
		if _, err := next.Load(t.Context(), owner, saved.Header); err != nil || len(headers) != 1 {
			t.Errorf("%d revisions are listed, %v", len(headers), err)
		}
	}
}

func TestSaveGivesSecretsWithoutOwnerTheirOwner(t *testing.T) {
	owner := Owner{Name: "memo", UID: "uid-1"}
	client, revisions, saved := storedRevision(t, owner)
	replaceSecret(t, client, indexName("memo", 1), func(s *corev1.Secret) { s.OwnerReferences = nil })
	replaceSecret(t, client, partName("memo", 1, 0), func(s *corev1.Secret) { s.OwnerReferences[0].UID = "earlier" })
	client.ClearActions()
	if err := revisions.Save(t.Context(), owner, saved); err != nil {
		t.Fatal(err)
	}
	for _, each := range client.Actions() {
		if each.GetVerb() == "delete" {
			t.Errorf("the content is deleted: %v", each)
		}
	}
	if err := NewRevisions(client.CoreV1().Secrets("system")).Verify(t.Context(), owner, saved.Header); err != nil {
		t.Error(err)
	}
}
