package upgradegate

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/health"
)

func TestAVerdictThatOnlyCountsWaitsAndOneThatBlocksDoesNot(t *testing.T) {
	g := gateOf(t)
	g.clusterVersion(t, "4.21.0")
	install := func(name string, most ...string) {
		t.Helper()
		deployment := &corev1alpha2.BundleDeployment{ObjectMeta: metav1.ObjectMeta{Name: name, Finalizers: []string{corev1alpha2.Finalizer}}}
		deployment.Status.Revisions = []corev1alpha2.Revision{{Number: 1, State: corev1alpha2.RevisionRollingOut, Version: "1.0.0", Presence: corev1alpha2.Present, MaxOpenShiftVersions: most}}
		if err := g.deployed.Add(deployment); err != nil {
			t.Fatal(err)
		}
		g.client.ClearActions()
		g.syncOnce(t)
	}
	g.syncOnce(t)
	if !strings.HasPrefix(g.condition(t).Message, "platform-operators: no installed PlatformOperator can block") {
		t.Fatalf("at first it says %q", g.condition(t).Message)
	}
	install("one")
	if g.wrote() {
		t.Errorf("at once it says %q", g.condition(t).Message)
	}
	g.time.SetTime(start.Add(health.StatusInterval))
	g.syncOnce(t)
	if !strings.Contains(g.condition(t).Message, "1 BundleDeployment permits") {
		t.Errorf("after the pause it says %q", g.condition(t).Message)
	}
	install("two", `"4.21"`)
	if !strings.Contains(g.condition(t).Message, "BundleDeployment two 1.0.0 allows at most 4.21") {
		t.Errorf("of what blocks it does not tell at once: %q", g.condition(t).Message)
	}
}
