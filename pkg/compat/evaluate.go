package compat

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/Masterminds/semver/v3"
)

// Reasons of a verdict, as both of OLM's gates have them.
const (
	// ReasonAsExpected: nothing stands in the way.
	ReasonAsExpected = "AsExpected"
	// ReasonIncompatible: at least one installed operator does not permit the next minor version, or what it declares
	// cannot be read.
	ReasonIncompatible = "IncompatibleOperatorsInstalled"
	// ReasonErrorChecking: the cluster version or the set of installed operators cannot be read.
	ReasonErrorChecking = "ErrorCheckingOperatorCompatibility"
)

// Kinds of objects that operators are installed by.
const (
	KindPlatformOperator = "PlatformOperator"
	KindBundleDeployment = "BundleDeployment"
)

// Operator is one installed operator, as the gate sees it.
type Operator struct {
	// Kind of the object that it is installed by; empty is KindPlatformOperator.
	Kind string
	// Name is that object's, Package and Version those of the bundle that is installed.
	Name, Package, Version string
	// ServiceAccount is the one that its objects are applied as; empty is the manager. What is applied as a ServiceAccount is reported,
	// and never blocks: else whoever may use one namespace could hold the whole cluster.
	ServiceAccount string
	// Max holds the raw values of the installed bundle's olm.maxOpenShiftVersion properties, see ReadMax.
	Max []string
	// Candidates are the versions that the catalogs have beside the installed one, in any order.
	Candidates []Candidate
	// Unread says why Candidates is not the whole truth ("catalog … could not be read"); empty when it is. A remedy is
	// then still named if there is one, but its absence is not claimed.
	Unread string
	// Unsearched says that Candidates are not known yet: the remedy is looked for, and told in a later verdict.
	Unsearched bool
	// Ignored says of each override that does not count why, see JudgeOverrides; only where no other status has room for it.
	Ignored []string
	// Acknowledged is the override that counts for the minor version after the cluster's, as JudgeOverrides says; nil when none does.
	Acknowledged *Override
}

// Candidate is a version that the operator could be moved to.
type Candidate struct {
	Version string
	// Release is what tells bundles of one version apart, see catalog.Bundle; empty is none.
	Release string
	// Newer says that it comes after what is installed although Version does not: a newer release of the same version.
	Newer bool
	// Max holds the raw values of its olm.maxOpenShiftVersion properties.
	Max []string
	// Installable: the operator may be moved there as things are.
	Installable bool
	// Approve is what spec.upgrades.approvedVersion has to say for the operator to be moved there; empty where a word is not what
	// is missing, or not all.
	Approve string
	// Why says, when it is not Installable, what is in the way and can be changed, for example
	// `spec.package.version ">=1.0.0 <2.0.0" excludes it`.
	Why string
}

// Verdict says whether the cluster may go to its next minor version.
type Verdict struct {
	Upgradeable bool
	// Reason is one of this package's constants.
	Reason string
	// Message carries everything an administrator needs: the cluster-version operator shows the message only. It is
	// the same for the same input in any order, and bounded, see MaxMessage.
	Message string
	// Blockers are the operators in the way, sorted by name; all of them, also those that Message only counts.
	Blockers []Blocker
	// Acknowledged are those that would be in the way if nobody had taken the risk, sorted in the same way.
	Acknowledged []Blocker
	// Scoped are those that would be in the way if they were not applied as a ServiceAccount, sorted in the same way.
	Scoped []Blocker
	// Reaches say of each operator how far it lets the cluster go, sorted by name; none where that cannot be told.
	Reaches []Reach
	// Undeclared counts the operators that declare no maximum: they never block, and nobody vouches for them.
	Undeclared int

	// text is what Message was made from.
	text text
	// noted says that the message has notes beside the text.
	noted bool
}

// Blocker is one operator in the way.
type Blocker struct {
	// Kind, Operator, Package and Version are as in Operator.
	Kind, Operator, Package, Version string
	// Max is what the operator permits, nil when Fault says why that cannot be read.
	Max   *Minor
	Fault error
	// Remedy says what would unblock it.
	Remedy string
	// cornered says that no version would, and that all versions that there are are known.
	cornered bool
	// Risk is the override because of which it does not block; nil where it does.
	Risk *Override
}

// Evaluate judges the installed operators against the minor version after the cluster's. The error repeats, for a log,
// why the cluster version cannot be read; the verdict blocks then.
func Evaluate(clusterVersion string, operators []Operator) (Verdict, error) {
	current, err := ParseClusterVersion(clusterVersion)
	if err != nil {
		return CannotTell(err), err
	}
	next := current.Next()
	counted, scoped := split(operators)
	verdict := Verdict{Upgradeable: true, Reason: ReasonAsExpected, Scoped: inTheWay(next, scoped)}
	for _, blocker := range inTheWay(next, counted) {
		if blocker.Risk != nil {
			verdict.Acknowledged = append(verdict.Acknowledged, blocker)
			continue
		}
		verdict.Blockers = append(verdict.Blockers, blocker)
	}
	verdict.Undeclared = undeclared(counted).total()
	var after int
	verdict.Reaches, after = lookAheadAll(current, counted)
	if len(verdict.Blockers) > 0 {
		verdict.Upgradeable, verdict.Reason = false, ReasonIncompatible
		verdict.text = blocks(next, verdict, current.Beyond(after))
	} else {
		verdict.text = permits(next, tallyOf(counted), verdict)
		verdict.text.add(later(next.Next(), inTheWay(next.Next(), counted)))
	}
	verdict.text.add(warns(verdict.Scoped))
	verdict.Message = verdict.text.render()
	return verdict, nil
}

// split gives the operators that may block, and those that are applied as a ServiceAccount, both in the order of kinds and names.
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

// compareKinds has PlatformOperators come first.
func compareKinds(a, b string) int { return cmp.Compare(b, a) }

// undeclared counts the operators of which some bundle declares no maximum.
func undeclared(operators []Operator) tally {
	return tallyOf(slices.DeleteFunc(slices.Clone(operators), func(o Operator) bool { return len(o.Max) > 0 }))
}

// inTheWay are the bundles that do not permit a minor version, sorted.
func inTheWay(next Minor, operators []Operator) (blockers []Blocker) {
	for _, operator := range operators {
		most, err := ReadMax(operator.Max)
		if err == nil && (most == nil || most.Permits(next)) {
			continue
		}
		text, exists := remedy(operator, next)
		blockers = append(blockers, Blocker{
			Kind:     operator.Kind,
			Operator: operator.Name,
			Package:  operator.Package,
			Version:  operator.Version,
			Max:      most,
			Fault:    err,
			Remedy:   text,
			cornered: !exists && operator.Unread == "",
			Risk:     operator.Acknowledged,
		})
	}
	slices.SortFunc(blockers, compareBlockers)
	return blockers
}

// CannotTell is the verdict when what is installed, or on which cluster, cannot be read: upgrades are blocked until it can.
func CannotTell(cause error) Verdict {
	v := Verdict{Reason: ReasonErrorChecking, text: text{
		head: "Cluster upgrades are blocked because it cannot be told which versions the platform operators permit: " + cut(cause.Error(), maxCause),
	}}
	v.Message = v.text.render()
	return v
}

// NothingToGate is the verdict on a cluster that has no ClusterVersion.
func NothingToGate() Verdict {
	v := Verdict{Upgradeable: true, Reason: ReasonAsExpected, text: text{head: "This cluster has no ClusterVersion, so there is no cluster upgrade to gate."}}
	v.Message = v.text.render()
	return v
}

// Noted is the same verdict with notes at the end of its message, each on a line of its own, for as many as there is room:
// what is told of blockers makes room for them.
func (v Verdict) Noted(notes ...string) Verdict {
	v.Message = v.text.render(notes...)
	v.noted = len(notes) > 0
	return v
}

// OnlyCounts reports whether the verdict permits upgrades and says nothing more than how many operators do.
func (v Verdict) OnlyCounts() bool {
	return v.Upgradeable && !v.noted && len(v.text.lines) == 0 && len(v.text.groups) == 0
}

// RemedyUnknown is the remedy of a blocker whose candidates are not known yet.
const RemedyUnknown = "remedy not known yet"

// remedy looks for the lowest version above the installed one that permits next: first among those that can be
// installed as things are, then among those that wait for nothing but a word, then among the others, whose obstacle it names; exists
// says that there is one.
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
	case best != nil && (best.Installable || best.Why == ""):
		return fmt.Sprintf("update to ≥%s (allows %s)", best.shown(), next), true
	case best != nil:
		return fmt.Sprintf("update to ≥%s (allows %s); %s", best.shown(), next, cut(best.Why, maxWhy)), true
	case operator.Unread != "":
		return fmt.Sprintf("no version that allows %s is known: %s", next, cut(operator.Unread, maxWhy)), false
	}
	return fmt.Sprintf("no version that allows %s exists in the catalogs", next), false
}

// deploymentRemedy is the remedy of a BundleDeployment that no PlatformOperator moves.
func deploymentRemedy(operator Operator, next Minor) string {
	text := fmt.Sprintf("set its spec.source to a version that allows %s, or acknowledge the risk in its spec.compatibilityOverrides", next)
	if len(operator.Ignored) > 0 {
		text += "; " + cut(operator.Ignored[0], maxWhy)
	}
	return text
}

// shown is the version with its release, as status.availableUpdates has it.
func (c Candidate) shown() string {
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

// compareCandidates is a total order, so that equal versions from two catalogs give one message.
func compareCandidates(v *semver.Version, a Candidate, w *semver.Version, b Candidate) int {
	return cmp.Or(v.Compare(w), cmp.Compare(a.Version, b.Version), cmp.Compare(a.Release, b.Release), cmp.Compare(a.Approve, b.Approve), cmp.Compare(a.Why, b.Why))
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
