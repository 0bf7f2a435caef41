package revisions

import (
	"slices"

	"github.com/openshift/platform-operators/pkg/apply"
)

// Union caches the union of sets, because computing the union of the revisions of a large bundle takes seconds. The zero value is ready for
// use.
type Union struct {
	sets  []*apply.Set
	union *apply.Set
}

// Of returns the union of sets of one deployment, whose install namespace never changes. It computes the union only if the sets differ from
// those of the last call.
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
