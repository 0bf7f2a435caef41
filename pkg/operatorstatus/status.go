package operatorstatus

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/deploymentspec"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/truncate"
	"github.com/openshift/platform-operators/pkg/upgradestep"
)

const (
	// maxMessage is the maximum size of a condition's message, in bytes.
	maxMessage = 2048
	// maxWarning is the maximum size of each entry of status.warnings, in bytes, and maxWarnings is their maximum number; the API has the
	// same limits.
	maxWarning, maxWarnings = 1024, 20
)

// Refusal is the reason why nothing is decided for a PlatformOperator, or why the API server refuses its BundleDeployment. Message is the
// message of the Installed condition.
type Refusal struct{ Message string }

// CatalogView is a PlatformOperator's request, together with what the catalogs contain for its package.
type CatalogView struct {
	Request  resolve.Request
	Catalogs []resolve.Catalog
}

// Input is the input of Compute.
type Input struct {
	// Operator is the PlatformOperator, with the status from the last sync. It is not modified.
	Operator *platformv1alpha1.PlatformOperator
	// Current holds the BundleDeployment and its recorded bundle, as they are after the controller carried out Step.
	Current upgradestep.Current
	// Decided is the input of upgradestep.Decide, and Step its result.
	Decided upgradestep.Input
	Step    upgradestep.Step
	// Catalogs is nil if no catalog was read. Refusal is nil if nothing was refused.
	Catalogs *CatalogView
	Refusal  *Refusal
	// Providers lists, for each kind that the BundleDeployment lacks, the packages that provide it, sorted. An admin may install them.
	Providers map[catalog.GVK][]string
	// ClusterVersion is the version that the cluster runs or is being updated to; empty if unknown.
	ClusterVersion string
	Now            time.Time
}

// Result is a status, together with a summary for metrics.
type Result struct {
	Status platformv1alpha1.PlatformOperatorStatus
	// Updates summarizes the available updates; nil if the catalogs could not be read.
	Updates *UpdateSummary
}

// report holds a status while it is being computed.
type report struct {
	in Input
	// operator is a copy of in.Operator whose status is filled in.
	operator *platformv1alpha1.PlatformOperator
	updates  *UpdateSummary
	// ignoredOverrides holds one sentence for each compatibility override that is not in effect.
	ignoredOverrides []string
}

func newReport(in Input) *report {
	r := &report{in: in, operator: in.Operator.DeepCopy()}
	r.operator.Status.ObservedGeneration = r.operator.Generation
	return r
}

// decision returns the resolver's decision.
func (r *report) decision() resolve.Decision { return r.in.Decided.Decision }

// Compute returns the status of a PlatformOperator that is not being deleted. It does not modify the input.
func Compute(in Input) Result {
	r := newReport(in)
	status, deployment := &r.operator.Status, in.Current.Deployment
	status.ActiveBundleDeployment = nil
	if deployment != nil {
		status.ActiveBundleDeployment = &platformv1alpha1.ActiveBundleDeployment{Name: deployment.Name}
	}
	r.setInstalled()
	status.History = in.Current.UpdatedHistory(in.Now)
	r.setTarget()
	r.setUpdates()
	r.setCompatibility()
	if deployment != nil || status.Installed == nil { // otherwise they stay, because they name the namespace for the restoration
		status.RelatedObjects = relatedObjects(deployment)
	}
	r.setWarnings()

	r.setCondition(platformv1alpha1.ConditionInstalled, installedCondition(r))
	r.setCondition(platformv1alpha1.ConditionProgressing, progressingCondition(r))
	r.setCondition(platformv1alpha1.ConditionHealthy, healthyCondition(r))
	r.setCondition(platformv1alpha1.ConditionDrifted, driftedCondition(r))
	r.setCondition(platformv1alpha1.ConditionUpgradeable, acknowledgedCondition(r))
	if in.Refusal == nil {
		r.setCondition(platformv1alpha1.ConditionDeprecated, deprecatedCondition(r))
	} else if last := meta.FindStatusCondition(status.Conditions, platformv1alpha1.ConditionDeprecated); last != nil {
		last.ObservedGeneration = r.operator.Generation // the catalogs were not read for this spec, so the condition stays
	}
	return Result{Status: *status, Updates: r.updates}
}

func (r *report) setCondition(conditionType string, condition metav1.Condition) {
	condition = r.lastWhilePending(conditionType, condition)
	condition.Type = conditionType
	condition.Message = truncate.Cut(condition.Message, maxMessage)
	condition.ObservedGeneration = r.operator.Generation
	condition.LastTransitionTime = metav1.NewTime(r.in.Now)
	meta.SetStatusCondition(&r.operator.Status.Conditions, condition)
}

// setWarnings sets status.warnings to the following, in this order: catalogs that cannot be read, overrides without effect, an install
// namespace without effect, the warnings of the BundleDeployment, and the notes of the resolver's decision. It drops duplicates and those
// beyond maxWarnings. Catalogs and overrides come first, because no condition of an installed operator reports them. While a catalog has
// not been read yet, the existing warnings stay.
func (r *report) setWarnings() {
	if r.isDecisionPending() {
		return // the notes of the decision are not known yet
	}
	var ofDeployment []string
	if deployment := r.in.Current.Deployment; deployment != nil {
		for _, warning := range deployment.Status.Warnings {
			ofDeployment = append(ofDeployment, upgradestep.OperatorText(warning))
		}
	}
	var all []string
	for _, warning := range slices.Concat(r.decision().UnavailableCatalogs, r.ignoredOverrides, r.namespaceWarnings(), ofDeployment, r.decision().Notes) {
		if warning = truncate.Cut(warning, maxWarning); len(all) < maxWarnings && !slices.Contains(all, warning) {
			all = append(all, warning)
		}
	}
	r.operator.Status.Warnings = all
}

// namespaceWarnings returns a warning if the spec names an install namespace that has no effect.
func (r *report) namespaceWarnings() []string {
	operator, current := r.operator, r.in.Current
	if !deploymentspec.IsInOtherNamespace(operator, current) || deploymentspec.NamespaceToMoveTo(operator, current, nil) != "" || current.Deployment.DeletionTimestamp != nil {
		return nil
	}
	return []string{fmt.Sprintf(
		"spec.install.namespace %q has no effect: the operator stays in namespace %q. To move it, delete the PlatformOperator and create it again.",
		deploymentspec.NamedNamespace(operator), current.Deployment.Spec.InstallNamespace)}
}

// counted returns the bundles that the upgrade gate considers: those whose objects may be on the cluster.
func (r *report) counted() []compat.Counted {
	return compat.CountedBundles(r.operator, r.in.Current.Deployment)
}

func relatedObjects(deployment *corev1alpha2.BundleDeployment) []platformv1alpha1.ObjectReference {
	if deployment == nil {
		return nil
	}
	return []platformv1alpha1.ObjectReference{
		{Group: "", Resource: "namespaces", Name: deployment.Spec.InstallNamespace},
		{Group: corev1alpha2.GroupName, Resource: "bundledeployments", Name: deployment.Name},
	}
}

func isTrue(reason, message string) metav1.Condition {
	return metav1.Condition{Status: metav1.ConditionTrue, Reason: reason, Message: message}
}

func isFalse(reason, message string) metav1.Condition {
	return metav1.Condition{Status: metav1.ConditionFalse, Reason: reason, Message: message}
}

func isUnknown(reason, message string) metav1.Condition {
	return metav1.Condition{Status: metav1.ConditionUnknown, Reason: reason, Message: message}
}
