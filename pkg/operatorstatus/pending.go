package operatorstatus

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/upgradestep"
)

// reasonsFromCatalogs lists the reasons that may depend on the content of catalogs, keyed by the type of the condition.
var reasonsFromCatalogs = map[string][]string{
	platformv1alpha1.ConditionInstalled:   {platformv1alpha1.ReasonSourceFailed, platformv1alpha1.ReasonValidationFailed},
	platformv1alpha1.ConditionProgressing: {platformv1alpha1.ReasonAsExpected, platformv1alpha1.ReasonBlocked, platformv1alpha1.ReasonAwaitingApproval},
	platformv1alpha1.ConditionDeprecated: {
		platformv1alpha1.ReasonDeprecated, platformv1alpha1.ReasonNotDeprecated, platformv1alpha1.ReasonCatalogUnavailable,
	},
}

// isDecisionPending reports whether the decision waits for catalogs to be read, and the last status stays valid until then. The last status
// is valid if it is about the same spec and the same installed bundle, and no step is under way. If it were not kept, each start of the
// manager would change the conditions and then change them back.
func (r *report) isDecisionPending() bool {
	last, status, decision := r.in.Operator.Status, r.operator.Status, r.decision()
	if !decision.HasPendingCatalogs || decision.Chosen != nil || r.in.Refusal != nil || r.in.Step.Action == upgradestep.Hold {
		return false
	}
	if last.ObservedGeneration != r.operator.Generation || last.Target != nil || status.Target != nil {
		return false
	}
	if last.Installed == nil || status.Installed == nil {
		return last.Installed == status.Installed
	}
	return upgradestep.SameBundle(*last.Installed, *status.Installed)
}

// lastWhilePending returns the condition from the last status if both it and the computed one depend only on catalogs that have not been
// read. Otherwise it returns the computed one.
func (r *report) lastWhilePending(conditionType string, computed metav1.Condition) metav1.Condition {
	last := meta.FindStatusCondition(r.in.Operator.Status.Conditions, conditionType)
	reasons := reasonsFromCatalogs[conditionType]
	isFromCatalogs := slices.Contains(reasons, computed.Reason) || r.isFirstReading()
	if last == nil || !slices.Contains(reasons, last.Reason) || !isFromCatalogs || !r.isDecisionPending() {
		return computed
	}
	return *last
}

// isFirstReading reports whether nothing is installed and catalogs that may have the package are being read. In that case, it is too early
// to report that no catalog has the package.
func (r *report) isFirstReading() bool {
	decision := r.decision()
	return decision.HasPendingCatalogs && decision.Chosen == nil && waitsForCatalog(decision) &&
		r.in.Refusal == nil && r.in.Current.Deployment == nil && r.operator.Status.Installed == nil
}

// firstReadingMessage returns a sentence that says what is awaited while isFirstReading returns true.
func (r *report) firstReadingMessage() string {
	if decision := r.decision(); len(decision.Available) > 0 {
		return withFullStop(capitalized(decision.Message))
	}
	return fmt.Sprintf("The catalogs that may have package %q are being read.", r.operator.Spec.Package.Name)
}
