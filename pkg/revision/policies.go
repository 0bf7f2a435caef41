package revision

import corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"

// Policies are the effective drift and deletion policies of a BundleDeployment.
type Policies struct {
	Drift corev1alpha2.Drift
	CRDs  corev1alpha2.CRDDeletion
}

// PoliciesOf returns the policies of the spec; fields that are not set there are taken from the class. A list of ignored fields in the spec
// replaces the list of the class. A field that neither sets is empty; the package that applies the objects has a default for it.
func PoliciesOf(spec corev1alpha2.BundleDeploymentSpec, class corev1alpha2.ProvisionerClassSpec) Policies {
	var merged Policies
	for _, each := range []*corev1alpha2.Drift{class.Drift, spec.Drift} {
		if each == nil {
			continue
		}
		if each.Policy != "" {
			merged.Drift.Policy = each.Policy
		}
		if each.Additions != "" {
			merged.Drift.Additions = each.Additions
		}
		if len(each.Ignore) > 0 {
			merged.Drift.Ignore = each.Ignore
		}
	}
	for _, each := range []*corev1alpha2.Deletion{class.Deletion, spec.Deletion} {
		if each != nil && each.CRDs != "" {
			merged.CRDs = each.CRDs
		}
	}
	return merged
}
