package cvo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"

	"github.com/openshift/library-go/pkg/manifest"
)

// fieldManager is the field manager of the CVO's writes.
const fieldManager = "cluster-version-operator"

// A Write describes a create or update that Apply sent to the API server.
type Write struct {
	// Verb is "create" or "update". Object is the file name of the manifest, with the kind and name of its object.
	Verb, Object string
	// Fields are the names of the changed fields, sorted: top-level fields, and fields of metadata as in "metadata.labels". It is empty for
	// a create.
	Fields []string
}

func (w Write) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s %s %s", w.Verb, w.Object, strings.Join(w.Fields, ", ")))
}

// Apply applies the manifests in a folder, in the order of file names, and returns its writes. It waits for each CRD to be established, and
// never updates a create-only object. For a ClusterOperator, it writes the metadata and, if the status is empty, status.relatedObjects. It
// skips ImageStreams. It stops at the first error, and returns it together with the writes made before it.
func Apply(ctx context.Context, config *rest.Config, dir string) ([]Write, error) {
	manifests, err := read(dir)
	if err != nil {
		return nil, err
	}
	applier, err := newApplier(ctx, config)
	if err != nil {
		return nil, err
	}
	for _, m := range manifests {
		if m.GVK.Kind == "ImageStream" {
			continue // image-references, which "oc adm release new" reads and the CVO does not apply
		}
		if err := applier.apply(ctx, m); err != nil {
			return applier.writes, fmt.Errorf("applying %s: %w", name(m), err)
		}
	}
	return applier.writes, nil
}

func read(dir string) ([]manifest.Manifest, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("listing manifests: %w", err)
	}
	var files []string
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), ".yaml") {
			files = append(files, filepath.Join(dir, entry.Name()))
		}
	}
	slices.Sort(files)
	if len(files) == 0 {
		return nil, fmt.Errorf("%q holds no manifests", dir)
	}
	manifests, err := manifest.ManifestsFromFiles(files)
	if err != nil {
		return nil, fmt.Errorf("reading %q: %w", dir, err)
	}
	return manifests, nil
}

func name(m manifest.Manifest) string {
	return fmt.Sprintf("%s (%s)", filepath.Base(m.OriginalFilename), m.String())
}

type applier struct {
	dynamic dynamic.Interface
	mapper  *restmapper.DeferredDiscoveryRESTMapper
	// owner is the reference to the ClusterVersion that the CVO adds to the objects that it applies.
	owner  metav1.OwnerReference
	writes []Write
}

func newApplier(ctx context.Context, config *rest.Config) (*applier, error) {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	discoveryClient, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	clusterVersions := schema.GroupVersionResource{Group: "config.openshift.io", Version: "v1", Resource: "clusterversions"}
	clusterVersion, err := client.Resource(clusterVersions).Get(ctx, "version", metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("reading the ClusterVersion: %w", err)
	}
	return &applier{
		dynamic: client,
		mapper:  restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(discoveryClient)),
		owner:   *metav1.NewControllerRef(clusterVersion, clusterVersion.GroupVersionKind()),
	}, nil
}

func (a *applier) apply(ctx context.Context, m manifest.Manifest) error {
	resource, err := a.resource(m.Obj)
	if err != nil {
		return err
	}
	wanted := m.Obj.DeepCopy()
	createOnly := wanted.GetAnnotations()["release.openshift.io/create-only"] == "true"
	owner := a.owner
	if createOnly {
		owner.Controller = nil
	}
	wanted.SetOwnerReferences([]metav1.OwnerReference{owner})

	live, err := resource.Get(ctx, wanted.GetName(), metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		if _, err = resource.Create(ctx, wanted, metav1.CreateOptions{FieldManager: fieldManager}); err != nil {
			return err
		}
		a.writes = append(a.writes, Write{Verb: "create", Object: name(m)})
	case err != nil:
		return err
	case createOnly:
		return nil
	default:
		merged := merge(live, wanted)
		changed := changedFields(live, merged)
		if len(changed) == 0 {
			break
		}
		if _, err := resource.Update(ctx, merged, metav1.UpdateOptions{FieldManager: fieldManager}); err != nil {
			return err
		}
		a.writes = append(a.writes, Write{Verb: "update", Object: name(m), Fields: changed})
	}
	switch wanted.GetKind() {
	case "CustomResourceDefinition":
		return waitEstablished(ctx, resource, wanted.GetName())
	case "ClusterOperator":
		return precreateStatus(ctx, resource, wanted)
	}
	return nil
}

func (a *applier) resource(object *unstructured.Unstructured) (dynamic.ResourceInterface, error) {
	kind := object.GroupVersionKind()
	mapping, err := a.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if meta.IsNoMatchError(err) {
		a.mapper.Reset() // the CRD may have been applied a moment ago
		mapping, err = a.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	}
	if err != nil {
		return nil, err
	}
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		return a.dynamic.Resource(mapping.Resource).Namespace(object.GetNamespace()), nil
	}
	return a.dynamic.Resource(mapping.Resource), nil
}

// isEmpty reports whether a value is nil or an empty list or map. changedFields treats these as equal, because the CVO compares typed
// objects, in which an absent field and an empty one are the same.
func isEmpty(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case []any:
		return len(value) == 0
	case map[string]any:
		return len(value) == 0
	}
	return false
}

// changedFields returns the names of the fields that differ between live and merged, as in Write.Fields.
func changedFields(live, merged *unstructured.Unstructured) []string {
	var changed []string
	differ := func(prefix string, live, merged map[string]any) {
		fields := map[string]any{}
		maps.Copy(fields, live)
		maps.Copy(fields, merged)
		for field := range fields {
			if prefix+field != "metadata" && (!isEmpty(live[field]) || !isEmpty(merged[field])) && !equality.Semantic.DeepEqual(live[field], merged[field]) {
				changed = append(changed, prefix+field)
			}
		}
	}
	differ("", live.Object, merged.Object)
	liveMeta, _, _ := unstructured.NestedMap(live.Object, "metadata")
	mergedMeta, _, _ := unstructured.NestedMap(merged.Object, "metadata")
	differ("metadata.", liveMeta, mergedMeta)
	slices.Sort(changed)
	return changed
}

// precreateStatus writes the manifest's relatedObjects to the status of a ClusterOperator if the status is empty, as the CVO does before it
// applies a component's manifests. The component itself reports versions and conditions. precreateStatus returns an error if the manifest
// has no relatedObjects.
func precreateStatus(ctx context.Context, resource dynamic.ResourceInterface, object *unstructured.Unstructured) error {
	live, err := resource.Get(ctx, object.GetName(), metav1.GetOptions{})
	if err != nil {
		return err
	}
	if status, _, _ := unstructured.NestedMap(live.Object, "status"); len(status) > 0 {
		return nil
	}
	related, found, err := unstructured.NestedSlice(object.Object, "status", "relatedObjects")
	if err != nil || !found {
		return errors.Join(err, errors.New("the ClusterOperator's manifest names no relatedObjects"))
	}
	live.Object["status"] = map[string]any{"relatedObjects": related}
	_, err = resource.UpdateStatus(ctx, live, metav1.UpdateOptions{FieldManager: fieldManager})
	return err
}

func waitEstablished(ctx context.Context, resource dynamic.ResourceInterface, name string) error {
	return wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, 30*time.Second, true, func(ctx context.Context) (bool, error) {
		live, err := resource.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		conditions, _, _ := unstructured.NestedSlice(live.Object, "status", "conditions") // null until the API server has processed the CRD
		for _, entry := range conditions {
			condition, ok := entry.(map[string]any)
			if ok && condition["type"] == "Established" && condition["status"] == "True" {
				return true, nil
			}
		}
		return false, nil
	})
}
