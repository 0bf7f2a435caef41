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

// remove deletes everything but CRDs and namespaces, phase by phase in the reverse order and some objects of a phase at once,
// waits until no Pod is left, and returns how many requests that were. Propagation is that of workloads.
func (l *plainLoop) remove(ctx context.Context, operators []rendered, atOnce int, propagation metav1.DeletionPropagation) (deletions, looks int, err error) {
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
	looks, err = l.waitForPods(ctx, operators)
	return deletions, looks, err
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

// waitForPods looks as often as the admin's client does on the manager's side, and returns how often that was.
func (l *plainLoop) waitForPods(ctx context.Context, operators []rendered) (looks int, err error) {
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		looks++
		left, err := l.pods(ctx, operators)
		if err != nil || left == 0 {
			return looks, err
		}
		select {
		case <-ctx.Done():
			return looks, fmt.Errorf("waiting until no Pod is left, of %d: %w", left, ctx.Err())
		case <-ticker.C:
		}
	}
}

// pods counts the Pods in the operators' namespaces.
func (l *plainLoop) pods(ctx context.Context, operators []rendered) (int, error) {
	ours := map[string]bool{}
	for _, operator := range operators {
		ours[operator.namespace] = true
	}
	pods, err := l.kubernetes.CoreV1().Pods(corev1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return 0, err
	}
	found := 0
	for i := range pods.Items {
		if ours[pods.Items[i].Namespace] {
			found++
		}
	}
	return found, nil
}

func isCRD(object *unstructured.Unstructured) bool {
	return object.GetKind() == "CustomResourceDefinition"
}
