package bundledeployment

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/platform-operators/pkg/health"
	"github.com/openshift/platform-operators/pkg/revision"
	"github.com/openshift/platform-operators/pkg/store"
)

// maxMissing is the maximum length of status.plan.permissionsMissing.
const maxMissing = 20

// report sets the status from the result of the sync.
func (s *reconciliation) report() {
	s.reportPlan()
	found := s.memory.drift.Drift()
	found.UnmatchedIgnores = s.memory.ignores.of(s.deployment.Spec.Drift)
	s.machine.SetDrift(found)
	s.machine.Report(&s.deployment.Status)
	event, wait := s.memory.unhealthy.Event(s.machine, s.deployment.Status, s.c.clock.Now())
	s.retry(wait)
	if event != nil {
		s.memory.addEvent(*event)
	}
}

// reportPlan sets status.plan to the plan of the newest revision, and the API server's warnings.
func (s *reconciliation) reportPlan() {
	status := &s.deployment.Status
	if s.memory.warnings.HasUnwritten() {
		status.Warnings = s.memory.warnings.AddTo(s.before.Status.Warnings)
	}
	status.Warnings = s.withNamespaceWarning(status.Warnings)
	status.Warnings = s.memory.watched.addTo(status.Warnings)
	newest := s.machine.Newest()
	if newest == nil {
		return
	}
	missing := s.missing[:min(len(s.missing), maxMissing)]
	if before := s.before.Status.Plan; s.deployment.Spec.Paused && before != nil && (before.Revision == newest.Number || before.Digest == newest.Plan) {
		missing = before.PermissionsMissing // permissions are not checked while it is paused
	}
	planned := s.planOf(newest)
	planned.Warnings, planned.PermissionsMissing, planned.KindsMissing = s.planWarnings(newest), missing, s.machine.KindsMissing()
	if lacksAccount(missing) {
		planned.ConfigMaps = append(planned.ConfigMaps, store.RolesName(s.before.Name))
	}
	if !equality.Semantic.DeepEqual(status.Plan, planned) {
		status.Plan = planned
	}
}

// writeStatus writes the status if it has changed, and then sends the Events. If only the progress has changed, it delays the write, so
// that there is at most one every health.StatusInterval. It does nothing if the BundleDeployment has been deleted.
func (s *reconciliation) writeStatus(ctx context.Context) error {
	if s.gone {
		return nil
	}
	changed := !equality.Semantic.DeepEqual(s.before.Status, s.deployment.Status)
	if wait := s.memory.lastWrite.Time.Add(health.StatusInterval).Sub(s.c.clock.Now()); changed && wait > 0 && len(s.memory.events) == 0 && revision.DifferInProgressOnly(s.before.Status, s.deployment.Status) {
		s.retry(wait)
		return nil
	}
	if changed {
		stored, err := s.c.client.UpdateStatus(ctx, s.deployment, metav1.UpdateOptions{FieldManager: fieldManager})
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("writing the status of BundleDeployment %q: %w", s.deployment.Name, err)
		}
		s.memory.wrote(stored, s.c.clock.Now())
	}
	s.memory.drift.Written()
	s.memory.warnings.Clear()
	s.count()
	pending := append(s.memory.events, s.machine.Events(s.deployment.Status)...)
	s.memory.events = nil
	for _, each := range pending {
		s.send(each)
	}
	return nil
}

// count updates the metrics from the written status.
func (s *reconciliation) count() {
	metrics, name, status := s.c.metrics, s.deployment.Name, s.deployment.Status
	metrics.SetDrift(name, status)
	if s.machine.HasMissedDeadline(status) {
		metrics.Failed(name)
	}
	if s.machine.IsActivated(status) {
		metrics.Succeeded(name, s.machine.Active().Started, s.c.clock.Now())
	}
}

func (s *reconciliation) send(event revision.Event) {
	kind := corev1.EventTypeNormal
	if event.Warning {
		kind = corev1.EventTypeWarning
	}
	s.c.events.Event(s.before, kind, event.Reason, revision.Message(event.Message))
}
