// Package specs has the specifications that the openshift-tests extension of platform-operators offers.
//
// They use nothing but the cluster's API, as an admin does, and run on any cluster that has platform-operators, beside
// whatever else runs there: each has names of its own, and puts back what it changed. What it changes must hurt nobody in the
// meantime; what there is one of only [Serial] specifications touch. Names stay as they are for ever, because dashboards know
// them. The package knows nothing of openshift-tests; main calls it.
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
	// prefix is what openshift-tests finds a component's tests by.
	prefix = `[Jira:"Platform Operators"][sig-platform-operators] `
	serial = "[Serial]"

	namespace       = "openshift-platform-operators"
	clusterOperator = "platform-operators-aggregated"
	// nowhere is an image that nobody serves: nothing listens on that port of the manager's own pod.
	nowhere = "127.0.0.1:1/nobody/serves-this@sha256:0000000000000000000000000000000000000000000000000000000000000000"
)

// All are all specifications, in the order in which they are listed.
func All() []spec.Spec {
	return slices.Concat(requests(), judgements(), deployments(), configuration(), installed(), reporting(), payload())
}

// parallel is a specification that disturbs nobody.
func parallel(name string, run func(context.Context, *spec.T)) spec.Spec {
	return spec.Spec{Name: prefix + name, Run: onPlatform(run)}
}

// alone is one that must not run beside others.
func alone(name string, run func(context.Context, *spec.T)) spec.Spec {
	return spec.Spec{Name: prefix + name + " " + serial, Labels: []string{"Serial"}, Run: onPlatform(run)}
}

// onPlatform skips a specification on clusters that are not meant to have platform-operators. A cluster that is meant to and
// has not fails it.
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

// camelCase is the form of a reason: no names and no numbers in it.
var camelCase = regexp.MustCompile(`^[A-Z][a-zA-Z]+$`)
