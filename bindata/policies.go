package bindata

import (
	"embed"
	"fmt"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"sigs.k8s.io/yaml"
)

//go:embed policies/*.yaml
var policies embed.FS

// Policies returns new copies of the ValidatingAdmissionPolicies that decide who may deploy and approve. The manager compares them with those
// in the cluster, and does not create them. The binding of each policy has its name.
func Policies() ([]*admissionregistrationv1.ValidatingAdmissionPolicy, error) {
	files, err := policies.ReadDir("policies")
	if err != nil {
		return nil, fmt.Errorf("reading the embedded admission policies: %w", err)
	}
	var all []*admissionregistrationv1.ValidatingAdmissionPolicy
	for _, file := range files {
		content, err := policies.ReadFile("policies/" + file.Name())
		if err != nil {
			return nil, fmt.Errorf("reading an embedded admission policy: %w", err)
		}
		policy := &admissionregistrationv1.ValidatingAdmissionPolicy{}
		if err := yaml.UnmarshalStrict(content, policy); err != nil {
			return nil, fmt.Errorf("reading the embedded admission policy %s: %w", file.Name(), err)
		}
		all = append(all, policy)
	}
	return all, nil
}
