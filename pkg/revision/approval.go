package revision

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// CheckApproval returns the check of an approval: whether spec.approval approves the plan that was computed for a revision. planned is that
// plan, and namespace is the namespace of the ConfigMaps with its text. The caller must also check that the admission policies are in force,
// because without them the approval may be anybody's.
func CheckApproval(deployment *corev1alpha2.BundleDeployment, planned corev1alpha2.Plan, namespace string) Check {
	approval := deployment.Spec.Approval
	if approval != nil && approval.PlanDigest == planned.Digest {
		return Check{Approval: PlanApproval{Plan: planned.Digest, By: approval.ApprovedBy}}
	}
	other := ""
	if approval != nil && approval.PlanDigest != "" {
		other = fmt.Sprintf(" spec.approval approves another plan, %s.", approval.PlanDigest)
	}
	return unapproved(false, fmt.Sprintf(
		"it waits for the approval of its plan, which %s.%s Read the plan (%s), and approve it (%s)",
		changesOf(planned), other, readCommand(planned, namespace), approveCommand(deployment.Name, planned.Digest)))
}

// PoliciesNotInForce returns the check for an approval that does not count, because an admission policy is not in force. problem is a clause
// that names the policy, and says what is wrong.
func PoliciesNotInForce(problem string) Check {
	return unapproved(true, fmt.Sprintf("its plan is approved, and the approval does not count, because "+
		"%s: anybody who may edit the BundleDeployment could have given it. Restore what the release payload contains", problem))
}

func unapproved(isUnguarded bool, text string) Check {
	return Check{Unmet: Approval, IsUnguarded: isUnguarded, Problem: Problem{Err: errors.New(text), Refused: true}}
}

// changesOf returns a clause with the numbers of objects that a plan creates, updates and deletes.
func changesOf(planned corev1alpha2.Plan) string {
	var parts []string
	for _, each := range []struct {
		verb    string
		objects *corev1alpha2.PlannedObjects
	}{{"creates", planned.Create}, {"updates", planned.Update}, {"deletes", planned.Delete}} {
		if each.objects != nil {
			parts = append(parts, each.verb+" "+counted(int(each.objects.Total)))
		}
	}
	if len(parts) == 0 {
		return "changes no object"
	}
	if last := len(parts) - 1; last > 0 {
		return strings.Join(parts[:last], ", ") + " and " + parts[last]
	}
	return parts[0]
}

// readCommand returns the command that prints a plan.
func readCommand(planned corev1alpha2.Plan, namespace string) string {
	return fmt.Sprintf("%q", fmt.Sprintf("kubectl get configmaps -n %s %s -o jsonpath='{..data.plan}'", namespace, strings.Join(planned.ConfigMaps, " ")))
}

// approveCommand returns the command that approves a plan. It has a placeholder, because the API server compares the name of the user.
func approveCommand(deployment, digest string) string {
	return fmt.Sprintf("kubectl patch bundledeployment %s --type=merge -p '{\"spec\":{\"approval\":{\"planDigest\":\"%s\",\"approvedBy\":\"YOUR USER NAME\"}}}'", deployment, digest)
}

// isAwaitingApproval reports whether the only thing that the desired revision needs next is an approval, which a watch reports.
func (m *Machine) isAwaitingApproval() bool {
	return m.check.Unmet == Approval && !m.check.IsUnguarded
}

// isUnapproved reports whether the desired revision is refused because its plan is not approved, or because the approval does not count.
func (m *Machine) isUnapproved() bool { return m.refusal != nil && m.check.Unmet == Approval }

// isWithdrawn reports whether a revision that was started lost its approval before all of its objects were applied: spec.approval does not
// name the plan any more, or an approval was not required when the revision was started.
func (m *Machine) isWithdrawn(r *Revision) bool {
	if !m.in.ApprovalRequired || !m.isDue(r) || !r.isStarted() || r.Applied {
		return false
	}
	approval := m.in.Deployment.Spec.Approval
	return r.Approval.Plan == "" || approval == nil || approval.PlanDigest != r.Approval.Plan
}

// approved returns the Approved condition. exists is false if no approval is required.
func (m *Machine) approved() (approved condition, exists bool) {
	const kind = corev1alpha2.ConditionApproved
	newest := m.Newest()
	switch {
	case !m.in.ApprovalRequired:
		return condition{}, false
	case newest == nil:
		return condition{kind, isTrue, corev1alpha2.ReasonApprovalNotNeeded, "No revision waits for an approval."}, true
	case m.check.Problem.isRefusal() && m.check.IsUnguarded:
		return condition{kind, isFalse, corev1alpha2.ReasonPoliciesNotInForce, fmt.Sprintf("%s is not applied: %v.", newest.title(), m.check.Problem.Err)}, true
	case m.check.Problem.isRefusal() && m.check.Unmet == Approval:
		return condition{kind, isFalse, corev1alpha2.ReasonAwaitingApproval, fmt.Sprintf("%s is not applied: %v.", newest.title(), m.check.Problem.Err)}, true
	case newest.Approval.Plan != "":
		return condition{kind, isTrue, corev1alpha2.ReasonApproved, fmt.Sprintf("%s of %s was approved by %s.", planName(newest.Approval.Plan), newest, newest.Approval.By)}, true
	case m.checked && m.check.Approval.Plan != "":
		return condition{kind, isTrue, corev1alpha2.ReasonApproved, fmt.Sprintf("%s of %s is approved by %s.", planName(m.check.Approval.Plan), newest, m.check.Approval.By)}, true
	case newest.isTouched():
		return condition{kind, isTrue, corev1alpha2.ReasonApprovalNotNeeded, newest.title() + " was started before an approval was required."}, true
	}
	computed := condition{kind, isUnknown, corev1alpha2.ReasonAwaitingApproval, "The plan of " + newest.String() + " is not known yet."}
	if last := meta.FindStatusCondition(m.in.Deployment.Status.Conditions, kind); last != nil {
		computed.status, computed.reason, computed.message = last.Status, last.Reason, last.Message
	}
	return computed, true
}

func planName(digest string) string { return "Plan " + digest }
