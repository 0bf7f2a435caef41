// Package bindata embeds the manifests of the objects that the manager creates itself. The payload ships the same objects create-only, so
// the manager must create them again after somebody deletes them; test/payload compares both copies. pkg/operator passes the objects to the
// controllers that maintain them.
package bindata

import (
	_ "embed" // for the files below
	"fmt"

	"sigs.k8s.io/yaml"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
)

//go:embed platformoperatormanager.yaml
var platformOperatorManager []byte

//go:embed provisionerclass-registry.yaml
var registryClass []byte

//go:embed provisionerclass-plain.yaml
var plainClass []byte

// PlatformOperatorManager returns a new copy of the PlatformOperatorManager with the manager's default configuration.
func PlatformOperatorManager() (*operatorv1alpha1.PlatformOperatorManager, error) {
	manager := &operatorv1alpha1.PlatformOperatorManager{}
	if err := yaml.UnmarshalStrict(platformOperatorManager, manager); err != nil {
		return nil, fmt.Errorf("reading the embedded PlatformOperatorManager: %w", err)
	}
	return manager, nil
}

// RegistryClass returns a new copy of the ProvisionerClass for registry+v1 bundles.
func RegistryClass() (*corev1alpha2.ProvisionerClass, error) {
	return class(registryClass, corev1alpha2.FormatRegistryV1)
}

// PlainClass returns a new copy of the ProvisionerClass for plain+v0 bundles.
func PlainClass() (*corev1alpha2.ProvisionerClass, error) {
	return class(plainClass, corev1alpha2.FormatPlainV0)
}

func class(text []byte, format string) (*corev1alpha2.ProvisionerClass, error) {
	class := &corev1alpha2.ProvisionerClass{}
	if err := yaml.UnmarshalStrict(text, class); err != nil {
		return nil, fmt.Errorf("reading the embedded ProvisionerClass of %s bundles: %w", format, err)
	}
	return class, nil
}
