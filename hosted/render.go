package hosted

import (
	"embed"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	configv1 "github.com/openshift/api/config/v1"
	operatorv1alpha1 "github.com/openshift/api/operator/v1alpha1"
	"github.com/openshift/library-go/pkg/crypto"
)

//go:embed assets/*.yaml
var assets embed.FS

// ControlPlane describes a hosted control plane, as far as it affects the component's manifests.
type ControlPlane struct {
	// Namespace is the namespace of the control plane in the management cluster. It also identifies the hosted cluster.
	Namespace string
	// FeatureSet is the feature set of the hosted cluster.
	FeatureSet configv1.FeatureSet
	// Catalogs says where the default catalogs run; empty means GuestCatalogs.
	Catalogs CatalogPlacement
	// ReleaseVersion and ReleaseImage are the version and the image of the release.
	ReleaseVersion, ReleaseImage string
	// Images are the images of the release and of HyperShift by their keys. A key without an image is rendered as it is.
	Images map[string]string
	// NodeSelector and Tolerations are those of the HostedControlPlane; empty for none.
	NodeSelector map[string]string
	Tolerations  []corev1.Toleration
	// TLSProfile is the TLS profile of the hosted cluster; nil means the intermediate one.
	TLSProfile *configv1.TLSProfileSpec
	// IsUnmonitored is true if the control plane has neither metrics Services nor ServiceMonitors.
	IsUnmonitored bool
}

// Render returns the component's objects in the management cluster, or none if the component does not exist with the feature set.
func Render(plane ControlPlane) ([]*unstructured.Unstructured, error) {
	if !isEnabled(plane.FeatureSet) {
		return nil, nil
	}
	config := &corev1.ConfigMap{}
	deployment := &appsv1.Deployment{}
	service := &corev1.Service{}
	// The types of ServiceMonitors are in no module of this project.
	monitor := &unstructured.Unstructured{}
	for file, object := range map[string]any{
		"config.yaml": config, "deployment.yaml": deployment, "metrics-service.yaml": service, "servicemonitor.yaml": monitor,
	} {
		content, err := assets.ReadFile("assets/" + file)
		if err != nil {
			return nil, fmt.Errorf("reading an asset: %w", err)
		}
		if err := yaml.UnmarshalStrict(content, object); err != nil {
			return nil, fmt.Errorf("reading asset %s: %w", file, err)
		}
	}
	if err := adaptConfig(plane, config); err != nil {
		return nil, err
	}
	adaptDeployment(plane, deployment)
	complete(plane, deployment)
	objects := []any{config, deployment}
	if !plane.IsUnmonitored {
		err := unstructured.SetNestedStringSlice(monitor.Object, []string{plane.Namespace}, "spec", "namespaceSelector", "matchNames")
		if err != nil {
			return nil, fmt.Errorf("rendering the ServiceMonitor: %w", err)
		}
		objects = append(objects, service, monitor)
	}
	var rendered []*unstructured.Unstructured
	for _, object := range objects {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
		if err != nil {
			return nil, fmt.Errorf("converting a rendered object: %w", err)
		}
		one := &unstructured.Unstructured{Object: content}
		one.SetNamespace(plane.Namespace)
		delete(content, "status")
		unstructured.RemoveNestedField(content, "metadata", "creationTimestamp")
		unstructured.RemoveNestedField(content, "spec", "template", "metadata", "creationTimestamp")
		rendered = append(rendered, one)
	}
	return rendered, nil
}

// adaptConfig writes the TLS profile into the manager's configuration.
func adaptConfig(plane ControlPlane, config *corev1.ConfigMap) error {
	const key = "config.yaml"
	content := &operatorv1alpha1.GenericOperatorConfig{}
	if err := yaml.UnmarshalStrict([]byte(config.Data[key]), content); err != nil {
		return fmt.Errorf("reading the manager's configuration: %w", err)
	}
	profile := plane.TLSProfile
	if profile == nil {
		profile = configv1.TLSProfiles[configv1.TLSProfileIntermediateType]
	}
	// Only the changed fields are written, because the type has many others.
	written := map[string]any{"apiVersion": content.APIVersion, "kind": content.Kind, "servingInfo": map[string]any{
		"bindAddress":   content.ServingInfo.BindAddress,
		"minTLSVersion": string(profile.MinTLSVersion),
		"cipherSuites":  crypto.OpenSSLToIANACipherSuites(profile.Ciphers),
	}}
	text, err := yaml.Marshal(written)
	if err != nil {
		return fmt.Errorf("writing the manager's configuration: %w", err)
	}
	config.Data[key] = string(text)
	return nil
}

// adaptDeployment writes the version of the release and the servers without proxy into the manager's environment.
func adaptDeployment(plane ControlPlane, deployment *appsv1.Deployment) {
	container := &deployment.Spec.Template.Spec.Containers[0]
	for i := range container.Env {
		switch env := &container.Env[i]; env.Name {
		case "RELEASE_VERSION", "OPERATOR_IMAGE_VERSION":
			env.Value = plane.ReleaseVersion
		case "NO_PROXY":
			env.Value = noProxy(plane.Catalogs)
		}
	}
}
