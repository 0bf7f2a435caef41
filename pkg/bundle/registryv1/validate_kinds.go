package registryv1

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/pkg/bundle"
)

// allowedKinds are the kinds that a registry+v1 bundle may contain in addition to its ClusterServiceVersion, with their scope. The format
// lists kinds without groups. The groups are listed here so that a custom kind named Secret is not treated as a Secret. Custom kinds with
// these names are allowed if the bundle defines them (definitionOf).
var allowedKinds = map[schema.GroupKind]scope{
	{Kind: "ConfigMap"}:      namespaced,
	{Kind: "Secret"}:         namespaced,
	{Kind: "Service"}:        namespaced,
	{Kind: "ServiceAccount"}: namespaced,

	{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}: cluster,
	{Group: "autoscaling.k8s.io", Kind: "VerticalPodAutoscaler"}:      namespaced,
	{Group: "console.openshift.io", Kind: "ConsoleCLIDownload"}:       cluster,
	{Group: "console.openshift.io", Kind: "ConsoleLink"}:              cluster,
	{Group: "console.openshift.io", Kind: "ConsolePlugin"}:            cluster,
	{Group: "console.openshift.io", Kind: "ConsoleQuickStart"}:        cluster,
	{Group: "console.openshift.io", Kind: "ConsoleYAMLSample"}:        cluster,
	{Group: "monitoring.coreos.com", Kind: "PodMonitor"}:              namespaced,
	{Group: "monitoring.coreos.com", Kind: "PrometheusRule"}:          namespaced,
	{Group: "monitoring.coreos.com", Kind: "ServiceMonitor"}:          namespaced,
	{Group: "networking.k8s.io", Kind: "NetworkPolicy"}:               namespaced,
	{Group: "policy", Kind: "PodDisruptionBudget"}:                    namespaced,
	{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole"}:         cluster,
	{Group: "rbac.authorization.k8s.io", Kind: "ClusterRoleBinding"}:  cluster,
	{Group: "rbac.authorization.k8s.io", Kind: "Role"}:                namespaced,
	{Group: "rbac.authorization.k8s.io", Kind: "RoleBinding"}:         namespaced,
	{Group: "scheduling.k8s.io", Kind: "PriorityClass"}:               cluster,
}

type scope bool

const (
	cluster    scope = false
	namespaced scope = true
)

func groupKind(o bundle.Object) schema.GroupKind {
	return o.GroupVersionKind().GroupKind()
}

// validateKinds refuses kinds that the format does not allow.
func validateKinds(b *Bundle) []string {
	var findings []string
	for _, o := range b.objects {
		kind := groupKind(o)
		_, listed := allowedKinds[kind]
		if _, defined := b.definitionOf(kind); listed || defined {
			continue
		}
		remedy := "remove it"
		if allowedNames[kind.Kind] {
			remedy = "add the CustomResourceDefinition of this kind, or remove it"
		}
		findings = append(findings, fmt.Sprintf("%s: registry+v1 bundles must not contain objects of kind %s (%s); %s",
			o, o.GetKind(), o.GetAPIVersion(), remedy))
	}
	return findings
}
