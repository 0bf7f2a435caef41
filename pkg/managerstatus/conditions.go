package managerstatus

import (
	"cmp"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	operatorv1 "github.com/openshift/api/operator/v1"
	"github.com/openshift/library-go/pkg/operator/v1helpers"
)

// SetOperatorCondition adds or replaces a condition. If its status changes, now is the time of the transition. The function of v1helpers
// with this name reads the wall clock. After it has added a condition, all are sorted by type, so that the result does not depend on the
// order of the controllers.
func SetOperatorCondition(conditions *[]operatorv1.OperatorCondition, condition operatorv1.OperatorCondition, now time.Time) {
	condition.LastTransitionTime = metav1.NewTime(now)
	existing := v1helpers.FindOperatorCondition(*conditions, condition.Type)
	if existing == nil {
		*conditions = append(*conditions, condition)
		slices.SortStableFunc(*conditions, func(a, b operatorv1.OperatorCondition) int { return cmp.Compare(a.Type, b.Type) })
		return
	}
	if existing.Status == condition.Status {
		condition.LastTransitionTime = existing.LastTransitionTime
	}
	*existing = condition
}

// UpdateConditionFn returns an update that calls SetOperatorCondition.
func UpdateConditionFn(condition operatorv1.OperatorCondition, now time.Time) v1helpers.UpdateStatusFunc {
	return func(status *operatorv1.OperatorStatus) error {
		SetOperatorCondition(&status.Conditions, condition, now)
		return nil
	}
}
