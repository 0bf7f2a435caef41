package registryv1

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// defaultServiceAccount exists in every namespace; Kubernetes makes it, nobody else does.
const defaultServiceAccount = "default"

// serviceAccounts lists the ServiceAccounts that the install strategy names, sorted.
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

// renderServiceAccounts makes the accounts that the strategy names and no manifest defines: a manifest says more than a name.
func renderServiceAccounts(r *rendering) ([]unstructured.Unstructured, error) {
	defined := map[string]bool{defaultServiceAccount: true}
	for _, o := range r.objects {
		if o.GetKind() == "ServiceAccount" {
			defined[o.GetName()] = true
		}
	}
	var objects []unstructured.Unstructured
	for _, name := range serviceAccounts(r.Bundle) {
		if !defined[name] {
			objects = append(objects, object("v1", "ServiceAccount", r.opts.InstallNamespace, name))
		}
	}
	return objects, nil
}

// object makes an object that has its identity only; namespace is empty for what is cluster-scoped.
func object(apiVersion, kind, namespace, name string) unstructured.Unstructured {
	metadata := map[string]any{"name": name}
	if namespace != "" {
		metadata["namespace"] = namespace
	}
	return unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": metadata}}
}
