package platformoperator

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/test/steptest"
)

func TestHRD_S1_AnInstallationMovesToTheNamedNamespaceOnlyWhileNothingIsInstalled(t *testing.T) {
	// unfinished returns a cluster with an installation in namespace op-system that has applied nothing. Its spec has another namespace.
	unfinished := func(change ...func(*cluster)) *cluster {
		c := running("1.0.0", "")
		c.deployment.Status.ActiveRevision, c.deployment.Status.Conditions = 0, []metav1.Condition{{
			Type: corev1alpha2.ConditionInstalled, Status: metav1.ConditionFalse, Reason: corev1alpha2.ReasonInstallFailed, Message: "Namespace op-system exists",
			ObservedGeneration: 1,
		}}
		c.operator.Spec.Install = &platformv1alpha1.Install{Namespace: "elsewhere"}
		for _, each := range change {
			each(c)
		}
		return c
	}
	const take, status = "delete bundledeployments", "update platformoperators/status"
	for name, c := range map[string]struct {
		cluster *cluster
		moves   bool
	}{
		"nothing is applied":                       {unfinished(), true},
		"the spec names the namespace where it is": {unfinished(func(c *cluster) { c.operator.Spec.Install.Namespace = "op-system" }), false},
		"the spec names none":                      {unfinished(func(c *cluster) { c.operator.Spec.Install = nil }), false},
		"it is paused":                             {unfinished(func(c *cluster) { c.operator.Spec.Paused = true }), false},
		"it was installed before":                  {unfinished(func(c *cluster) { c.operator.Status.Installed = steptest.Bundle("1.0.0") }), false},
		"a revision is active":                     {unfinished(func(c *cluster) { c.deployment.Status.ActiveRevision = 1 }), false},
		"it is installed, and status is behind":    {unfinished(func(c *cluster) { c.deployment.Status.Conditions[0].Status = metav1.ConditionTrue }), false},
	} {
		t.Run(name, func(t *testing.T) {
			c.cluster.sync(t, oneCatalog{"1.0.0"})
			var deleted bool
			for _, write := range c.cluster.writes {
				deleted = deleted || write == take
			}
			if deleted != c.moves {
				t.Errorf("writes %q", c.cluster.writes)
			}
			if !c.moves {
				return
			}
			if diff := cmp.Diff([]string{platformv1alpha1.EventRemovalStarted}, c.cluster.events); diff != "" {
				t.Errorf("Events (-want +got):\n%s", diff)
			}
			c.cluster.sync(t, oneCatalog{"1.0.0"})
			if c.cluster.deployment == nil || c.cluster.deployment.Spec.InstallNamespace != "elsewhere" {
				t.Errorf("when the first BundleDeployment is gone, the next one is %+v", c.cluster.deployment)
			}
		})
	}
}
