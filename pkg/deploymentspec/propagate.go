package deploymentspec

import (
	"bytes"
	"encoding/json"
	"maps"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// propagateSpec copies to a BundleDeployment those settings of a PlatformOperator that the bundledeployment controller carries out.
func propagateSpec(onto *corev1alpha2.BundleDeploymentSpec, from platformv1alpha1.PlatformOperatorSpec) {
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
	onto.ServiceAccountName = install.ServiceAccountName
	if install.CRDUpgradeSafety != nil {
		onto.Preflight = &corev1alpha2.Preflight{CRDUpgradeSafety: install.CRDUpgradeSafety.DeepCopy()}
	}
	if approval := install.Approval; approval != nil && approval.Mode != "" {
		onto.Approval = &corev1alpha2.Approval{Mode: approval.Mode}
	}
}

// Merge returns a copy of existing with the labels, annotations and fields of desired, which New returned. An empty field of desired clears
// the field. Merge does not change the install namespace, the owner references, or the fields that New never sets. It removes the
// annotation for a default namespace if the PlatformOperator names a namespace.
//
// While the PlatformOperator is paused, changed settings are not merged: when the pause ends, they start an upgrade step.
func Merge(existing, desired *corev1alpha2.BundleDeployment, operator *platformv1alpha1.PlatformOperator) *corev1alpha2.BundleDeployment {
	if operator.Spec.Paused && haveChanged(operator, existing) {
		desired = desired.DeepCopy()
		keepSettings(desired, existing)
	}
	merged := existing.DeepCopy()
	overlay(&merged.Spec, desired.Spec)
	merged.Labels = union(merged.Labels, desired.Labels)
	merged.Annotations = union(merged.Annotations, desired.Annotations)
	if NamedNamespace(operator) != "" {
		delete(merged.Annotations, platformv1alpha1.AnnotationNamespaceDefaulted)
	}
	return merged
}

func overlay(onto *corev1alpha2.BundleDeploymentSpec, desired corev1alpha2.BundleDeploymentSpec) {
	onto.ProvisionerClassName = desired.ProvisionerClassName
	onto.Source = desired.Source
	onto.Drift = desired.Drift
	onto.ProgressDeadlineSeconds = desired.ProgressDeadlineSeconds
	onto.OnFailure = desired.OnFailure
	onto.Adoption = desired.Adoption
	onto.Deletion = desired.Deletion
	onto.ServiceAccountName = desired.ServiceAccountName
	onto.Preflight = desired.Preflight
	onto.Paused = desired.Paused
	onto.Approval = approvalWith(onto.Approval, desired.Approval)
	if !isSameConfig(onto.Config, desired.Config) {
		onto.Config = desired.Config
	}
}

// approvalWith returns an approval with the mode of desired. It keeps the approval of a plan, which belongs to the person who approved it.
func approvalWith(existing, desired *corev1alpha2.Approval) *corev1alpha2.Approval {
	merged := corev1alpha2.Approval{}
	if existing != nil {
		merged = *existing
	}
	merged.Mode = ""
	if desired != nil {
		merged.Mode = desired.Mode
	}
	if merged == (corev1alpha2.Approval{}) {
		return nil
	}
	return &merged
}

// encoded returns the configuration as the raw JSON that a BundleDeployment holds; nil if the configuration is nil or empty.
func encoded(config *platformv1alpha1.InstallConfig) *runtime.RawExtension {
	if config == nil || equality.Semantic.DeepEqual(*config, platformv1alpha1.InstallConfig{}) {
		return nil
	}
	raw, err := json.Marshal(config)
	if err != nil {
		return nil // not reached: InstallConfig consists of API types
	}
	return &runtime.RawExtension{Raw: raw}
}

// isSameConfig reports whether two configurations are equal JSON values, or both nil. It does not compare their text, because the API
// server may return the fields in a different order.
func isSameConfig(a, b *runtime.RawExtension) bool {
	if a == nil || b == nil {
		return a == b
	}
	var left, right any
	if bytes.Equal(a.Raw, b.Raw) {
		return true
	}
	return json.Unmarshal(a.Raw, &left) == nil && json.Unmarshal(b.Raw, &right) == nil && equality.Semantic.DeepEqual(left, right)
}

func union(into, from map[string]string) map[string]string {
	result := maps.Clone(into)
	if result == nil {
		result = map[string]string{}
	}
	maps.Copy(result, from)
	return result
}
