package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/openshift/platform-operators/pkg/plan"
)

// remove deletes all objects except CRDs and namespaces, phase by phase in reverse order, up to atOnce objects of a phase concurrently. It
// waits until no Pod is left. It returns the number of deletions and the number of polls for Pods. propagation applies to Deployments;
// other objects are deleted in the background.
func (l *plainLoop) remove(ctx context.Context, operators []rendered, atOnce int, propagation metav1.DeletionPropagation) (deletions, polls int, err error) {
	for _, operator := range operators {
		for _, phase := range slices.Backward(plan.Phases(operator.objects)) {
			group, ctx := errgroup.WithContext(ctx)
			group.SetLimit(atOnce)
			for i := range phase.Objects {
				if object := &phase.Objects[i]; !isCRD(object) {
					deletions++
					group.Go(func() error { return l.delete(ctx, object, propagation) })
				}
			}
			if err := group.Wait(); err != nil {
				return 0, 0, err
			}
		}
	}
	polls, err = l.waitForPods(ctx, operators)
	return deletions, polls, err
}

func (l *plainLoop) delete(ctx context.Context, object *unstructured.Unstructured, propagation metav1.DeletionPropagation) error {
	client, err := l.client(object)
	if err != nil {
		return err
	}
	if object.GetKind() != "Deployment" {
		propagation = metav1.DeletePropagationBackground
	}
	if err := client.Delete(ctx, object.GetName(), metav1.DeleteOptions{PropagationPolicy: &propagation}); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("deleting %s %q: %w", object.GetKind(), object.GetName(), err)
	}
	return nil
}

// waitForPods waits until the operators' namespaces contain no Pods, or ctx ends. It polls as often as the admin's client does when the
// manager is measured, and returns the number of requests.
func (l *plainLoop) waitForPods(ctx context.Context, operators []rendered) (polls int, err error) {
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		polls++
		left, err := l.pods(ctx, operators)
		if err != nil || left == 0 {
			return polls, err
		}
		select {
		case <-ctx.Done():
			return polls, fmt.Errorf("waiting until no Pod is left, of %d: %w", left, ctx.Err())
		case <-ticker.C:
		}
	}
}

// pods returns the total number of Pods in the operators' namespaces.
func (l *plainLoop) pods(ctx context.Context, operators []rendered) (int, error) {
	namespaces := map[string]bool{}
	for _, operator := range operators {
		namespaces[operator.namespace] = true
	}
	pods, err := l.kubernetes.CoreV1().Pods(corev1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return 0, err
	}
	found := 0
	for i := range pods.Items {
		if namespaces[pods.Items[i].Namespace] {
			found++
		}
	}
	return found, nil
}

func isCRD(object *unstructured.Unstructured) bool {
	return object.GetKind() == "CustomResourceDefinition"
}
