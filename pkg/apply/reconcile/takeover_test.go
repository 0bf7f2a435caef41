package reconcile

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/openshift/platform-operators/pkg/apply/object"
)

// Two BundleDeployments can take over an object of a third one at the same time. The apply of the younger one must not follow that of the
// older one.
func TestAnApplyIsNotRepeatedAfterATakeover(t *testing.T) {
	const before = `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: ns, uid: u, resourceVersion: "1",
		labels: {core.rukpak.io/owner-kind: BundleDeployment, core.rukpak.io/owner-name: memo}}}`
	configMaps := schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	for name, test := range map[string]struct {
		after     string // the object that is read after the conflict
		manager   string // a further field manager of that object
		isApplied bool
	}{
		"another client changed the content": {after: `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: ns, uid: u, resourceVersion: "2",
			labels: {core.rukpak.io/owner-kind: BundleDeployment, core.rukpak.io/owner-name: memo}}, data: {a: x}}`, isApplied: true},
		"another BundleDeployment labeled it": {after: `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: ns, uid: u, resourceVersion: "2",
			labels: {core.rukpak.io/owner-kind: BundleDeployment, core.rukpak.io/owner-name: older}}}`},
		"another BundleDeployment applied it": {after: `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: ns, uid: u, resourceVersion: "2",
			labels: {core.rukpak.io/owner-kind: BundleDeployment, core.rukpak.io/owner-name: memo}}}`, manager: "platform-operators/older"},
		"it was deleted and created again": {after: `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: ns, uid: v, resourceVersion: "2",
			labels: {core.rukpak.io/owner-kind: BundleDeployment, core.rukpak.io/owner-name: memo}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			live, after := parse(t, before), parse(t, test.after)
			if test.manager != "" {
				owned(after, test.manager, `{"f:metadata":{"f:labels":{}}}`)
			}
			client := dynamicfake.NewSimpleDynamicClient(runtime.NewScheme(), after)
			applies := 0
			client.PrependReactor("patch", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
				if applies++; applies == 1 {
					return true, nil, apierrors.NewConflict(configMaps.GroupResource(), "c", nil)
				}
				return true, after, nil
			})
			owner := object.Owner{Name: "memo"}
			w := writer{client: client.Resource(configMaps).Namespace("ns"), owner: owner, key: object.KeyOf(live)}
			declared := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "c", "namespace": "ns"}}}
			_, _, err := w.patch(t.Context(), declared, live, false)
			if isApplied := err == nil && applies == 2; isApplied != test.isApplied || !isApplied && !apierrors.IsConflict(err) {
				t.Errorf("%d applies, error %v", applies, err)
			}
		})
	}
}
