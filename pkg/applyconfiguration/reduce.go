package applyconfiguration

import (
	"slices"

	"github.com/openshift/platform-operators/pkg/manifestserver"
)

// statusActions are the actions that change the status of an object only.
var statusActions = []manifestserver.Action{manifestserver.ActionUpdateStatus, manifestserver.ActionPatchStatus, manifestserver.ActionApplyStatus}

// reduce returns at most one mutation of each object. A later mutation replaces an earlier one if it includes all changes of the
// earlier one. Otherwise reduce omits it, and isComplete is false.
//
// The output format permits one mutation of each object and one of each subresource. reduce returns only one, because each mutation of an
// object makes the resourceVersion in the other one outdated.
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

// hasIntentOf reports whether a later mutation of an object includes all changes of the earlier one.
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
