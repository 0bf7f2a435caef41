// Package operators summarizes one PlatformOperator for a report: its state in one word, whether it is blocked, and whether it blocks the
// upgrade of the cluster. It is pure: it decides by fields and the reasons of conditions, and copies messages without parsing them. list,
// status and explain call it.
package operators

import (
	"cmp"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// State is the state of an operator in one word.
type State string

// The states, in order of precedence, the highest first.
const (
	// Removing means that the PlatformOperator is being deleted.
	Removing State = "Removing"
	// Pending means that the manager has not reconciled the PlatformOperator yet.
	Pending State = "Pending"
	// Failed means that a version missed its deadline. It is held, or was rolled back.
	Failed State = "Failed"
	// Installing, Upgrading and RollingBack mean that the respective operation is in progress.
	Installing  State = "Installing"
	Upgrading   State = "Upgrading"
	RollingBack State = "RollingBack"
	// NotInstalled means that nothing is installed because of an error, such as an image that cannot be pulled. The manager retries after
	// some of these errors; the others need an action.
	NotInstalled State = "NotInstalled"
	// Unhealthy means that an installed object fails its probe.
	Unhealthy State = "Unhealthy"
	// Paused means that spec.paused is set.
	Paused State = "Paused"
	// Blocked means that somebody has to act before the operator is upgraded.
	Blocked State = "Blocked"
	// AwaitingApproval means that spec.upgrades.approvedVersion does not name the available version, or that the plan of the
	// BundleDeployment is not approved.
	AwaitingApproval State = "AwaitingApproval"
	// Unknown means that the health is not known.
	Unknown State = "Unknown"
	// Healthy means that the operator is installed and healthy, and that there is nothing to do.
	Healthy State = "Healthy"
)

// Operator is the summary of one PlatformOperator.
type Operator struct {
	Name    string `json:"name"`
	Package string `json:"package"`
	// Version is the installed version; empty if none is installed.
	Version string `json:"version,omitempty"`
	Channel string `json:"channel,omitempty"`
	Catalog string `json:"catalog,omitempty"`
	State   State  `json:"state"`
	// Reason and Message are those of the condition that decides the state; empty if the operator is healthy. If the condition is absent,
	// Reason is empty and Message says that it is absent.
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	// Installed means that a version is installed, whatever its health. Healthy means that all its objects pass their probes.
	Installed bool `json:"installed"`
	Healthy   bool `json:"healthy"`
	// Blocked means that somebody has to act before the operator is installed, upgraded or removed. An operator that only waits for an
	// approval or for the end of a pause is Waiting instead.
	Blocked bool `json:"blocked"`
	// Waiting means that the operator waits for an approval, for the end of a pause, or for the manager.
	Waiting bool `json:"waiting"`
	// Drifted means that an applied object differs from its declaration and is not being repaired; nil if that is not known.
	Drifted *bool `json:"drifted,omitempty"`
	// BlocksCluster means that the operator blocks the upgrade of the cluster to its next minor version; nil if that is not known.
	BlocksCluster *bool `json:"blocksCluster,omitempty"`
	Deprecated    bool  `json:"deprecated,omitempty"`
	// Target is the version that the operator is being upgraded to; empty if there is none.
	Target string `json:"target,omitempty"`
	// Update is the newest available update, and BlockedReason is why it is not installed now; empty if there is none.
	Update        string `json:"update,omitempty"`
	BlockedReason string `json:"blockedReason,omitempty"`
	// MaxOpenShift is the last minor version of OpenShift that the operator supports; empty if it declares none.
	MaxOpenShift string `json:"maxOpenShiftVersion,omitempty"`
	// Outdated means that the status of the PlatformOperator or of its BundleDeployment is older than the last change to the spec.
	Outdated bool `json:"outdated,omitempty"`
	// Warnings is the number of warnings in the status.
	Warnings int       `json:"warningCount,omitempty"`
	Created  time.Time `json:"created,omitzero"`
}

// Summarize returns the summary of a PlatformOperator. deployment is its BundleDeployment; nil if it has none or could not be read. Any
// field may be missing from a status that an older manager wrote.
func Summarize(operator *platformv1alpha1.PlatformOperator, deployment *corev1alpha2.BundleDeployment) Operator {
	status := operator.Status
	o := Operator{
		Name: operator.Name, Package: operator.Spec.Package.Name, Created: operator.CreationTimestamp.Time, Warnings: len(status.Warnings),
		Outdated: IsOutdated(operator) || deployment != nil && IsDeploymentOutdated(deployment),
	}
	if installed := status.Installed; installed != nil {
		o.Version, o.Channel, o.Catalog, o.MaxOpenShift = installed.Version, installed.Channel, installed.Catalog, installed.MaxOpenShiftVersion
	}
	if compatibility := status.Compatibility; compatibility != nil && compatibility.MaxOpenShiftVersion != "" {
		o.MaxOpenShift = compatibility.MaxOpenShiftVersion
	}
	if status.Target != nil {
		o.Target = status.Target.Version
	}
	if len(status.AvailableUpdates) > 0 {
		o.Update, o.BlockedReason = status.AvailableUpdates[0].Version, string(status.AvailableUpdates[0].BlockedReason)
	}
	o.Installed = is(status.Conditions, platformv1alpha1.ConditionInstalled, metav1.ConditionTrue)
	o.Healthy = is(status.Conditions, platformv1alpha1.ConditionHealthy, metav1.ConditionTrue)
	o.BlocksCluster = ifPresent(status.Conditions, platformv1alpha1.ConditionUpgradeable, metav1.ConditionFalse)
	o.Deprecated = is(status.Conditions, platformv1alpha1.ConditionDeprecated, metav1.ConditionTrue)
	o.Blocked = isBlocked(operator, deployment)
	o.addState(operator)
	o.Drifted = ifPresent(status.Conditions, platformv1alpha1.ConditionDrifted, metav1.ConditionTrue)
	if deployment != nil {
		o.Drifted = cmp.Or(ifPresent(deployment.Status.Conditions, corev1alpha2.ConditionDrifted, metav1.ConditionTrue), o.Drifted)
	}
	return o
}

// ShownState returns the state for a table, with a note if the status is outdated.
func (o Operator) ShownState() string {
	if o.Outdated {
		return string(o.State) + ",Outdated"
	}
	return string(o.State)
}

// is reports whether a condition has a certain status. It returns false for an absent condition.
func is(conditions []metav1.Condition, name string, status metav1.ConditionStatus) bool {
	return meta.IsStatusConditionPresentAndEqual(conditions, name, status)
}

// ifPresent reports whether a condition has a certain status; nil if the condition is absent.
func ifPresent(conditions []metav1.Condition, name string, status metav1.ConditionStatus) *bool {
	if meta.FindStatusCondition(conditions, name) == nil {
		return nil
	}
	has := is(conditions, name, status)
	return &has
}

// Is reports whether a value that may be unknown is known and true.
func Is(value *bool) bool { return value != nil && *value }
