package revision

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

func TestAnUnhealthyPeriodHasOneEvent(t *testing.T) {
	began := time.Unix(1000, 0)
	active := &Revision{Header: Header{Number: 1}}
	settled := &Machine{active: active, desired: active}
	status := func(healthy metav1.ConditionStatus) corev1alpha2.BundleDeploymentStatus {
		return corev1alpha2.BundleDeploymentStatus{Conditions: []metav1.Condition{{
			Type: corev1alpha2.ConditionHealthy, Status: healthy, Message: "it crashes", LastTransitionTime: metav1.NewTime(began),
		}}}
	}
	var period UnhealthyPeriod
	for i, step := range []struct {
		status metav1.ConditionStatus
		after  time.Duration
		sent   bool
		wait   time.Duration
	}{
		{metav1.ConditionTrue, unhealthyPeriod, false, 0},
		{metav1.ConditionFalse, time.Second, false, unhealthyPeriod - time.Second},
		{metav1.ConditionFalse, unhealthyPeriod, true, 0},
		{metav1.ConditionFalse, time.Hour, false, 0},
		{metav1.ConditionTrue, time.Hour, false, 0},
		{metav1.ConditionFalse, time.Hour, true, 0},
	} {
		event, wait := period.Event(settled, status(step.status), began.Add(step.after))
		if (event != nil) != step.sent || wait != step.wait || event != nil && event.Message != "it crashes" {
			t.Errorf("step %d: Event %+v, next check in %s; want an Event: %v, next check in %s", i, event, wait, step.sent, step.wait)
		}
	}
	if event, _ := new(UnhealthyPeriod).Event(&Machine{}, status(metav1.ConditionFalse), began.Add(time.Hour)); event != nil {
		t.Errorf("a first installation has Event %+v", event)
	}
}
