package joint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-air/gini/z"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/resolve/reason"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// variable is an operator of a group: it gets exactly one of its candidate sets.
type variable struct {
	evaluation *resolve.Evaluation
	// sets are its alternatives, the best first; the last one is that it stays what it is, installed or not.
	sets []candidateSet
	// untried are options beyond maxCandidateSets, and all of an operator after maxGroup others.
	untried []*resolve.Option
	// provides are the kinds of all its sets, sorted.
	provides []catalog.GVK
	// chosen is the set that it gets.
	chosen int
}

// candidateSet are options that make no difference to other operators.
type candidateSet struct {
	options []*resolve.Option
	// states are what runs next and what runs in the end.
	states [2]installState
	// stays says that the operator stays what it is.
	stays bool
	// literal is true in a solution in which the operator gets the set.
	literal z.Lit
}

// installState is what is installed of an operator at a time; without a version, nothing is.
type installState struct {
	version  upgrade.Version
	provides []catalog.GVK
	requires []catalog.Requirement
}

func installStateOf(o *resolve.Option) installState {
	return installState{version: o.Version, provides: o.Bundle.ProvidedGVKs, requires: o.Bundle.Requirements}
}

// satisfies returns whether a package in this state is, or provides, what a requirement's leaf asks for.
func (s installState) satisfies(index *resolve.ClusterIndex, pkg string, leaf catalog.Requirement) bool {
	if s.version.IsZero() {
		return false
	}
	if leaf.GVK != nil {
		_, found := slices.BinarySearchFunc(s.provides, *leaf.GVK, catalog.GVK.Compare)
		return found
	}
	covers, ok := index.Range(leaf.Package.Range)
	return ok && leaf.Package.Name == pkg && s.version.IsIn(covers)
}

// key is equal for states that make no difference to others.
func (s installState) key(sets rangeSets) string {
	var key strings.Builder
	if len(s.provides) > 0 {
		fmt.Fprintf(&key, "%p %d ", &s.provides[0], len(s.provides)) // bundles share their lists; that equal ones differ here costs time only
	}
	fmt.Fprintf(&key, "%d ", sets.of(s.version))
	for _, r := range s.requires {
		key.WriteString("\x00" + r.String())
	}
	return key.String()
}

// newVariable groups the options that an operator prefers to its present state into at most so many candidate sets: those of which the
// same is required, which require the same and provide the same. required are the packages that any operator of the group requires.
func newVariable(e *resolve.Evaluation, required []catalog.Requirement, most int) *variable {
	v := &variable{evaluation: e}
	_, isInCatalog := e.Installed()
	at, ranges := map[string]int{}, newRangeSets(e, required)
	for _, option := range e.Preferences() {
		if isInCatalog && e.IsInstalled(option) {
			break
		}
		set := candidateSet{options: []*resolve.Option{option}, states: [2]installState{installStateOf(e.FirstStepTo(option)), installStateOf(option)}}
		key := set.states[0].key(ranges) + "\x00" + set.states[1].key(ranges)
		switch before, isKnown := at[key]; {
		case isKnown:
			v.sets[before].options = append(v.sets[before].options, option)
		case len(v.sets) >= most:
			v.untried = append(v.untried, option)
		default:
			at[key] = len(v.sets)
			v.sets = append(v.sets, set)
		}
	}
	v.sets = append(v.sets, presentSet(e))
	for _, set := range v.sets {
		v.provides = slices.Concat(v.provides, set.states[0].provides, set.states[1].provides)
	}
	v.provides = sortedKinds(v.provides)
	return v
}

// presentSet is that an operator stays what it is. What is installed provides what the cluster has of it, too.
func presentSet(e *resolve.Evaluation) candidateSet {
	installed, _ := e.Installed()
	state := installStateOf(installed)
	if kinds := e.Index().OperatorKinds(e.Operator()); len(kinds) > 0 && !e.InstalledVersion().IsZero() {
		state.provides = sortedKinds(slices.Concat(state.provides, kinds))
	}
	return candidateSet{stays: true, states: [2]installState{state, state}}
}

// present is the candidate set of the present state.
func (v *variable) present() candidateSet { return v.sets[len(v.sets)-1] }

// versionsWith are the versions, the best first, in which the operator has, next or in the end, a state with some property.
func (v *variable) versionsWith(has func(installState) bool) (versions []string) {
	for _, set := range v.sets {
		if !slices.ContainsFunc(set.states[:], has) {
			continue
		}
		for _, option := range set.options {
			versions = append(versions, reason.Version(option.Version))
		}
		if set.stays && !set.states[0].version.IsZero() {
			versions = append(versions, reason.Version(set.states[0].version))
		}
	}
	return versions
}

// outcome says what the operator gets.
func (v *variable) outcome() reason.Outcome {
	outcome := reason.Outcome{Operator: v.evaluation.Operator()}
	if installed := v.evaluation.InstalledVersion(); !installed.IsZero() {
		outcome.Installed = installed.String()
	}
	if set := v.sets[v.chosen]; !set.stays {
		outcome.Version = set.options[0].Version.String()
	}
	return outcome
}
