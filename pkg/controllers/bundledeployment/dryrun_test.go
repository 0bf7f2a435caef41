package bundledeployment

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/revision"
)

// warningsOfPlan returns status.plan.warnings.
func (f *fixture) warningsOfPlan() []string {
	if f.deployment.Status.Plan == nil {
		return nil
	}
	return f.deployment.Status.Plan.Warnings
}

func TestAPlanThatNeedsAnApprovalHasTheWarningsOfADryRun(t *testing.T) {
	f := approvalFixture(t)
	f.engine.dryRun = apply.DryRun{Sent: 50, Total: 60}
	f.decide(t)
	if f.machine.State(f.two) == revision.WaitingForApproval || f.plans.saves > 0 || f.retryAfter != time.Millisecond {
		t.Fatalf("while the dry run is not done: it is %s, and the next sync in %s", f.machine.State(f.two), f.retryAfter)
	}
	f.engine.dryRun = apply.DryRun{Sent: 60, Total: 60, Warnings: []string{"Job memo/x: it is old"}}
	f.decide(t)
	if diff := cmp.Diff([]string{"Job memo/x: it is old"}, f.warningsOfPlan()); diff != "" || f.machine.State(f.two) != revision.WaitingForApproval {
		t.Errorf("it is %s, warnings of the plan (-want +got):\n%s", f.machine.State(f.two), diff)
	}
	if len(f.deployment.Status.Warnings) > 0 {
		t.Errorf("nothing was applied, and status has warnings %q", f.deployment.Status.Warnings)
	}
	f.before = f.deployment.DeepCopy()
	f.decide(t)
	if f.engine.dryRuns != 2 {
		t.Errorf("the dry run was made %d times", f.engine.dryRuns)
	}
	f.memory.dryRun, f.before.Spec.Paused, f.deployment.Spec.Paused = dryRun{}, true, true // as after a restart
	f.decide(t)
	if diff := cmp.Diff([]string{"Job memo/x: it is old"}, f.warningsOfPlan()); diff != "" {
		t.Errorf("while it is paused, warnings of the plan (-want +got):\n%s", diff)
	}
}

func TestWithoutAnApprovalAndAServiceAccountThereIsNoDryRun(t *testing.T) {
	f := firstFixture(t)
	f.decide(t)
	if f.engine.dryRuns > 0 {
		t.Errorf("the dry run was made %d times", f.engine.dryRuns)
	}
}

func TestENG_P7_PermissionsThatADryRunFindsMissingAreAwaited(t *testing.T) {
	f := firstFixture(t)
	f.scope(t)
	missing := []corev1alpha2.MissingPermission{{Verbs: []string{"patch"}, Resource: "secrets", ResourceNames: []string{"key"}, Namespace: "memo", ServiceAccountName: "deployer"}}
	f.engine.dryRun, f.engine.stillMissing = apply.DryRun{Sent: 1, Total: 1, Missing: missing}, missing
	for range 2 {
		f.missing = nil // each sync checks again
		f.decide(t)
		installed := conditionOf(t, f.deployment, corev1alpha2.ConditionInstalled)
		if diff := cmp.Diff(missing, f.deployment.Status.Plan.PermissionsMissing); diff != "" || !strings.Contains(installed.Message, "no permission for secrets key") || f.engine.applied > 0 {
			t.Errorf("applied %d times, message %q, missing (-want +got):\n%s", f.engine.applied, installed.Message, diff)
		}
	}
	if f.engine.dryRuns != 1 {
		t.Errorf("while permissions are missing, the dry run was made %d times", f.engine.dryRuns)
	}
	f.missing, f.engine.dryRun, f.engine.stillMissing = nil, apply.DryRun{Sent: 1, Total: 1}, nil
	f.decide(t)
	if f.engine.applied == 0 || f.engine.dryRuns != 2 {
		t.Errorf("when they are granted: applied %d times, after %d dry runs", f.engine.applied, f.engine.dryRuns)
	}
}

func TestENG_P7_AnErrorDoesNotMakeTheManagerForgetWhatADryRunFoundMissing(t *testing.T) {
	f := firstFixture(t)
	f.scope(t)
	missing := []corev1alpha2.MissingPermission{{Verbs: []string{"patch"}, Resource: "secrets", ResourceNames: []string{"key"}, Namespace: "memo", ServiceAccountName: "deployer"}}
	f.engine.dryRun, f.engine.stillMissing = apply.DryRun{Sent: 1, Total: 1, Missing: missing}, missing
	f.decide(t)
	f.missing, f.engine.stillErr = nil, errors.New("the API server starts")
	if _, err := rollOut(t.Context(), f.reconciliation); err == nil {
		t.Error("the failed check is not reported")
	}
	f.missing, f.engine.stillErr = nil, nil
	f.decide(t)
	if diff := cmp.Diff(missing, f.deployment.Status.Plan.PermissionsMissing); diff != "" || f.engine.applied > 0 {
		t.Errorf("applied %d times, missing (-want +got):\n%s", f.engine.applied, diff)
	}
}

func TestAnAwaitedApprovalHidesNeitherAFailedDryRunNorMissingPermissions(t *testing.T) {
	f := approvalFixture(t)
	f.engine.dryErr = errors.New("the API server starts")
	if _, err := rollOut(t.Context(), f.reconciliation); err == nil {
		t.Error("the failed dry run is not reported, so that nothing repeats it")
	}

	f = approvalFixture(t)
	f.scope(t)
	f.engine.missing = []corev1alpha2.MissingPermission{{Verbs: []string{"patch"}, Resource: "secrets", Namespace: "memo", ServiceAccountName: "deployer"}}
	f.decide(t)
	if f.machine.State(f.two) != revision.WaitingForApproval || f.retryAfter != permissionsInterval {
		t.Errorf("while permissions are missing: it is %s, and the next sync in %s", f.machine.State(f.two), f.retryAfter)
	}
}

func TestAPlanThatIsKnownKeepsItsConditionsDuringTheDryRunOfANewProcess(t *testing.T) {
	f := approvalFixture(t)
	f.engine.dryRun = apply.DryRun{Sent: 60, Total: 60, Warnings: []string{"Job memo/x: it is old"}}
	f.decide(t)
	before := f.approved(t)
	f.before = f.deployment.DeepCopy()
	f.memory.dryRun, f.memory.planned = dryRun{}, plannedRevision{}
	f.engine.dryRun = apply.DryRun{Sent: 50, Total: 60}
	f.decide(t)
	if diff := cmp.Diff([]string{"Job memo/x: it is old"}, f.warningsOfPlan()); diff != "" || f.machine.State(f.two) != revision.WaitingForApproval || f.approved(t) != before {
		t.Errorf("it is %s, %q, warnings of the plan (-want +got):\n%s", f.machine.State(f.two), f.approved(t), diff)
	}
	if f.retryAfter != time.Millisecond {
		t.Errorf("the dry run goes on in %s", f.retryAfter)
	}
}

// scope makes ServiceAccount deployer apply the later revision.
func (f *fixture) scope(t *testing.T) {
	t.Helper()
	f.two.ServiceAccount, f.source.desired.ServiceAccount, f.before.Spec.ServiceAccountName = "deployer", "deployer", "deployer"
	f.deployment = f.before.DeepCopy()
	f.accounts.create(t, "deployer", "uid")
}
