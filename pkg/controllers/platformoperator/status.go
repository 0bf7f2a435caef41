package platformoperator

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/operatorstatus"
	"github.com/openshift/platform-operators/pkg/truncate"
)

// statusInput returns the input for computing the status.
func (c *controller) statusInput(r *reconciliation) operatorstatus.Input {
	return operatorstatus.Input{
		Operator: r.operator, Current: r.current, Decided: r.stepInput, Step: r.step, Catalogs: r.catalogs, Refusal: r.refusal,
		Providers: c.permittedProviders(r), ClusterVersion: r.cluster.Version, Now: c.clock.Now(),
	}
}

// report computes the status of a PlatformOperator that is not being deleted, and updates the metrics of its available updates.
func (c *controller) report(_ context.Context, r *reconciliation) (done bool, err error) {
	result := operatorstatus.Compute(c.statusInput(r))
	if result.Updates != nil {
		c.updateMetrics.set(r.operator.Name, *result.Updates)
	}
	r.status = &result.Status
	return false, nil
}

// writeStatus writes the status once, if it differs from the one that was read, and sends its Events. If only the progress has changed and
// the last write is recent, it writes nothing and returns the time to wait.
func (c *controller) writeStatus(ctx context.Context, r *reconciliation) (wait time.Duration, err error) {
	if r.status == nil || equality.Semantic.DeepEqual(r.operator.Status, *r.status) {
		return 0, nil
	}
	if wait := c.statusWrites.wait(r.operator, c.clock.Now()); wait > 0 && operatorstatus.OnlyProgressed(r.operator.Status, *r.status) {
		return wait, nil
	}
	if isCurrent, err := c.isInstalledCurrent(ctx, r); err != nil || !isCurrent {
		return 0, err // the watch event of the BundleDeployment enqueues the PlatformOperator
	}
	updated := r.operator.DeepCopy()
	updated.Status = *r.status
	if _, err := c.operatorClient.UpdateStatus(ctx, updated, metav1.UpdateOptions{FieldManager: fieldManager}); err != nil {
		return 0, fmt.Errorf("writing the status of PlatformOperator %q: %w", r.operator.Name, err)
	}
	c.statusWrites.record(r.operator.Name, c.clock.Now())
	c.publish(r, updated)
	return 0, nil
}

// isInstalledCurrent reports whether a change of status.installed follows from the present BundleDeployment. It returns true if
// status.installed does not change or is removed. After the restore of a backup, the cache may have a BundleDeployment that the cluster does not have.
// What is written to status.installed from it would remain, and every later decision would rely on it.
func (c *controller) isInstalledCurrent(ctx context.Context, r *reconciliation) (bool, error) {
	cached := r.current.Deployment
	if cached == nil || r.status.Installed == nil || equality.Semantic.DeepEqual(r.operator.Status.Installed, r.status.Installed) {
		return true, nil
	}
	live, err := c.deploymentClient.Get(ctx, cached.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("writing the status of PlatformOperator %q: reading BundleDeployment %q: %w", r.operator.Name, cached.Name, err)
	}
	return live.UID == cached.UID && live.ResourceVersion == cached.ResourceVersion, nil
}

// publish sends the Events for a status that was written, and records the duration of a step that is complete. A crash before publish loses
// the Events. No Event is sent twice.
func (c *controller) publish(r *reconciliation, updated *platformv1alpha1.PlatformOperator) {
	if entry := operatorstatus.NewlyReady(r.operator, updated); entry != nil {
		c.stepMetrics.observe(entry)
	}
	for _, event := range operatorstatus.Events(r.operator, updated, r.current.Deployment, c.clock.Now()) {
		c.event(r.operator, event.Type, event.Reason, "%s", event.Message)
	}
}

// maxEvent is the maximum size of an Event's message, in bytes. It is the limit of the API events.k8s.io/v1; the API v1, which the manager
// uses, has no limit.
const maxEvent = 1024

// event sends an Event about a PlatformOperator. It truncates the message to maxEvent.
func (c *controller) event(on *platformv1alpha1.PlatformOperator, kind, reason, format string, args ...any) {
	c.events.Event(on, kind, reason, truncate.Cut(fmt.Sprintf(format, args...), maxEvent))
}

// normalEvent sends an Event of type Normal about a PlatformOperator.
func (c *controller) normalEvent(on *platformv1alpha1.PlatformOperator, reason, format string, args ...any) {
	c.event(on, corev1.EventTypeNormal, reason, format, args...)
}
