// Package specs has the specs of the openshift-tests extension of platform-operators.
//
// The specs use only the cluster's API, as an admin does. They run on any cluster that has platform-operators, beside other workloads: each
// uses names of its own, restores what it has changed, and harms no other user. Only [Serial] specs change singleton objects. Names of specs
// never change, because dashboards use them. The package does not depend on openshift-tests; main passes the specs to it.
package specs

import (
	"context"
	"regexp"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/openshift/platform-operators/cmd/platform-operators-tests-ext/spec"
)

const (
	// prefix is what openshift-tests assigns tests to a component by.
	prefix = `[Jira:"Platform Operators"][sig-platform-operators] `
	serial = "[Serial]"

	namespace       = "openshift-platform-operators"
	clusterOperator = "platform-operators-aggregated"
	// unservedImage is on a port of the manager's own Pod on which nothing listens.
	unservedImage = "127.0.0.1:1/nobody/serves-this@sha256:0000000000000000000000000000000000000000000000000000000000000000"
)

// All returns all specs, in the order in which they are listed.
func All() []spec.Spec {
	return slices.Concat(requests(), validation(), deployments(), configuration(), installed(), reporting(), payload())
}

// parallelSpec returns a spec that may run beside others.
func parallelSpec(name string, run func(context.Context, *spec.T)) spec.Spec {
	return spec.Spec{Name: prefix + name, Run: onPlatform(run)}
}

// serialSpec returns a spec that must run alone.
func serialSpec(name string, run func(context.Context, *spec.T)) spec.Spec {
	return spec.Spec{Name: prefix + name + " " + serial, Labels: []string{"Serial"}, Run: onPlatform(run)}
}

// onPlatform skips a spec on clusters that do not have platform-operators on purpose. On other clusters, a missing platform-operators is a
// failure.
func onPlatform(run func(context.Context, *spec.T)) func(context.Context, *spec.T) {
	return func(ctx context.Context, t *spec.T) {
		infrastructure, err := t.Config.ConfigV1().Infrastructures().Get(ctx, "cluster", metav1.GetOptions{})
		if apierrors.IsNotFound(err) { // the kind or the object
			t.Skip("the cluster has no Infrastructure \"cluster\": on MicroShift there is no platform-operators")
		}
		t.Expect(err).To(succeed())
		if infrastructure.Status.ControlPlaneTopology == configv1.ExternalTopologyMode {
			t.Skip("the control plane is hosted elsewhere (HyperShift), where there is no platform-operators")
		}
		gate, err := t.Config.ConfigV1().FeatureGates().Get(ctx, "cluster", metav1.GetOptions{})
		t.Expect(err).To(succeed())
		if !slices.Contains([]configv1.FeatureSet{configv1.TechPreviewNoUpgrade, configv1.DevPreviewNoUpgrade, configv1.CustomNoUpgrade}, gate.Spec.FeatureSet) {
			t.Skip("feature set %q has no platform-operators; TechPreviewNoUpgrade has", gate.Spec.FeatureSet)
		}
		run(ctx, t)
	}
}

// camelCase matches reasons of conditions: they contain no names and no numbers.
var camelCase = regexp.MustCompile(`^[A-Z][a-zA-Z]+$`)
