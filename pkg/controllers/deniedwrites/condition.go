package deniedwrites

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	operatorv1 "github.com/openshift/api/operator/v1"
)

const (
	// ConditionType is the type of the condition on the operator resource. library-go merges all conditions whose type ends in Degraded.
	ConditionType = "WritesDegraded"
	// ReasonPermissionsMissing means that the manager's ServiceAccount lacks permissions for writes that the manager needs.
	ReasonPermissionsMissing = "PermissionsMissing"
	// ReasonAsExpected means that the API server denies no write because of a missing permission.
	ReasonAsExpected = "AsExpected"

	// maxShown is the maximum number of permissions in the message.
	maxShown = 10
)

// conditionOf returns the condition for the permissions that the manager lacks.
func conditionOf(denied map[permission]bool) operatorv1.OperatorCondition {
	if len(denied) == 0 {
		return operatorv1.OperatorCondition{Type: ConditionType, Status: operatorv1.ConditionFalse, Reason: ReasonAsExpected}
	}
	var missing []string
	for _, each := range slices.SortedFunc(maps.Keys(denied), permission.compare) {
		missing = append(missing, each.String())
	}
	if more := len(missing) - maxShown; more > 0 {
		missing = append(missing[:maxShown], fmt.Sprintf("and at least %d more", more))
	}
	return operatorv1.OperatorCondition{
		Type: ConditionType, Status: operatorv1.ConditionTrue, Reason: ReasonPermissionsMissing,
		Message: "The manager's ServiceAccount lacks permissions that it needs: " + strings.Join(missing, "; ") + ". " +
			"The manager retries within seconds after they are granted. " +
			"The cluster-version operator restores the ClusterRoles and Roles whose names begin with platform-operators, " +
			"unless spec.overrides of the ClusterVersion excludes them.",
	}
}
