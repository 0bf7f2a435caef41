package revisions

import (
	"slices"

	"github.com/openshift/platform-operators/pkg/apply"
)

// Union is the union of sets, made again only if they are others than at the last call: that of a large bundle's revisions takes seconds. The
// zero value is ready for use.
type Union struct {
	sets  []*apply.Set
	union *apply.Set
}

// Of returns the union of sets of one deployment, whose install namespace never changes.
func (u *Union) Of(installNamespace string, sets []*apply.Set) (*apply.Set, error) {
	if u.union != nil && slices.Equal(u.sets, sets) {
		return u.union, nil
	}
	union, err := apply.Union(installNamespace, sets...)
	if err != nil {
		return nil, err
	}
	u.sets, u.union = sets, union
	return union, nil
}
