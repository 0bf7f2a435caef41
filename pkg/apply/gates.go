package apply

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// gates are the kinds whose readiness later phases depend on. A PersistentVolumeClaim is none, because it may be bound only when a Pod of a
// later phase uses it. A Service is none, because its load balancer may take for ever.
var gates = []schema.GroupKind{
	{Kind: "Namespace"},
	{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"},
	{Group: "apps", Kind: "Deployment"},
	{Group: "apps", Kind: "StatefulSet"},
	{Group: "apps", Kind: "DaemonSet"},
	{Group: "batch", Kind: "Job"},
}

// gateOf returns the problem of the first object of a phase that the next one has to wait for; empty when there is none.
func gateOf(outcomes []outcome) string {
	for _, each := range outcomes {
		if !slices.Contains(gates, each.reconciled.Desired.Key.GroupKind) {
			continue
		}
		if each.problem != "" {
			return each.problem
		}
	}
	return ""
}
