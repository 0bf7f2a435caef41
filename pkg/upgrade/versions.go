package upgrade

import (
	"slices"

	blang "github.com/blang/semver/v4"
)

// Versions is an immutable list of versions in ascending order, without release and build metadata. To find the versions that a range
// contains, it does not test each one: the versions named in the text of the range divide the list into intervals, and testing one version
// per interval is enough.
type Versions struct{ ascending []blang.Version }

// NewVersions returns a list of versions, given in any order. It merges versions that differ only in release or build metadata, and omits
// zero Versions.
func NewVersions(all []Version) Versions {
	var l Versions
	for _, version := range all {
		if version.semantic != nil {
			l.ascending = append(l.ascending, version.strict)
		}
	}
	slices.SortFunc(l.ascending, blang.Version.Compare)
	l.ascending = slices.CompactFunc(l.ascending, blang.Version.EQ)
	return l
}

// Len returns the number of versions.
func (l Versions) Len() int { return len(l.ascending) }

// Position returns the index of a version in the ascending list; false if the list does not contain it.
func (l Versions) Position(version Version) (at int, found bool) {
	if version.semantic == nil {
		return 0, false
	}
	return slices.BinarySearchFunc(l.ascending, version.strict, blang.Version.Compare)
}

// Covered calls f for each interval of positions, from lo up to but not including hi, whose versions a range contains. covers must be
// ReadRange's result for text. If the budget is exhausted, it returns false and does not call f, because it is not known what the range
// contains.
func (l Versions) Covered(text string, covers blang.Range, budget *Budget, f func(lo, hi int)) (complete bool) {
	if len(l.ascending) == 0 {
		return true
	}
	if budget.exhausted() {
		return false
	}
	runs := spansOf(text, covers, l.ascending, budget)
	if budget.exhausted() {
		return false
	}
	for _, run := range runs {
		f(run.lo, run.hi)
	}
	return true
}
