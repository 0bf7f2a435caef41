package operatorstatus

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/upgradestep"
	"github.com/openshift/platform-operators/test/steptest"
)

// pending is the decision of a new manager process that has not read a catalog of the package.
var pending = resolve.Decision{HasPendingCatalogs: true, Message: "catalog x was left out: not read yet", UnreadCatalogs: "catalog x was left out: not read yet", Reason: platformv1alpha1.ReasonSourceFailed}

// after returns the input of the next sync of in, after the changes.
func after(in Input, changes ...func(*Input)) Input {
	in.Operator = in.Operator.DeepCopy()
	in.Operator.Status = Compute(in).Status
	in.Current.Installed, in.Current.History = in.Operator.Status.Installed, in.Operator.Status.History
	for _, change := range changes {
		change(&in)
	}
	in.Decided.Current = in.Current
	in.Decided.Spec = upgradestep.SpecOf(in.Operator, "")
	in.Step = upgradestep.Decide(in.Decided)
	return in
}

// Promise HRD-T7: A manager that starts does not change the status of a PlatformOperator until it has read the catalogs.
func TestHRD_T7_StatusStaysUntilCatalogsAreRead(t *testing.T) {
	next := steptest.Candidate("1.1.0")
	unapproved := running(decided(resolve.Decision{Awaiting: &next, Notes: []string{"a note"}}))
	typo := running(absent, decided(resolve.Decision{Reason: platformv1alpha1.ReasonValidationFailed, Message: "no version is in the range", Refused: []resolve.Refusal{{}}}))
	for name, in := range map[string]Input{
		"the newest version is installed":    running(),
		"a version waits for approval":       unapproved,
		"nothing can be installed":           typo,
		"no catalog can be read":             running(decided(resolve.Decision{Message: "catalog x cannot be read", UnreadCatalogs: "x", UnavailableCatalogs: []string{"x"}})),
		"another catalog refuses the update": running(decided(resolve.Decision{Message: "1.1.0 is too new", Refused: []resolve.Refusal{{}}})),
	} {
		t.Run(name, func(t *testing.T) {
			restarted := after(in, decided(pending))
			if diff := cmp.Diff(restarted.Operator.Status, Compute(restarted).Status); diff != "" {
				t.Errorf("a new process changes the status (-before +after):\n%s", diff)
			}
		})
	}
	t.Run("the status changes if something else has changed", func(t *testing.T) {
		for name, changed := range map[string]Input{
			"the spec":              after(running(), decided(pending), func(in *Input) { in.Operator.Generation++ }),
			"the catalog":           after(running(), decided(resolve.Decision{Message: "x"})),
			"the step has ended":    after(running(movesTo("1.1.0"), becomes(steptest.Overdue())), decided(pending), becomes(steptest.Healthy())),
			"a step is under way":   after(running(), decided(pending), movesTo("1.1.0"), becomes(steptest.Overdue())),
			"the admin has paused":  after(running(), decided(pending), func(in *Input) { in.Operator.Spec.Paused = true }),
			"the spec is refused":   after(running(), decided(pending), func(in *Input) { in.Refusal = &Refusal{Message: "an older one has the package"} }),
			"the installed version": after(running(), decided(pending), func(in *Input) { in.Operator.Status.Installed = steptest.Bundle("0.9.0") }),
		} {
			t.Run(name, func(t *testing.T) {
				progressing := func(status platformv1alpha1.PlatformOperatorStatus) metav1.Condition {
					return status.Conditions[slices.IndexFunc(status.Conditions, func(c metav1.Condition) bool { return c.Type == platformv1alpha1.ConditionProgressing })]
				}
				if before, now := progressing(changed.Operator.Status), progressing(Compute(changed).Status); cmp.Equal(before, now) {
					t.Errorf("Progressing stays %+v", now)
				}
			})
		}
	})
}
