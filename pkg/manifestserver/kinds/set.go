package kinds

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/version"
)

// Set is the set of resources that a server serves.
type Set struct {
	types     *builtinTypes
	resources map[schema.GroupVersionResource]*Resource
}

// NewSet returns the built-in resources and those of definitions. If two definitions have the same resource, the last one applies. defaults
// sets the defaults of built-in kinds; it may be nil.
func NewSet(definitions []*apiextensionsv1.CustomResourceDefinition, defaults func(runtime.Object)) (*Set, error) {
	types, err := newBuiltinTypes(defaults)
	if err != nil {
		return nil, err
	}
	set := &Set{types: types, resources: map[schema.GroupVersionResource]*Resource{}}
	set.add(openShiftResources()...)
	set.add(builtinResources(types)...)
	for _, definition := range definitions {
		custom, err := customResources(definition)
		if err != nil {
			return nil, err
		}
		for version, known := range set.resources {
			if known.Custom && known.Group == definition.Spec.Group && known.Resource == definition.Spec.Names.Plural {
				delete(set.resources, version)
			}
		}
		set.add(custom...)
	}
	return set, nil
}

// AddMissing adds the resources of a definition if the set has none of its kind. It returns whether it has added them.
func (s *Set) AddMissing(definition *apiextensionsv1.CustomResourceDefinition) (bool, error) {
	for known := range s.resources {
		if known.Group == definition.Spec.Group && known.Resource == definition.Spec.Names.Plural {
			return false, nil
		}
	}
	custom, err := customResources(definition)
	if err != nil {
		return false, err
	}
	s.add(custom...)
	return true, nil
}

func (s *Set) add(added ...*Resource) {
	for _, one := range added {
		one.Singular = cmp.Or(one.Singular, strings.ToLower(one.Kind))
		one.ListKind = cmp.Or(one.ListKind, one.Kind+"List")
		one.managers = map[string]*managedfields.FieldManager{}
		s.resources[one.GroupVersionResource] = one
	}
}

// Resource returns a resource, or nil if it is not in the set.
func (s *Set) Resource(resource schema.GroupVersionResource) *Resource { return s.resources[resource] }

// OfKind returns the resource of a kind, or nil if it is not in the set.
func (s *Set) OfKind(kind schema.GroupVersionKind) *Resource {
	guess, _ := meta.UnsafeGuessKindToResource(kind)
	if found := s.resources[guess]; found != nil && found.Kind == kind.Kind {
		return found
	}
	for _, candidate := range s.resources {
		if candidate.GroupVersionKind() == kind {
			return candidate
		}
	}
	return nil
}

// Groups returns the names of the groups, sorted.
func (s *Set) Groups() []string {
	var names []string
	for served := range s.resources {
		names = append(names, served.Group)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Versions returns the versions of a group. The first one is preferred.
func (s *Set) Versions(group string) []string {
	var names []string
	for served := range s.resources {
		if served.Group == group {
			names = append(names, served.Version)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return version.CompareKubeAwareVersionStrings(b, a) })
	return slices.Compact(names)
}

// InVersion returns the resources of a version, sorted by name.
func (s *Set) InVersion(version schema.GroupVersion) []*Resource {
	var found []*Resource
	for _, one := range s.resources {
		if one.GroupVersion() == version {
			found = append(found, one)
		}
	}
	slices.SortFunc(found, func(a, b *Resource) int { return cmp.Compare(a.Resource, b.Resource) })
	return found
}

// ParameterCodec returns the codec for the options in a query.
func (s *Set) ParameterCodec() runtime.ParameterCodec { return s.types.parameters }

// ProtobufToJSON converts an object of a built-in kind.
func (s *Set) ProtobufToJSON(content []byte) ([]byte, error) {
	object, _, err := s.types.decoder.Decode(content, nil, nil)
	if err != nil {
		return nil, fmt.Errorf("decoding protobuf: %w", err)
	}
	return json.Marshal(object)
}
