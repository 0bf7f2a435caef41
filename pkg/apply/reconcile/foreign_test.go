package reconcile

import (
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	dynamicfake "k8s.io/client-go/dynamic/fake"

	"github.com/openshift/platform-operators/pkg/apply/identity"
)

// An object of another owner is not in the cache. Only the first call finds it by a write that is refused.
func TestAForeignObjectIsReadBeforeItIsCreated(t *testing.T) {
	desired, _ := asDeclared(t, "1")
	client := dynamicfake.NewSimpleDynamicClient(runtime.NewScheme(), parse(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: ns}, data: {a: x}}`))
	options := memoOptions()
	options.As = identity.Identity{Dynamic: client}
	resource := cachedConfigMaps(t)
	requests := func() (verbs []string) {
		t.Helper()
		client.ClearActions()
		New(options).Reconcile(t.Context(), desired, resource)
		for _, each := range client.Actions() {
			verbs = append(verbs, each.GetVerb())
		}
		return verbs
	}
	if got, want := requests(), []string{"create", "get"}; !slices.Equal(got, want) {
		t.Errorf("at first it sends %q, want %q", got, want)
	}
	for range 2 {
		if got, want := requests(), []string{"get"}; !slices.Equal(got, want) {
			t.Errorf("later it sends %q, want %q", got, want)
		}
	}
	if err := client.Resource(configMaps).Namespace("ns").Delete(t.Context(), "c", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if got, want := requests(), []string{"get", "create"}; !slices.Equal(got, want) {
		t.Errorf("when it is gone it sends %q, want %q", got, want)
	}
}
