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

func TestHRD_M6_NothingHasFailedBeforeCatalogsAreRead(t *testing.T) {
	const reading = `The catalogs that may have package "memo" are being read.`
	fits := pending
	fits.Available, fits.Message = []resolve.Candidate{steptest.Candidate("1.1.0")}, "version 1.1.0 is not chosen before catalog y has been read"
	refused := pending
	refused.Refused, refused.Reason, refused.Message = []resolve.Refusal{{}}, platformv1alpha1.ReasonValidationFailed, "every version is refused"
	for name, c := range map[string]struct {
		decision                           resolve.Decision
		installed, progressing, deprecated string
	}{
		"no catalog is read": {pending, "False InstallPending: " + reading, "True Installing: " + reading, "Unknown CatalogUnavailable: " + reading},
		"one with a version is": {fits, "False InstallPending: Version 1.1.0 is not chosen before catalog y has been read.",
			"True Installing: Version 1.1.0 is not chosen before catalog y has been read.", "Unknown CatalogUnavailable: Version 1.1.0 is not chosen before catalog y has been read."},
		"one that refuses is": {refused, "False ValidationFailed: every version is refused", "False Blocked: Nothing can be installed yet; the Installed condition says why.",
			"Unknown CatalogUnavailable: It is not known whether the operator is deprecated, because none of the selected catalogs that can be read contains the package."},
	} {
		t.Run(name, func(t *testing.T) {
			in := running(absent, decided(c.decision), func(in *Input) { in.Operator.Spec.Package.Name = "memo" })
			status := Compute(in).Status
			got := []string{condition(status, platformv1alpha1.ConditionInstalled), condition(status, platformv1alpha1.ConditionProgressing), condition(status, platformv1alpha1.ConditionDeprecated)}
			if diff := cmp.Diff([]string{c.installed, c.progressing, c.deprecated}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
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
