package revision

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// isContentPending reports whether the desired content has not been fetched by this process, although nothing prevents it.
func (m *Machine) isContentPending() bool {
	in := m.in
	return m.Newest() == nil && m.content == (Content{}) && in.UnknownClass == "" && in.Desired.Missing == "" && !in.Deployment.Spec.Paused
}

// lastWhilePending returns the last written condition if an earlier process could not fetch or install the same content, and this process
// does not know yet whether it can. Otherwise it returns the computed condition. Because of this, a restart does not change the status of a
// blocked BundleDeployment, and differences from the active revision still count as drift.
func (m *Machine) lastWhilePending(computed condition) condition {
	status := m.in.Deployment.Status
	if !m.isContentPending() || status.ObservedGeneration != m.in.Deployment.Generation || !m.wasContentRefused() {
		return computed
	}
	last := meta.FindStatusCondition(status.Conditions, computed.kind)
	if last == nil || computed.kind == corev1alpha2.ConditionInstalled && last.Status != computed.status {
		return computed
	}
	computed.status, computed.reason, computed.message = last.Status, last.Reason, last.Message
	return computed
}

// wasContentRefused reports whether, according to the last written status, the rollout was blocked because the content could not be fetched
// or installed.
func (m *Machine) wasContentRefused() bool {
	hasReason := func(kind, reason string) bool {
		last := meta.FindStatusCondition(m.in.Deployment.Status.Conditions, kind)
		return last != nil && last.Reason == reason && last.Status == metav1.ConditionFalse
	}
	return hasReason(corev1alpha2.ConditionProgressing, corev1alpha2.ReasonBlocked) &&
		(hasReason(corev1alpha2.ConditionUnpacked, corev1alpha2.ReasonUnpackFailed) || hasReason(corev1alpha2.ConditionUnpacked, corev1alpha2.ReasonNotAllowed) ||
			hasReason(corev1alpha2.ConditionHasValidBundle, corev1alpha2.ReasonBundleLoadFailed) || hasReason(corev1alpha2.ConditionHasValidBundle, corev1alpha2.ReasonNotAllowed))
}
