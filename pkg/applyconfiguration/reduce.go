package applyconfiguration

import (
	"slices"

	"github.com/openshift/platform-operators/pkg/manifestserver"
)

// target is what one mutation of a round may write: an object or its status.
type target struct {
	group, resource, namespace, name string
	isStatus                         bool
}

// statusActions are the actions on the subresource "status".
var statusActions = []manifestserver.Action{manifestserver.ActionUpdateStatus, manifestserver.ActionPatchStatus, manifestserver.ActionApplyStatus}

// reduce returns at most one mutation for each object and each status. The output of a round has no order, and the API server may refuse a
// second mutation that depends on the first. What is left out follows in the next round, whose input has the first one's result.
//
// It is the first mutation, because that one depends on the input only. A later one replaces it if it has the whole intent of the first: an
// update, which is based on the result of the first, or the same field manager's next apply. Mutations that change nothing are left out.
func reduce(mutations []manifestserver.Mutation) []manifestserver.Mutation {
	position, kept := map[target]int{}, []manifestserver.Mutation{}
	for _, each := range mutations {
		if each.Unchanged {
			continue
		}
		at := target{each.Resource.Group, each.Resource.Resource, each.Namespace, each.Name, slices.Contains(statusActions, each.Action)}
		i, isKnown := position[at]
		if !isKnown {
			position[at] = len(kept)
			kept = append(kept, each)
			continue
		}
		if hasIntentOf(each, kept[i]) {
			kept[i] = each
		}
	}
	return kept
}

// hasIntentOf reports whether a later mutation of the same object or status has everything that the earlier one has.
func hasIntentOf(later, earlier manifestserver.Mutation) bool {
	if later.Action != earlier.Action {
		return false
	}
	switch later.Action {
	case manifestserver.ActionUpdate, manifestserver.ActionUpdateStatus:
		return true
	case manifestserver.ActionApply, manifestserver.ActionApplyStatus:
		return later.FieldManager == earlier.FieldManager
	}
	return false
}
