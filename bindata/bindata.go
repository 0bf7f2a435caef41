// Package bindata holds the objects that the manager creates itself, as files. They are the same objects that the payload
// ships create-only (test/payload compares them), because the manager must put them back when somebody deletes them. It
// knows no client and no cluster; pkg/operator hands the objects to the controllers that keep them.
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

// PlatformOperatorManager returns the manager's configuration with its defaults, a new copy each time.
func PlatformOperatorManager() (*operatorv1alpha1.PlatformOperatorManager, error) {
	manager := &operatorv1alpha1.PlatformOperatorManager{}
	if err := yaml.UnmarshalStrict(platformOperatorManager, manager); err != nil {
		return nil, fmt.Errorf("reading the embedded PlatformOperatorManager: %w", err)
	}
	return manager, nil
}

// RegistryClass returns the ProvisionerClass of registry+v1 bundles, a new copy each time.
func RegistryClass() (*corev1alpha2.ProvisionerClass, error) {
	return class(registryClass, corev1alpha2.FormatRegistryV1)
}

// PlainClass returns the ProvisionerClass of plain+v0 bundles, a new copy each time.
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
