package applyconfiguration

import (
	"slices"

	"github.com/openshift/platform-operators/pkg/manifestserver"
)

// statusActions are the actions that change the status of an object only.
var statusActions = []manifestserver.Action{manifestserver.ActionUpdateStatus, manifestserver.ActionPatchStatus, manifestserver.ActionApplyStatus}

// reduce returns at most one mutation of each object. A later mutation replaces an earlier one if it has its intent. Otherwise it is omitted,
// and isComplete is false.
//
// One mutation of each object is less than the permitted one of each object and subresource: a mutation of an object makes the
// resourceVersion in another one old.
func reduce(mutations []manifestserver.Mutation) (reduced []manifestserver.Mutation, isComplete bool) {
	kept := map[objectID]int{}
	isComplete = true
	for _, each := range mutations {
		at, isKnown := kept[idOf(each)]
		switch {
		case !isKnown:
			kept[idOf(each)] = len(reduced)
			reduced = append(reduced, each)
		case hasIntentOf(each, reduced[at]):
			reduced[at] = each
		default:
			isComplete = false
		}
	}
	return reduced, isComplete
}

// hasIntentOf reports whether a later mutation of an object has all that the earlier one wants.
func hasIntentOf(later, earlier manifestserver.Mutation) bool {
	switch later.Action {
	case manifestserver.ActionDelete:
		return true
	case manifestserver.ActionUpdate:
		return earlier.Action == manifestserver.ActionUpdate
	case manifestserver.ActionUpdateStatus:
		return slices.Contains(statusActions, earlier.Action)
	case manifestserver.ActionApply, manifestserver.ActionApplyStatus:
		return later.Action == earlier.Action && later.FieldManager == earlier.FieldManager
	}
	return false
}
