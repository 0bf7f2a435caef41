package capture

import (
	"encoding/json"
	"fmt"
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
