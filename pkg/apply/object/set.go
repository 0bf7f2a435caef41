package object

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/pkg/plan"
)

// Set holds the objects of one owner: the objects that the engine adds, and then those of one revision in their phases. It is immutable, so
// it may be shared.
type Set struct {
	owner  Owner
	phases []Phase
	keys   map[Key]bool
	// isScoped is true if a ServiceAccount applies the objects, and not the manager.
	isScoped bool
	// namespace is the install namespace.
	namespace string
}

// Phase holds the objects that are applied together.
type Phase struct {
	Name    string
	Objects []*Desired
}

// NewScopedSet returns the objects of a revision that a ServiceAccount applies. It differs from NewSet in that it adds no ClusterRole: the
// ServiceAccount may not be able to create one, and an admin permits the manager to read custom resources.
func NewScopedSet(owner Owner, installNamespace string, phases []plan.Phase) (*Set, error) {
	return buildSet(owner, installNamespace, phases, true)
}

// NewSet returns the objects of a revision, with the owner labels. It adds the install namespace, and omits a Namespace of that name in the
// revision. If the revision contains CustomResourceDefinitions, it adds a ClusterRole that permits the manager to read their custom
// resources. Without this ClusterRole, a removal could not check whether users still have custom resources. An object that occurs twice is
// an error.
func NewSet(owner Owner, installNamespace string, phases []plan.Phase) (*Set, error) {
	return buildSet(owner, installNamespace, phases, false)
}

func buildSet(owner Owner, installNamespace string, phases []plan.Phase, isScoped bool) (*Set, error) {
	set := &Set{owner: owner, keys: map[Key]bool{}, namespace: installNamespace, isScoped: isScoped}
	namespace := namespaceObject(installNamespace, phases)
	added := []*unstructured.Unstructured{namespace}
	if role := ReaderRole(owner, phases); role != nil && !isScoped {
		// The role is first, so that it is removed last: the namespace is deleted only after a check of what it holds.
		added = []*unstructured.Unstructured{role, namespace}
	}
	for _, each := range added {
		desired, err := set.add(each)
		if err != nil {
			return nil, err
		}
		desired.IsAdded, desired.IsInstallNamespace = true, desired.GVK.Kind == "Namespace"
		set.phases = append(set.phases, Phase{Name: "prerequisites", Objects: []*Desired{desired}})
	}
	for _, planned := range phases {
		next := Phase{Name: planned.Name}
		for i := range planned.Objects {
			if KeyOf(&planned.Objects[i]) == KeyOf(namespace) {
				continue // the prerequisites contain it, with the labels and annotations that the bundle declares
			}
			desired, err := set.add(&planned.Objects[i])
			if err != nil {
				return nil, err
			}
			next.Objects = append(next.Objects, desired)
		}
		set.phases = append(set.phases, next)
	}
	return set, nil
}

func (s *Set) add(declared *unstructured.Unstructured) (*Desired, error) {
	desired, err := NewDesired(s.owner, declared)
	if err != nil {
		return nil, err
	}
	if s.keys[desired.Key] {
		return nil, fmt.Errorf("ordering the objects of BundleDeployment %q: %s occurs twice", s.owner.Name, desired.Key)
	}
	s.keys[desired.Key] = true
	return desired, nil
}

// IsScoped reports whether a ServiceAccount applies the objects, and not the manager.
func (s *Set) IsScoped() bool { return s.isScoped }

// Owner returns the owner of the objects.
func (s *Set) Owner() Owner { return s.owner }

// Phases returns the phases in the order in which they are applied. Callers share them and must not change them.
func (s *Set) Phases() []Phase { return s.phases }

// Has reports whether the set contains an object with this key.
func (s *Set) Has(key Key) bool { return s.keys[key] }

// Defines reports whether the set contains the CustomResourceDefinition of a kind.
func (s *Set) Defines(kind schema.GroupKind) bool {
	return slices.ContainsFunc(s.phases, func(phase Phase) bool {
		return slices.ContainsFunc(phase.Objects, func(each *Desired) bool { return each.Defines != nil && each.Defines.Kind == kind })
	})
}

// isOwnedOnceApplied reports whether an object with this key belongs to the owner once the set is completely applied. It returns false for
// the install namespace, which may have existed before.
func (s *Set) isOwnedOnceApplied(key Key) bool {
	return s.keys[key] && (!IsNamespace(key.GroupKind) || key.Name != s.namespace)
}

// InNamespace returns the keys of the set's objects in a namespace, in no particular order.
func (s *Set) InNamespace(namespace string) []Key {
	var inside []Key
	for key := range s.keys {
		if key.Namespace == namespace {
			inside = append(inside, key)
		}
	}
	return inside
}

// Len returns the number of objects that come from the bundle.
func (s *Set) Len() int {
	count := 0
	for _, phase := range s.phases {
		for _, desired := range phase.Objects {
			if !desired.IsAdded {
				count++
			}
		}
	}
	return count
}

// Without returns, as a set, the objects that are not in the first phases of a later set. phases is the number of these phases. While a
// later revision rolls out, the result contains the objects of the earlier revision that the rollout has not reached.
func (s *Set) Without(later *Set, phases int) *Set {
	taken := map[Key]bool{}
	for _, phase := range later.phases[:min(phases, len(later.phases))] {
		for _, desired := range phase.Objects {
			taken[desired.Key] = true
		}
	}
	rest := &Set{owner: s.owner, keys: map[Key]bool{}, namespace: s.namespace, isScoped: s.isScoped}
	for _, phase := range s.phases {
		kept := Phase{Name: phase.Name}
		for _, desired := range phase.Objects {
			if !taken[desired.Key] {
				kept.Objects = append(kept.Objects, desired)
				rest.keys[desired.Key] = true
			}
		}
		if len(kept.Objects) > 0 {
			rest.phases = append(rest.phases, kept)
		}
	}
	return rest
}

// Union returns one set with the objects of several sets of one owner, so that a removal has a single order. If several sets contain an
// object, Union takes it from the first of them. The union of one set with the same install namespace is that set. Any other union is built
// from every object, which takes about as long as NewSet.
func Union(installNamespace string, sets ...*Set) (*Set, error) {
	if len(sets) == 1 && sets[0].namespace == installNamespace {
		return sets[0], nil
	}
	var owner Owner
	var objects []unstructured.Unstructured
	contained, isScoped := map[Key]bool{}, len(sets) > 0
	for _, set := range sets {
		isScoped = isScoped && set.isScoped
		if owner.Name == "" {
			owner = set.owner
		}
		for _, phase := range set.phases {
			for _, desired := range phase.Objects {
				if !contained[desired.Key] && !desired.IsAdded {
					contained[desired.Key] = true
					objects = append(objects, *desired.Object())
				}
			}
		}
	}
	return buildSet(owner, installNamespace, plan.Phases(objects), isScoped)
}
