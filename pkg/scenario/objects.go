package scenario

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
)

// Objects returns all objects of the cluster, keyed by resource. Each object is in the preferred API version of its group. It omits Events
// and Leases, which are not part of the state that an operator declares. The cluster does not record the requests that Objects sends.
func (c *Cluster) Objects(ctx context.Context) (map[schema.GroupResource][]unstructured.Unstructured, error) {
	discoveryClient, err := discovery.NewDiscoveryClientForConfig(c.server.Load().ClientConfig(AdminUser))
	if err != nil {
		return nil, err
	}
	lists, err := discoveryClient.ServerPreferredResources()
	if err != nil {
		return nil, fmt.Errorf("discovering resources: %w", err)
	}
	found := map[schema.GroupResource][]unstructured.Unstructured{}
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, err
		}
		for _, resource := range list.APIResources {
			if !isCompared(resource) {
				continue
			}
			objects, err := c.ObjectsOf(ctx, version.WithResource(resource.Name))
			if err != nil {
				return nil, err
			}
			if len(objects) > 0 {
				found[version.WithResource(resource.Name).GroupResource()] = objects
			}
		}
	}
	return found, nil
}

// ObjectsOf returns all objects of a resource. There are none if the resource is not served. The cluster does not record the request.
func (c *Cluster) ObjectsOf(ctx context.Context, resource schema.GroupVersionResource) ([]unstructured.Unstructured, error) {
	client, err := dynamic.NewForConfig(c.server.Load().ClientConfig(AdminUser))
	if err != nil {
		return nil, err
	}
	objects, err := client.Resource(resource).List(ctx, metav1.ListOptions{})
	if apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err) {
		return nil, nil // a CustomResourceDefinition was deleted just now
	}
	if err != nil {
		return nil, fmt.Errorf("listing %s: %w", resource.GroupResource(), err)
	}
	return objects.Items, nil
}

// isCompared reports whether Objects includes a resource. It excludes Events, Leases, subresources, and resources that cannot be listed.
func isCompared(resource metav1.APIResource) bool {
	return slices.Contains(resource.Verbs, "list") && !strings.Contains(resource.Name, "/") && resource.Name != "events" && resource.Name != "leases"
}
