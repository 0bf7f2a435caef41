package reason

import (
	"fmt"
	"slices"

	"github.com/openshift/platform-operators/pkg/catalog"
)

// Conflict refuses a version because of other operators.
type Conflict struct {
	// Own are the reasons that concern the refused version itself. Causes are the reasons that concern other operators. Links are the
	// reasons that connect the refused version with the causes.
	Own, Causes, Links []Reason
	Remedy             Reason
}

func (c Conflict) text() string {
	sentences := list(texts(slices.Concat(c.Own, c.Causes, c.Links)), "; ", maxSentences)
	if len(c.Own) == 0 {
		sentences = "would break others: " + sentences
	}
	return Clip(sentences, maxWhy) + "; " + c.Remedy.text()
}

// SearchLimit refuses a version because the search reached its limit before it found a solution with the version. Others is the number of
// other operators in the search.
type SearchLimit struct{ Others int }

func (r SearchLimit) text() string {
	return fmt.Sprintf("has to do with %d other operators, and no solution with it was found within bounds: narrow the spec.package.version of some of them", r.Others)
}

// Untried refuses a version that was not tried, because the versions before it used up the limit of the search.
type Untried struct{}

func (Untried) text() string {
	return "was not tried together with other operators: too many of them, or of its versions, have to do with one another; narrow spec.package.version or delete some"
}

// Unmet reports a requirement that is not met. If Operator is empty, it is a requirement of the refused version. Otherwise it is a
// requirement of those versions of Operator that Versions lists.
type Unmet struct {
	Requirement catalog.Requirement
	Operator    string
	Versions    []string
	// Offers lists what each other operator could do to meet the requirement.
	Offers []Reason
}

func (u Unmet) text() string {
	text := "needs " + required(u.Requirement)
	if u.Operator != "" {
		text = fmt.Sprintf("%s in %s %s", operator(u.Operator), list(u.Versions, ", ", maxLeaves), text)
	}
	if len(u.Offers) > 0 {
		text += " (" + list(texts(u.Offers), ", ", maxLeaves) + ")"
	}
	return text + failureMessages(u.Requirement)
}

// Offer is what an operator could do to meet a requirement.
type Offer struct {
	Operator string
	// Versions are the versions that meet the requirement, and Possible lists all versions that the operator could get. First is the
	// intermediate version to which the operator is upgraded before it gets a version that meets the requirement; empty if there is none.
	Versions, Possible []string
	First              string
}

func (o Offer) text() string {
	switch {
	case len(o.Versions) == 0 && len(o.Possible) == 0:
		return operator(o.Operator) + " can have no version at all now"
	case len(o.Versions) == 0:
		return fmt.Sprintf("%s does not have that in what it can have, %s", operator(o.Operator), list(o.Possible, ", ", maxLeaves))
	}
	text := fmt.Sprintf("%s has that in %s", operator(o.Operator), list(o.Versions, ", ", maxLeaves))
	if o.First != "" {
		text += ", and goes to " + o.First + " first"
	}
	return text
}

// Overlap is a package, or kinds, that two operators must not both provide. If Package is set, Kinds is ignored.
type Overlap struct {
	Package string
	Kinds   []catalog.GVK
}

func (o Overlap) text() string {
	if o.Package != "" {
		return fmt.Sprintf("the package %q", Clip(o.Package, maxQuoted))
	}
	var names []string
	for _, gvk := range o.Kinds {
		names = append(names, Quote(gvk.String()))
	}
	if len(names) == 1 {
		return "the kind " + names[0]
	}
	return "the kinds " + list(names, ", ", maxLeaves)
}

// ProvidedTwice reports that Operator, which runs Package, provides the same kinds or package as the refused version.
type ProvidedTwice struct {
	Overlap           Overlap
	Operator, Package string
}

func (r ProvidedTwice) text() string {
	return fmt.Sprintf("provides %s, which %s (package %q) provides too, and only one may", r.Overlap.text(), operator(r.Operator), Clip(r.Package, maxQuoted))
}

// OthersOverlap reports that two operators provide the same kinds or package. The refused version belongs to neither of them.
type OthersOverlap struct {
	First, Second string
	Overlap       Overlap
}

func (r OthersOverlap) text() string {
	return fmt.Sprintf("%s and %s cannot run side by side: both bring %s", operator(r.First), operator(r.Second), r.Overlap.text())
}

// Outcome is the version that an operator gets. If Version is empty, the operator keeps Installed. If both are empty, it is not installed.
type Outcome struct{ Operator, Version, Installed string }

func (o Outcome) text() string {
	switch {
	case o.Version != "" && o.Installed != "":
		return fmt.Sprintf("%s goes to %s", operator(o.Operator), Clip(o.Version, maxQuoted))
	case o.Version != "":
		return fmt.Sprintf("%s gets %s", operator(o.Operator), Clip(o.Version, maxQuoted))
	case o.Installed == "":
		return operator(o.Operator) + " cannot be installed"
	}
	return fmt.Sprintf("%s stays at %s", operator(o.Operator), Clip(o.Installed, maxQuoted))
}

// Blocks is a note in the status of an operator that prevents a version of another operator. Operator and Version name the other operator
// and its prevented version.
type Blocks struct {
	Operator, Version string
	Why               Reason
}

func (b Blocks) text() string {
	return operator(b.Operator) + " does without " + b.Version + ", which " + b.Why.text()
}

// ProvideMissing is the remedy if no other operator is involved in the conflict.
type ProvideMissing struct{}

func (ProvideMissing) text() string {
	return "create a PlatformOperator for what is missing, or choose another version by spec.package.version"
}

// ChooseVersions is the remedy if operators overlap.
type ChooseVersions struct {
	Operator string
	Others   []string
}

func (r ChooseVersions) text() string {
	return fmt.Sprintf("choose versions that go together by spec.package.version of %q and %s, or delete one of these PlatformOperators", r.Operator, operators(r.Others))
}

// InProgress is the remedy if other operators are already being upgraded to versions that meet the requirement.
type InProgress struct{}

func (InProgress) text() string { return "it follows when that is done" }

// PermitVersion is the remedy if other operators must be permitted to run different versions.
type PermitVersion struct {
	Operator string
	Others   []string
}

func (r PermitVersion) text() string {
	return fmt.Sprintf("permit such a version by spec.package.version of %s, or choose another one of %q", operators(r.Others), r.Operator)
}

func operators(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = fmt.Sprintf("%q", name)
	}
	return list(quoted, ", ", maxLeaves)
}
