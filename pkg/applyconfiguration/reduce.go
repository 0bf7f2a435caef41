package applyconfiguration

import (
	"slices"

	"github.com/openshift/platform-operators/pkg/manifestserver"
)

// statusActions are the actions on the subresource "status".
var statusActions = []manifestserver.Action{manifestserver.ActionUpdateStatus, manifestserver.ActionPatchStatus, manifestserver.ActionApplyStatus}

// reduce returns at most one mutation for each object. The output of a round has no order, and the API server would refuse a second
// mutation of an object, because the first one changes the resourceVersion. What is left out follows in the next round, whose input has the
// first one's result. versions are the resourceVersions of the objects in the input.
//
// It is the first mutation, because that one depends on the input only. A later one replaces it if it has the whole intent of the first: an
// update, which is based on the result of the first, or the same field manager's next apply. If an object is deleted at the end, nothing
// else is done to it. Mutations that change nothing are left out.
func reduce(mutations []manifestserver.Mutation, versions map[versionKey]string) []manifestserver.Mutation {
	kept := map[versionKey]manifestserver.Mutation{}
	var order []versionKey
	for _, each := range mutations {
		if each.Unchanged {
			continue
		}
		at := versionKey{each.Resource.Group, each.Resource.Resource, each.Namespace, each.Name}
		earlier, isKnown := kept[at]
		if !isKnown {
			order = append(order, at)
		}
		if !isKnown || hasIntentOf(each, earlier) {
			kept[at] = each
		}
	}
	var reduced []manifestserver.Mutation
	for _, at := range order {
		if _, isInInput := versions[at]; kept[at].Action == manifestserver.ActionDelete && !isInInput {
			continue // created and deleted in this round, as a temporary permission is
		}
		reduced = append(reduced, kept[at])
	}
	return reduced
}

// hasIntentOf reports whether a later mutation of the same object has everything that the earlier one has.
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
