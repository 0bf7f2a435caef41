package mirrors

import (
	"maps"
	"slices"
)

// ordered merges lists of mirrors of one source into one list. It keeps the order of each list, if they do not contradict one another. The
// source is tried last in any case, so it is part of the result only if a list has mirrors after it.
//
// Where the lists leave the order open, it is that of the machine-config operator: alphabetical among mirrors that no other precedes, and
// then breadth-first. A contradiction is resolved in favor of the alphabetically first mirror that is left.
func ordered(source string, lists [][]string) []string {
	before, after := map[string]map[string]bool{}, map[string]map[string]bool{}
	add := func(location string) {
		if before[location] == nil {
			before[location], after[location] = map[string]bool{}, map[string]bool{}
		}
	}
	for _, list := range lists {
		if !slices.Contains(list, source) {
			list = append(slices.Clone(list), source)
		}
		for i, location := range list {
			add(location)
			if i > 0 {
				before[location][list[i-1]], after[list[i-1]][location] = true, true
			}
		}
	}
	var merged, ready []string
	all := slices.Sorted(maps.Keys(before))
	for _, location := range all {
		if len(before[location]) == 0 {
			ready = append(ready, location)
		}
	}
	isMerged := map[string]bool{}
	for len(merged) < len(all) {
		if len(ready) == 0 {
			ready = []string{all[slices.IndexFunc(all, func(location string) bool { return !isMerged[location] })]}
		}
		next := ready[0]
		ready, merged, isMerged[next] = ready[1:], append(merged, next), true
		for _, follower := range slices.Sorted(maps.Keys(after[next])) {
			if delete(before[follower], next); len(before[follower]) == 0 && !isMerged[follower] {
				ready = append(ready, follower)
			}
		}
	}
	if merged[len(merged)-1] == source {
		merged = merged[:len(merged)-1]
	}
	return merged
}
