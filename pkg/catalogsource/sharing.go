package catalogsource

import (
	"reflect"
	"slices"
)

// sharing gives packages with the content of the snapshot before that content's memory: what has not changed is then there once,
// whoever still holds it, and catalog.Package.Identical sees at a glance that it has not.
func sharing(old, next *Snapshot) *Snapshot {
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
