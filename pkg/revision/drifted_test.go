package revision

import (
	"strings"
	"testing"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/drift"
)

func TestHRD_U8_DriftedNamesIgnoredFieldsThatDoNotExist(t *testing.T) {
	unmatched := []drift.Unmatched{{Entry: 0}, {Entry: 1, Pointer: "/a"}, {Entry: 2}, {Entry: 3}, {Entry: 4}}
	for name, test := range map[string]struct {
		policy    corev1alpha2.DriftPolicy
		unmatched []drift.Unmatched
		has, not  string
	}{
		"all select something": {"", nil, "No declared object", "ignore"},
		"one does not":         {"", unmatched[:1], "No declared object or field differs from its declaration. The target of spec.drift.ignore[0]", "more"},
		"most do not":          {"", unmatched, " The same holds for 2 more pointers or targets of spec.drift.ignore.", "ignore[3]"},
		"nothing is compared":  {corev1alpha2.DriftIgnoreAll, unmatched, "the drift policy is Ignore", "spec.drift.ignore"},
	} {
		t.Run(name, func(t *testing.T) {
			one := &Revision{}
			m := &Machine{in: Input{Deployment: &corev1alpha2.BundleDeployment{}, History: &History{Stored: []*Revision{one}}, DriftPolicy: test.policy}, active: one, desired: one}
			m.SetDrift(Drift{UnmatchedIgnores: test.unmatched})
			if got := m.drifted(); !strings.Contains(got.message, test.has) || strings.Contains(got.message, test.not) || got.status != isFalse {
				t.Errorf("got %+v", got)
			}
		})
	}
}
