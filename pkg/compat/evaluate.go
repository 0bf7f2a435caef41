package compat

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/Masterminds/semver/v3"
)

// Reasons of a verdict. OLM v0 and OLM v1 report the same reasons for Upgradeable.
const (
	// ReasonAsExpected: no operator blocks the upgrade.
	ReasonAsExpected = "AsExpected"
	// ReasonIncompatible: at least one installed operator does not permit the next minor version, or its declaration is unreadable.
	ReasonIncompatible = "IncompatibleOperatorsInstalled"
	// ReasonErrorChecking: the cluster version or the set of installed operators is not available.
	ReasonErrorChecking = "ErrorCheckingOperatorCompatibility"
)

// Kinds of objects that install operators.
const (
	KindPlatformOperator = "PlatformOperator"
	KindBundleDeployment = "BundleDeployment"
)

// Operator is one installed operator, as input for the gate.
type Operator struct {
	// Kind is the kind of the object that installs the operator; empty means KindPlatformOperator.
	Kind string
	// Name is the name of that object. Package and Version describe the installed bundle.
	Name, Package, Version string
	// ServiceAccount is the name of the ServiceAccount that applies the operator's objects; empty means that the manager applies them. An
	// operator with a ServiceAccount is reported and never blocks: otherwise a user with access to one namespace could block the cluster's
	// upgrades.
	ServiceAccount string
	// Max has the raw values of the installed bundle's olm.maxOpenShiftVersion properties, see ReadMax.
	Max []string
	// Candidates are the other versions in the catalogs, in any order.
	Candidates []Candidate
	// IncompleteReason is the reason why Candidates is incomplete ("catalog … could not be read"); empty if it is complete. If it is set, a
	// message may name a remedy, but does not claim that there is none.
	IncompleteReason string
	// Unsearched means that Candidates is not known yet, so that the verdict has no remedy for the operator. A later verdict has one.
	Unsearched bool
	// Ignored has the reason for each ignored override, see JudgeOverrides. It is set only if no other status reports the reason.
	Ignored []string
	// Acknowledged is the override that applies to the next minor version, according to JudgeOverrides; nil if there is none.
	Acknowledged *Override
}

// Candidate is a version that the operator could be upgraded to.
type Candidate struct {
	Version string
	// Release distinguishes bundles of one version, see catalog.Bundle; empty means none.
	Release string
	// Newer means that the candidate follows the installed bundle although Version is not higher: a newer release of the same version.
	Newer bool
	// Max has the raw values of the candidate's olm.maxOpenShiftVersion properties, see ReadMax.
	Max []string
	// Installable means that the operator may be upgraded to the candidate now.
	Installable bool
	// Approve is the value of spec.upgrades.approvedVersion that permits the upgrade; empty unless an approval is the only missing condition.
	Approve string
	// Obstacle is the reason why the candidate is not Installable, if an admin can change it, for example `spec.package.version ">=1.0.0
	// <2.0.0" excludes it`.
	Obstacle string
}

// Verdict is the decision on whether the cluster may be upgraded to its next minor version.
type Verdict struct {
	Upgradeable bool
	// Reason is ReasonAsExpected, ReasonIncompatible or ReasonErrorChecking.
	Reason string
	// Message has all the information for an administrator, because the CVO shows only the message. It does not depend on the order of the
	// input. Its maximum size is MaxMessage.
	Message string
	// Blockers are the bundles that block the upgrade, sorted by kind and name. It also has those for which Message has only a number. An
	// operator between two versions may have two.
	Blockers []Blocker
	// Acknowledged are the bundles that would block without an override, sorted like Blockers.
	Acknowledged []Blocker
	// Scoped are the bundles that would block if no ServiceAccount applied them, sorted like Blockers.
	Scoped []Blocker
	// LookAheads has, for each operator that may block, the number of further minor versions that it permits. It is sorted by kind and
	// name, and empty if the cluster version is unknown.
	LookAheads []LookAhead
	// Undeclared is the number of operators without a declared maximum, except those that a ServiceAccount applies. They never block.
	Undeclared int

	// text is the draft from which WithNotes formats Message again.
	text text
	// hasNotes means that Message has notes at its end.
	hasNotes bool
}

// Blocker is one bundle of an operator that blocks the upgrade, or that would block it without an override or a ServiceAccount.
type Blocker struct {
	// Kind, Operator, Package and Version are as in Operator.
	Kind, Operator, Package, Version string
	// Max is the bundle's maximum; nil if it is unreadable. Then Fault is the error, which is nil otherwise.
	Max   *Minor
	Fault error
	// Remedy is the action that unblocks the upgrade, as a clause.
	Remedy string
	// hasNoRemedy means that all candidates are known and that none of them permits the version.
	hasNoRemedy bool
	// Risk is the override that is in effect for the operator; nil if there is none, so that the operator blocks.
	Risk *Override
}

// Evaluate returns the verdict on whether the installed operators permit the minor version after the cluster's. If the cluster version is
// unreadable, it returns both an error, for the log, and a verdict that blocks, which the caller must use.
func Evaluate(clusterVersion string, operators []Operator) (Verdict, error) {
	current, err := ParseClusterVersion(clusterVersion)
	if err != nil {
		return CannotTell(err), err
	}
	next := current.Next()
	counted, scoped := split(operators)
	verdict := Verdict{Upgradeable: true, Reason: ReasonAsExpected, Scoped: findBlockers(next, scoped)}
	for _, blocker := range findBlockers(next, counted) {
		if blocker.Risk != nil {
			verdict.Acknowledged = append(verdict.Acknowledged, blocker)
			continue
		}
		verdict.Blockers = append(verdict.Blockers, blocker)
	}
	verdict.Undeclared = undeclared(counted).total()
	var after int
	verdict.LookAheads, after = lookAheadAll(current, counted)
	if len(verdict.Blockers) > 0 {
		verdict.Upgradeable, verdict.Reason = false, ReasonIncompatible
		verdict.text = blockedText(next, verdict, current.Beyond(after))
	} else {
		verdict.text = permittedText(next, tallyOf(counted), verdict)
		verdict.text.add(laterGroup(next.Next(), findBlockers(next.Next(), counted)))
	}
	verdict.text.add(scopedGroup(verdict.Scoped))
	verdict.Message = verdict.text.render()
	return verdict, nil
}

// split returns the operators that may block, and those that a ServiceAccount applies, both sorted by kind and name.
func split(operators []Operator) (counted, scoped []Operator) {
	for _, operator := range operators {
		if operator.Kind == "" {
			operator.Kind = KindPlatformOperator
		}
		if operator.ServiceAccount != "" {
			scoped = append(scoped, operator)
			continue
		}
		counted = append(counted, operator)
	}
	for _, each := range [][]Operator{counted, scoped} {
		slices.SortStableFunc(each, func(a, b Operator) int { return cmp.Or(compareKinds(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name)) })
	}
	return counted, scoped
}

// compareKinds orders PlatformOperators before BundleDeployments.
func compareKinds(a, b string) int { return cmp.Compare(b, a) }

// undeclared returns the number of operators with a bundle that declares no maximum.
func undeclared(operators []Operator) tally {
	return tallyOf(slices.DeleteFunc(slices.Clone(operators), func(o Operator) bool { return len(o.Max) > 0 }))
}

// findBlockers returns the bundles that do not permit a minor version, sorted by kind and name. It includes those with an override.
func findBlockers(next Minor, operators []Operator) (blockers []Blocker) {
	for _, operator := range operators {
		most, err := ReadMax(operator.Max)
		if err == nil && (most == nil || most.Permits(next)) {
			continue
		}
		text, exists := remedy(operator, next)
		blockers = append(blockers, Blocker{
			Kind:        operator.Kind,
			Operator:    operator.Name,
			Package:     operator.Package,
			Version:     operator.Version,
			Max:         most,
			Fault:       err,
			Remedy:      text,
			hasNoRemedy: !exists && operator.IncompleteReason == "",
			Risk:        operator.Acknowledged,
		})
	}
	slices.SortFunc(blockers, compareBlockers)
	return blockers
}

// CannotTell returns the verdict that blocks upgrades because the installed operators or the cluster version are unreadable. Its message
// has the cause.
func CannotTell(cause error) Verdict {
	v := Verdict{Reason: ReasonErrorChecking, text: text{
		head: "Cluster upgrades are blocked because it cannot be told which versions the platform operators permit: " + cut(cause.Error(), maxCause),
	}}
	v.Message = v.text.render()
	return v
}

// NothingToGate returns the verdict for a cluster without ClusterVersion.
func NothingToGate() Verdict {
	v := Verdict{Upgradeable: true, Reason: ReasonAsExpected, text: text{head: "This cluster has no ClusterVersion, so there is no cluster upgrade to gate."}}
	v.Message = v.text.render()
	return v
}

// WithNotes returns the verdict with notes at the end of its message, each on its own line and truncated. A note that does not fit is
// omitted. Notes take precedence over the lines for operators.
func (v Verdict) WithNotes(notes ...string) Verdict {
	v.Message = v.text.render(notes...)
	v.hasNotes = len(notes) > 0
	return v
}

// OnlyCounts reports whether the verdict permits upgrades and its message has only the number of operators.
func (v Verdict) OnlyCounts() bool {
	return v.Upgradeable && !v.hasNotes && len(v.text.lines) == 0 && len(v.text.groups) == 0
}

// RemedyUnknown is the remedy of a Blocker whose operator is Unsearched.
const RemedyUnknown = "remedy not known yet"

// remedy returns what unblocks the upgrade, as a clause. It selects the lowest version above the installed one that permits next: first of
// the installable candidates, then of those that only need an approval, then of the others, with their obstacle. exists is false if no
// candidate is such a version. It is true for a BundleDeployment, and while the candidates are not known yet.
func remedy(operator Operator, next Minor) (text string, exists bool) {
	switch {
	case operator.Kind == KindBundleDeployment:
		return deploymentRemedy(operator, next), true
	case operator.Unsearched:
		return RemedyUnknown, true
	}
	best := lowest(operator, next, func(c Candidate) bool { return c.Installable })
	if best == nil {
		best = lowest(operator, next, func(c Candidate) bool { return c.Approve != "" })
	}
	if best == nil {
		best = lowest(operator, next, func(Candidate) bool { return true })
	}
	switch {
	case best != nil && best.Approve != "":
		return fmt.Sprintf("approve %s in spec.upgrades.approvedVersion (allows %s)", cut(best.Approve, maxVersion), next), true
	case best != nil && (best.Installable || best.Obstacle == ""):
		return fmt.Sprintf("update to ≥%s (allows %s)", best.display(), next), true
	case best != nil:
		return fmt.Sprintf("update to ≥%s (allows %s); %s", best.display(), next, cut(best.Obstacle, maxWhy)), true
	case operator.IncompleteReason != "":
		return fmt.Sprintf("no version that allows %s is known: %s", next, cut(operator.IncompleteReason, maxWhy)), false
	}
	return fmt.Sprintf("no version that allows %s exists in the catalogs", next), false
}

// deploymentRemedy returns the remedy of a BundleDeployment without PlatformOperator.
func deploymentRemedy(operator Operator, next Minor) string {
	text := fmt.Sprintf("set its spec.source to a version that allows %s, or acknowledge the risk in its spec.compatibilityOverrides", next)
	if len(operator.Ignored) > 0 {
		text += "; " + cut(operator.Ignored[0], maxWhy)
	}
	return text
}

// display returns the candidate's version, and its release if it has one, as in status.availableUpdates.
func (c Candidate) display() string {
	if c.Release == "" {
		return cut(c.Version, maxVersion)
	}
	return fmt.Sprintf("%s (release %s)", cut(c.Version, maxVersion), cut(c.Release, maxVersion))
}

func lowest(operator Operator, next Minor, fits func(Candidate) bool) *Candidate {
	installed, err := semver.NewVersion(operator.Version)
	if err != nil {
		installed = nil
	}
	var best *Candidate
	var bestVersion *semver.Version
	for i := range operator.Candidates {
		candidate := &operator.Candidates[i]
		version, err := semver.NewVersion(candidate.Version)
		if err != nil || installed != nil && (version.LessThan(installed) || version.Equal(installed) && !candidate.Newer) || !fits(*candidate) {
			continue
		}
		if permitted, err := ReadMax(candidate.Max); err != nil || permitted != nil && !permitted.Permits(next) {
			continue
		}
		if best == nil || compareCandidates(version, *candidate, bestVersion, *best) < 0 {
			best, bestVersion = candidate, version
		}
	}
	return best
}

// compareCandidates orders candidates by version, v being the parsed version of a and w that of b, and then by their texts. The order is
// total, so that the message does not depend on the order of catalogs.
func compareCandidates(v *semver.Version, a Candidate, w *semver.Version, b Candidate) int {
	return cmp.Or(v.Compare(w), cmp.Compare(a.Version, b.Version), cmp.Compare(a.Release, b.Release), cmp.Compare(a.Approve, b.Approve), cmp.Compare(a.Obstacle, b.Obstacle))
}

func compareBlockers(a, b Blocker) int {
	return cmp.Or(
		compareKinds(a.Kind, b.Kind),
		cmp.Compare(a.Operator, b.Operator),
		cmp.Compare(a.Package, b.Package),
		cmp.Compare(a.Version, b.Version),
		cmp.Compare(a.line(), b.line()),
	)
}
