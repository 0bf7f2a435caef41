package capture

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"

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

func TestOnlyRevisionsWithoutSecretsKeepTheirValues(t *testing.T) {
	plain, secret := []unstructured.Unstructured{objectOf("ConfigMap", "a")}, []unstructured.Unstructured{objectOf("ConfigMap", "a"), objectOf("Secret", "b")}
	objects := stored(t, store.Owner{Name: "memo", UID: "1"}, plain, secret)
	other := mustgather.Object{Unstructured: &unstructured.Unstructured{Object: objects[0].DeepCopy().Object}, Resource: objects[0].Resource}
	other.Object["type"] = "Opaque"
	want := map[string]bool{"revision.memo.r1": true, "revision.memo.r1.p0": true, "revision.memo.r2": true, "revision.memo.r2.p0": false}
	harmless := harmless(append(objects, other))
	for _, each := range objects {
		if got := keepsValues(each, harmless); got != want[each.GetName()] {
			t.Errorf("%s keeps its values: %t", each.GetName(), got)
		}
	}
	if len(objects) != len(want) {
		t.Errorf("%d Secrets", len(objects))
	}
	configMap := objectOf("ConfigMap", "c")
	if keepsValues(other, harmless) || !keepsValues(mustgather.Object{Unstructured: &configMap}, harmless) {
		t.Error("a Secret of somebody else keeps its values, or a ConfigMap loses them")
	}
}

func TestADamagedRevisionLosesItsValues(t *testing.T) {
	objects := stored(t, store.Owner{Name: "memo", UID: "1"}, []unstructured.Unstructured{objectOf("ConfigMap", "a")})
	for _, each := range objects {
		if each.GetLabels()[store.LabelRole] == store.RolePart {
			each.Object["data"] = map[string]any{"objects.jsonl.gz.part": "YQ=="}
			if keepsValues(each, harmless(objects)) {
				t.Error("nobody knows what it has")
			}
		}
	}
}
