package operatorstatus

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/deploymentspec"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/truncate"
	"github.com/openshift/platform-operators/pkg/upgradestep"
)

const (
	// maxMessage bounds every condition message in bytes: enough for a sentence an object, far below what etcd minds.
	maxMessage = 2048
	// maxWarning and maxWarnings bound status.warnings, as the API does.
	maxWarning, maxWarnings = 1024, 20
)

// Refusal is why nothing is decided for a PlatformOperator, or why the API server does not accept its BundleDeployment: the message of
// condition Installed.
type Refusal struct{ Message string }

// CatalogView is a PlatformOperator's request, and the catalogs' content for its package.
type CatalogView struct {
	Request  resolve.Request
	Catalogs []resolve.Catalog
}

// Input is the input of Compute.
type Input struct {
	// Operator has the spec and the status of the sync before. It is not modified.
	Operator *platformv1alpha1.PlatformOperator
	// Current is the installed bundle after the step was carried out.
	Current upgradestep.Current
	// Step was decided by Decided.
	Decided upgradestep.Input
	Step    upgradestep.Step
	// Catalogs are nil if no catalog was read, Refusal is nil if nothing was refused.
	Catalogs *CatalogView
	Refusal  *Refusal
	// ClusterVersion is the version that the cluster runs or is being updated to; empty if unknown.
	ClusterVersion string
	Now            time.Time
}

// Result is a status, and what is measured beside it.
type Result struct {
	Status platformv1alpha1.PlatformOperatorStatus
	// Updates sums up the available updates; nil if nothing new is known of them.
	Updates *UpdateSummary
}

// report is a status while it is computed.
type report struct {
	in Input
	// operator is a copy of in.Operator whose status is filled in.
	operator *platformv1alpha1.PlatformOperator
	updates  *UpdateSummary
	// ignoredOverrides are sentences, one for each compatibility override without effect.
	ignoredOverrides []string
}

func newReport(in Input) *report {
	r := &report{in: in, operator: in.Operator.DeepCopy()}
	r.operator.Status.ObservedGeneration = r.operator.Generation
	return r
}

// decision returns the resolver's decision.
func (r *report) decision() resolve.Decision { return r.in.Decided.Decision }

// Compute returns the status of a PlatformOperator that is not being deleted.
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
	if deployment != nil || status.Installed == nil { // else they have the namespace for the restoration
		status.RelatedObjects = relatedObjects(deployment)
	}
	r.setWarnings()

	r.setCondition(platformv1alpha1.ConditionInstalled, installedCondition(r))
	r.setCondition(platformv1alpha1.ConditionProgressing, progressingCondition(r))
	r.setCondition(platformv1alpha1.ConditionHealthy, healthyCondition(r))
	r.setCondition(platformv1alpha1.ConditionUpgradeable, acknowledgedCondition(r))
	if in.Refusal == nil { // else the catalogs were not read
		r.setCondition(platformv1alpha1.ConditionDeprecated, deprecatedCondition(r))
	}
	return Result{Status: *status, Updates: r.updates}
}

func (r *report) setCondition(conditionType string, condition metav1.Condition) {
	condition.Type = conditionType
	condition.Message = truncate.Cut(condition.Message, maxMessage)
	condition.ObservedGeneration = r.operator.Generation
	condition.LastTransitionTime = metav1.NewTime(r.in.Now)
	meta.SetStatusCondition(&r.operator.Status.Conditions, condition)
}

// setWarnings reports, in this order, catalogs that cannot be read, overrides without effect, an install namespace without effect, the API
// server's warnings, and upgrade rules that could not be read. Catalogs and overrides come first because no condition of an installed
// operator reports them.
func (r *report) setWarnings() {
	var ofDeployment []string
	if deployment := r.in.Current.Deployment; deployment != nil {
		ofDeployment = deployment.Status.Warnings
	}
	var all []string
	for _, warning := range slices.Concat(r.decision().UnavailableCatalogs, r.ignoredOverrides, r.namespaceWarnings(), ofDeployment, r.decision().Notes) {
		if warning = truncate.Cut(warning, maxWarning); len(all) < maxWarnings && !slices.Contains(all, warning) {
			all = append(all, warning)
		}
	}
	r.operator.Status.Warnings = all
}

// namespaceWarnings reports an install namespace that the spec names and that has no effect.
func (r *report) namespaceWarnings() []string {
	operator, current := r.operator, r.in.Current
	if !deploymentspec.IsInOtherNamespace(operator, current) || deploymentspec.MayMoveNamespace(operator, current) || current.Deployment.DeletionTimestamp != nil {
		return nil
	}
	return []string{fmt.Sprintf(
		"spec.install.namespace %q has no effect: the operator stays in namespace %q. To move it, delete the PlatformOperator and create it again.",
		deploymentspec.NamedNamespace(operator), current.Deployment.Spec.InstallNamespace)}
}

// counted returns the bundles whose declarations count at the upgrade gate.
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
