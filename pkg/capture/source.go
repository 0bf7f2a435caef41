package capture

import (
	"context"
	"errors"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/dynamic"

	"github.com/openshift/platform-operators/pkg/applyconfiguration"
	"github.com/openshift/platform-operators/pkg/manifestserver"
	"github.com/openshift/platform-operators/pkg/mustgather"
)

// errNotCollected is the error of a source that may lack what a cluster has.
var errNotCollected = errors.New("not collected")

// Source has the objects of a cluster.
type Source interface {
	// Read returns the objects that match a read. If the source may lack some of them, the error wraps errNotCollected.
	Read(ctx context.Context, read manifestserver.Read) ([]mustgather.Object, error)
	// Inferred returns definitions of the custom kinds of a source that may lack CustomResourceDefinitions; nil for other sources.
	Inferred() []*apiextensionsv1.CustomResourceDefinition
	// Lacks returns what the source says that it lacks.
	Lacks() mustgather.NotCollected
}

// Cluster is a running cluster as a source.
type Cluster struct{ Client dynamic.Interface }

// Read implements Source.
func (c Cluster) Read(ctx context.Context, read manifestserver.Read) ([]mustgather.Object, error) {
	resource := c.Client.Resource(read.Resource).Namespace(read.Namespace)
	var found []mustgather.Object
	add := func(object *unstructured.Unstructured) {
		found = append(found, mustgather.Object{Unstructured: object, Resource: read.Resource})
	}
	var err error
	if read.Verb == manifestserver.VerbGet {
		var object *unstructured.Unstructured
		if object, err = resource.Get(ctx, read.Name, metav1.GetOptions{}); err == nil {
			add(object)
		}
	} else {
		// The list has no pages, because a round also holds all objects in memory.
		var list *unstructured.UnstructuredList
		if list, err = resource.List(ctx, metav1.ListOptions{LabelSelector: read.LabelSelector, FieldSelector: read.FieldSelector}); err == nil {
			for i := range list.Items {
				add(&list.Items[i])
			}
		}
	}
	switch {
	case apierrors.IsNotFound(err), meta.IsNoMatchError(err):
		return nil, nil
	case apierrors.IsForbidden(err):
		return nil, fmt.Errorf("%w: %w", errNotCollected, err)
	case err != nil:
		return nil, fmt.Errorf("reading %s: %w", read.Resource.GroupResource(), err)
	}
	return found, nil
}

// Inferred implements Source.
func (c Cluster) Inferred() []*apiextensionsv1.CustomResourceDefinition { return nil }

// Lacks implements Source.
func (c Cluster) Lacks() mustgather.NotCollected { return mustgather.NotCollected{} }

// MustGather is a must-gather as a source.
type MustGather struct{ Input *mustgather.Input }

// Inferred implements Source.
func (m MustGather) Inferred() []*apiextensionsv1.CustomResourceDefinition {
	return applyconfiguration.InferredDefinitions(m.Input)
}

// Lacks implements Source.
func (m MustGather) Lacks() mustgather.NotCollected { return m.Input.NotCollected }

// Read implements Source.
func (m MustGather) Read(_ context.Context, read manifestserver.Read) ([]mustgather.Object, error) {
	byLabel, err := labels.Parse(read.LabelSelector)
	if err != nil {
		return nil, fmt.Errorf("reading %s: label selector %q: %w", read.Resource.GroupResource(), read.LabelSelector, err)
	}
	byField, err := fields.ParseSelector(read.FieldSelector)
	if err != nil {
		return nil, fmt.Errorf("reading %s: field selector %q: %w", read.Resource.GroupResource(), read.FieldSelector, err)
	}
	var found []mustgather.Object
	for _, each := range m.Input.Objects {
		if each.Resource.GroupResource() != read.Resource.GroupResource() || read.Namespace != "" && each.GetNamespace() != read.Namespace ||
			read.Name != "" && each.GetName() != read.Name {
			continue
		}
		own := fields.Set{"metadata.name": each.GetName(), "metadata.namespace": each.GetNamespace()}
		if byLabel.Matches(labels.Set(each.GetLabels())) && byField.Matches(own) {
			found = append(found, each)
		}
	}
	isComplete := !m.Input.NotCollected.Has(read.Resource.GroupResource(), read.Namespace, read.Name)
	if !isComplete && (read.Name == "" || len(found) == 0) {
		return found, errNotCollected
	}
	return found, nil
}
