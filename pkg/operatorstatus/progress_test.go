package operatorstatus

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

func TestOnlyProgressWaits(t *testing.T) {
	condition := func(kind string, status metav1.ConditionStatus, reason, message string) metav1.Condition {
		return metav1.Condition{Type: kind, Status: status, Reason: reason, Message: message, LastTransitionTime: metav1.Unix(int64(len(message)), 0)}
	}
	first := platformv1alpha1.PlatformOperatorStatus{
		ObservedGeneration: 1,
		Target:             &platformv1alpha1.Target{Version: "1.0.0"},
		Conditions: []metav1.Condition{
			condition("Installed", metav1.ConditionFalse, "UnpackPending", "The bundle is being unpacked."),
			condition("Progressing", metav1.ConditionTrue, "Installing", "Installing version 1.0.0."),
			condition("Healthy", metav1.ConditionUnknown, "Unknown", "Nothing is applied yet."),
		},
	}
	running := *first.DeepCopy()
	running.Installed, running.Target = &platformv1alpha1.InstalledBundle{Version: "1.0.0"}, nil
	running.Conditions[0] = condition("Installed", metav1.ConditionTrue, "InstallSuccessful", "memo.v1.0.0 is installed.")

	for name, test := range map[string]struct {
		before platformv1alpha1.PlatformOperatorStatus
		change func(*platformv1alpha1.PlatformOperatorStatus)
		want   bool
	}{
		"a message": {first, func(s *platformv1alpha1.PlatformOperatorStatus) {
			s.Conditions[1].Message = "Installing: Deployment memo"
		}, true},
		"what was unpacked is applied": {first, func(s *platformv1alpha1.PlatformOperatorStatus) {
			s.Conditions[0].Reason, s.Conditions[0].Message = "InstallPending", "The bundle is being applied."
		}, true},
		"a first installation is not healthy yet": {first, func(s *platformv1alpha1.PlatformOperatorStatus) {
			s.Conditions[2] = condition("Healthy", metav1.ConditionFalse, "Unhealthy", "Deployment memo: no replicas")
		}, true},
		"a first installation is healthy": {first, func(s *platformv1alpha1.PlatformOperatorStatus) {
			s.Conditions[2] = condition("Healthy", metav1.ConditionTrue, "AsExpected", "All objects are ready.")
		}, false},
		"something cannot be unpacked": {first, func(s *platformv1alpha1.PlatformOperatorStatus) {
			s.Conditions[0].Reason = "UnpackFailed"
		}, false},
		"an installation is done": {first, func(s *platformv1alpha1.PlatformOperatorStatus) { *s = *running.DeepCopy() }, false},
		"another version is the target": {first, func(s *platformv1alpha1.PlatformOperatorStatus) {
			s.Target = &platformv1alpha1.Target{Version: "1.1.0"}
		}, false},
		"another spec is observed": {first, func(s *platformv1alpha1.PlatformOperatorStatus) { s.ObservedGeneration = 2 }, false},
		"what is installed is not healthy any more": {running, func(s *platformv1alpha1.PlatformOperatorStatus) {
			s.Conditions[2] = condition("Healthy", metav1.ConditionFalse, "Unhealthy", "Deployment memo: no replicas")
		}, false},
		"history": {running, func(s *platformv1alpha1.PlatformOperatorStatus) {
			s.History = []platformv1alpha1.HistoryEntry{{Version: "1.0.0"}}
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			after := *test.before.DeepCopy()
			test.change(&after)
			if got := OnlyProgressed(test.before, after); got != test.want {
				t.Errorf("it only progressed: %t, want %t", got, test.want)
			}
		})
	}
}
