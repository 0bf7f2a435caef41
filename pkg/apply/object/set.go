package object

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/openshift/platform-operators/pkg/plan"
)

// Set has the objects of one owner: those of one revision in their phases, and before them the objects that the engine adds. It never
// changes, so it may be shared.
type Set struct {
	owner  Owner
	phases []Phase
	keys   map[Key]bool
	// namespace is the install namespace.
	namespace string
}

// Phase is the objects that are applied together.
type Phase struct {
	Name    string
	Objects []*Desired
}

// NewSet labels the objects of a revision as the owner's. It adds the install namespace, in place of one that the revision contains. If
// the revision has CustomResourceDefinitions, it adds a ClusterRole by which the manager may read their custom resources: otherwise a
// removal could not tell whether users still have some. An object that occurs twice is an error.
func NewSet(owner Owner, installNamespace string, phases []plan.Phase) (*Set, error) {
	set := &Set{owner: owner, keys: map[Key]bool{}, namespace: installNamespace}
	namespace := namespaceObject(installNamespace, phases)
	added := []*unstructured.Unstructured{namespace}
	if role := ReaderRole(owner, phases); role != nil {
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
		return nil, fmt.Errorf("ordering the objects of BundleDeployment %q: %s is there twice", s.owner.Name, desired.Key)
	}
	s.keys[desired.Key] = true
	return desired, nil
}

// Owner returns the owner of the objects.
func (s *Set) Owner() Owner { return s.owner }

// Phases returns the phases in the order in which they are applied. Callers share them and must not change them.
func (s *Set) Phases() []Phase { return s.phases }

// Has reports whether the set has an object of the key's kind and name.
func (s *Set) Has(key Key) bool { return s.keys[key] }

// isOwnedOnceApplied reports whether an object of the key is the owner's once the set was applied completely. The install namespace is
// not: it may have existed before.
func (s *Set) isOwnedOnceApplied(key Key) bool {
	return s.keys[key] && (!IsNamespace(key.GroupKind) || key.Name != s.namespace)
}

// InNamespace returns the keys of the set's objects in a namespace, in no order.
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

// Without returns a set of the objects that are not in the first phases of another set: what is left of an earlier revision while a
// later one rolls out. It stays as it was until the later one contains it.
func (s *Set) Without(later *Set, phases int) *Set {
	taken := map[Key]bool{}
	for _, phase := range later.phases[:min(phases, len(later.phases))] {
		for _, desired := range phase.Objects {
			taken[desired.Key] = true
		}
	}
	rest := &Set{owner: s.owner, keys: map[Key]bool{}, namespace: s.namespace}
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

// Union makes one set of several sets of one owner, to remove everything in one order. Of objects that several sets have, the first set's
// counts. The union of one set is that set. Any other union is built from every object, which takes about as long as NewSet does.
func Union(installNamespace string, sets ...*Set) (*Set, error) {
	if len(sets) == 1 && sets[0].namespace == installNamespace {
		return sets[0], nil
	}
	var owner Owner
	var objects []unstructured.Unstructured
	contained := map[Key]bool{}
	for _, set := range sets {
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
	return NewSet(owner, installNamespace, plan.Phases(objects))
}
