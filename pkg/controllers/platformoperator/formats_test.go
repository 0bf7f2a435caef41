package platformoperator

import (
	"slices"
	"testing"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/test/steptest"
)

// of returns the bundle of a version for which the catalog lists these formats.
func of(version string, formats ...string) catalog.Bundle {
	bundle := steptest.Candidate(version).Bundle
	bundle.MediaTypes = formats
	return bundle
}

func TestTheClassFollowsTheFormatThroughStepsEditsAndOutages(t *testing.T) {
	const plain, registry = corev1alpha2.ProvisionerClassPlain, corev1alpha2.ProvisionerClassRegistry
	c := running("1.0.0", "")
	all := imaged{of("1.0.0"), of("1.1.0", "plain+v0"), of("1.2.0", "registry+v1")}
	is := func(when, version, class string) {
		t.Helper()
		if got := c.deployment; got == nil || got.Spec.ProvisionerClassName != class || got.Spec.Source.Image.Ref != steptest.Candidate(version).Bundle.Image {
			t.Fatalf("%s: the BundleDeployment is %+v, want version %s by class %s", when, got.Spec, version, class)
		}
	}
	becomesReady := func() {
		t.Helper()
		c.becomes(steptest.Healthy(), 1)
		c.sync(t, nowhere{})
		c.sync(t, nowhere{})
	}
	becomesReady()
	is("before", "1.0.0", registry)

	c.sync(t, all[:2])
	is("the step to plain manifests", "1.1.0", plain)
	updates := 0
	for _, write := range c.writes {
		if write == "update bundledeployments" {
			updates++
		}
	}
	if updates != 1 {
		t.Errorf("the step took %v: the class has to change with the source", c.writes)
	}
	becomesReady()
	if got := c.operator.Status.Installed; got == nil || got.Version != "1.1.0" || got.Format != "plain+v0" {
		t.Fatalf("status.installed is %+v", got)
	}

	c.deployment.Spec.ProvisionerClassName = registry
	c.sync(t, nowhere{})
	is("somebody changed the class, and the catalogs cannot be read", "1.1.0", plain)

	c.deployment = nil
	c.sync(t, nowhere{})
	is("somebody deleted it, and the catalogs cannot be read", "1.1.0", plain)
	c.deployment.Generation = 1
	becomesReady()

	c.deployment.Annotations[platformv1alpha1.AnnotationBundle] = "{edited"
	c.sync(t, nowhere{})
	is("somebody edited the record, and the catalogs cannot be read", "1.1.0", plain)

	c.sync(t, all)
	is("the step back", "1.2.0", registry)
	becomesReady()
	if got := c.operator.Status.Installed; got.Version != "1.2.0" || got.Format != "" {
		t.Errorf("status.installed is %+v", got)
	}
}

func TestACatalogThatCorrectsAFormatIsFollowedWithoutAStep(t *testing.T) {
	c := running("1.0.0", "")
	c.becomes(steptest.Deployment("Unpacked=True", "HasValidBundle=False", "Installed=False", "Healthy=Unknown"), 0)
	c.sync(t, imaged{of("1.0.0", "plain+v0")})
	if c.deployment.Spec.ProvisionerClassName != corev1alpha2.ProvisionerClassPlain {
		t.Errorf("the class is %s", c.deployment.Spec.ProvisionerClassName)
	}
	if slices.Contains(c.events, platformv1alpha1.EventUpgradeStarted) || slices.Contains(c.events, platformv1alpha1.EventBundleDeploymentReverted) {
		t.Errorf("the Events are %v", c.events)
	}
}
