package upgrade

import (
	"slices"
	"strconv"
	"strings"

	blang "github.com/blang/semver/v4"
)

// ReadRange parses a skipRange, or the range of a required package, as OLM does. It returns nil for an invalid range. A range with an empty
// alternative is invalid, because blang parses it and then panics.
func ReadRange(text string) blang.Range {
	for alternative := range strings.SplitSeq(text, "||") {
		compares := func(word string) bool { return len(word) > 1 } // blang ignores words of one character
		if !slices.ContainsFunc(strings.Fields(alternative), compares) {
			return nil
		}
	}
	covers, err := blang.ParseRange(text)
	if err != nil {
		return nil
	}
	return covers
}

// span is a range of positions in an ascending list, from lo up to but not including hi.
type span struct{ lo, hi int }

// spansOf returns the positions of the versions that a range covers, as ordered, disjoint spans. versions must be ascending. It evaluates
// the range once for each interval between the versions that the range's text mentions, because a range covers either all or nothing of
// such an interval. It returns nil if the budget is exhausted.
func spansOf(text string, covers blang.Range, versions []blang.Version, budget *Budget) (covered []span) {
	cuts, all := []int{0, len(versions)}, mentionedVersions(text)
	work := 1 + len(all) // evaluating a range costs as much as its comparisons
	if !budget.spend(work) {
		return nil
	}
	for _, mentioned := range all {
		from, _ := slices.BinarySearchFunc(versions, mentioned, blang.Version.Compare)
		after := from
		for after < len(versions) && versions[after].Compare(mentioned) == 0 {
			after++
		}
		cuts = append(cuts, from, after)
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	for i, lo := range cuts[:len(cuts)-1] {
		hi := cuts[i+1]
		if !budget.spend(work) {
			return nil
		}
		if !covers(versions[lo]) {
			continue
		}
		if last := len(covered) - 1; last >= 0 && covered[last].hi == lo {
			covered[last].hi = hi
			continue
		}
		covered = append(covered, span{lo, hi})
	}
	return covered
}

// mentionedVersions returns all versions that a range's comparisons use, and possibly others: the versions in its text, and for wildcards
// the lowest version that matches and the lowest one above it.
func mentionedVersions(text string) (versions []blang.Version) {
	add := func(text string) {
		if version, err := blang.Parse(text); err == nil {
			versions = append(versions, version)
		}
	}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" <>=!|", r) }) {
		digit := strings.IndexAny(word, "0123456789")
		if digit < 0 {
			continue
		}
		word = word[digit:]
		add(word)
		if !strings.Contains(text, "x") { // blang accepts an x as wildcard anywhere, also before the digits
			continue
		}
		lowest := strings.Replace(strings.Replace(word, ".x.x", ".x", 1), ".x", ".0", 1)
		parts := strings.Split(lowest, ".")
		if len(parts) == 2 {
			parts = append(parts, "0")
		}
		add(strings.Join(parts, "."))
		for i := range min(2, len(parts)) { // the next major and the next minor version
			if number, err := strconv.Atoi(parts[i]); err == nil {
				next := slices.Clone(parts)
				next[i] = strconv.Itoa(number + 1)
				add(strings.Join(next, "."))
			}
		}
	}
	return versions
}
