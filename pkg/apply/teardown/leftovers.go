package teardown

import (
	"context"
	"fmt"
	"slices"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/plan"
)

// leftoverKinds are the kinds that Leftovers lists: those that a registry+v1 bundle may contain and that the payload's roles permit the
// manager to list and delete. A plain+v0 bundle may contain objects of other kinds; to find them, the manager would have to list every kind
// in the cluster. Leftovers lists no namespaces, because deleting them could delete users' data; NewSet adds the install namespace.
var leftoverKinds = []schema.GroupKind{
	{Kind: "ConfigMap"},
	{Kind: "Secret"},
	{Kind: "Service"},
	{Kind: "ServiceAccount"},
	{Group: "admissionregistration.k8s.io", Kind: "MutatingWebhookConfiguration"},
	{Group: "admissionregistration.k8s.io", Kind: "ValidatingWebhookConfiguration"},
	{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"},
	{Group: "apps", Kind: "Deployment"},
	{Group: "autoscaling.k8s.io", Kind: "VerticalPodAutoscaler"},
	{Group: "cert-manager.io", Kind: "Certificate"},
	{Group: "cert-manager.io", Kind: "Issuer"},
	{Group: "console.openshift.io", Kind: "ConsoleCLIDownload"},
	{Group: "console.openshift.io", Kind: "ConsoleLink"},
	{Group: "console.openshift.io", Kind: "ConsolePlugin"},
	{Group: "console.openshift.io", Kind: "ConsoleQuickStart"},
	{Group: "console.openshift.io", Kind: "ConsoleYAMLSample"},
	{Group: "monitoring.coreos.com", Kind: "PodMonitor"},
	{Group: "monitoring.coreos.com", Kind: "PrometheusRule"},
	{Group: "monitoring.coreos.com", Kind: "ServiceMonitor"},
	{Group: "networking.k8s.io", Kind: "NetworkPolicy"},
	{Group: "policy", Kind: "PodDisruptionBudget"},
	{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole"},
	{Group: "rbac.authorization.k8s.io", Kind: "ClusterRoleBinding"},
	{Group: "rbac.authorization.k8s.io", Kind: "Role"},
	{Group: "rbac.authorization.k8s.io", Kind: "RoleBinding"},
	{Group: "scheduling.k8s.io", Kind: "PriorityClass"},
}

// Leftovers returns the objects of an owner that still exist, as a set to remove. It lists the kinds in leftoverKinds, and needs no stored
// revision. An object belongs to the owner if it has the owner's labels and either the owner's field manager or, from rukpak, an owner
// reference to the owner. A user's copy of an object has only the labels, and is not in the set.
//
// Leftovers reads the caches of these kinds, which all owners share. It starts the caches that are not running yet; Release stops them. If
// a kind cannot be discovered or its cache is not filled, Leftovers returns an error.
func (r *Remover) Leftovers(ctx context.Context, owner object.Owner, installNamespace string, memory *Memory) (*object.Set, error) {
	versions, err := r.resources.Mapper.Groups(ctx)
	if err != nil {
		return nil, fmt.Errorf("discovering which kinds may have objects that are left: %w", err)
	}
	found, errs := make([][]unstructured.Unstructured, len(leftoverKinds)), make([]error, len(leftoverKinds))
	var group sync.WaitGroup // fills all caches concurrently
	for i, kind := range leftoverKinds {
		group.Go(func() { found[i], errs[i] = r.leftoversOf(ctx, owner, kind, versions[kind.Group], memory) })
	}
	group.Wait()
	if err := object.Foremost(errs); err != nil {
		return nil, err
	}
	return leftoverSet(owner, installNamespace, slices.Concat(found...))
}

// leftoverSet returns a set with the found objects. If CustomResourceDefinitions are among them, NewSet adds the ClusterRole that permits
// the manager to read their custom resources, so leftoverSet omits the ClusterRole that was found. Otherwise that ClusterRole is treated
// like any other object.
func leftoverSet(owner object.Owner, installNamespace string, found []unstructured.Unstructured) (*object.Set, error) {
	role := object.ReaderRole(owner, plan.Phases(found))
	var objects []unstructured.Unstructured
	for _, live := range found {
		if role == nil || object.KeyOf(role) != object.KeyOf(&live) {
			objects = append(objects, live)
		}
	}
	return object.NewSet(owner, installNamespace, plan.Phases(objects))
}

func (r *Remover) leftoversOf(ctx context.Context, owner object.Owner, kind schema.GroupKind, versions []string, memory *Memory) ([]unstructured.Unstructured, error) {
	mapping, err := r.resources.Mapper.MappingInVersions(ctx, kind, versions)
	if err != nil || mapping == nil {
		return nil, err // a kind whose discovery failed may have objects: it is an error, not an empty result
	}
	filled, err := r.resources.Caches.Get(ctx, owner.Name, mapping.Resource)
	if err != nil {
		return nil, ignoreUnserved(kind, err)
	}
	var found []unstructured.Unstructured
	for _, each := range filled.OwnedBy(owner.Name) {
		live, err := each.Object()
		if err != nil {
			return nil, err
		}
		// The cache may still hold an object that a removal has just deleted or kept.
		if _, done := memory.isDone(object.KeyOf(live)); !done && owner.Owns(live, nil) {
			found = append(found, *live)
		}
	}
	return found, nil
}

// ignoreUnserved returns nil if the cluster does not serve a kind or does not permit the manager to list it. The manager cannot have
// applied objects of such a kind. It wraps any other error.
func ignoreUnserved(kind schema.GroupKind, err error) error {
	if apierrors.IsNotFound(err) || apierrors.IsForbidden(err) {
		return nil
	}
	return fmt.Errorf("looking for objects of kind %s that are left: %w", kind, err)
}
