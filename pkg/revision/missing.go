package revision

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

const (
	// missingGrace is how long a kind must be missing from the cluster before the revision is reported as blocked. Operators define kinds
	// of their own when they start, and bundles that are installed at the same time may define the kind.
	missingGrace = 15 * time.Second
	// maxKindsMissing is the maximum length of a list of missing kinds in status, and maxKindsNamed is the maximum number of missing kinds
	// that a message names.
	maxKindsMissing, maxKindsNamed = 20, 3
)

// isKindMissing reports whether the cluster has not served a kind of a revision for some time. After a restart, kinds that status lists as
// missing count as missing at once.
func (m *Machine) isKindMissing(r *Revision) bool {
	missing := m.report.MissingKinds
	if len(missing) == 0 {
		r.MissingSince = time.Time{}
		return false
	}
	wasMissing := func(kind corev1alpha2.MissingKind) bool { return slices.Contains(m.reportedKindsMissing(), kind) }
	if slices.ContainsFunc(missing, wasMissing) {
		return true
	}
	if r.MissingSince.IsZero() {
		r.MissingSince = m.now
	}
	if m.in.IsOneRound && r.isStarted() {
		r.MissingSince = r.Started.Time
	}
	wait := r.MissingSince.Add(missingGrace).Sub(m.now)
	m.requeueAfter(wait)
	return wait <= 0
}

// reportedKindsMissing returns the kinds that, according to the last written status, the newest revision lacks.
func (m *Machine) reportedKindsMissing() []corev1alpha2.MissingKind {
	if plan := m.in.Deployment.Status.Plan; plan != nil {
		return plan.KindsMissing
	}
	return nil
}

// missingKinds returns the error for a revision that is refused because the cluster does not serve some of its kinds.
func (m *Machine) missingKinds() error {
	var names []string
	for _, kind := range m.report.MissingKinds[:min(len(m.report.MissingKinds), maxKindsNamed)] {
		names = append(names, fmt.Sprintf("kind %s of %s", kind.Kind, strings.TrimPrefix(kind.Group+"/"+kind.Version, "/")))
	}
	if more := len(m.report.MissingKinds) - maxKindsNamed; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return fmt.Errorf("the cluster does not serve %s; install what defines it, and the rollout continues within seconds", strings.Join(names, ", "))
}

// KindsMissing returns the kinds that the newest revision lacks, for status.plan. If that revision failed, they are the kinds that it
// lacked when it failed.
func (m *Machine) KindsMissing() []corev1alpha2.MissingKind {
	switch newest := m.Newest(); {
	case newest != nil && newest != m.desired:
		return newest.KindsMissing
	case m.refusal == nil || m.problem.Err != nil:
		return nil
	}
	return m.firstKindsMissing()
}

// firstKindsMissing returns the first missing kinds in the report, as many as a list in status may contain.
func (m *Machine) firstKindsMissing() []corev1alpha2.MissingKind {
	return m.report.MissingKinds[:min(len(m.report.MissingKinds), maxKindsMissing)]
}

// lacks returns what the cluster or the manager must have before the target can become complete, and the kinds if kinds are missing. It is
// empty if there is any other cause. Missing kinds count from the first report on, because a deadline may pass before they are reported as
// a refusal.
func (m *Machine) lacks() (corev1alpha2.FailedFor, []corev1alpha2.MissingKind) {
	if m.problem.Err == nil && len(m.report.MissingKinds) > 0 {
		return corev1alpha2.FailedForKinds, m.firstKindsMissing()
	}
	return m.problem.Lacks, nil
}

// checkFailure returns the action that checks whether a failed revision's missing kinds or permissions are available now. needed is false
// if there is nothing to check: the revision failed for another reason, its missing kinds are not known, this sync has checked it, or
// spec.paused is set. A cause that only a newer manager records is another reason.
func (m *Machine) checkFailure(r *Revision) (action Action, needed bool) {
	if m.failureChecked || m.in.Deployment.Spec.Paused {
		return Action{}, false
	}
	switch r.FailedFor {
	case corev1alpha2.FailedForKinds:
		return Action{Kind: CheckFailure, Revision: r}, len(r.KindsMissing) > 0 // an older manager did not record them
	case corev1alpha2.FailedForPermissions:
		if !r.Loaded {
			return Action{Kind: Load, Revision: r}, r.Unstored == nil // otherwise, it cannot be loaded until it is stored again
		}
		return Action{Kind: CheckFailure, Revision: r}, true
	}
	return Action{}, false
}

// SetProvided sets the result of CheckFailure. It requests a later check if something is still missing.
func (m *Machine) SetProvided(isProvided bool) {
	m.failureChecked, m.isProvided = true, isProvided
	if !isProvided {
		m.requeueAfter(RequirementInterval)
	}
}
