package operatorstatus

import (
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// OnlyProgressed reports whether two statuses differ at most in the messages of conditions, or in the phases of a first installation:
// unpacking, applying, waiting for health.
func OnlyProgressed(before, after platformv1alpha1.PlatformOperatorStatus) bool {
	return equality.Semantic.DeepEqual(withoutProgress(before), withoutProgress(after))
}

func withoutProgress(status platformv1alpha1.PlatformOperatorStatus) platformv1alpha1.PlatformOperatorStatus {
	status = *status.DeepCopy()
	for i := range status.Conditions {
		condition := &status.Conditions[i]
		condition.Message = ""
		switch {
		case condition.Status == metav1.ConditionTrue:
		case condition.Type == platformv1alpha1.ConditionInstalled && condition.Reason == platformv1alpha1.ReasonUnpackPending:
			condition.Reason = platformv1alpha1.ReasonInstallPending
		case (condition.Type == platformv1alpha1.ConditionHealthy || condition.Type == platformv1alpha1.ConditionDrifted) && status.Installed == nil:
			condition.Status, condition.Reason, condition.LastTransitionTime = metav1.ConditionUnknown, "", metav1.Time{}
		}
	}
	return status
}
