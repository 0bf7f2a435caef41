package joint

import (
	"reflect"
	"slices"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve"
)

// dependencies lists what the versions of an operator provide and require, whether or not they fit. Each list is sorted, without
// duplicates.
type dependencies struct {
	// provides and requires list kinds; packages lists the names of the required packages.
	provides, requires []catalog.GVK
	packages           []string
}

func dependenciesOf(options []*resolve.Option) dependencies {
	provides, requires, packages := map[catalog.GVK]bool{}, map[catalog.GVK]bool{}, map[string]bool{}
	visited := map[*catalog.GVK]bool{} // keyed by the first element of the list, because bundles share lists
	for _, o := range options {
		if kinds := o.Bundle.ProvidedGVKs; len(kinds) > 0 && !visited[&kinds[0]] {
			visited[&kinds[0]] = true
			for _, gvk := range kinds {
				provides[gvk] = true
			}
		}
		for _, r := range o.Bundle.Requirements {
			for _, leaf := range r.Leaves() {
				switch {
				case leaf.GVK != nil:
					requires[*leaf.GVK] = true
				case leaf.Package != nil:
					packages[leaf.Package.Name] = true
				}
			}
		}
	}
	return dependencies{provides: kindsIn(provides), requires: kindsIn(requires), packages: namesIn(packages)}
}

// component is a set of operators, in order of precedence, that do not depend on any operator outside the set. Of the operators outside,
// only the names of the packages that they request affect the decisions for the set.
type component []*operatorState

func (g component) has(operator string) bool {
	return slices.ContainsFunc(g, func(member *operatorState) bool { return member.name() == operator })
}

// componentsOf divides operators, which are in order of precedence, into components. Two operators are in the same component if they
// request the same package, if they provide or provided the same kind in any version, or if any version of one requires the package of the
// other or a kind that any version of the other provides. Each group that groupsOf returns lies within one component.
func componentsOf(operators []*operatorState, index *resolve.ClusterIndex) []component {
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
		for _, gvk := range o.dependencies.provides {
			join(byKind, gvk, i, leader, find)
		}
		for _, gvk := range index.OperatorKinds(o.name()) {
			join(byKind, gvk, i, leader, find)
		}
	}
	for i, o := range operators {
		for _, gvk := range o.dependencies.requires {
			if other, provided := byKind[gvk]; provided {
				leader[find(i)] = find(other)
			}
		}
		for _, pkg := range o.dependencies.packages {
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

// join merges operator i into the component of the first operator with the same key. If there is none, it records i as the first operator
// with that key.
func join[K comparable](first map[K]int, key K, i int, leader []int, find func(int) int) {
	if other, known := first[key]; known {
		leader[find(i)] = find(other)
		return
	}
	first[key] = i
}

// jointDecision holds the decisions for a component, and the state of the cluster that they depend on.
type jointDecision struct {
	operators []string
	decisions map[string]resolve.Decision
	state     relevantState
	hints     []hintState
}

// relevantState is the part of the cluster's state that a component's decisions depend on: what exists of the kinds and packages that the
// component provides or requires.
type relevantState struct {
	// served lists the kinds that do not depend on PlatformOperators. provided lists the kinds that each operator of the component
	// provides.
	served   []resolve.Kind
	provided [][]catalog.GVK
	// external lists the packages that other installers manage.
	external []resolve.ExternalPackage
	// hasHints reports whether ClusterState.ProviderHints is set.
	hasHints bool
}

// hintState lists the packages that provide a kind and, in the same order, the operators that request them.
type hintState struct {
	gvk     catalog.GVK
	hints   []resolve.ProviderHint
	holders []string
}

func newJointDecision(group component, index *resolve.ClusterIndex, decisions map[string]resolve.Decision) *jointDecision {
	result := &jointDecision{decisions: decisions, state: relevantStateOf(index, group)}
	lacking := map[catalog.GVK]bool{}
	for _, member := range group {
		result.operators = append(result.operators, member.name())
		for _, gvk := range decisions[member.name()].MissingKinds {
			lacking[gvk] = true
		}
	}
	for _, gvk := range kindsIn(lacking) {
		result.hints = append(result.hints, hintStateOf(index, gvk))
	}
	return result
}

// isCurrent reports whether the state of the cluster that the decision depends on is unchanged. group must be the component that was
// decided.
func (o *jointDecision) isCurrent(index *resolve.ClusterIndex, group component) bool {
	if !o.isCurrentExceptHints(index, group) {
		return false
	}
	for _, hint := range o.hints {
		if !reflect.DeepEqual(hint, hintStateOf(index, hint.gvk)) {
			return false
		}
	}
	return true
}

// isCurrentExceptHints is like isCurrent, but does not compare the provider hints, which take longer to look up. Invalidate compares them.
func (o *jointDecision) isCurrentExceptHints(index *resolve.ClusterIndex, group component) bool {
	return o.state.equal(relevantStateOf(index, group)) && !slices.ContainsFunc(o.hints, func(hint hintState) bool {
		return !slices.Equal(hint.holders, holdersOf(index, hint.hints))
	})
}

func relevantStateOf(index *resolve.ClusterIndex, group component) relevantState {
	state := relevantState{hasHints: index.State.ProviderHints != nil}
	for _, member := range group {
		for _, kinds := range [][]catalog.GVK{member.dependencies.provides, member.dependencies.requires} {
			for _, gvk := range kinds {
				if kind, isServed := index.Served(gvk); isServed {
					state.served = append(state.served, kind)
				}
			}
		}
		state.provided = append(state.provided, index.OperatorKinds(member.name()))
		if found, isExternal := index.External(member.inputs.request.Package); isExternal {
			state.external = append(state.external, found)
		}
		for _, pkg := range member.dependencies.packages {
			if found, isExternal := index.External(pkg); isExternal {
				state.external = append(state.external, found)
			}
		}
	}
	return state
}

func (s relevantState) equal(other relevantState) bool {
	return slices.Equal(s.served, other.served) && slices.Equal(s.external, other.external) && s.hasHints == other.hasHints &&
		slices.EqualFunc(s.provided, other.provided, slices.Equal)
}

func hintStateOf(index *resolve.ClusterIndex, gvk catalog.GVK) hintState {
	found := index.Hints(gvk)
	return hintState{gvk: gvk, hints: found, holders: holdersOf(index, found)}
}

// holdersOf returns, for each package in hints, the operator that requests it; an empty string if none does.
func holdersOf(index *resolve.ClusterIndex, hints []resolve.ProviderHint) (holders []string) {
	for _, each := range hints {
		for _, pkg := range each.Packages {
			holders = append(holders, index.Holder(pkg))
		}
	}
	return holders
}
