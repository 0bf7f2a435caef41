package registryv1

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// defaultServiceAccount is the ServiceAccount that Kubernetes creates in every namespace.
const defaultServiceAccount = "default"

// serviceAccounts returns the names of the ServiceAccounts that the install strategy refers to, sorted and without duplicates.
func serviceAccounts(b *Bundle) []string {
	strategy := b.csv.Spec.InstallStrategy.StrategySpec
	var names []string
	for _, d := range strategy.DeploymentSpecs {
		names = append(names, accountName(d.Spec.Template.Spec.ServiceAccountName))
	}
	for _, p := range slices.Concat(strategy.Permissions, strategy.ClusterPermissions) {
		names = append(names, accountName(p.ServiceAccountName))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func accountName(name string) string {
	if name == "" {
		return defaultServiceAccount
	}
	return name
}

// renderServiceAccounts renders the ServiceAccounts that the strategy refers to, except the default one and those that a manifest defines.
func renderServiceAccounts(r *rendering) ([]unstructured.Unstructured, error) {
	defined := map[string]bool{defaultServiceAccount: true}
	for _, o := range r.objects {
		if groupKind(o) == (schema.GroupKind{Kind: "ServiceAccount"}) {
			defined[o.GetName()] = true
		}
	}
	var objects []unstructured.Unstructured
	for _, name := range serviceAccounts(r.Bundle) {
		if !defined[name] {
			objects = append(objects, newObject("v1", "ServiceAccount", r.opts.InstallNamespace, name))
		}
	}
	return objects, nil
}

// newObject returns an object that has only apiVersion, kind, namespace and name. The namespace is empty for a cluster-scoped object.
func newObject(apiVersion, kind, namespace, name string) unstructured.Unstructured {
	metadata := map[string]any{"name": name}
	if namespace != "" {
		metadata["namespace"] = namespace
	}
	return unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": metadata}}
}
