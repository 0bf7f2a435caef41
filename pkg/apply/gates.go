package apply

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// gates are the kinds that must be ready before the next phase begins. PersistentVolumeClaim is not one of them, because a claim may be
// bound only when a Pod of a later phase uses it. Service is not one of them, because its load balancer may never be ready.
var gates = []schema.GroupKind{
	{Kind: "Namespace"},
	{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"},
	{Group: "apps", Kind: "Deployment"},
	{Group: "apps", Kind: "StatefulSet"},
	{Group: "apps", Kind: "DaemonSet"},
	{Group: "batch", Kind: "Job"},
}

// gateOf returns the problem of the first object that is not ready and whose kind is in gates; empty if the next phase may begin.
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
