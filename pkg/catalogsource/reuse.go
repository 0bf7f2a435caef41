package catalogsource

import (
	"reflect"
	"slices"
)

// reuseMemory returns next, in which every package that is equal to one in old is replaced with the package of old. Unchanged content is
// then in memory once, and catalog.Package.IsIdentical detects it in constant time. It does not modify the snapshots, either of which may
// be nil.
func reuseMemory(old, next *Snapshot) *Snapshot {
	if old == nil || next == nil || old == next || len(old.Packages) == 0 {
		return next
	}
	shared := *next
	shared.Packages = slices.Clone(next.Packages)
	for i := range shared.Packages {
		if before := old.find(shared.Packages[i].Name); before != nil && reflect.DeepEqual(*before, shared.Packages[i]) {
			shared.Packages[i] = *before
		}
	}
	return &shared
}
