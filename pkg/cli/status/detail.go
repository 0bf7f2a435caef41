package status

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/cli/operators"
)

// Detail holds what a report about one operator shows in addition to its summary.
type Detail struct {
	// Bundle and Image are those of the installed bundle; empty if none is installed.
	Bundle string `json:"bundle,omitempty"`
	Image  string `json:"image,omitempty"`
	// Mirror is the mirror that served the image. It is empty if none did, or if the BundleDeployment already has another image, as during an
	// upgrade.
	Mirror string `json:"mirror,omitempty"`
	// Path holds the versions that the upgrade goes through, the current step first.
	Path       []string    `json:"path,omitempty"`
	Conditions []Condition `json:"conditions,omitempty"`
	// Updates are the available updates, newest first. UpdatesTotal is their number, including those that the status omits.
	Updates      []Update `json:"updates,omitempty"`
	UpdatesTotal int      `json:"updateCount,omitempty"`
	// AwaitedPlan is the digest of the plan that waits for an approval; empty if none does.
	AwaitedPlan string `json:"awaitedPlanDigest,omitempty"`
	// Drift holds the changes by other clients that status.drift of the BundleDeployment records, newest first. Those with change Added
	// concern fields that the bundle does not declare.
	Drift []Drift `json:"drift,omitempty"`
	// Unready are the first objects that are not healthy, with the reason.
	Unready  []string `json:"unready,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	// Last is the newest entry of the history; nil if there is none.
	Last *Step `json:"last,omitempty"`
}

// Update is one available update.
type Update struct {
	Version string `json:"version"`
	// Reason and Message say why the update is not installed now; empty if nothing blocks it.
	Reason  string `json:"blockedReason,omitempty"`
	Message string `json:"blockedMessage,omitempty"`
}

// Drift is a change that another client made, as recorded in status.drift of the BundleDeployment.
type Drift struct {
	Object  string   `json:"object"`
	Change  string   `json:"change,omitempty"`
	Paths   []string `json:"paths,omitempty"`
	Manager string   `json:"manager,omitempty"`
	// Time is when the change was made or, if the API server did not record it, found.
	Time    time.Time `json:"time"`
	Outcome string    `json:"outcome,omitempty"`
}

// Step is one upgrade step, or the first installation.
type Step struct {
	Version string    `json:"version"`
	State   string    `json:"state"`
	Trigger string    `json:"trigger,omitempty"`
	Started time.Time `json:"started"`
}

// NewOperatorReport returns the report about the operator in objects, which must be the only one.
func NewOperatorReport(objects Objects) Report {
	report := NewReport(objects)
	report.Detail, report.OtherDeployments = &Detail{}, nil
	deployments := operators.Assign(objects.Operators, objects.Deployments)
	for i := range objects.Operators {
		report.Detail.addOperator(&objects.Operators[i])
		if deployment := deployments.Of(&objects.Operators[i]); deployment != nil {
			report.Detail.addDeployment(deployment)
		}
	}
	return report
}

func (d *Detail) addOperator(operator *platformv1alpha1.PlatformOperator) {
	status := operator.Status
	if status.Installed != nil {
		d.Bundle, d.Image = status.Installed.Bundle, status.Installed.Image
	}
	if status.Target != nil {
		d.Path = status.Target.Path
	}
	for _, condition := range status.Conditions {
		shown := newCondition(condition)
		shown.Outdated = operators.IsConditionOutdated(condition, operator)
		d.Conditions = append(d.Conditions, shown)
	}
	for _, update := range status.AvailableUpdates {
		d.Updates = append(d.Updates, Update{Version: update.Version, Reason: string(update.BlockedReason), Message: update.BlockedMessage})
	}
	// A manager that does not set availableUpdatesTotal lists all updates.
	d.UpdatesTotal = max(int(status.AvailableUpdatesTotal), len(status.AvailableUpdates))
	d.Warnings = status.Warnings
	if len(status.History) > 0 {
		last := status.History[0]
		d.Last = &Step{Version: last.Version, State: string(last.State), Trigger: string(last.Trigger), Started: last.StartedTime.Time}
	}
}

func (d *Detail) addDeployment(deployment *corev1alpha2.BundleDeployment) {
	for _, record := range deployment.Status.Drift {
		d.Drift = append(d.Drift, Drift{
			Object: nameOf(record.Object), Change: string(record.Change), Paths: record.Paths,
			Manager: record.Manager, Time: record.Time.Time, Outcome: string(record.Outcome),
		})
	}
	d.Unready = deployment.Status.Unready
	if resolved := deployment.Status.ResolvedSource; resolved != nil && resolved.Image != nil && resolved.Image.Ref == d.Image {
		d.Mirror = deployment.Status.Mirror
	}
	if operators.AwaitsPlan(deployment) {
		d.AwaitedPlan = operators.PlanDigest(deployment)
	}
}

func newCondition(condition metav1.Condition) Condition {
	return Condition{Type: condition.Type, Status: string(condition.Status), Reason: condition.Reason, Message: condition.Message}
}

// nameOf returns "Kind namespace/name" for an applied object; without the namespace if the object has none.
func nameOf(object corev1alpha2.AppliedObject) string {
	if object.Namespace == "" {
		return object.Kind + " " + object.Name
	}
	return object.Kind + " " + object.Namespace + "/" + object.Name
}
