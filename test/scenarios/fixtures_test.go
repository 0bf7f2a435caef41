package scenarios

import (
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/openshift/platform-operators/test/samples"
)

var bundleDeployments = schema.GroupVersionResource{Group: "core.rukpak.io", Version: "v1alpha2", Resource: "bundledeployments"}
var bundles = schema.GroupVersionResource{Group: "core.rukpak.io", Version: "v1alpha2", Resource: "bundles"}

// defaultOperators are the operators in the catalogs of stories that need no special ones.
var defaultOperators = []samples.Operator{
	{Package: "drifter", Version: "1.0.0", ExtraConfigMap: "drifter-settings"},
	{Package: "climber", Version: "1.0.0", ExtraConfigMap: "climber-first"},
	{Package: "neighbor", Version: "1.0.0"},
	{Package: "leaver", Version: "1.0.0"},
	{Package: "sleeper", Version: "1.0.0"},
	{Package: "twin", Version: "1.0.0"},
	{Package: "foreign", Version: "1.0.0"},
	{Package: "survivor", Version: "1.0.0"},
	{Package: "singleonly", Version: "1.0.0", SingleNamespaceOnly: true},
	{Package: "singleonly-unsaid", Version: "1.0.0", SingleNamespaceOnly: true, CatalogSaysNothing: true},
	{Package: "broken", Version: "1.0.0", NoBundle: true},
	{Package: "unreadable", Version: "1.0.0", MaxOpenShiftVersion: `"garbage"`},
	{Package: "stale", Version: "1.0.0", MaxOpenShiftVersion: `"4.20"`},
	{Package: "futuristic", Version: "1.0.0", MinKubeVersion: "9.0.0"},
}

// parse returns the object in a manifest, with the resource's apiVersion and this kind. The manifest does not need to have either.
func (s *Story) parse(resource schema.GroupVersionResource, kind, manifest string) *unstructured.Unstructured {
	s.Helper()
	object := &unstructured.Unstructured{}
	s.Expect(yaml.Unmarshal([]byte(manifest), &object.Object)).To(Succeed())
	object.SetAPIVersion(resource.GroupVersion().String())
	object.SetKind(kind)
	return object
}

// bundleDeploymentManifest returns the manifest of a BundleDeployment without apiVersion and kind, for parse. spec is YAML.
func bundleDeploymentManifest(name, spec string) string {
	return "{metadata: {name: " + name + "}, spec: " + spec + "}"
}

// conditionsAsExpected returns the status and reason of each condition of a healthy ClusterOperator.
func conditionsAsExpected() map[configv1.ClusterStatusConditionType]string {
	all := map[configv1.ClusterStatusConditionType]string{}
	for kind, status := range expectedConditions {
		all[kind] = string(status) + " AsExpected"
	}
	return all
}

// conditionsIn returns the status and reason of a ClusterOperator's conditions, for the types in expectedConditions.
func conditionsIn(clusterOperator *configv1.ClusterOperator) map[configv1.ClusterStatusConditionType]string {
	all := map[configv1.ClusterStatusConditionType]string{}
	for kind := range expectedConditions {
		condition := conditionIn(clusterOperator, kind)
		all[kind] = string(condition.Status) + " " + condition.Reason
	}
	return all
}
