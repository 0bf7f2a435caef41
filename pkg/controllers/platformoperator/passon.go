package platformoperator

import (
	"bytes"
	"encoding/json"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// passOn hands what a PlatformOperator says of the engine's behaviour on to its BundleDeployment, as it stands.
func passOn(onto *corev1alpha2.BundleDeploymentSpec, from platformv1alpha1.PlatformOperatorSpec) {
	onto.Deletion = from.Deletion.DeepCopy()
	install := from.Install
	if install == nil {
		return
	}
	onto.Config = encoded(install.Config)
	onto.Drift = install.Drift.DeepCopy()
	onto.ProgressDeadlineSeconds = install.ProgressDeadlineSeconds
	onto.OnFailure = install.OnFailure
	onto.Adoption = install.Adoption
}

// overlay sets the fields of a BundleDeployment that this controller sets, also to nothing. What it never sets is left to
// its owner.
func overlay(onto *corev1alpha2.BundleDeploymentSpec, wanted corev1alpha2.BundleDeploymentSpec) {
	onto.ProvisionerClassName = wanted.ProvisionerClassName
	onto.Source = wanted.Source
	onto.Drift = wanted.Drift
	onto.ProgressDeadlineSeconds = wanted.ProgressDeadlineSeconds
	onto.OnFailure = wanted.OnFailure
	onto.Adoption = wanted.Adoption
	onto.Deletion = wanted.Deletion
	onto.Paused = wanted.Paused
	if !sameConfig(onto.Config, wanted.Config) {
		onto.Config = wanted.Config
	}
}

// encoded turns typed configuration into the free form that a BundleDeployment has; an empty one into none.
func encoded(config *platformv1alpha1.InstallConfig) *runtime.RawExtension {
	if config == nil || equality.Semantic.DeepEqual(*config, platformv1alpha1.InstallConfig{}) {
		return nil
	}
	raw, err := json.Marshal(config)
	if err != nil {
		return nil // InstallConfig is made of API types; Marshal cannot refuse it.
	}
	return &runtime.RawExtension{Raw: raw}
}

// sameConfig compares what two configurations mean: the API server gives one back with its fields in another order.
func sameConfig(a, b *runtime.RawExtension) bool {
	if a == nil || b == nil {
		return a == b
	}
	var left, right any
	if bytes.Equal(a.Raw, b.Raw) {
		return true
	}
	return json.Unmarshal(a.Raw, &left) == nil && json.Unmarshal(b.Raw, &right) == nil && equality.Semantic.DeepEqual(left, right)
}
