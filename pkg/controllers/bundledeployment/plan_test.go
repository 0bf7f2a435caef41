package bundledeployment

import (
	"errors"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/revision"
)

// approvalFixture returns a fixture with an active revision and a later one that has not started, and requires an approval.
func approvalFixture(t *testing.T) *fixture {
	t.Helper()
	f := newFixture(t)
	f.two.Started = nil
	f.before.Spec.Approval = &corev1alpha2.Approval{Mode: corev1alpha2.ApprovalRequired}
	f.deployment = f.before.DeepCopy()
	return f
}

// approve sets the approval in the spec, also on the API server.
func (f *fixture) approve(t *testing.T, digest, by string) {
	t.Helper()
	f.before.Spec.Approval.PlanDigest, f.before.Spec.Approval.ApprovedBy = digest, by
	f.deployment.Spec = *f.before.Spec.DeepCopy()
	if _, err := f.api.CoreV1alpha2().BundleDeployments().Update(t.Context(), f.before, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// approved returns status, reason and message of the Approved condition.
func (f *fixture) approved(t *testing.T) string {
	t.Helper()
	condition := meta.FindStatusCondition(f.deployment.Status.Conditions, corev1alpha2.ConditionApproved)
	if condition == nil {
		t.Fatal("there is no Approved condition")
	}
	return string(condition.Status) + "/" + condition.Reason + ": " + condition.Message
}

func TestENG_P1_NothingIsAppliedBeforeTheApproval(t *testing.T) {
	f := approvalFixture(t)
	f.decide(t)
	plan := f.deployment.Status.Plan
	if f.machine.State(f.two) != revision.WaitingForApproval || f.engine.applied != 1 || plan == nil || plan.Revision != 2 || plan.Digest == "" ||
		plan.Update.Total != 1 || len(plan.ConfigMaps) != 1 {
		t.Fatalf("it is %s, applied %d times (want only the active revision), plan %+v", f.machine.State(f.two), f.engine.applied, plan)
	}
	want := "False/AwaitingApproval: Revision 2 (version 2.0.0) is not applied: it waits for the approval of its plan, which updates 1 object."
	if got := f.approved(t); !strings.HasPrefix(got, want) || !strings.Contains(got, `"planDigest":"`+plan.Digest+`"`) {
		t.Errorf("condition %q, want the beginning %q and the digest", got, want)
	}
	progressing := meta.FindStatusCondition(f.deployment.Status.Conditions, corev1alpha2.ConditionProgressing)
	if progressing.Status != "False" || progressing.Reason != corev1alpha2.ReasonAwaitingApproval {
		t.Errorf("Progressing %+v", progressing)
	}
	if f.retryAfter != 0 {
		t.Errorf("another sync in %s", f.retryAfter)
	}

	f.decide(t)
	if f.plans.saves != 1 {
		t.Errorf("an unchanged plan was stored %d times", f.plans.saves)
	}
	f.approve(t, plan.Digest, "ada")
	f.decide(t)
	if f.machine.State(f.two) != revision.RollingOut || f.two.Approval != (revision.PlanApproval{Plan: plan.Digest, By: "ada"}) {
		t.Errorf("it is %s with approval %+v", f.machine.State(f.two), f.two.Approval)
	}
	if got := f.approved(t); !strings.HasPrefix(got, "True/Approved: ") || !strings.HasSuffix(got, "of revision 2 (version 2.0.0) was approved by ada.") {
		t.Errorf("condition %q", got)
	}
}

func TestENG_P1_AnotherDigestApprovesNothing(t *testing.T) {
	f := approvalFixture(t)
	f.approve(t, "sha256:other", "ada")
	f.decide(t)
	if got := f.approved(t); f.machine.State(f.two) != revision.WaitingForApproval || !strings.Contains(got, "spec.approval approves another plan, sha256:other.") {
		t.Errorf("it is %s, condition %q", f.machine.State(f.two), got)
	}
}

func TestENG_P1_AnotherPlanNeedsAnotherApproval(t *testing.T) {
	f := approvalFixture(t)
	f.decide(t)
	f.approve(t, f.deployment.Status.Plan.Digest, "ada")
	f.before.Spec.Adoption = corev1alpha2.AdoptionAny
	f.decide(t)
	if f.machine.State(f.two) != revision.WaitingForApproval || f.plans.saves != 2 {
		t.Errorf("it is %s, and %d plans were stored", f.machine.State(f.two), f.plans.saves)
	}
}

func TestENG_A8_NoApprovalCountsWithoutThePolicies(t *testing.T) {
	f := approvalFixture(t)
	f.decide(t)
	f.approve(t, f.deployment.Status.Plan.Digest, "ada")
	f.plans.notInForce = `ValidatingAdmissionPolicyBinding "p" does not exist`
	f.decide(t)
	got := f.approved(t)
	want := `False/PoliciesNotInForce: Revision 2 (version 2.0.0) is not applied: its plan is approved, and the approval does not count, because ValidatingAdmissionPolicyBinding "p" does not exist`
	if f.machine.State(f.two) != revision.WaitingForApproval || !strings.HasPrefix(got, want) || f.retryAfter == 0 {
		t.Errorf("it is %s, condition %q, another sync in %s", f.machine.State(f.two), got, f.retryAfter)
	}
	f.plans.notInForce = ""
	f.decide(t)
	if f.machine.State(f.two) != revision.RollingOut {
		t.Errorf("it is %s after the policies were restored", f.machine.State(f.two))
	}
}

func TestENG_P1_WithdrawnApproval(t *testing.T) {
	for name, c := range map[string]struct {
		isApplied bool
		want      revision.State
	}{
		"before all objects are applied": {false, revision.WaitingForApproval},
		"after that":                     {true, revision.RollingOut},
	} {
		t.Run(name, func(t *testing.T) {
			f := approvalFixture(t)
			f.decide(t)
			f.approve(t, f.deployment.Status.Plan.Digest, "ada")
			f.engine.report.Complete = c.isApplied
			f.engine.report.Unready = []string{"Deployment memo/a: 0 of 1 replicas are ready"}
			f.decide(t)
			f.approve(t, "", "")
			f.decide(t)
			if got := f.machine.State(f.two); got != c.want {
				t.Errorf("it is %s, want %s", got, c.want)
			}
		})
	}
}

func TestAPlanThatCannotBeStoredIsAFault(t *testing.T) {
	f := approvalFixture(t)
	f.plans.err = errors.New("quota")
	if _, err := rollOut(t.Context(), f.reconciliation); err == nil || !strings.Contains(err.Error(), "quota") || f.machine.State(f.two) == revision.RollingOut {
		t.Errorf("error %v, it is %s", err, f.machine.State(f.two))
	}
}
