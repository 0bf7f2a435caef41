package registryv1_test

import (
	"strings"
	"testing"

	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/openshift/platform-operators/pkg/bundle"
)

// TestRealBundlesRenderForServerSideApply checks that rendered objects are valid for server-side apply, which is stricter than create.
// Server-side apply refuses the whole object for an unknown field, or for two list entries with one key.
func TestRealBundlesRenderForServerSideApply(t *testing.T) {
	converter := applyconfigurations.NewTypeConverter(scheme.Scheme)
	for _, dir := range realBundles(t) {
		if strings.HasPrefix(realOutcomes()[dir], "refused") {
			continue
		}
		_, objects, err := renderInSomeMode(realBundle(t, dir), bundle.CertManager)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range objects {
			if !scheme.Scheme.Recognizes(o.GroupVersionKind()) {
				continue
			}
			if _, err := converter.ObjectToTyped(&o); err != nil {
				t.Errorf("%s: %s %q: %v", shortName(dir), o.GetKind(), o.GetName(), err)
			}
		}
	}
}
