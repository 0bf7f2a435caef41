package manifestserver

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
)

// objectKey identifies an object of a resource.
type objectKey struct{ namespace, name string }

func (k objectKey) compare(other objectKey) int {
	return cmp.Or(cmp.Compare(k.namespace, other.namespace), cmp.Compare(k.name, other.name))
}

// entry is a stored object. It never changes; a write replaces it. The input, the current objects and the mutations share entries.
type entry struct {
	objectKey
	// raw is the object as JSON: a fraction of the size of decoded JSON, and what most responses consist of.
	raw        []byte
	apiVersion string
	labels     labels.Set
	version    string
}

func newEntry(object *unstructured.Unstructured) (*entry, error) {
	raw, err := json.Marshal(object.Object)
	if err != nil {
		return nil, fmt.Errorf("encoding: %w", err)
	}
	return &entry{
		objectKey: objectKey{object.GetNamespace(), object.GetName()}, raw: raw, apiVersion: object.GetAPIVersion(),
		labels: object.GetLabels(), version: object.GetResourceVersion(),
	}, nil
}

// object decodes the object. The caller may modify it.
func (e *entry) object() (*unstructured.Unstructured, error) { return decodeObject(e.raw) }

func decodeObject(raw []byte) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{}
	if err := json.Unmarshal(raw, &object.Object); err != nil {
		return nil, err
	}
	if object.Object == nil {
		return nil, errors.New("the object is null; send an object")
	}
	return object, nil
}

// objects are the stored objects by resource and key.
type objects map[schema.GroupResource]map[objectKey]*entry

// sorted returns the objects of a resource in kube-apiserver's order. An empty namespace means all namespaces.
func (o objects) sorted(resource schema.GroupResource, namespace string) []*entry {
	var found []*entry
	for key, one := range o[resource] {
		if namespace == "" || key.namespace == namespace {
			found = append(found, one)
		}
	}
	slices.SortFunc(found, func(a, b *entry) int { return a.compare(b.objectKey) })
	return found
}

func (o objects) put(resource schema.GroupResource, one *entry) {
	if o[resource] == nil {
		o[resource] = map[objectKey]*entry{}
	}
	o[resource][one.objectKey] = one
}

func (o objects) clone() objects {
	result := maps.Clone(o)
	for resource, entries := range result {
		result[resource] = maps.Clone(entries)
	}
	return result
}

// resources returns the resources that have objects, sorted.
func (o objects) resources() []schema.GroupResource {
	return slices.SortedFunc(maps.Keys(o), func(a, b schema.GroupResource) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Resource, b.Resource))
	})
}

// store holds the input and the current objects.
type store struct {
	// input never changes after New.
	input, current objects
	// inputVersion is the largest resourceVersion of the input. version is the largest of all.
	inputVersion, version uint64
}

// load fills the store. It gives a resourceVersion to objects without one, in sorted order.
func (s *store) load(loaded map[schema.GroupResource][]*unstructured.Unstructured) error {
	s.input = objects{}
	var unversioned []*unstructured.Unstructured
	resources := slices.SortedFunc(maps.Keys(loaded), func(a, b schema.GroupResource) int { return cmp.Compare(a.String(), b.String()) })
	for _, resource := range resources {
		slices.SortFunc(loaded[resource], func(a, b *unstructured.Unstructured) int {
			return objectKey{a.GetNamespace(), a.GetName()}.compare(objectKey{b.GetNamespace(), b.GetName()})
		})
		for _, object := range loaded[resource] {
			if object.GetResourceVersion() == "" {
				unversioned = append(unversioned, object)
				continue
			}
			version, err := strconv.ParseUint(object.GetResourceVersion(), 10, 64)
			if err != nil {
				return &InputError{object, errors.New("metadata.resourceVersion is not a number; correct or remove it")}
			}
			s.inputVersion = max(s.inputVersion, version)
		}
	}
	for _, object := range unversioned {
		s.inputVersion++
		object.SetResourceVersion(strconv.FormatUint(s.inputVersion, 10))
	}
	s.version = max(s.inputVersion, 1)
	for _, resource := range resources {
		for _, object := range loaded[resource] {
			one, err := newEntry(object)
			if err != nil {
				return &InputError{object, err}
			}
			if s.input[resource][one.objectKey] != nil {
				return &InputError{object, errors.New("the input has this object twice; remove one of the two")}
			}
			s.input.put(resource, one)
		}
	}
	s.current = s.input.clone()
	return nil
}

// write stores an object with the next resourceVersion.
func (s *store) write(resource schema.GroupResource, object *unstructured.Unstructured) (*entry, error) {
	object.SetResourceVersion(strconv.FormatUint(s.version+1, 10))
	one, err := newEntry(object)
	if err != nil {
		return nil, err
	}
	s.version++
	s.current.put(resource, one)
	return one, nil
}

// remove removes an object. Like in etcd, this uses up a resourceVersion.
func (s *store) remove(resource schema.GroupResource, key objectKey) {
	s.version++
	delete(s.current[resource], key)
}

// hasObjectsIn reports whether a namespace has objects.
func (o objects) hasObjectsIn(namespace string) bool {
	for _, entries := range o {
		for key := range entries {
			if key.namespace == namespace {
				return true
			}
		}
	}
	return false
}
