package mustgather

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/pkg/truncate"
)

// Input is what Read found in a directory.
type Input struct {
	// Objects are sorted by group, resource, namespace and name. No object is in it twice.
	Objects []Object
	// NotCollected lists what the directory lacks. It is empty if the directory has no not-collected.yaml.
	NotCollected NotCollected

	root       string
	ignored    []string
	superseded []Object
}

// Object is an API object with its location in the directory.
type Object struct {
	*unstructured.Unstructured
	// Resource has the group and resource of the object's path, and the version of its apiVersion.
	Resource schema.GroupVersionResource
	// File is the path of the file that the object was read from. Write does not use it.
	File string

	// number is the position of the object in a List, from 1. It is 0 if the object has a file of its own.
	number int
}

// Root returns the path of the folder that has the layout: "." or the folder that oc adm must-gather names after its image.
func (i *Input) Root() string { return i.root }

// Ignored returns the paths of files and folders that are not part of the layout, sorted. The path of a folder ends with a slash, and
// includes everything in the folder.
func (i *Input) Ignored() []string { return i.ignored }

// Superseded returns the older copies of objects that were read twice; see Read.
func (i *Input) Superseded() []Object { return i.superseded }

// source returns the object's file, and its position if the file is a List, for messages.
func (o Object) source() string {
	if o.number == 0 {
		return "file " + quotePath(o.File)
	}
	return fmt.Sprintf("items[%d] of file %s", o.number-1, quotePath(o.File))
}

// subject returns the object's kind and name, for messages.
func (o Object) subject() string {
	subject := fmt.Sprintf("%s %s", cmp.Or(o.GetKind(), "object"), truncate.Quote(o.GetName()))
	if o.GetNamespace() != "" {
		subject += " in namespace " + truncate.Quote(o.GetNamespace())
	}
	return subject
}

// key identifies an object independently of its API version.
type key struct {
	resource        schema.GroupResource
	namespace, name string
}

func keyOf(object Object) key {
	return key{object.Resource.GroupResource(), object.GetNamespace(), object.GetName()}
}

// Compare compares objects by group, resource, namespace and name.
func Compare(a, b Object) int {
	return cmp.Or(cmp.Compare(a.Resource.Group, b.Resource.Group), cmp.Compare(a.Resource.Resource, b.Resource.Resource),
		cmp.Compare(a.GetNamespace(), b.GetNamespace()), cmp.Compare(a.GetName(), b.GetName()))
}

// sorted returns a sorted copy of objects.
func sorted(objects []Object) []Object {
	result := slices.Clone(objects)
	slices.SortStableFunc(result, Compare)
	return result
}
