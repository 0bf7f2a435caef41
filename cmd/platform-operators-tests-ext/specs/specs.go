// Package specs contains the specs of platform-operators for openshift-tests.
//
// The specs use only the cluster's API, as an admin does. They run on any cluster with platform-operators, even alongside other workloads:
// each spec uses unique names, and restores everything that it changes. Only [Serial] specs change singleton objects. Names of specs must
// not change, because dashboards use them. The package does not depend on openshift-tests; see package spec.
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
	// prefix is the prefix of the names of all specs. It assigns the tests to a Jira component.
	prefix = `[Jira:"Platform Operators"][sig-platform-operators] `
	serial = "[Serial]"

	namespace       = "openshift-platform-operators"
	clusterOperator = "platform-operators-aggregated"
	// unservedImage is an image that cannot be pulled: in the manager's Pod, nothing listens on its port.
	unservedImage = "127.0.0.1:1/nobody/serves-this@sha256:0000000000000000000000000000000000000000000000000000000000000000"
)

// All returns all specs in a fixed order.
func All() []spec.Spec {
	return slices.Concat(requests(), validation(), deployments(), configuration(), installed(), reporting(), payload())
}

// parallelSpec returns a spec that may run concurrently with other specs.
func parallelSpec(name string, run func(context.Context, *spec.T)) spec.Spec {
	return spec.Spec{Name: prefix + name, Run: onPlatform(run)}
}

// serialSpec returns a spec that must not run concurrently with other specs.
func serialSpec(name string, run func(context.Context, *spec.T)) spec.Spec {
	return spec.Spec{Name: prefix + name + " " + serial, Labels: []string{"Serial"}, Run: onPlatform(run)}
}

// onPlatform wraps run to skip the spec on clusters that do not have platform-operators: MicroShift, clusters with an external control
// plane, and clusters without a tech preview feature set. On other clusters, missing platform-operators fail the spec.
func onPlatform(run func(context.Context, *spec.T)) func(context.Context, *spec.T) {
	return func(ctx context.Context, t *spec.T) {
		infrastructure, err := t.Config.ConfigV1().Infrastructures().Get(ctx, "cluster", metav1.GetOptions{})
		if apierrors.IsNotFound(err) { // the kind or the object does not exist
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

// camelCase matches valid condition reasons: an uppercase letter followed by more letters.
var camelCase = regexp.MustCompile(`^[A-Z][a-zA-Z]+$`)
