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

// Operator is one installed operator, as the gate sees it.
type Operator struct {
	// Name is the PlatformOperator's, Package and Version those of the bundle that is installed.
	Name, Package, Version string
	// Max holds the raw values of the installed bundle's olm.maxOpenShiftVersion properties, see ReadMax.
	Max []string
	// Candidates are the versions that the catalogs have beside the installed one, in any order.
	Candidates []Candidate
	// Unread says why Candidates is not the whole truth ("catalog … could not be read"); empty when it is. A remedy is
	// then still named if there is one, but its absence is not claimed.
	Unread string
}

// Candidate is a version that the operator could be moved to.
type Candidate struct {
	Version string
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
	// Undeclared counts the operators that declare no maximum: they never block, and nobody vouches for them.
	Undeclared int
}

// Blocker is one operator in the way.
type Blocker struct {
	Operator, Package, Version string
	// Max is what the operator permits, nil when Fault says why that cannot be read.
	Max   *Minor
	Fault error
	// Remedy says what would unblock it.
	Remedy string
}

// Evaluate judges the installed operators against the minor version after the cluster's. The error repeats, for a log,
// why the cluster version cannot be read; the verdict blocks then.
func Evaluate(clusterVersion string, operators []Operator) (Verdict, error) {
	current, err := ParseClusterVersion(clusterVersion)
	if err != nil {
		return CannotTell(err), err
	}
	next := current.Next()
	verdict := Verdict{Upgradeable: true, Reason: ReasonAsExpected}
	all, undeclared := map[string]bool{}, map[string]bool{} // one that is between two versions is listed with both
	for _, operator := range operators {
		all[operator.Name] = true
		permitted, err := ReadMax(operator.Max)
		switch {
		case err == nil && permitted == nil:
			undeclared[operator.Name] = true
			continue
		case err == nil && permitted.Compare(next) >= 0:
			continue
		}
		verdict.Blockers = append(verdict.Blockers, Blocker{
			Operator: operator.Name,
			Package:  operator.Package,
			Version:  operator.Version,
			Max:      permitted,
			Fault:    err,
			Remedy:   remedy(operator, next),
		})
	}
	verdict.Undeclared = len(undeclared)
	if len(verdict.Blockers) == 0 {
		verdict.Message = permits(next, len(all), verdict.Undeclared)
		return verdict, nil
	}
	slices.SortFunc(verdict.Blockers, compareBlockers)
	verdict.Upgradeable, verdict.Reason = false, ReasonIncompatible
	verdict.Message = blocks(next, verdict.Blockers)
	return verdict, nil
}

// CannotTell is the verdict when what is installed, or on which cluster, cannot be read: upgrades are blocked until it can.
func CannotTell(cause error) Verdict {
	return Verdict{
		Reason:  ReasonErrorChecking,
		Message: "Cluster upgrades are blocked because it cannot be told which versions the platform operators permit: " + cut(cause.Error(), maxCause),
	}
}

// remedy looks for the lowest version above the installed one that permits next: first among those that can be
// installed as things are, then among those that wait for nothing but a word, then among the others, whose obstacle it names.
func remedy(operator Operator, next Minor) string {
	best := lowest(operator, next, func(c Candidate) bool { return c.Installable })
	if best == nil {
		best = lowest(operator, next, func(c Candidate) bool { return c.Approve != "" })
	}
	if best == nil {
		best = lowest(operator, next, func(Candidate) bool { return true })
	}
	switch {
	case best != nil && best.Approve != "":
		return fmt.Sprintf("approve %s in spec.upgrades.approvedVersion (allows %s)", cut(best.Approve, maxVersion), next)
	case best != nil && (best.Installable || best.Why == ""):
		return fmt.Sprintf("update to ≥%s (allows %s)", cut(best.Version, maxVersion), next)
	case best != nil:
		return fmt.Sprintf("update to ≥%s (allows %s); %s", cut(best.Version, maxVersion), next, cut(best.Why, maxWhy))
	case operator.Unread != "":
		return fmt.Sprintf("no version that allows %s is known: %s", next, cut(operator.Unread, maxWhy))
	}
	return fmt.Sprintf("no version that allows %s exists in the catalogs", next)
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
		if err != nil || installed != nil && !version.GreaterThan(installed) || !fits(*candidate) {
			continue
		}
		if permitted, err := ReadMax(candidate.Max); err != nil || permitted != nil && permitted.Compare(next) < 0 {
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
	return cmp.Or(v.Compare(w), cmp.Compare(a.Version, b.Version), cmp.Compare(a.Approve, b.Approve), cmp.Compare(a.Why, b.Why))
}

func compareBlockers(a, b Blocker) int {
	return cmp.Or(
		cmp.Compare(a.Operator, b.Operator),
		cmp.Compare(a.Package, b.Package),
		cmp.Compare(a.Version, b.Version),
		cmp.Compare(a.line(), b.line()),
	)
}
