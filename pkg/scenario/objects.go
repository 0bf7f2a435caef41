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
	config := c.server.Load().ClientConfig(AdminUser)
	discoveryClient, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	lists, err := discoveryClient.ServerPreferredResources()
	if err != nil {
		return nil, fmt.Errorf("discovering resources: %w", err)
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
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
			objects, err := client.Resource(version.WithResource(resource.Name)).List(ctx, metav1.ListOptions{})
			if apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err) {
				continue // a CustomResourceDefinition was deleted just now
			}
			if err != nil {
				return nil, fmt.Errorf("listing %s: %w", version.WithResource(resource.Name).GroupResource(), err)
			}
			if len(objects.Items) > 0 {
				found[version.WithResource(resource.Name).GroupResource()] = objects.Items
			}
		}
	}
	return found, nil
}

// isCompared reports whether Objects includes a resource. It excludes Events, Leases, subresources, and resources that cannot be listed.
func isCompared(resource metav1.APIResource) bool {
	return slices.Contains(resource.Verbs, "list") && !strings.Contains(resource.Name, "/") && resource.Name != "events" && resource.Name != "leases"
}
