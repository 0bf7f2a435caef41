package revision

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// Report fills in a status with the results of the sync: revisions, content, objects, drift and all conditions.
func (m *Machine) Report(status *corev1alpha2.BundleDeploymentStatus) {
	m.reportObserved(status)
	m.reportRevisions(status)
	m.reportContent(status)
	m.reportObjects(status)
	m.reportDrift(status)
	unpacked, hasValidBundle, installed := m.lastWhilePending(m.unpacked()), m.lastWhilePending(m.hasValidBundle()), m.lastWhilePending(m.installed())
	m.set(status, unpacked, hasValidBundle, installed, m.healthy(), m.lastWhilePending(m.progressing()), m.drifted())
	m.reportApproval(status)
}

// reportApproval sets the Approved condition, or removes it if no approval is required.
func (m *Machine) reportApproval(status *corev1alpha2.BundleDeploymentStatus) {
	approved, exists := m.approved()
	if !exists {
		meta.RemoveStatusCondition(&status.Conditions, corev1alpha2.ConditionApproved)
		return
	}
	m.set(status, approved)
}

// reportObserved records which spec and which attempt a status describes.
func (m *Machine) reportObserved(status *corev1alpha2.BundleDeploymentStatus) {
	status.ObservedGeneration, status.ObservedAttempt = m.in.Deployment.Generation, m.attempt()
}

// ReportStart fills in the status fields that change when a revision starts. The controller writes this status before it writes any object
// of the revision.
func (m *Machine) ReportStart(status *corev1alpha2.BundleDeploymentStatus) {
	m.reportRevisions(status)
	m.set(status, m.healthy(), m.progressing())
	m.reportApproval(status)
}

// reportRevisions reports every stored revision, and each lost one until its objects are deleted, as far as there is space in the status.
func (m *Machine) reportRevisions(status *corev1alpha2.BundleDeploymentStatus) {
	status.ActiveRevision = 0
	if m.active != nil {
		status.ActiveRevision = m.active.Number
	}
	entries := slices.Clone(m.in.History.Lost)
	for _, each := range m.in.History.Stored {
		entries = append(entries, each.entry())
	}
	if m.desired != nil && m.desired == m.Newest() {
		for i := range entries { // a failure in this generation was about other content, for example before a tag moved
			entries[i].FailedGeneration = min(entries[i].FailedGeneration, max(m.in.Deployment.Generation-1, 0))
		}
	}
	slices.SortFunc(entries, func(a, b corev1alpha2.Revision) int { return int(a.Number - b.Number) })
	status.Revisions = fit(entries, status.ActiveRevision)
}

// fit drops the oldest revisions if there are more than maxRevisions. It keeps the active one and, as far as possible, those with objects,
// because the upgrade gate reads them from status.
func fit(revisions []corev1alpha2.Revision, active int64) []corev1alpha2.Revision {
	for len(revisions) > maxRevisions {
		at := slices.IndexFunc(revisions, func(each corev1alpha2.Revision) bool {
			return each.Number != active && each.Presence != corev1alpha2.Present
		})
		if at < 0 {
			at = slices.IndexFunc(revisions, func(each corev1alpha2.Revision) bool { return each.Number != active })
		}
		revisions = slices.Delete(revisions, at, at+1)
	}
	return revisions
}

// reportContent reports the content of the spec's source, and the active bundle if it is a different one. It keeps the content that was
// reported last if no revision of the source is stored.
func (m *Machine) reportContent(status *corev1alpha2.BundleDeploymentStatus) {
	newest := m.Newest()
	if newest != nil {
		metadata := newest.Bundle
		status.Bundle = &metadata
		source := m.in.Deployment.Spec.Source.Image.DeepCopy()
		if source == nil {
			source = &corev1alpha2.ImageSource{}
		}
		source.Ref, source.PollIntervalMinutes = newest.Resolved, nil
		status.ResolvedSource = &corev1alpha2.BundleSource{Type: corev1alpha2.SourceTypeImage, Image: source}
		status.Mirror = newest.Mirror
		if digest := digestOf(newest.Resolved); digest != "" {
			status.ContentDigest = digest
		}
	}
	status.ActiveBundle = nil
	if m.active != nil && m.active != newest {
		metadata := m.active.Bundle
		status.ActiveBundle = &metadata
	}
}

// reportObjects reports the objects of the revision that the Healthy condition is about. It clears them if there is no such revision.
func (m *Machine) reportObjects(status *corev1alpha2.BundleDeploymentStatus) {
	status.Objects, status.Unready = nil, nil
	if m.target() == nil {
		return
	}
	report := m.report
	if m.observed != nil {
		report = *m.observed
	}
	status.Objects = &corev1alpha2.ObjectCounts{Total: int32(report.Total), Ready: int32(report.Ready)}
	status.Unready = report.Unready
}

// condition is a status condition without the fields that are the same for all conditions of a sync.
type condition struct {
	kind    string
	status  metav1.ConditionStatus
	reason  string
	message string
}

// set sets conditions in a status. It shortens their messages with Message.
func (m *Machine) set(status *corev1alpha2.BundleDeploymentStatus, conditions ...condition) {
	for _, each := range conditions {
		meta.SetStatusCondition(&status.Conditions, metav1.Condition{
			Type: each.kind, Status: each.status, Reason: each.reason, Message: Message(each.message),
			ObservedGeneration: m.in.Deployment.Generation, LastTransitionTime: metav1.NewTime(m.now),
		})
	}
}

// digestOf returns the digest in a digest reference; empty if the reference has none.
func digestOf(resolved string) string {
	_, digest, _ := strings.Cut(resolved, "@")
	return digest
}
