package environment

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"

	"github.com/openshift/library-go/pkg/manifest"
)

// cvoFieldManager is the name under which manifests/ is applied.
const cvoFieldManager = "cluster-version-operator"

// ApplyManifests applies a manifests folder as the CVO does: file by file in the order of names, waiting for each CRD to be
// established, a create-only object once, and of a ClusterOperator the existence and status.relatedObjects.
func ApplyManifests(ctx context.Context, config *rest.Config, dir string) error {
	files, err := manifestFiles(dir)
	if err != nil {
		return err
	}
	manifests, err := manifest.ManifestsFromFiles(files)
	if err != nil {
		return fmt.Errorf("reading %q: %w", dir, err)
	}
	applier, err := newApplier(config)
	if err != nil {
		return err
	}
	for _, m := range manifests {
		if m.GVK.Kind == "ImageStream" {
			continue // image-references: for `oc adm release new`, not for the cluster
		}
		if err := applier.apply(ctx, m.Obj); err != nil {
			return fmt.Errorf("applying %s from %q: %w", m.String(), filepath.Base(m.OriginalFilename), err)
		}
	}
	return nil
}

func manifestFiles(dir string) ([]string, error) {
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
	return files, nil
}

type applier struct {
	dynamic dynamic.Interface
	mapper  *restmapper.DeferredDiscoveryRESTMapper
}

func newApplier(config *rest.Config) (*applier, error) {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	discoveryClient, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	return &applier{client, restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(discoveryClient))}, nil
}

func (a *applier) apply(ctx context.Context, object *unstructured.Unstructured) error {
	resource, err := a.resource(object)
	if err != nil {
		return err
	}
	if object.GetKind() == "ClusterOperator" {
		return precreateClusterOperator(ctx, resource, object)
	}
	if object.GetAnnotations()["release.openshift.io/create-only"] == "true" {
		_, err := resource.Create(ctx, object, metav1.CreateOptions{FieldManager: cvoFieldManager})
		if apierrors.IsAlreadyExists(err) {
			return nil
		}
		return err
	}
	if _, err := resource.Apply(ctx, object.GetName(), object, metav1.ApplyOptions{FieldManager: cvoFieldManager, Force: true}); err != nil {
		return err
	}
	if object.GetKind() == "CustomResourceDefinition" {
		return waitEstablished(ctx, resource, object.GetName())
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

// precreateClusterOperator does what the CVO does before it runs a component's manifests: of the status it writes
// relatedObjects only; versions and conditions are the component's.
func precreateClusterOperator(ctx context.Context, resource dynamic.ResourceInterface, object *unstructured.Unstructured) error {
	live, err := resource.Create(ctx, object, metav1.CreateOptions{FieldManager: cvoFieldManager})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	if err != nil {
		return err
	}
	related, found, err := unstructured.NestedSlice(object.Object, "status", "relatedObjects")
	if err != nil || !found {
		return errors.Join(err, errors.New("the ClusterOperator's manifest names no relatedObjects"))
	}
	live.Object["status"] = map[string]any{"relatedObjects": related}
	_, err = resource.UpdateStatus(ctx, live, metav1.UpdateOptions{FieldManager: cvoFieldManager})
	return err
}

func waitEstablished(ctx context.Context, resource dynamic.ResourceInterface, name string) error {
	return wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, 30*time.Second, true, func(ctx context.Context) (bool, error) {
		live, err := resource.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		status, ok := live.Object["status"].(map[string]any)
		if !ok {
			return false, nil
		}
		conditions, _ := status["conditions"].([]any) // null at first
		for _, entry := range conditions {
			condition, ok := entry.(map[string]any)
			if ok && condition["type"] == "Established" && condition["status"] == "True" {
				return true, nil
			}
		}
		return false, nil
	})
}
