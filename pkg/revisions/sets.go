package revisions

import (
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/revision"
)

// Sets maps the number of each loaded revision to its objects.
type Sets map[int64]*apply.Set

// Of returns the objects of revisions. The revisions must be loaded.
func (s Sets) Of(revisions []*revision.Revision) []*apply.Set {
	var sets []*apply.Set
	for _, each := range revisions {
		sets = append(sets, s[each.Number])
	}
	return sets
}

// Unload removes the objects of a revision from memory. They can be loaded again.
func (s Sets) Unload(of *revision.Revision) {
	of.Loaded = false
	delete(s, of.Number)
}
