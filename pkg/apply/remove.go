package apply

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// Removal is how far taking objects down has come.
type Removal struct {
	// Done says that nothing of the set is left that is the owner's.
	Done bool
	// Waiting names what is still being deleted; empty when Done.
	Waiting string
	// Kept names what was deliberately left, and why, at most 10.
	Kept []string
	// Deleted names objects that were deleted by this call, at most 10.
	Deleted []string
}

// RemoveOptions say how a set is taken down.
type RemoveOptions struct {
	// CRDs is what becomes of CustomResourceDefinitions; empty means Orphan.
	CRDs corev1alpha2.CRDDeletion
}

// Remove takes a set's objects down, the last phase first, and each phase only when the one after it is gone. Objects that
// the sets to keep have too are left, so that it also prunes. CustomResourceDefinitions are kept, without owner labels and
// marked with the package; the install namespace goes only if it was created for the owner and holds nothing of others.
// Calling it again goes on where it stopped.
func (e *Engine) Remove(ctx context.Context, set *Set, options RemoveOptions, keep ...*Set) (Removal, error) {
	memory := e.memoryOf(set.owner.Name)
	var removal Removal
	for _, each := range slices.Backward(set.phases) {
		results, err := e.removePhase(ctx, set, memory, each, keep)
		if err != nil {
			return removal, err
		}
		var left []string
		for _, result := range results {
			switch {
			case result.left:
				left = append(left, result.key.String())
			case result.kept != "" && len(removal.Kept) < maxListed:
				removal.Kept = append(removal.Kept, result.key.String()+": "+result.kept)
			}
			if result.deleted {
				removal.Deleted = listed(removal.Deleted, result.key)
			}
		}
		if len(left) > 0 {
			removal.Waiting = "waiting for " + firstOf(left) + " to be gone"
			return removal, nil
		}
	}
	removal.Done = true
	return removal, nil
}

// removed is what became of one object: left while it is still there, kept with the reason why it stays.
type removed struct {
	key     Key
	left    bool
	deleted bool
	kept    string
	err     error
}

func (e *Engine) removePhase(ctx context.Context, set *Set, memory *memory, phase phase, keep []*Set) ([]removed, error) {
	results := make([]removed, len(phase.items))
	var group sync.WaitGroup
	slots := make(chan struct{}, parallel)
	for i, entry := range phase.items {
		results[i].key = entry.key
		if memory.isGone(entry.key) || slices.ContainsFunc(keep, func(other *Set) bool { return other.Has(entry.key) }) {
			continue
		}
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			results[i] = e.removeOne(ctx, set, entry)
			if !results[i].left && results[i].err == nil && len(keep) == 0 {
				memory.setGone(entry.key)
			}
		})
	}
	group.Wait()
	var errs []error
	for _, result := range results {
		errs = append(errs, result.err)
	}
	return results, foremost(errs)
}

func (e *Engine) removeOne(ctx context.Context, set *Set, entry *item) removed {
	result := removed{key: entry.key}
	if len(rest.IsValidPathSegmentName(entry.key.Name)) > 0 {
		return result // the API server never took an object of such a name, and it cannot even be asked for
	}
	mapping, err := e.kinds.mappingAny(entry.kind)
	var unserved *waitingError
	if errors.As(err, &unserved) {
		return result // a kind that is not served any more has no objects
	}
	if err != nil {
		result.err = err
		return result
	}
	client := e.client.Resource(mapping.Resource).Namespace(entry.key.Namespace)
	live, err := client.Get(ctx, entry.key.Name, metav1.GetOptions{})
	if notServed(err) {
		e.kinds.reset() // what was discovered is outdated; the kind may be served in another version
		result.left = true
		return result
	}
	if apierrors.IsNotFound(err) {
		return result
	}
	if err != nil {
		result.err = writeError("reading", entry.key, err)
		return result
	}
	// A namespace is the owner's by its labels alone: without them somebody has made it their own.
	labelled := live.GetLabels()[corev1alpha2.LabelOwnerName] == set.owner.Name
	if !holdingOf(live, set.owner).mine || entry.given && !labelled {
		return result
	}
	// A CustomResourceDefinition stays in any case, so that nobody waits for one that custom resources hold back.
	if live.GetDeletionTimestamp() != nil && !isCRD(entry.key.GroupKind) {
		result.left = !entry.given // whoever holds a namespace back holds nothing of ours
		return result
	}
	switch {
	case isCRD(entry.key.GroupKind):
		result.kept = "CustomResourceDefinitions are kept, and custom resources with them"
		result.err = e.disown(ctx, mapping.Resource, live, set.owner, map[string]any{platformv1alpha1.AnnotationOrphanedFrom: set.owner.orphanMark()})
		return result
	case entry.given:
		reason, err := e.occupied(ctx, entry.key.Name, set)
		if err != nil {
			result.err = err
			return result
		}
		if reason != "" {
			result.kept = reason
			result.err = e.disown(ctx, mapping.Resource, live, set.owner, nil)
			return result
		}
	}
	result.deleted = true
	result.left = !entry.given
	result.err = e.delete(ctx, mapping.Resource, live)
	return result
}

// delete deletes exactly the object that was looked at. Workloads go together with their Pods: what they need is removed
// after them.
func (e *Engine) delete(ctx context.Context, resource schema.GroupVersionResource, live *unstructured.Unstructured) error {
	propagation := metav1.DeletePropagationBackground
	if slices.Contains(workloads, resource.Resource) {
		propagation = metav1.DeletePropagationForeground
	}
	err := e.client.Resource(resource).Namespace(live.GetNamespace()).Delete(ctx, live.GetName(), metav1.DeleteOptions{
		Preconditions:     metav1.NewUIDPreconditions(string(live.GetUID())),
		PropagationPolicy: &propagation,
	})
	if err == nil || apierrors.IsNotFound(err) {
		return nil
	}
	return writeError("deleting", keyOf(live), err)
}

var workloads = []string{"deployments", "statefulsets", "daemonsets", "replicasets", "jobs"}

// disown takes the owner labels off an object that stays, and marks it.
func (e *Engine) disown(ctx context.Context, resource schema.GroupVersionResource, live *unstructured.Unstructured, owner Owner, marks map[string]any) error {
	metadata := map[string]any{
		"uid":    string(live.GetUID()),
		"labels": map[string]any{corev1alpha2.LabelOwnerKind: nil, corev1alpha2.LabelOwnerName: nil},
	}
	if marks != nil {
		metadata["annotations"] = marks
	}
	patch, err := json.Marshal(map[string]any{"metadata": metadata})
	if err != nil {
		return fmt.Errorf("encoding the patch of %s: %w", keyOf(live), err)
	}
	_, err = e.client.Resource(resource).Namespace(live.GetNamespace()).Patch(ctx, live.GetName(), types.MergePatchType, patch,
		metav1.PatchOptions{FieldManager: owner.Manager()})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return writeError("releasing", keyOf(live), err)
}

// occupants are the kinds that are looked for before a namespace is deleted: what holds users' data or runs users' work.
// Custom resources of the set's own kinds are looked for as well.
var occupants = []schema.GroupVersionResource{
	{Version: "v1", Resource: "pods"},
	{Version: "v1", Resource: "persistentvolumeclaims"},
	{Version: "v1", Resource: "services"},
	{Version: "v1", Resource: "configmaps"},
	{Version: "v1", Resource: "secrets"},
	{Version: "v1", Resource: "serviceaccounts"},
	{Group: "apps", Version: "v1", Resource: "deployments"},
	{Group: "apps", Version: "v1", Resource: "statefulsets"},
	{Group: "apps", Version: "v1", Resource: "daemonsets"},
	{Group: "batch", Version: "v1", Resource: "jobs"},
	{Group: "batch", Version: "v1", Resource: "cronjobs"},
}

// occupied says why a namespace must stay; empty when everything in it is what every namespace has. What cannot be looked
// at counts as something: a namespace too many is nothing beside lost data.
func (e *Engine) occupied(ctx context.Context, namespace string, set *Set) (string, error) {
	resources := slices.Clone(occupants)
	for _, each := range set.phases {
		for _, entry := range each.items {
			if resource, ok := customResourceOf(entry); ok {
				resources = append(resources, resource)
			}
		}
	}
	for _, resource := range resources {
		// One page is enough: what every namespace has is fewer than this.
		found, err := e.client.Resource(resource).Namespace(namespace).List(ctx, metav1.ListOptions{Limit: 50})
		if apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err) {
			continue
		}
		if apierrors.IsForbidden(err) {
			return fmt.Sprintf("the manager may not see whether it holds %s", resource.GroupResource()), nil
		}
		if err != nil {
			return "", fmt.Errorf("looking for %s in namespace %q: %w", resource.GroupResource(), namespace, err)
		}
		for i := range found.Items {
			if !everywhere(resource.Resource, &found.Items[i]) {
				return fmt.Sprintf("it still holds %s %q", resource.GroupResource(), found.Items[i].GetName()), nil
			}
		}
	}
	return "", nil
}

// customResourceOf gives the namespaced resource that a CustomResourceDefinition defines, in its stored version.
func customResourceOf(entry *item) (schema.GroupVersionResource, bool) {
	if !isCRD(entry.key.GroupKind) {
		return schema.GroupVersionResource{}, false
	}
	content := entry.object.Object
	scope, _, _ := unstructured.NestedString(content, "spec", "scope")
	group, _, _ := unstructured.NestedString(content, "spec", "group")
	plural, _, _ := unstructured.NestedString(content, "spec", "names", "plural")
	versions, _, _ := unstructured.NestedSlice(content, "spec", "versions")
	for _, each := range versions {
		version, _ := each.(map[string]any)
		name, _ := version["name"].(string)
		if served, _ := version["served"].(bool); served && scope == "Namespaced" {
			return schema.GroupVersionResource{Group: group, Version: name, Resource: plural}, true
		}
	}
	return schema.GroupVersionResource{}, false
}

// everywhere says whether an object is one that Kubernetes or OpenShift puts into every namespace, or is on its way out.
func everywhere(resource string, object *unstructured.Unstructured) bool {
	if object.GetDeletionTimestamp() != nil {
		return true
	}
	name := object.GetName()
	switch resource {
	case "configmaps":
		return name == "kube-root-ca.crt" || name == "openshift-service-ca.crt"
	case "serviceaccounts":
		return name == "default" || name == "builder" || name == "deployer"
	case "secrets":
		kind, _, _ := unstructured.NestedString(object.Object, "type")
		return kind == "kubernetes.io/service-account-token" || strings.HasPrefix(kind, "kubernetes.io/dockercfg")
	}
	return false
}

func firstOf(names []string) string {
	slices.Sort(names)
	if len(names) == 1 {
		return names[0]
	}
	return fmt.Sprintf("%s and %d more", names[0], len(names)-1)
}

func (m *memory) isGone(key Key) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.gone[key]
}

func (m *memory) setGone(key Key) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.gone[key] = true
}
