package main

import (
	"cmp"
	"slices"

	"github.com/Masterminds/semver/v3"
	blang "github.com/blang/semver/v4"

	"github.com/openshift/platform-operators/pkg/upgrade"
)

// plainBundle is a bundle of the baseline, with its channel entries.
type plainBundle struct {
	upgrade.Bundle
	entries []plainEntry
}

type plainEntry struct {
	upgrade.Entry
	covers blang.Range // nil without a valid skipRange
}

// countByPairs is the baseline for counting upgrade edges. For each of allSemantics, it tests every pair of bundles. found.reachable is the
// number of bundles from which the newest version can be reached.
func countByPairs(pkg upgrade.Package) (found graphCounts) {
	bundles := plainBundles(pkg)
	newest := len(bundles) - 1
	for _, semantics := range allSemantics {
		follows := make([][]int, len(bundles))
		for from := range bundles {
			for to := range bundles {
				if mayFollow(semantics, &bundles[from], &bundles[to]) {
					follows[from] = append(follows[from], to)
				}
			}
			found.edges += len(follows[from])
		}
		for from := range bundles {
			if from != newest && reachedFrom(from, follows)[newest] {
				found.reachable++
			}
		}
	}
	return found
}

// plainBundles returns the bundles of a package, sorted by version.
func plainBundles(pkg upgrade.Package) []plainBundle {
	entries := map[string][]plainEntry{}
	for _, entry := range pkg.Entries {
		covers, err := blang.ParseRange(entry.SkipRange)
		if err != nil {
			covers = nil
		}
		entries[entry.Name] = append(entries[entry.Name], plainEntry{entry, covers})
	}
	bundles := make([]plainBundle, len(pkg.Bundles))
	for i, bundle := range pkg.Bundles {
		bundles[i] = plainBundle{bundle, entries[bundle.Name]}
	}
	slices.SortFunc(bundles, func(a, b plainBundle) int {
		return cmp.Or(a.Version.Compare(b.Version), cmp.Compare(a.Name, b.Name))
	})
	return bundles
}

func mayFollow(semantics upgrade.Semantics, from, to *plainBundle) bool {
	if to.Version.Compare(from.Version) <= 0 {
		return false
	}
	return semantics != upgrade.Semver && to.namesOrCovers(from) || semantics != upgrade.Channel && promises(from.Version.Semver(), to.Version.Semver())
}

func (b *plainBundle) namesOrCovers(from *plainBundle) bool {
	return slices.ContainsFunc(b.entries, func(e plainEntry) bool {
		return e.Replaces == from.Name || slices.Contains(e.Skips, from.Name) || e.covers != nil && from.Version.IsIn(e.covers)
	})
}

// promises reports whether semantic versioning permits an upgrade between two versions (docs/upgrade-rules.md). to must be the higher
// version.
func promises(from, to *semver.Version) bool {
	switch {
	case from.Major() != to.Major():
		return false
	case from.Minor() == to.Minor() && from.Patch() == to.Patch():
		return to.Prerelease() == "" || from.Prerelease() != ""
	case to.Prerelease() != "":
		return false
	}
	return from.Major() > 0 || from.Minor() > 0 && from.Minor() == to.Minor()
}

// reachedFrom returns, for the bundle at each index, whether upgrades lead to it from the bundle at index from. follows contains the
// indexes of the bundles that directly follow each bundle. The bundle at from counts as reachable.
func reachedFrom(from int, follows [][]int) []bool {
	seen := make([]bool, len(follows))
	seen[from] = true
	for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
		for _, to := range follows[queue[0]] {
			if !seen[to] {
				seen[to] = true
				queue = append(queue, to)
			}
		}
	}
	return seen
}
