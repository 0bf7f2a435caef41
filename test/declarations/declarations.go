// Package declarations compares what apply-configuration reads and writes with what the commands input-resources and output-resources declare.
// Tests of the manager call it.
package declarations

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/multi-operator-manager/pkg/library/libraryinputresources"
	"github.com/openshift/multi-operator-manager/pkg/library/libraryoutputresources"

	"github.com/openshift/platform-operators/pkg/declaredresources"
	"github.com/openshift/platform-operators/pkg/manifestserver"
	"github.com/openshift/platform-operators/pkg/mustgather"
)

// Resources are what the two commands print for an input directory, as types of multi-operator-manager.
type Resources struct {
	inputs  libraryinputresources.ResourceList
	outputs libraryoutputresources.ResourceList
	objects []mustgather.Object
}

// Of returns what the commands print for an input directory with the given objects. It returns an error if they print a note, which says that
// something is missing.
func Of(ctx context.Context, dir string, objects []mustgather.Object) (*Resources, error) {
	declaration, err := declaredresources.FromDirectory(ctx, dir)
	if err != nil {
		return nil, err
	}
	if notes := declaration.Notes(); len(notes) > 0 {
		return nil, fmt.Errorf("the declaration is not complete; its notes are %q", notes)
	}
	read := &Resources{declaration.Inputs().ApplyConfigurationResources, declaration.Outputs().ConfigurationResources, objects}
	for _, each := range read.outputs.ExactResources { // as the command input-resources does
		read.inputs.ExactResources = append(read.inputs.ExactResources, libraryinputresources.ExactResource(each.Group, each.Version, each.Resource, each.Namespace, each.Name))
	}
	return read, nil
}

// Undeclared returns the reads and mutations of a server that are not declared, sorted.
func (r *Resources) Undeclared(server *manifestserver.Server) ([]string, error) {
	mutations, err := server.Mutations()
	if err != nil {
		return nil, err
	}
	var undeclared []string
	for _, each := range server.Reads() {
		if !r.hasRead(each) {
			undeclared = append(undeclared, fmt.Sprintf("read: %+v", each))
		}
	}
	for _, each := range mutations {
		if !r.hasWrite(each) {
			undeclared = append(undeclared, fmt.Sprintf("mutation: %s %s %s/%s", each.Action, each.Resource.GroupResource(), each.Namespace, each.Name))
		}
	}
	slices.Sort(undeclared)
	return slices.Compact(undeclared), nil
}

// hasWrite reports whether the outputs have an object, or the namespace of an Event.
func (r *Resources) hasWrite(mutation manifestserver.Mutation) bool {
	list := r.outputs
	if mutation.Resource.GroupResource() == corev1.Resource("events") {
		return slices.Contains(list.EventingNamespaces, mutation.Namespace)
	}
	return slices.ContainsFunc(list.ExactResources, func(each libraryoutputresources.ExactResourceID) bool {
		return each.Group == mutation.Resource.Group && each.Resource == mutation.Resource.Resource && each.Namespace == mutation.Namespace && each.Name == mutation.Name
	})
}

// hasRead reports whether the inputs have the object that a request reads. If the input directory does not have the object, the inputs must
// have an object of its resource in its namespace. Prune shows that a list needs only the objects in the inputs.
func (r *Resources) hasRead(read manifestserver.Read) bool {
	if read.Name != "" {
		for _, each := range r.objects {
			if each.Resource.GroupResource() == read.Resource.GroupResource() && each.GetNamespace() == read.Namespace && each.GetName() == read.Name {
				return r.hasInput(each)
			}
		}
	}
	matches := func(in libraryinputresources.InputResourceTypeIdentifier, namespace string) bool {
		return in.Group == read.Resource.Group && in.Resource == read.Resource.Resource && (namespace == "" || read.Namespace == "" || namespace == read.Namespace)
	}
	list := r.inputs
	return slices.ContainsFunc(list.ExactResources, func(each libraryinputresources.ExactResourceID) bool {
		return matches(each.InputResourceTypeIdentifier, each.Namespace) && (read.Name == "" || read.Name == each.Name)
	}) || slices.ContainsFunc(list.LabelSelectedResources, func(each libraryinputresources.LabelSelectedResource) bool {
		return matches(each.InputResourceTypeIdentifier, each.Namespace)
	})
}

// hasInput reports whether the inputs have an object.
func (r *Resources) hasInput(object mustgather.Object) bool {
	matches := func(in libraryinputresources.InputResourceTypeIdentifier) bool {
		return schema.GroupVersionResource(in) == object.Resource
	}
	list := r.inputs
	return slices.ContainsFunc(list.ExactResources, func(each libraryinputresources.ExactResourceID) bool {
		return matches(each.InputResourceTypeIdentifier) && each.Namespace == object.GetNamespace() && each.Name == object.GetName()
	}) || slices.ContainsFunc(list.LabelSelectedResources, func(each libraryinputresources.LabelSelectedResource) bool {
		selector, err := metav1.LabelSelectorAsSelector(&each.LabelSelector)
		return err == nil && matches(each.InputResourceTypeIdentifier) && (each.Namespace == "" || each.Namespace == object.GetNamespace()) &&
			selector.Matches(labels.Set(object.GetLabels()))
	})
}

// Prune copies an input directory, and omits objects that are not in the inputs. It returns the number of omitted objects, and an error if it
// is 0.
func (r *Resources) Prune(dir, to string) (int, error) {
	var kept []mustgather.Object
	for _, each := range r.objects {
		if r.hasInput(each) {
			kept = append(kept, each)
		}
	}
	if len(kept) == len(r.objects) {
		return 0, errors.New("the inputs have every object of the directory, so Prune cannot show that other objects are not needed; add an object that no controller reads")
	}
	if err := mustgather.Write(to, kept, mustgather.NotCollected{}); err != nil {
		return 0, err
	}
	return len(r.objects) - len(kept), os.CopyFS(to+"/content", os.DirFS(dir+"/content"))
}
