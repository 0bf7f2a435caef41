package operators

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// TestCLI_18_AnOutdatedStatusIsFound compares the generations of a status and its conditions with that of the spec.
func TestCLI_18_AnOutdatedStatusIsFound(t *testing.T) {
	for name, test := range map[string]struct {
		generation, observed, condition int64
		isDeleted, isOutdated           bool
	}{
		"current":                      {2, 2, 2, false, false},
		"older status":                 {3, 2, 2, false, true},
		"older condition":              {3, 3, 2, false, true},
		"a manager without it":         {3, 0, 0, false, false},
		"only the conditions have it":  {3, 0, 2, false, true},
		"deleted":                      {3, 2, 2, true, false},
		"deleted after another change": {4, 2, 2, true, true},
	} {
		meta := metav1.ObjectMeta{Generation: test.generation}
		if test.isDeleted {
			meta.DeletionTimestamp = &metav1.Time{}
		}
		conditions := []metav1.Condition{{Type: "Healthy", Status: "True", ObservedGeneration: test.condition}}
		operator := platformv1alpha1.PlatformOperator{ObjectMeta: meta}
		operator.Status.ObservedGeneration, operator.Status.Conditions = test.observed, conditions
		deployment := corev1alpha2.BundleDeployment{ObjectMeta: meta}
		deployment.Status.ObservedGeneration, deployment.Status.Conditions = test.observed, conditions
		summary := Summarize(&operator, nil)
		if IsOutdated(&operator) != test.isOutdated || summary.Outdated != test.isOutdated || IsDeploymentOutdated(&deployment) != test.isOutdated {
			t.Errorf("%s: got %t, %t and %t, want %t", name, IsOutdated(&operator), summary.Outdated, IsDeploymentOutdated(&deployment), test.isOutdated)
		}
		if shown := string(summary.State) + ",Outdated"; (summary.ShownState() == shown) != test.isOutdated {
			t.Errorf("%s: a table shows %s", name, summary.ShownState())
		}
	}
}
