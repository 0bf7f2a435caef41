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

// variable is an operator of a group. It gets exactly one of its candidate sets.
type variable struct {
	evaluation *resolve.Evaluation
	// sets are the alternatives, best first. The last one keeps the operator as it is, installed or not.
	sets []candidateSet
	// untried are the options beyond maxCandidateSets; for an operator beyond maxGroup, they are all of its options.
	untried []*resolve.Option
	// provides lists the kinds of all sets, sorted.
	provides []catalog.GVK
	// chosen is the index in sets of the set that the operator gets.
	chosen int
}

// candidateSet is a set of options that are equivalent for other operators.
type candidateSet struct {
	options []*resolve.Option
	// states are the states after the next upgrade step and at the end of the path.
	states [2]installState
	// stays reports whether the set keeps the operator as it is.
	stays bool
	// literal is true in a solution in which the operator gets the set.
	literal z.Lit
}

// installState describes the bundle of an operator that is installed at a given time. If the version is zero, no bundle is installed.
type installState struct {
	version  upgrade.Version
	provides []catalog.GVK
	requires []catalog.Requirement
}

func installStateOf(o *resolve.Option) installState {
	return installState{version: o.Version, provides: o.Bundle.ProvidedGVKs, requires: o.Bundle.Requirements}
}

// satisfies reports whether package pkg in this state meets a leaf of a requirement: whether it provides the required kind, or is the
// required package at a version in the range.
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

// key returns a string that is equal for install states that are equivalent for other operators.
func (s installState) key(sets rangeSets) string {
	var key strings.Builder
	if len(s.provides) > 0 {
		fmt.Fprintf(&key, "%p %d ", &s.provides[0], len(s.provides)) // bundles share their lists; a different key for equal lists only takes time
	}
	fmt.Fprintf(&key, "%d ", sets.of(s.version))
	for _, r := range s.requires {
		key.WriteString("\x00" + r.String())
	}
	return key.String()
}

// newVariable groups the options that an operator prefers to its present state into at most the given number (most) of candidate sets, and
// adds the set of the present state. Options of one set are in the same required ranges, have the same requirements and provide the same
// kinds. required lists the package requirements of all operators of the group.
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

// presentSet returns the set that keeps the operator as it is. It provides the kinds that the installed bundle declares and those that the
// cluster already serves for the operator.
func presentSet(e *resolve.Evaluation) candidateSet {
	installed, _ := e.Installed()
	state := installStateOf(installed)
	if kinds := e.Index().OperatorKinds(e.Operator()); len(kinds) > 0 && !e.InstalledVersion().IsZero() {
		state.provides = sortedKinds(slices.Concat(state.provides, kinds))
	}
	return candidateSet{stays: true, states: [2]installState{state, state}}
}

// present returns the candidate set that keeps the operator as it is.
func (v *variable) present() candidateSet { return v.sets[len(v.sets)-1] }

// versionsWith returns the versions, best first, for which the function has returns true: for the state after the next step, or for the
// state at the end of the path.
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

// outcome returns the version that the operator gets, for a message.
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
