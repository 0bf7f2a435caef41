package generate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/util/retry"

	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/pkg/scenario/harness"
	"github.com/openshift/platform-operators/pkg/scenario/story"
)

// Declared holds the objects that users have created in a system.
type Declared struct {
	kinds   []*Kind
	objects map[schema.GroupVersionResource][]unstructured.Unstructured
}

// ReadDeclared reads the objects of the given kinds. It omits objects whose owner references name a controller, and objects that are being
// deleted.
func ReadDeclared(ctx context.Context, system *harness.System, kinds []*Kind) (*Declared, error) {
	client, err := adminClient(system)
	if err != nil {
		return nil, err
	}
	found := &Declared{kinds: kinds, objects: map[schema.GroupVersionResource][]unstructured.Unstructured{}}
	for _, kind := range kinds {
		list, err := client.Resource(kind.Resource).List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, fmt.Errorf("reading the declared objects: %w", err)
		}
		found.objects[kind.Resource] = slices.DeleteFunc(list.Items, func(each unstructured.Unstructured) bool {
			return each.GetDeletionTimestamp() != nil || metav1.GetControllerOf(&each) != nil
		})
	}
	return found, nil
}

// Objects returns the declared objects of a resource, with their status. Callers must not change them.
func (d *Declared) Objects(resource schema.GroupVersionResource) []unstructured.Unstructured {
	return d.objects[resource]
}

// Declare creates the objects in a different system, or replaces their specs if they exist. It deletes the other objects of the kinds,
// except those that have a controller.
func (d *Declared) Declare(ctx context.Context, system *harness.System) error {
	client, err := adminClient(system)
	if err != nil {
		return err
	}
	for _, kind := range d.kinds {
		objects := d.objects[kind.Resource]
		if err := deleteOthers(ctx, client.Resource(kind.Resource), objects); err != nil {
			return fmt.Errorf("deleting objects that are not declared: %w", err)
		}
		for i := range objects {
			each := &objects[i]
			if err := declare(ctx, client.Resource(kind.Resource).Namespace(each.GetNamespace()), Declaration(each)); err != nil {
				return fmt.Errorf("declaring %s %s: %w", each.GetKind(), each.GetName(), err)
			}
		}
	}
	return nil
}

// Declaration returns a copy of an object with only its name, labels, annotations and spec.
func Declaration(of *unstructured.Unstructured) *unstructured.Unstructured {
	bare := &unstructured.Unstructured{Object: map[string]any{}}
	bare.SetGroupVersionKind(of.GroupVersionKind())
	bare.SetName(of.GetName())
	bare.SetNamespace(of.GetNamespace())
	bare.SetLabels(of.GetLabels())
	bare.SetAnnotations(of.GetAnnotations())
	if spec, found := of.Object["spec"]; found {
		bare.Object["spec"] = runtime.DeepCopyJSONValue(spec)
	}
	return bare
}

func declare(ctx context.Context, client dynamic.ResourceInterface, wanted *unstructured.Unstructured) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		live, err := client.Get(ctx, wanted.GetName(), metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
			_, err = client.Create(ctx, wanted, metav1.CreateOptions{})
		case err == nil:
			live.Object["spec"] = wanted.Object["spec"]
			_, err = client.Update(ctx, live, metav1.UpdateOptions{})
		}
		return err
	})
}

// deleteOthers deletes the objects of a resource that are neither declared nor controlled by another object.
func deleteOthers(ctx context.Context, client dynamic.NamespaceableResourceInterface, declared []unstructured.Unstructured) error {
	list, err := client.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := range list.Items {
		each := &list.Items[i]
		isDeclared := slices.ContainsFunc(declared, func(other unstructured.Unstructured) bool {
			return other.GetName() == each.GetName() && other.GetNamespace() == each.GetNamespace()
		})
		if isDeclared || metav1.GetControllerOf(each) != nil {
			continue
		}
		if err := client.Namespace(each.GetNamespace()).Delete(ctx, each.GetName(), metav1.DeleteOptions{}); err != nil {
			return err
		}
	}
	return nil
}

func adminClient(system *harness.System) (dynamic.Interface, error) {
	return dynamic.NewForConfig(system.Runner.Cluster.ClientConfig(scenario.AdminUser))
}

// SimpleReference returns a Reference that starts from a checkpoint, and in which all declared objects are created at once. Use it for an
// operator whose result does not depend on earlier specs.
func SimpleReference(operator harness.Operator, from harness.Checkpoint, kinds []*Kind) Reference {
	return func(ctx context.Context, _ *story.Story, ended *harness.System) (StartReference, error) {
		declared, err := ReadDeclared(ctx, ended, kinds)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context) (*harness.System, error) {
			reference, err := operator.StartSystem(ctx, from)
			if err != nil {
				return nil, err
			}
			if err := declared.Declare(ctx, reference); err != nil {
				return nil, errors.Join(err, reference.Stop())
			}
			if err := reference.WaitForRest(); err != nil {
				return nil, errors.Join(err, reference.Stop())
			}
			return reference, nil
		}, nil
	}
}
