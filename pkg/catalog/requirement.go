package catalog

import (
	"cmp"
	"fmt"
	"strings"
)

// GVK identifies a kind of Kubernetes objects. Group is empty for the core group.
type GVK struct {
	Group, Version, Kind string
}

// String returns "<group>/<version>, Kind=<kind>", as Kubernetes formats it.
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

// PackageRange is a package and a range of its versions.
type PackageRange struct {
	Name string
	// Range is a version range in the syntax of blang/semver. It is not parsed here.
	Range string
}

// Requirement is a dependency of a bundle. Exactly one of GVK, Package, All, Any, Not and Unsupported is set.
type Requirement struct {
	GVK     *GVK
	Package *PackageRange
	// All is met if all of its members are met, Any if at least one is, and Not if none is. Each is nil or not empty.
	All, Any, Not []Requirement
	// Unsupported describes what cannot be evaluated: a CEL rule, an unknown member, or what exceeds the limits.
	Unsupported string
	// Message is the author's message, at most 256 bytes, that explains an olm.constraint that is not met; empty if there is none.
	Message string
}

// String describes the requirement without the author's message. Different requirements have different descriptions.
func (r Requirement) String() string {
	switch {
	case r.GVK != nil:
		return fmt.Sprintf("kind %q", *r.GVK)
	case r.Package != nil && r.Package.Range == "":
		return fmt.Sprintf("package %q", r.Package.Name)
	case r.Package != nil:
		return fmt.Sprintf("package %q in version range %q", r.Package.Name, r.Package.Range)
	case r.All != nil:
		return "all of " + joinMembers(r.All)
	case r.Any != nil:
		return "any of " + joinMembers(r.Any)
	case r.Not != nil:
		return "none of " + joinMembers(r.Not)
	}
	return r.Unsupported
}

func joinMembers(members []Requirement) string {
	var parts []string
	for _, member := range members {
		parts = append(parts, member.String())
	}
	return "(" + strings.Join(parts, "; ") + ")"
}

// VisitKinds calls f with every kind that can help to meet the requirement: its own, and those of its members. It skips the members of Not.
func (r Requirement) VisitKinds(f func(GVK)) {
	if r.GVK != nil {
		f(*r.GVK)
	}
	for _, members := range [][]Requirement{r.All, r.Any} {
		for _, member := range members {
			member.VisitKinds(f)
		}
	}
}

// Compare orders requirements by their description, and then by the messages of their authors.
func (r Requirement) Compare(other Requirement) int {
	return cmp.Or(
		cmp.Compare(r.String(), other.String()),
		cmp.Compare(r.messages(), other.messages()),
	)
}

// messages returns the message of the requirement and those of its members, concatenated.
func (r Requirement) messages() string {
	parts := []string{r.Message}
	for _, members := range [][]Requirement{r.All, r.Any, r.Not} {
		for _, member := range members {
			parts = append(parts, member.messages())
		}
	}
	return strings.Join(parts, "\x00")
}

// size returns the number of requirements: this one and all nested ones.
func (r Requirement) size() int {
	n := 1
	for _, members := range [][]Requirement{r.All, r.Any, r.Not} {
		for _, member := range members {
			n += member.size()
		}
	}
	return n
}

// Members returns the members of All, Any or Not; nil for a kind, a package, or an unsupported requirement.
func (r Requirement) Members() []Requirement {
	members, _, _ := r.Operands(true)
	return members
}

// Operands returns how to test the requirement through its members. The test is whether the requirement is met if want is true, and whether
// it is not met if want is false. Each member must be tested with wanted in place of want. The test succeeds if those of all members
// succeed (every is true), or that of at least one (every is false).
func (r Requirement) Operands(want bool) (members []Requirement, every, wanted bool) {
	switch {
	case r.All != nil:
		return r.All, want, want
	case r.Any != nil:
		return r.Any, !want, want
	}
	return r.Not, want, !want
}

// Evaluate reports whether the requirement is met (want is true) or not met (want is false). It calls leaf to answer the same question for
// a kind or a package. An unsupported requirement is neither met nor not met: Evaluate returns false in both cases.
func (r Requirement) Evaluate(want bool, leaf func(leaf Requirement, want bool) bool) bool {
	members, every, wanted := r.Operands(want)
	switch {
	case r.GVK != nil || r.Package != nil:
		return leaf(r, want)
	case len(members) == 0:
		return false
	}
	for _, member := range members {
		if member.Evaluate(wanted, leaf) != every {
			return !every
		}
	}
	return every
}

// Leaves returns the kinds, packages and unsupported requirements in a requirement, at any depth.
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
