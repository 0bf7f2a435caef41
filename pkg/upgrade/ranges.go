package upgrade

import (
	"slices"
	"strconv"
	"strings"

	blang "github.com/blang/semver/v4"
)

// ReadRange reads a skipRange, or the range of a required package, as OLM does; nil where it cannot be read. blang takes a range with
// an alternative that has no comparison, and panics when it evaluates it: that is one that cannot be read.
func ReadRange(text string) blang.Range {
	for alternative := range strings.SplitSeq(text, "||") {
		compares := func(word string) bool { return len(word) > 1 } // blang passes over words of one character
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

// span is a run of positions in an ascending list: lo is in it, hi is not.
type span struct{ lo, hi int }

// spansOf are the positions of those of the ascending versions that a range covers, in order and apart from one another. A range is
// a combination of comparisons, so that between two versions that its text mentions it covers all or nothing: it is asked once for
// each of these gaps, and not once for each version. Where the budget does not last there are none.
func spansOf(text string, covers blang.Range, versions []blang.Version, budget *Budget) (covered []span) {
	cuts, all := []int{0, len(versions)}, mentionedVersions(text)
	work := 1 + len(all) // a range costs as much as it has comparisons
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

// mentionedVersions are the versions that the comparisons of a range compare with, and maybe others: those in its text, and where that
// has wildcards the lowest version that they stand for and the lowest above it.
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
		if !strings.Contains(text, "x") { // blang takes an x for a wildcard wherever it is, before the digits too
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
