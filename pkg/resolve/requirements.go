package resolve

import (
	"fmt"
	"slices"

	"github.com/openshift/platform-operators/pkg/catalog"
)

// maxLeaves is how many of the things that a requirement asks for a message explains.
const maxLeaves = 3

// apiServices refuses aggregated APIs, which nothing here can install.
func apiServices(ask *question, o *option) string {
	if !o.Bundle.APIServices || ask.isInstalled(o) {
		return ""
	}
	return "brings aggregated APIs (apiServiceDefinitions), which are not supported: use a version that does without, or install it by other means"
}

// foreign refuses what another installer has put on the cluster: two would undo each other's work.
func foreign(ask *question, o *option) string {
	if ask.isInstalled(o) {
		return ""
	}
	if other, ok := ask.around.foreign[ask.Package]; ok {
		return fmt.Sprintf("cannot be installed while %s has package %q on this cluster: delete that, or the PlatformOperator %q", clip(other.Installer, maxCause), ask.Package, ask.Operator)
	}
	if !ask.around.alien {
		return ""
	}
	for _, gvk := range o.Bundle.ProvidedGVKs {
		kind := ask.around.served[gvk]
		if kind.Installer == "" || slices.Contains(ask.around.kinds[ask.Operator], gvk) {
			continue
		}
		return fmt.Sprintf("brings the kind %s, which %s has brought already: delete that, or the PlatformOperator %q", quote(gvk.String()), clip(kind.Installer, maxCause), ask.Operator)
	}
	return ""
}

// requirements refuses what can never be met: not by what is there, and not by any version of what other operators are.
// Whether they come to terms is found out together.
func requirements(ask *question, o *option) string {
	if ask.isInstalled(o) {
		return ""
	}
	for _, r := range o.Bundle.Requirements {
		if !judge(r, true, func(leaf catalog.Requirement, want bool) bool { return ask.around.possible(ask, o, leaf, want) }) {
			return clip("needs "+needed(r)+": "+ask.unmet(r)+failureMessages(r), 2*maxWhy)
		}
	}
	return ""
}

// judge says whether a requirement is met, or with want false whether it is not, by what leaf says of the kinds and packages
// in it. What cannot be judged is neither met nor not met.
func judge(r catalog.Requirement, want bool, leaf func(leaf catalog.Requirement, want bool) bool) bool {
	members, every, wanted := branches(r, want)
	switch {
	case r.GVK != nil || r.Package != nil:
		return leaf(r, want)
	case len(members) == 0:
		return false
	}
	for _, member := range members {
		if judge(member, wanted, leaf) != every {
			return !every
		}
	}
	return every
}

// branches are the members of a requirement; every says that all of them, not one of them, have to be as wanted.
func branches(r catalog.Requirement, want bool) (members []catalog.Requirement, every, wanted bool) {
	switch {
	case r.All != nil:
		return r.All, want, want
	case r.Any != nil:
		return r.Any, !want, want
	}
	return r.Not, want, !want
}

// possible says whether a kind or package that an option needs could be there, or could be missing.
func (around *surroundings) possible(ask *question, o *option, leaf catalog.Requirement, want bool) bool {
	if leaf.Package != nil {
		covers, ok := around.covers(leaf.Package.Range)
		if !ok {
			return false
		}
		own := leaf.Package.Name == ask.Package && o.Version.In(covers)
		if !want {
			return !own && !around.constant(leaf)
		}
		return own || around.constant(leaf) || slices.ContainsFunc(around.packages[leaf.Package.Name], func(s *study) bool { return s.versionIn(leaf.Package.Range, covers) })
	}
	if !want {
		return !around.constant(leaf) && !slices.Contains(o.Bundle.ProvidedGVKs, *leaf.GVK)
	}
	return around.constant(leaf) || len(around.bringers[*leaf.GVK]) > 0
}

// leaves are the kinds and packages in a requirement, and what in it cannot be judged.
func leaves(r catalog.Requirement) []catalog.Requirement {
	var all []catalog.Requirement
	members, _, _ := branches(r, true)
	for _, member := range members {
		all = append(all, leaves(member)...)
	}
	if len(members) == 0 {
		all = append(all, r)
	}
	return all
}

// needed says what is required.
func needed(r catalog.Requirement) string { return clip(r.String(), maxCause) }

// failureMessages are what the authors have to say of a requirement and of those in it.
func failureMessages(r catalog.Requirement) string {
	var texts []string
	var collect func(r catalog.Requirement)
	collect = func(r catalog.Requirement) {
		if r.Message != "" {
			texts = append(texts, fmt.Sprintf("%q", clip(r.Message, maxCause)))
		}
		members, _, _ := branches(r, true)
		for _, member := range members {
			collect(member)
		}
	}
	collect(r)
	if len(texts) == 0 {
		return ""
	}
	return " (its author: " + list(texts, ", ", maxLeaves) + ")"
}

// unmet says of the kinds and packages of a requirement that can never be met what is known of them, and what would do.
func (ask *question) unmet(r catalog.Requirement) string {
	several := len(leaves(r)) > 1
	var parts []string
	for _, leaf := range leaves(r) {
		text := ask.absence(ask.Package, leaf)
		if several {
			text = clip(leaf.String(), maxQuoted) + ": " + text
		}
		parts = append(parts, text)
	}
	return list(parts, "; ", maxLeaves)
}

// absence says what there is instead of a kind or package that a package needs, and what would bring it.
func (ask *question) absence(needy string, leaf catalog.Requirement) string {
	around := ask.around
	switch {
	case leaf.Unsupported != "":
		return "this cannot be judged here; use a version that does without"
	case around.constant(leaf):
		return "it is there already"
	case leaf.GVK != nil:
		return "nothing on the cluster brings it; " + ask.advice(needy, *leaf.GVK)
	}
	pkg, span := leaf.Package.Name, leaf.Package.Range
	if _, ok := around.covers(span); !ok {
		return fmt.Sprintf("%s is not a version range; use a version with one that can be read", quote(span))
	}
	if there, ok := around.foreign[pkg]; ok {
		return fmt.Sprintf("%s has it at version %s; move that", clip(there.Installer, maxCause), quote(there.Version))
	}
	if others := around.packages[pkg]; len(others) > 0 {
		return fmt.Sprintf("PlatformOperator %q, which is of that package, has no such version to choose from; add a catalog that has one", others[0].ask.Operator)
	}
	return fmt.Sprintf("it is not installed; create a PlatformOperator for package %q", clip(pkg, maxQuoted))
}
