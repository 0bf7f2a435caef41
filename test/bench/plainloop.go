package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"

	"github.com/openshift/platform-operators/pkg/plan"
)

// plainLoop is the baseline for installing and removing operators. It applies the objects and waits for the Deployments, or deletes the
// objects and waits until the Pods are gone.
type plainLoop struct {
	kubernetes kubernetes.Interface
	dynamic    dynamic.Interface
	mapper     meta.RESTMapper
}

func newPlainLoop(config *rest.Config) (*plainLoop, error) {
	kubernetesClient, kubernetesErr := kubernetes.NewForConfig(config)
	dynamicClient, dynamicErr := dynamic.NewForConfig(config)
	discoveryClient, discoveryErr := discovery.NewDiscoveryClientForConfig(config)
	if err := errors.Join(kubernetesErr, dynamicErr, discoveryErr); err != nil {
		return nil, err
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(discoveryClient))
	return &plainLoop{kubernetesClient, dynamicClient, mapper}, nil
}

// install applies all objects phase by phase, up to atOnce objects of a phase concurrently, and waits until all Deployments are available.
// It returns the number of objects.
func (l *plainLoop) install(ctx context.Context, operators []rendered, atOnce int) (objects int, err error) {
	for _, operator := range operators {
		all := append([]unstructured.Unstructured{namespaceObject(operator.namespace)}, operator.objects...)
		for _, phase := range plan.Phases(all) {
			group, ctx := errgroup.WithContext(ctx)
			group.SetLimit(atOnce)
			for i := range phase.Objects {
				group.Go(func() error { return l.apply(ctx, &phase.Objects[i]) })
			}
			if err := group.Wait(); err != nil {
				return 0, err
			}
			objects += len(phase.Objects)
		}
	}
	return objects, l.waitForDeployments(ctx, operators)
}

func (l *plainLoop) apply(ctx context.Context, object *unstructured.Unstructured) error {
	client, err := l.client(object)
	if err != nil {
		return err
	}
	if _, err := client.Apply(ctx, object.GetName(), object, metav1.ApplyOptions{FieldManager: "bench-plain-loop", Force: true}); err != nil {
		return fmt.Errorf("applying %s %q: %w", object.GetKind(), object.GetName(), err)
	}
	return nil
}

// client returns the client for an object's resource, in the object's namespace if it has one.
func (l *plainLoop) client(object *unstructured.Unstructured) (dynamic.ResourceInterface, error) {
	resource, err := l.resource(object)
	if err != nil {
		return nil, err
	}
	if namespace := object.GetNamespace(); namespace != "" {
		return l.dynamic.Resource(resource).Namespace(namespace), nil
	}
	return l.dynamic.Resource(resource), nil
}

func (l *plainLoop) resource(object *unstructured.Unstructured) (schema.GroupVersionResource, error) {
	gvk := object.GroupVersionKind()
	mapping, err := l.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	if err != nil {
		return schema.GroupVersionResource{}, fmt.Errorf("looking for the resource of %s %q: %w", gvk.Kind, object.GetName(), err)
	}
	return mapping.Resource, nil
}

// waitForDeployments waits until all Deployments of the operators are available, or ctx ends. It polls as often as the admin's client does
// when the manager is measured.
func (l *plainLoop) waitForDeployments(ctx context.Context, operators []rendered) error {
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		missing := l.unavailable(ctx, operators)
		if missing == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for the Deployments: %w: %w", ctx.Err(), missing)
		case <-ticker.C:
		}
	}
}

// unavailable returns an error unless every operator has a Deployment and all its Deployments are available.
func (l *plainLoop) unavailable(ctx context.Context, operators []rendered) error {
	for _, operator := range operators {
		deployments, err := l.kubernetes.AppsV1().Deployments(operator.namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		if len(deployments.Items) == 0 {
			return fmt.Errorf("namespace %q has no Deployment", operator.namespace)
		}
		for _, d := range deployments.Items {
			if !available(&d) {
				return fmt.Errorf("workload Deployment %s/%s is not available", d.Namespace, d.Name)
			}
		}
	}
	return nil
}

func available(d *appsv1.Deployment) bool {
	for _, c := range d.Status.Conditions {
		if c.Type == appsv1.DeploymentAvailable {
			return c.Status == corev1.ConditionTrue && d.Status.ObservedGeneration == d.Generation
		}
	}
	return false
}

func namespaceObject(name string) unstructured.Unstructured {
	return unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name},
	}}
}
