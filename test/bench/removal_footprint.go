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

// footprint is what some operators have in the cluster, by resource, that a removal takes away: their PlatformOperators and
// BundleDeployments, their namespaces, which stand for all that is in them, and what belongs to no namespace. Kept CRDs are no
// part of it.
type footprint struct {
	client metadata.Interface
	// order is that in which gone looks: what is removed last comes last.
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
		f.add(platformv1alpha1.SchemeGroupVersion.WithResource("platformoperators"), operator.namespace) // all have one name
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

// complete is nil when all of it is there.
func (f *footprint) complete(ctx context.Context) error {
	for _, resource := range f.order {
		there, err := f.present(ctx, resource, true, 0)
		if err != nil {
			return err
		}
		absent := maps.Clone(f.names[resource])
		for _, name := range there {
			delete(absent, name)
		}
		if len(absent) > 0 {
			return fmt.Errorf("%d %s are not there: %s", len(absent), resource.Resource, few(slices.Sorted(maps.Keys(absent))))
		}
	}
	return nil
}

// removed is nil when nothing of it is there but namespaces that are being deleted: the rest is Kubernetes' namespace controller's.
func (f *footprint) removed(ctx context.Context) error { return f.without(ctx, false) }

// gone is nil when nothing of it is there.
func (f *footprint) gone(ctx context.Context) error { return f.without(ctx, true) }

func (f *footprint) without(ctx context.Context, terminating bool) error {
	for _, resource := range f.order {
		// The first object shows in most cases that not all are gone. A list of all, ten times a second, would take a tenth of what is measured.
		for _, limit := range []int64{1, 0} {
			there, err := f.present(ctx, resource, terminating, limit)
			if err != nil {
				return err
			}
			if len(there) > 0 {
				return fmt.Errorf("%s are still there: %s", resource.Resource, few(there))
			}
		}
	}
	return nil
}

// present are the names of the resource's objects that are there, with or without those that are being deleted; of the first ones in
// the API server's order where limit is not 0.
func (f *footprint) present(ctx context.Context, resource schema.GroupVersionResource, terminating bool, limit int64) (names []string, err error) {
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

// few lists the first of many names.
func few(names []string) string {
	if len(names) > 5 {
		names = append(slices.Clone(names[:5]), "…")
	}
	return strings.Join(names, ", ")
}
