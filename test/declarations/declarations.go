// Package declarations compares what apply-configuration reads and writes with what the commands input-resources and output-resources declare.
// Tests of the manager call it.
package declarations

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

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

// Usage collects what the declarations for several input directories have, and which of it is read or written. It omits what is declared
// without an input directory, which test/rbac compares with the requests of managers.
type Usage struct {
	declared, used map[string]bool
}

// Add adds the declarations for an input directory, and the reads and mutations of its server.
func (u *Usage) Add(r *Resources, server *manifestserver.Server) error {
	mutations, err := server.Mutations()
	if err != nil {
		return err
	}
	u.add(r, server.Reads(), mutations)
	return nil
}

func (u *Usage) add(r *Resources, reads []manifestserver.Read, mutations []manifestserver.Mutation) {
	if u.declared == nil {
		u.declared, u.used = map[string]bool{}, map[string]bool{}
	}
	for _, each := range r.outputs.ExactResources {
		u.declared[outputName(each.Group, each.Resource, each.Namespace, each.Name)] = true
	}
	for _, each := range mutations {
		u.used[outputName(each.Resource.Group, each.Resource.Resource, each.Namespace, each.Name)] = true
	}
	for _, each := range inputsOf(r.inputs) {
		u.declared[each.String()] = true
		u.used[each.String()] = u.used[each.String()] || slices.ContainsFunc(reads, each.isReadBy)
	}
	static := declaredresources.Static()
	for _, each := range inputsOf(static.Inputs().ApplyConfigurationResources) {
		delete(u.declared, each.String())
	}
	for _, each := range static.Outputs().ConfigurationResources.ExactResources {
		delete(u.declared, outputName(each.Group, each.Resource, each.Namespace, each.Name))
		delete(u.declared, input{schema.GroupResource{Group: each.Group, Resource: each.Resource}, each.Namespace, each.Name}.String())
	}
}

// input is a declared input: one object, or all objects of a resource that a selector selects if name is empty.
type input struct {
	schema.GroupResource
	namespace, name string
}

// inputsOf returns the inputs in a list.
func inputsOf(list libraryinputresources.ResourceList) (inputs []input) {
	for _, each := range list.ExactResources {
		inputs = append(inputs, input{schema.GroupResource{Group: each.Group, Resource: each.Resource}, each.Namespace, each.Name})
	}
	for _, each := range list.LabelSelectedResources {
		inputs = append(inputs, input{schema.GroupResource{Group: each.Group, Resource: each.Resource}, each.Namespace, ""})
	}
	return inputs
}

// String returns the resource, and the namespace and the name if there are any.
func (i input) String() string {
	return strings.TrimSpace(fmt.Sprintf("input %s %s", i.GroupResource, path.Join(i.namespace, i.name)))
}

// isReadBy reports whether a request reads the input, or objects that may include it.
func (i input) isReadBy(read manifestserver.Read) bool {
	return read.Resource.GroupResource() == i.GroupResource && (i.namespace == "" || read.Namespace == "" || read.Namespace == i.namespace) &&
		(i.name == "" || read.Name == "" || read.Name == i.name)
}

func outputName(group, resource, namespace, name string) string {
	return fmt.Sprintf("output %s %s", schema.GroupResource{Group: group, Resource: resource}, path.Join(namespace, name))
}

// Unused returns what is declared for at least one directory, and neither read nor written for any of them, sorted. Events are not among it.
func (u *Usage) Unused() (unused []string) {
	for each := range u.declared {
		if !u.used[each] {
			unused = append(unused, each)
		}
	}
	slices.Sort(unused)
	return unused
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
