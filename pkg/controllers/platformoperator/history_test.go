package platformoperator

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/test/steptest"
)

func TestPauseMakesNoVersionReady(t *testing.T) {
	paused := func(deployment *corev1alpha2.BundleDeployment) *corev1alpha2.BundleDeployment {
		deployment.Spec.Paused = true
		deployment.Generation++
		deployment.Status.ObservedGeneration++
		return deployment
	}
	for name, test := range map[string]struct {
		deployment *corev1alpha2.BundleDeployment
		state      platformv1alpha1.HistoryState
	}{
		"under way":                             {paused(steptest.Healthy()), platformv1alpha1.HistoryInstalling},
		"rolled back for an earlier generation": {paused(steptest.RolledBack()), platformv1alpha1.HistoryRolledBack},
	} {
		t.Run(name, func(t *testing.T) {
			c := running("1.1.0", "1.0.0")
			c.operator.Spec.Paused = true
			started := metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
			c.operator.Status.History = []platformv1alpha1.HistoryEntry{{Version: "1.1.0", Bundle: steptest.Bundle("1.1.0").Bundle, State: test.state, StartedTime: started, Trigger: platformv1alpha1.TriggerAutomatic}}
			c.deployment.Generation, c.deployment.Spec.Paused, c.deployment.Status = test.deployment.Generation, true, test.deployment.Status
			c.deployment.Status.ActiveRevision = 1
			c.sync(t, oneCatalog{"1.0.0", "1.1.0"})
			if got := c.installed(); got != "1.0.0" {
				t.Errorf("status.installed is %s, because of objects that are not compared", got)
			}
			if entry := c.operator.Status.History[0]; entry.State != test.state || entry.ReadyTime != nil {
				t.Errorf("history has %+v", entry)
			}
		})
	}
}
