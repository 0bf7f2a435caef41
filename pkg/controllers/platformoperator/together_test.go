package platformoperator

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/resolve"
)

func TestKinHearOfWhatBecomesOfOneAnother(t *testing.T) {
	k := &kin{of: map[string]relation{}}
	chosen := candidate("1.0.0")
	pending := resolve.Decision{Kin: []string{"baker", "needy"}, Reason: platformv1alpha1.ReasonSourceFailed}
	refused := resolve.Decision{Kin: []string{"baker", "needy"}, Reason: platformv1alpha1.ReasonValidationFailed}
	fewer := resolve.Decision{Kin: []string{"needy"}, Chosen: &chosen}
	for _, step := range []struct {
		says     string
		decision resolve.Decision
		news     []string
	}{
		{"one that has to do with nobody is nobody's news", resolve.Decision{Chosen: &chosen}, nil},
		{"both hear of one that they have to do with", pending, []string{"baker", "needy"}},
		{"nothing is new the next time", pending, nil},
		{"what becomes of it is news, though they have to do with it as before", refused, []string{"baker", "needy"}},
		{"nothing is new the next time either", refused, nil},
		{"who no longer has to do with it hears of that too", fewer, []string{"baker", "needy"}},
		{"and all hear when it is gone", resolve.Decision{}, []string{"needy"}},
		{"once", resolve.Decision{}, nil},
	} {
		if diff := cmp.Diff(step.news, k.set("rival", step.decision)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.says, diff)
		}
		if diff := cmp.Diff(step.decision.Kin, k.get("rival")); diff != "" {
			t.Errorf("%s: remembered (-want +got):\n%s", step.says, diff)
		}
	}
}
