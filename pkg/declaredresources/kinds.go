package declaredresources

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/manifestserver/kinds"
	"github.com/openshift/platform-operators/pkg/namespaceuse"
)

// served holds the resources that a cluster serves: the built-in ones, and those of its CustomResourceDefinitions.
type served struct {
	builtin *kinds.Set
	custom  map[schema.GroupKind]bundle.Definition
}

func newServed() (*served, error) {
	builtin, err := kinds.NewSet(nil, nil)
	if err != nil {
		return nil, err
	}
	return &served{builtin: builtin, custom: map[schema.GroupKind]bundle.Definition{}}, nil
}

// define adds the kind of a CustomResourceDefinition.
func (s *served) define(definition bundle.Definition) {
	if definition.Kind.Group != "" && definition.Plural != "" {
		s.custom[definition.Kind] = definition
	}
}

// resourceOf returns the resource of a kind, and whether the cluster serves it. The manager reads and writes no object of another kind.
func (s *served) resourceOf(kind schema.GroupVersionKind) (schema.GroupVersionResource, bool) {
	if definition, isCustom := s.custom[kind.GroupKind()]; isCustom {
		return kind.GroupVersion().WithResource(definition.Plural), true
	}
	if found := s.builtin.OfKind(kind); found != nil {
		return found.GroupVersionResource, true
	}
	return schema.GroupVersionResource{}, false
}

// inNamespaces returns the resources that the check of a namespace lists, each in one version.
func (s *served) inNamespaces() []schema.GroupVersionResource {
	var found []schema.GroupVersionResource
	known := map[schema.GroupResource]bool{}
	add := func(resource schema.GroupVersionResource) {
		if namespaceuse.IsListed(resource.GroupResource()) && !known[resource.GroupResource()] {
			known[resource.GroupResource()] = true
			found = append(found, resource)
		}
	}
	for _, group := range s.builtin.Groups() {
		for _, version := range s.builtin.Versions(group) {
			for _, each := range s.builtin.InVersion(schema.GroupVersion{Group: group, Version: version}) {
				if each.Is(kinds.Namespaced) && !each.Is(kinds.IsReview) {
					add(each.GroupVersionResource)
				}
			}
		}
	}
	for _, each := range s.custom {
		if each.Scope == bundle.ScopeNamespaced && len(each.Served) > 0 {
			add(schema.GroupVersionResource{Group: each.Kind.Group, Version: each.Served[0], Resource: each.Plural})
		}
	}
	return found
}
