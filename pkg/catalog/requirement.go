package catalog

import (
	"cmp"
	"fmt"
	"strings"
)

// GVK names a kind of Kubernetes objects. The core group is empty.
type GVK struct {
	Group, Version, Kind string
}

// String is "<group>/<version>, Kind=<kind>", as Kubernetes writes it.
func (g GVK) String() string {
	if g.Group == "" {
		return g.Version + ", Kind=" + g.Kind
	}
	return g.Group + "/" + g.Version + ", Kind=" + g.Kind
}

// Compare orders kinds by group, version (as text) and kind.
func (g GVK) Compare(other GVK) int {
	return cmp.Or(
		cmp.Compare(g.Group, other.Group),
		cmp.Compare(g.Version, other.Version),
		cmp.Compare(g.Kind, other.Kind),
	)
}

// PackageRange is a package in some of its versions.
type PackageRange struct {
	Name string
	// Range is a version range as blang/semver writes them, as text: whether it can be read is found by who judges it.
	Range string
}

// Requirement is what a bundle needs of others. Exactly one of GVK, Package, All, Any, Not and Unsupported is set.
type Requirement struct {
	GVK     *GVK
	Package *PackageRange
	// All, Any and Not hold when all, at least one and none of their members are met. They are never empty lists.
	All, Any, Not []Requirement
	// Unsupported names what cannot be judged: a CEL rule, a member that is not known, or what is beyond the bounds.
	Unsupported string
	// Message is what the author of an olm.constraint has to say when it is not met, at most 256 bytes.
	Message string
}

// String says what is required, without the author's message; requirements that differ say different things.
func (r Requirement) String() string {
	switch {
	case r.GVK != nil:
		return fmt.Sprintf("kind %q", *r.GVK)
	case r.Package != nil && r.Package.Range == "":
		return fmt.Sprintf("package %q", r.Package.Name)
	case r.Package != nil:
		return fmt.Sprintf("package %q in %q", r.Package.Name, r.Package.Range)
	case r.All != nil:
		return "all of " + sentence(r.All)
	case r.Any != nil:
		return "any of " + sentence(r.Any)
	case r.Not != nil:
		return "none of " + sentence(r.Not)
	}
	return r.Unsupported
}

func sentence(members []Requirement) string {
	var parts []string
	for _, member := range members {
		parts = append(parts, member.String())
	}
	return "(" + strings.Join(parts, "; ") + ")"
}

// Kinds calls f with every kind by which the requirement, or one of those in it, would be met; not with those that must not
// be there.
func (r Requirement) Kinds(f func(GVK)) {
	if r.GVK != nil {
		f(*r.GVK)
	}
	for _, members := range [][]Requirement{r.All, r.Any} {
		for _, member := range members {
			member.Kinds(f)
		}
	}
}

// Compare orders requirements by what they say, then by the author's messages.
func (r Requirement) Compare(other Requirement) int {
	return cmp.Or(
		cmp.Compare(r.String(), other.String()),
		cmp.Compare(r.messages(), other.messages()),
	)
}

// messages are those of the requirement and of its members.
func (r Requirement) messages() string {
	parts := []string{r.Message}
	for _, members := range [][]Requirement{r.All, r.Any, r.Not} {
		for _, member := range members {
			parts = append(parts, member.messages())
		}
	}
	return strings.Join(parts, "\x00")
}

// size counts the requirement and those in it.
func (r Requirement) size() int {
	n := 1
	for _, members := range [][]Requirement{r.All, r.Any, r.Not} {
		for _, member := range members {
			n += member.size()
		}
	}
	return n
}

// Members are the requirements that this one consists of; none for a kind, a package, or what is not supported.
func (r Requirement) Members() []Requirement {
	members, _, _ := r.Branches(true)
	return members
}

// Branches are the members of a requirement. every says that all of them, not one of them, have to be met, or, if wanted is false, must
// not be met, so that the requirement is met, or, with want false, is not met.
func (r Requirement) Branches(want bool) (members []Requirement, every, wanted bool) {
	switch {
	case r.All != nil:
		return r.All, want, want
	case r.Any != nil:
		return r.Any, !want, want
	}
	return r.Not, want, !want
}

// Is evaluates a requirement: whether it is met, or, with want false, whether it is not met, by what leaf returns for each kind and
// package in it. What is not supported is neither met nor not met.
func (r Requirement) Is(want bool, leaf func(leaf Requirement, want bool) bool) bool {
	members, every, wanted := r.Branches(want)
	switch {
	case r.GVK != nil || r.Package != nil:
		return leaf(r, want)
	case len(members) == 0:
		return false
	}
	for _, member := range members {
		if member.Is(wanted, leaf) != every {
			return !every
		}
	}
	return every
}

// Leaves are the kinds and packages in a requirement, and what in it is not supported.
func (r Requirement) Leaves() []Requirement {
	members := r.Members()
	if len(members) == 0 {
		return []Requirement{r}
	}
	var all []Requirement
	for _, member := range members {
		all = append(all, member.Leaves()...)
	}
	return all
}
