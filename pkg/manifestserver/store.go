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
	// raw is the object as JSON. It needs a fraction of the memory of the decoded object, and most responses consist of it.
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

// collection holds the objects of a resource in the input. It does not change after newCollection.
type collection struct {
	// sorted are the objects in kube-apiserver's order: by namespace and name.
	sorted []*entry
	byKey  map[objectKey]*entry
}

// inputObject is an object of the input.
type inputObject struct {
	// source is the element of Options.Objects. normal is the object after normalization; nil once stored is set.
	source, normal *unstructured.Unstructured
	key            objectKey
	// version is the resourceVersion; empty if the input has none.
	version string
	// stored is the object as the server stores it. It is nil before newCollection if the object has no version.
	stored *entry
	// isReusable is true if a server with another clock or seed would store the object in the same form.
	isReusable bool
}

// newCollection returns a collection of sorted objects. It returns an InputError if two have the same key.
func newCollection(sorted []*inputObject) (*collection, error) {
	c := &collection{byKey: make(map[objectKey]*entry, len(sorted))}
	for _, one := range sorted {
		if one.stored == nil {
			var err error
			if one.stored, err = newEntry(one.normal); err != nil {
				return nil, &InputError{one.source, err}
			}
		}
		if c.byKey[one.key] != nil {
			return nil, &InputError{one.source, errors.New("the input has this object twice; remove one of the two")}
		}
		c.byKey[one.key] = one.stored
		c.sorted = append(c.sorted, one.stored)
	}
	return c, nil
}

// in returns the objects in a namespace, or all if namespace is empty. c may be nil.
func (c *collection) in(namespace string) []*entry {
	if c == nil {
		return nil
	}
	if namespace == "" {
		return c.sorted
	}
	begin, _ := slices.BinarySearchFunc(c.sorted, namespace, func(one *entry, namespace string) int { return cmp.Compare(one.namespace, namespace) })
	rest := c.sorted[begin:]
	end := slices.IndexFunc(rest, func(one *entry) bool { return one.namespace != namespace })
	if end < 0 {
		return rest
	}
	return rest[:end]
}

// store holds the input, and what the current sync has written.
type store struct {
	// input never changes after New.
	input map[schema.GroupResource]*collection
	// written are the objects that the current sync has written. An object that it has removed is nil.
	written map[schema.GroupResource]map[objectKey]*entry
	// inputVersion is the largest resourceVersion of the input. version is the largest of all.
	inputVersion, version uint64
}

// begin discards the writes of the previous sync.
func (s *store) begin() {
	s.written, s.version = map[schema.GroupResource]map[objectKey]*entry{}, max(s.inputVersion, 1)
}

// ofInput returns an object of the input, or nil.
func (s *store) ofInput(resource schema.GroupResource, key objectKey) *entry {
	if in := s.input[resource]; in != nil {
		return in.byKey[key]
	}
	return nil
}

// get returns an object, or nil.
func (s *store) get(resource schema.GroupResource, key objectKey) *entry {
	if one, isWritten := s.written[resource][key]; isWritten {
		return one
	}
	return s.ofInput(resource, key)
}

// list returns the objects of a resource in kube-apiserver's order. An empty namespace means all namespaces. The caller must not modify the
// result.
func (s *store) list(resource schema.GroupResource, namespace string) []*entry {
	ofInput, written := s.input[resource].in(namespace), s.written[resource]
	if len(written) == 0 {
		return ofInput
	}
	found := slices.DeleteFunc(slices.Clone(ofInput), func(one *entry) bool { _, isWritten := written[one.objectKey]; return isWritten })
	for key, one := range written {
		if one != nil && (namespace == "" || key.namespace == namespace) {
			found = append(found, one)
		}
	}
	slices.SortFunc(found, func(a, b *entry) int { return a.compare(b.objectKey) })
	return found
}

// resources returns the resources that have or had objects, sorted.
func (s *store) resources() []schema.GroupResource {
	all := slices.AppendSeq(slices.Collect(maps.Keys(s.input)), maps.Keys(s.written))
	slices.SortFunc(all, func(a, b schema.GroupResource) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Resource, b.Resource))
	})
	return slices.Compact(all)
}

// load fills the store. It gives a resourceVersion to objects without one, in sorted order.
func (s *store) load(loaded map[schema.GroupResource][]*inputObject) error {
	s.input = map[schema.GroupResource]*collection{}
	var unversioned []*inputObject
	resources := slices.SortedFunc(maps.Keys(loaded), func(a, b schema.GroupResource) int { return cmp.Compare(a.String(), b.String()) })
	for _, resource := range resources {
		slices.SortFunc(loaded[resource], func(a, b *inputObject) int { return a.key.compare(b.key) })
		for _, one := range loaded[resource] {
			if one.version == "" {
				unversioned = append(unversioned, one)
				continue
			}
			version, err := strconv.ParseUint(one.version, 10, 63) // etcd's revisions have 63 bits
			if err != nil {
				return &InputError{one.source, errors.New("metadata.resourceVersion is not a number below 2^63; correct or remove it")}
			}
			s.inputVersion = max(s.inputVersion, version)
		}
	}
	for _, one := range unversioned {
		s.inputVersion++
		one.normal.SetResourceVersion(strconv.FormatUint(s.inputVersion, 10))
	}
	for _, resource := range resources {
		var err error
		if s.input[resource], err = newCollection(loaded[resource]); err != nil {
			return err
		}
	}
	s.begin()
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
	s.put(resource, one.objectKey, one)
	return one, nil
}

// remove removes an object. As in etcd, this increases the resourceVersion.
func (s *store) remove(resource schema.GroupResource, key objectKey) {
	s.version++
	s.put(resource, key, nil)
}

func (s *store) put(resource schema.GroupResource, key objectKey, one *entry) {
	if s.written[resource] == nil {
		s.written[resource] = map[objectKey]*entry{}
	}
	s.written[resource][key] = one
}

// hasObjectsIn reports whether a namespace has objects.
func (s *store) hasObjectsIn(namespace string) bool {
	return slices.ContainsFunc(s.resources(), func(resource schema.GroupResource) bool { return len(s.list(resource, namespace)) > 0 })
}

// inputHasObjectsIn reports whether a namespace has objects in the input.
func (s *store) inputHasObjectsIn(namespace string) bool {
	for _, objects := range s.input {
		if len(objects.in(namespace)) > 0 {
			return true
		}
	}
	return false
}
