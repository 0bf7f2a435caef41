package resolve

import (
	"reflect"
	"slices"

	"github.com/openshift/platform-operators/pkg/catalog"
)

// interests are what the versions of an operator, whether they fit or not, have to do with; each list has an item once.
type interests struct {
	// provides and requires are kinds, packages those that are required.
	provides, requires []catalog.GVK
	packages           []string
}

func interestsOf(options []*option) interests {
	provides, requires, packages := map[catalog.GVK]bool{}, map[catalog.GVK]bool{}, map[string]bool{}
	seen := map[*catalog.GVK]bool{} // bundles share their lists
	for _, o := range options {
		if kinds := o.Bundle.ProvidedGVKs; len(kinds) > 0 && !seen[&kinds[0]] {
			seen[&kinds[0]] = true
			for _, gvk := range kinds {
				provides[gvk] = true
			}
		}
		for _, r := range o.Bundle.Requirements {
			for _, leaf := range leaves(r) {
				switch {
				case leaf.GVK != nil:
					requires[*leaf.GVK] = true
				case leaf.Package != nil:
					packages[leaf.Package.Name] = true
				}
			}
		}
	}
	return interests{provides: kindsIn(provides), requires: kindsIn(requires), packages: namesIn(packages)}
}

// component are operators, in order of precedence, that have nothing to do with any others: what is decided about them depends
// on nothing of those but that they ask for their packages.
type component []*operatorState

func (g component) has(operator string) bool {
	return slices.ContainsFunc(g, func(member *operatorState) bool { return member.name() == operator })
}

// componentsOf parts operators, which are in order of precedence. Two are in one component if they ask for the same package, if
// they provide, or have provided, the same kind in any versions, or if any version of the one requires the package of the other or
// a kind that the other provides in any version. That is no less than what groups finds.
func componentsOf(operators []*operatorState, around *surroundings) []component {
	leader := make([]int, len(operators))
	for i := range leader {
		leader[i] = i
	}
	find := func(i int) int {
		for leader[i] != i {
			leader[i] = leader[leader[i]]
			i = leader[i]
		}
		return i
	}
	byPackage, byKind := map[string]int{}, map[catalog.GVK]int{}
	for i, o := range operators {
		join(byPackage, o.inputs.request.Package, i, leader, find)
		for _, gvk := range o.interests.provides {
			join(byKind, gvk, i, leader, find)
		}
		for _, gvk := range around.kinds[o.name()] {
			join(byKind, gvk, i, leader, find)
		}
	}
	for i, o := range operators {
		for _, gvk := range o.interests.requires {
			if other, provided := byKind[gvk]; provided {
				leader[find(i)] = find(other)
			}
		}
		for _, pkg := range o.interests.packages {
			if other, asked := byPackage[pkg]; asked {
				leader[find(i)] = find(other)
			}
		}
	}
	var components []component
	at := map[int]int{}
	for i, o := range operators {
		first := find(i)
		if _, known := at[first]; !known {
			at[first] = len(components)
			components = append(components, nil)
		}
		components[at[first]] = append(components[at[first]], o)
	}
	return components
}

// join puts an operator beside the first one that has the same.
func join[K comparable](first map[K]int, key K, i int, leader []int, find func(int) int) {
	if other, known := first[key]; known {
		leader[find(i)] = find(other)
		return
	}
	first[key] = i
}

// jointDecision is what was decided about a component, and what of the cluster that was made of.
type jointDecision struct {
	operators []string
	decisions map[string]Decision
	state     clusterState
	hints     []providerHint
}

// clusterState is what the cluster has of the kinds and packages that a component has to do with.
type clusterState struct {
	// served are those kinds that are there whatever the operators do, provided those that each of them has provided.
	served   []Kind
	provided [][]catalog.GVK
	// foreign are the packages that others have installed.
	foreign []Foreign
	// providersKnown is whether World.Providers is set: which packages provide which kinds.
	providersKnown bool
}

// providerHint is what catalogs know of who provides a kind, and who has asked for these packages, in their order.
type providerHint struct {
	gvk       catalog.GVK
	providers []Providers
	holders   []string
}

func newJointDecision(group component, around *surroundings, decisions map[string]Decision) *jointDecision {
	result := &jointDecision{decisions: decisions, state: clusterStateOf(around, group)}
	lacking := map[catalog.GVK]bool{}
	for _, member := range group {
		result.operators = append(result.operators, member.name())
		for _, gvk := range decisions[member.name()].Lacking {
			lacking[gvk] = true
		}
	}
	for _, gvk := range kindsIn(lacking) {
		result.hints = append(result.hints, providerHintOf(around, gvk))
	}
	return result
}

// holds says whether the cluster still has what the decision was made of; the component is still the same.
func (o *jointDecision) holds(around *surroundings, group component) bool {
	if !o.holdsExceptHints(around, group) {
		return false
	}
	for _, hint := range o.hints {
		if !reflect.DeepEqual(hint, providerHintOf(around, hint.gvk)) {
			return false
		}
	}
	return true
}

// holdsExceptHints is holds without asking the catalogs again who provides kinds, which takes longer and is told by other means.
func (o *jointDecision) holdsExceptHints(around *surroundings, group component) bool {
	return o.state.equal(clusterStateOf(around, group)) && !slices.ContainsFunc(o.hints, func(hint providerHint) bool {
		return !slices.Equal(hint.holders, around.holdersOf(hint.providers))
	})
}

func clusterStateOf(around *surroundings, group component) clusterState {
	state := clusterState{providersKnown: around.world.Providers != nil}
	for _, member := range group {
		for _, kinds := range [][]catalog.GVK{member.interests.provides, member.interests.requires} {
			for _, gvk := range kinds {
				if kind, served := around.served[gvk]; served {
					state.served = append(state.served, kind)
				}
			}
		}
		state.provided = append(state.provided, around.kinds[member.name()])
		if there, known := around.foreign[member.inputs.request.Package]; known {
			state.foreign = append(state.foreign, there.Foreign)
		}
		for _, pkg := range member.interests.packages {
			if there, known := around.foreign[pkg]; known {
				state.foreign = append(state.foreign, there.Foreign)
			}
		}
	}
	return state
}

func (s clusterState) equal(other clusterState) bool {
	return slices.Equal(s.served, other.served) && slices.Equal(s.foreign, other.foreign) && s.providersKnown == other.providersKnown &&
		slices.EqualFunc(s.provided, other.provided, slices.Equal)
}

func providerHintOf(around *surroundings, gvk catalog.GVK) providerHint {
	found := around.providersOf(gvk)
	return providerHint{gvk: gvk, providers: found, holders: around.holdersOf(found)}
}

// holdersOf names who has asked for each of these packages, empty for nobody.
func (around *surroundings) holdersOf(providers []Providers) (holders []string) {
	for _, each := range providers {
		for _, pkg := range each.Packages {
			holders = append(holders, around.holders[pkg])
		}
	}
	return holders
}
