package certificates

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"
)

// crds are the CustomResourceDefinitions by which clients detect the controllers. They define the fields that the simulations use.
//
//go:embed crds/*.yaml
var crds embed.FS

// establishLimit is the maximum time that define and undefine wait for the API server to serve a kind or to stop serving it.
const establishLimit = 30 * time.Second

// define creates the CustomResourceDefinitions of resources, unless they exist, and waits until the API server serves them.
func define(ctx context.Context, config *rest.Config, resources ...schema.GroupVersionResource) error {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	discovered, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return err
	}
	for _, resource := range resources {
		content, err := crds.ReadFile("crds/" + resource.Resource + ".yaml")
		if err != nil {
			return err
		}
		object := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(content, &object.Object); err != nil {
			return fmt.Errorf("reading the kind %q: %w", resource.Resource, err)
		}
		if _, err := client.Resource(definitions).Create(ctx, object, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
		if err := waitServed(ctx, client, resource, true); err != nil {
			return err
		}
		if err := waitDiscovered(ctx, discovered, resource); err != nil {
			return err
		}
	}
	return nil
}

// waitDiscovered waits until discovery has the resource. The API server serves the objects of a new CustomResourceDefinition first, and adds
// the resource to discovery later. startLoop relies on discovery.
func waitDiscovered(ctx context.Context, client discovery.DiscoveryInterface, resource schema.GroupVersionResource) error {
	err := wait.PollUntilContextTimeout(ctx, tryAgain, establishLimit, true, func(context.Context) (bool, error) {
		enabled, err := discovery.IsResourceEnabled(client, resource)
		return enabled && err == nil, nil
	})
	if err != nil {
		return fmt.Errorf("waiting for %s in discovery: %w", resource.GroupResource(), err)
	}
	return nil
}

// undefine deletes the CustomResourceDefinitions of resources, with all their objects, and waits until the API server no longer serves
// them. It tries all resources and joins the errors.
func (l *loop) undefine(ctx context.Context, resources ...schema.GroupVersionResource) error {
	var faults []error
	for _, resource := range resources {
		name := resource.GroupResource().String()
		err := l.client.Resource(definitions).Delete(ctx, name, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			faults = append(faults, fmt.Errorf("removing CustomResourceDefinition %q: %w", name, err))
			continue
		}
		faults = append(faults, waitServed(ctx, l.client, resource, false))
	}
	return errors.Join(faults...)
}

func waitServed(ctx context.Context, client dynamic.Interface, resource schema.GroupVersionResource, want bool) error {
	err := wait.PollUntilContextTimeout(ctx, tryAgain, establishLimit, true, func(ctx context.Context) (bool, error) {
		_, err := client.Resource(resource).List(ctx, metav1.ListOptions{Limit: 1})
		return want && err == nil || !want && apierrors.IsNotFound(err), nil
	})
	if err != nil {
		return fmt.Errorf("waiting for %s, served being %t: %w", resource.GroupResource(), want, err)
	}
	return nil
}
