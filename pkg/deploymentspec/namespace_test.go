package deploymentspec_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/deploymentspec"
	"github.com/openshift/platform-operators/pkg/upgradestep"
	"github.com/openshift/platform-operators/test/steptest"
)

func TestInstallNamespace(t *testing.T) {
	suggesting, silent := steptest.Candidate("1.0.0"), steptest.Candidate("1.0.0")
	suggesting.Bundle.SuggestedNamespace = "suggested"
	operator := func(named, before string) *platformv1alpha1.PlatformOperator {
		operator := &platformv1alpha1.PlatformOperator{}
		operator.Spec.Package.Name = "op"
		if named != "" {
			operator.Spec.Install = &platformv1alpha1.Install{Namespace: named}
		}
		if before != "" {
			operator.Status.Installed = steptest.Bundle("1.0.0")
			operator.Status.RelatedObjects = []platformv1alpha1.ObjectReference{
				{Group: corev1alpha2.GroupName, Resource: "bundledeployments", Name: "op"}, {Resource: "namespaces", Name: before},
			}
		}
		return operator
	}
	notInstalled := operator("", "before")
	notInstalled.Status.Installed = nil
	for name, test := range map[string]struct {
		operator  *platformv1alpha1.PlatformOperator
		suggests  bool
		namespace string
		isDefault bool
	}{
		"the spec names one":                    {operator("named", "before"), true, "named", false},
		"it was installed before":               {operator("", "before"), true, "before", false},
		"the author suggests one":               {operator("", ""), true, "suggested", true},
		"nothing is said":                       {operator("", ""), false, "op-system", true},
		"of what was never installed, the same": {notInstalled, false, "op-system", true},
	} {
		chosen := &silent
		if test.suggests {
			chosen = &suggesting
		}
		namespace, isDefault := deploymentspec.InstallNamespace(test.operator, chosen)
		if namespace != test.namespace {
			t.Errorf("%s: %q, want %q", name, namespace, test.namespace)
		}
		if isDefault != test.isDefault {
			t.Errorf("%s: it is a default: %t", name, isDefault)
		}
	}
	if namespace, _ := deploymentspec.InstallNamespace(operator("", ""), nil); namespace != "op-system" {
		t.Errorf("without a chosen bundle: %q", namespace)
	}
}

func TestOnlyAnUnfinishedInstallationMovesToAnotherNamespace(t *testing.T) {
	for name, test := range map[string]struct {
		change    func(*platformv1alpha1.PlatformOperator, *upgradestep.Current)
		elsewhere bool
		moves     string // the namespace that it moves to; empty if it stays
	}{
		"nothing is applied":  {func(*platformv1alpha1.PlatformOperator, *upgradestep.Current) {}, true, "named"},
		"no BundleDeployment": {func(_ *platformv1alpha1.PlatformOperator, c *upgradestep.Current) { c.Deployment = nil }, false, ""},
		"the spec names none any more": {func(o *platformv1alpha1.PlatformOperator, c *upgradestep.Current) {
			o.Spec.Install = nil
			c.Deployment.Spec.InstallNamespace = "former"
		}, false, "suggested"},
		"the spec names none, and the default has changed": {func(o *platformv1alpha1.PlatformOperator, c *upgradestep.Current) {
			o.Spec.Install = nil
			c.Deployment.Annotations = map[string]string{platformv1alpha1.AnnotationNamespaceDefaulted: "true"}
		}, false, ""},
		"the spec names none, and it is in the default one": {func(o *platformv1alpha1.PlatformOperator, c *upgradestep.Current) {
			o.Spec.Install = nil
			c.Deployment.Spec.InstallNamespace = "suggested"
		}, false, ""},
		"it is there already": {func(_ *platformv1alpha1.PlatformOperator, c *upgradestep.Current) {
			c.Deployment.Spec.InstallNamespace = "named"
		}, false, ""},
		"paused": {func(o *platformv1alpha1.PlatformOperator, _ *upgradestep.Current) { o.Spec.Paused = true }, true, ""},
		"being deleted": {func(_ *platformv1alpha1.PlatformOperator, c *upgradestep.Current) {
			c.Deployment.DeletionTimestamp = &metav1.Time{}
		}, true, ""},
		"installed": {func(o *platformv1alpha1.PlatformOperator, _ *upgradestep.Current) {
			o.Status.Installed = steptest.Bundle("1.0.0")
		}, true, ""},
		"a revision is active": {func(_ *platformv1alpha1.PlatformOperator, c *upgradestep.Current) { steptest.Active(c.Deployment) }, true, ""},
		"being restored": {func(_ *platformv1alpha1.PlatformOperator, c *upgradestep.Current) {
			c.Start = &upgradestep.StepStart{Restores: true}
		}, true, ""},
		"all of it is applied": {func(_ *platformv1alpha1.PlatformOperator, c *upgradestep.Current) {
			c.Deployment.Status = steptest.Unhealthy().Status
		}, true, ""},
	} {
		operator := &platformv1alpha1.PlatformOperator{}
		operator.Spec.Install = &platformv1alpha1.Install{Namespace: "named"}
		current := upgradestep.Current{Deployment: steptest.Deployment("Installed=False")}
		current.Deployment.Spec.InstallNamespace = "op-system"
		test.change(operator, &current)
		if got := deploymentspec.IsInOtherNamespace(operator, current); got != test.elsewhere {
			t.Errorf("%s: it is in another namespace: %t", name, got)
		}
		chosen := steptest.Candidate("1.0.0")
		chosen.Bundle.SuggestedNamespace = "suggested"
		if got := deploymentspec.NamespaceToMoveTo(operator, current, &chosen); got != test.moves {
			t.Errorf("%s: it moves to %q, want %q", name, got, test.moves)
		}
	}
}
