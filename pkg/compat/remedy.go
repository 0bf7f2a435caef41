package compat

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/Masterminds/semver/v3"
)

// RemedyUnknown is the remedy for a Blocker whose operator is Unsearched.
const RemedyUnknown = "remedy not known yet"

// remedy is what unblocks the upgrade.
type remedy struct {
	// text is the remedy as a clause.
	text string
	// candidate is the version to update to; nil if there is none, so that only an override helps.
	candidate *Candidate
	// isUnknown is true while the candidates are not known yet.
	isUnknown bool
	// isApproval is true if the first step is the approval of a version or of a plan.
	isApproval bool
}

// remedyOf returns what unblocks the upgrade. It selects the lowest version above the installed one that permits next. It considers the
// installable candidates first, then those that only need an approval, and then the others, which it reports with their obstacle.
func remedyOf(operator Operator, next Minor) remedy {
	switch {
	case operator.Kind == KindBundleDeployment:
		return deploymentRemedy(operator, next)
	case operator.Unsearched:
		return remedy{text: RemedyUnknown, isUnknown: true}
	}
	best := lowest(operator, next, func(c Candidate) bool { return c.Installable })
	if best == nil {
		best = lowest(operator, next, func(c Candidate) bool { return c.Approve != "" })
	}
	if best == nil {
		best = lowest(operator, next, func(Candidate) bool { return true })
	}
	var text string
	switch {
	case best == nil && operator.IncompleteReason != "":
		text = fmt.Sprintf("no version that allows %s is known: %s", next, cut(operator.IncompleteReason, maxWhy))
	case best == nil:
		text = fmt.Sprintf("no version in the catalogs allows %s", next)
	case best.Approve != "":
		text = fmt.Sprintf("set spec.upgrades.approvedVersion to %q (allows %s)", cut(best.Approve, maxVersion), next)
	default:
		text = fmt.Sprintf("update to >=%s (allows %s)", best.display(), next)
		text += clauseAfter(operator, best)
	}
	if best == nil || slices.ContainsFunc(operator.Ignored, func(o IgnoredOverride) bool { return o.IsForNext }) {
		text += ignoredOverrides(operator)
	}
	return remedy{text: text, candidate: best, isApproval: operator.waitsForVersion(best) || operator.waitsForPlan(best)}
}

// clauseAfter returns the clause about what prevents the update to a candidate; empty if nothing does.
func clauseAfter(operator Operator, best *Candidate) string {
	switch {
	case best.Installable && operator.Paused:
		return "; spec.paused is set"
	case operator.waitsForPlan(best):
		return "; " + operator.AwaitedPlan.remedy(operator.Name, nil)
	case !best.Installable && best.Obstacle != "":
		return "; " + cut(best.Obstacle, maxWhy)
	}
	return ""
}

// waitsForVersion reports whether the approval of a version comes next for the update to a candidate, which may be nil.
func (o Operator) waitsForVersion(best *Candidate) bool {
	return best != nil && best.Approve != "" && !o.Paused
}

// waitsForPlan reports whether only the approval of a plan is missing for the update to a candidate, which may be nil.
func (o Operator) waitsForPlan(best *Candidate) bool {
	return best != nil && best.Installable && !o.Paused && o.AwaitedPlan != nil
}

// deploymentRemedy returns the remedy for a BundleDeployment without a PlatformOperator.
func deploymentRemedy(operator Operator, next Minor) remedy {
	if operator.AwaitedPlan.permits(next) {
		return remedy{text: operator.AwaitedPlan.remedy(operator.Name, &next), isApproval: true}
	}
	return remedy{text: fmt.Sprintf("set its spec.source to a version that allows %s, or acknowledge the risk in its spec.compatibilityOverrides", next) +
		ignoredOverrides(operator)}
}

// ignoredOverrides returns a clause about one ignored override: the first one for the next minor version, or else the first of the others;
// empty if there is none.
func ignoredOverrides(operator Operator) string {
	var first *IgnoredOverride
	for i, each := range operator.Ignored {
		if first == nil || each.IsForNext && !first.IsForNext {
			first = &operator.Ignored[i]
		}
	}
	if first == nil {
		return ""
	}
	return "; " + cut(first.String(), maxWhy)
}

// display returns the candidate's version, and its release if it has one, in the same format as status.availableUpdates.
func (c Candidate) display() string {
	if c.Release == "" {
		return cut(c.Version, maxVersion)
	}
	return fmt.Sprintf("%s (release %s)", cut(c.Version, maxVersion), cut(c.Release, maxVersion))
}

// lowest returns the lowest candidate above the installed version that permits next and for which fits returns true; nil if there is none.
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

// compareCandidates orders candidates by version and then by their texts. v is the parsed version of a, and w that of b. The order is
// total, so that the message does not depend on the order of catalogs.
func compareCandidates(v *semver.Version, a Candidate, w *semver.Version, b Candidate) int {
	return cmp.Or(v.Compare(w), cmp.Compare(a.Version, b.Version), cmp.Compare(a.Release, b.Release), cmp.Compare(a.Approve, b.Approve), cmp.Compare(a.Obstacle, b.Obstacle))
}
