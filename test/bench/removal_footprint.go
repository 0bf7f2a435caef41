package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// footprint holds the objects that a removal of operators deletes, grouped by resource: PlatformOperators, BundleDeployments, namespaces,
// and cluster-scoped objects. It holds neither the objects in the namespaces nor the CRDs, which a removal keeps.
type footprint struct {
	client metadata.Interface
	// order is the order in which resources are checked.
	order []schema.GroupVersionResource
	names map[schema.GroupVersionResource]map[string]bool
}

func (l *live) newFootprint(operators []rendered) (*footprint, error) {
	client, err := metadata.NewForConfig(l.Admin)
	if err != nil {
		return nil, err
	}
	f := &footprint{client: client, names: map[schema.GroupVersionResource]map[string]bool{}}
	for _, operator := range operators {
		f.add(platformv1alpha1.SchemeGroupVersion.WithResource("platformoperators"), operator.namespace) // named like the namespace
		f.add(corev1alpha2.SchemeGroupVersion.WithResource("bundledeployments"), operator.namespace)
		f.add(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}, operator.namespace)
		for i := range operator.objects {
			object := &operator.objects[i]
			if object.GetNamespace() != "" || isCRD(object) {
				continue
			}
			resource, err := l.loop.resource(object)
			if err != nil {
				return nil, err
			}
			f.add(resource, object.GetName())
		}
	}
	return f, nil
}

func (f *footprint) add(resource schema.GroupVersionResource, name string) {
	if f.names[resource] == nil {
		f.names[resource] = map[string]bool{}
		f.order = append(f.order, resource)
	}
	f.names[resource][name] = true
}

// complete returns an error if an object of the footprint is missing.
func (f *footprint) complete(ctx context.Context) error {
	for _, resource := range f.order {
		found, err := f.existing(ctx, resource, true, 0)
		if err != nil {
			return err
		}
		absent := maps.Clone(f.names[resource])
		for _, name := range found {
			delete(absent, name)
		}
		if len(absent) > 0 {
			return fmt.Errorf("%d %s are missing: %s", len(absent), resource.Resource, firstNames(slices.Sorted(maps.Keys(absent))))
		}
	}
	return nil
}

// removed returns an error if an object of the footprint exists, except for namespaces that are being deleted.
func (f *footprint) removed(ctx context.Context) error { return f.without(ctx, false) }

// gone returns an error if an object of the footprint exists, even a namespace that is being deleted.
func (f *footprint) gone(ctx context.Context) error { return f.without(ctx, true) }

func (f *footprint) without(ctx context.Context, terminating bool) error {
	for _, resource := range f.order {
		// The first object usually shows that the removal is not complete. Listing all objects ten times a second would affect
		// the measurement.
		for _, limit := range []int64{1, 0} {
			found, err := f.existing(ctx, resource, terminating, limit)
			if err != nil {
				return err
			}
			if len(found) > 0 {
				return fmt.Errorf("%s still exist: %s", resource.Resource, firstNames(found))
			}
		}
	}
	return nil
}

// existing returns the names of the footprint's objects of a resource that still exist. Namespaces that are being deleted are included only
// if terminating is set. limit is the maximum number of objects to list; it also counts objects that are not in the footprint. 0 lists all.
func (f *footprint) existing(ctx context.Context, resource schema.GroupVersionResource, terminating bool, limit int64) (names []string, err error) {
	list, err := f.client.Resource(resource).List(ctx, metav1.ListOptions{Limit: limit})
	if err != nil {
		return nil, fmt.Errorf("listing %s: %w", resource.Resource, err)
	}
	for i := range list.Items {
		if f.names[resource][list.Items[i].Name] && (terminating || list.Items[i].DeletionTimestamp == nil || resource.Resource != "namespaces") {
			names = append(names, list.Items[i].Name)
		}
	}
	return names, nil
}

// firstNames returns the first five names, separated by commas, and "…" if there are more.
func firstNames(names []string) string {
	if len(names) > 5 {
		names = append(slices.Clone(names[:5]), "…")
	}
	return strings.Join(names, ", ")
}
