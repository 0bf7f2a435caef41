package compat

import (
	"cmp"
	"slices"
	"time"
)

// Reasons for a verdict. OLM v0 and OLM v1 report the same reasons for Upgradeable.
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
	// Name is the name of the object that installs the operator. Package and Version describe the installed bundle.
	Name, Package, Version string
	// ServiceAccount is the name of the ServiceAccount that applies the operator's objects; empty means that the manager applies them. An
	// operator with a ServiceAccount is reported and never blocks: otherwise a user with access to one namespace could block the cluster's
	// upgrades.
	ServiceAccount string
	// Max holds the raw values of the installed bundle's olm.maxOpenShiftVersion properties, see ReadMax.
	Max []string
	// Candidates are the other versions in the catalogs, in any order.
	Candidates []Candidate
	// IncompleteReason is the reason why Candidates is incomplete ("catalog … could not be read"); empty if it is complete. If it is set,
	// messages do not claim that an operator has no remedy.
	IncompleteReason string
	// Paused reports whether spec.paused is set, so that no candidate is installed.
	Paused bool
	// AwaitedPlan is the plan for whose approval the BundleDeployment waits, so that no candidate is installed before; nil if there is none.
	AwaitedPlan *AwaitedPlan
	// Unsearched means that Candidates is not known yet. The verdict then contains no remedy for the operator, but a later verdict does.
	Unsearched bool
	// Overrides is the number of overrides in the spec. Ignored holds those that do not apply, see JudgeOverrides.
	Overrides int
	Ignored   []IgnoredOverride
	// Acknowledged is the override that applies to the next minor version, according to JudgeOverrides; nil if there is none.
	Acknowledged *Override
}

// Candidate is a version that the operator could be upgraded to.
type Candidate struct {
	Version string
	// Release distinguishes bundles of one version, see catalog.Bundle; empty means none.
	Release string
	// Newer means that the candidate is newer than the installed bundle although Version is not higher: it is a newer release of the same
	// version.
	Newer bool
	// Max holds the raw values of the candidate's olm.maxOpenShiftVersion properties, see ReadMax.
	Max []string
	// Installable means that the operator may be upgraded to the candidate now.
	Installable bool
	// Approve is the value for spec.upgrades.approvedVersion that permits the upgrade; empty unless an approval is all that is missing.
	Approve string
	// Obstacle is the reason why the candidate is not Installable, if it is one that an admin can change, for example `spec.package.version
	// ">=1.0.0 <2.0.0" excludes it`.
	Obstacle string
	// Change is the change to the spec that removes the Obstacle; nil if no change does. In a different channel, the upgrade may have a
	// different obstacle.
	Change *Change
}

// Change is a change to spec.package of a PlatformOperator. Exactly one of its fields is set.
type Change struct {
	// Channels is the new value of spec.package.channels: the previous channels, and one of the candidate's channels.
	Channels []string
	// Range is the new value of spec.package.version: the previous range, and all versions from the installed one to the candidate.
	Range string
}

// Verdict is the decision on whether the cluster may be upgraded to its next minor version.
type Verdict struct {
	Upgradeable bool
	// Reason is ReasonAsExpected, ReasonIncompatible or ReasonErrorChecking.
	Reason string
	// Message contains everything that an administrator needs to know, because the CVO shows nothing else. It does not depend on the order
	// of the input. It has at most MaxMessage bytes.
	Message string
	// Blockers are the bundles that block the upgrade, sorted by kind and name. They include those that Message does not list but only
	// counts. An operator between two versions may have two.
	Blockers []Blocker
	// Acknowledged are the bundles that would block if no override applied, sorted like Blockers.
	Acknowledged []Blocker
	// Scoped are the bundles that would block if they were not applied by a ServiceAccount, sorted like Blockers.
	Scoped []Blocker
	// LookAheads gives, for each operator that may block, the number of further minor versions that it permits. It is sorted by kind and
	// name, and empty if the cluster version is unknown.
	LookAheads []LookAhead
	// Undeclared is the number of operators without a declared maximum, except those that a ServiceAccount applies. They never block.
	Undeclared int

	// text is the draft that WithNotes uses to format Message again.
	text text
	// hasNotes means that notes have been added at the end of Message.
	hasNotes bool
}

// Blocker is one bundle of an operator that blocks the upgrade, or that would block it without an override or a ServiceAccount.
type Blocker struct {
	// Kind, Operator, Package and Version are as in Operator.
	Kind, Operator, Package, Version string
	// Max is the bundle's maximum; nil if it is unreadable. In that case Fault is the error; otherwise Fault is nil.
	Max   *Minor
	Fault error
	// Remedy is the action that unblocks the upgrade, as a clause.
	Remedy string
	// hasNoRemedy means that all candidates are known and that none of them permits the version.
	hasNoRemedy bool
	// AwaitsApproval reports whether the next step of the Remedy is the approval of a version or of a plan.
	AwaitsApproval bool
	// Risk is the override that is in effect for the operator; nil if there is none, in which case the operator blocks.
	Risk *Override
	// nextStep is the command for the first step of the remedy; empty while that is not known.
	nextStep string
}

// Evaluate returns the verdict on whether the installed operators permit the minor version after the cluster's. If the cluster version is
// unreadable, it returns both an error, for the log, and a verdict that blocks, which the caller must use.
//
// now determines the expiry of the override in the command for the next step.
func Evaluate(clusterVersion string, operators []Operator, now time.Time) (Verdict, error) {
	current, err := ParseClusterVersion(clusterVersion)
	if err != nil {
		return CannotTell(err), err
	}
	next := current.Next()
	counted, scoped := split(operators)
	verdict := Verdict{Upgradeable: true, Reason: ReasonAsExpected, Scoped: findBlockers(next, scoped, now)}
	for _, blocker := range findBlockers(next, counted, now) {
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
		verdict.text.add(laterGroup(next.Next(), findBlockers(next.Next(), counted, now)))
	}
	verdict.text.add(scopedGroup(verdict.Scoped))
	verdict.Message = verdict.text.render()
	return verdict, nil
}

// split separates the operators that may block (counted) from those whose objects a ServiceAccount applies (scoped). Both results are
// sorted by kind and name.
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
func findBlockers(next Minor, operators []Operator, now time.Time) (blockers []Blocker) {
	for _, operator := range operators {
		most, err := ReadMax(operator.Max)
		if err == nil && (most == nil || most.Permits(next)) {
			continue
		}
		remedy := remedyOf(operator, next)
		blockers = append(blockers, Blocker{
			Kind:           operator.Kind,
			Operator:       operator.Name,
			Package:        operator.Package,
			Version:        operator.Version,
			Max:            most,
			Fault:          err,
			Remedy:         remedy.text,
			hasNoRemedy:    remedy.candidate == nil && !remedy.isUnknown && operator.Kind == KindPlatformOperator && operator.IncompleteReason == "",
			AwaitsApproval: remedy.isApproval,
			Risk:           operator.Acknowledged,
			nextStep:       nextStep(operator, remedy, next, now),
		})
	}
	slices.SortFunc(blockers, compareBlockers)
	return blockers
}

// CannotTell returns the verdict that blocks upgrades because the installed operators or the cluster version are unreadable. Its message
// includes the cause.
func CannotTell(cause error) Verdict {
	v := Verdict{Reason: ReasonErrorChecking, text: text{
		head: withFullStop("platform-operators: updates to the next minor version are blocked, because the limits of the installed operators are unknown: " +
			cut(cause.Error(), maxCause)),
	}}
	v.Message = v.text.render()
	return v
}

// NothingToGate returns the verdict for a cluster without ClusterVersion.
func NothingToGate() Verdict {
	v := Verdict{Upgradeable: true, Reason: ReasonAsExpected, text: text{head: "platform-operators: this cluster has no ClusterVersion, so there are no updates to block."}}
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

// OnlyCounts reports whether the verdict permits upgrades and its message contains only the number of operators.
func (v Verdict) OnlyCounts() bool {
	return v.Upgradeable && !v.hasNotes && len(v.text.lines) == 0 && len(v.text.groups) == 0
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
