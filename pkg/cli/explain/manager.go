package explain

import (
	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/health"
)

const (
	// conditionUpgradeable is the condition of the PlatformOperatorManager that determines the ClusterOperator's Upgradeable.
	conditionUpgradeable = "InstalledOperatorsUpgradeable"
	// reasonPermissionsMissing is the reason of the condition WritesDegraded. Its constant is in a controller, which the plugin must not
	// import; a test compares the two.
	reasonPermissionsMissing = "PermissionsMissing"
	// reasonSyncError is library-go's reason for a controller whose sync fails.
	reasonSyncError = "SyncError"

	showManager   = "{client} describe platformoperatormanager cluster"
	managerLog    = "{client} logs -n openshift-platform-operators deployment/platform-operators"
	listOperators = "{plugin} status"
)

// controllerWorks and controllerFails explain the condition of a controller.
var (
	controllerWorks = Explanation{Effect: Normal, Text: "The controller works."}
	controllerFails = Explanation{Warning, "A controller of the manager fails. The message is its error.", "Read the manager's " +
		"log.", managerLog}
)

// unknownVerdict explains a verdict whose condition is Unknown, whatever its reason is.
var unknownVerdict = Explanation{Warning, "The manager has not reported whether the installed operators permit the next minor version of " +
	"the cluster. The cluster-version operator does not block an upgrade for that.",
	"Wait some minutes after a start of the manager. Then read its log.", managerLog}

// managerTable explains the conditions of the PlatformOperatorManager. library-go computes those of the ClusterOperator from them.
var managerTable = map[string]byReason{
	conditionUpgradeable: {
		compat.ReasonAsExpected: {Effect: Normal, Text: "The installed operators permit the next minor version of the cluster."},
		compat.ReasonIncompatible: {Blocking, "At least one installed operator does not permit the next minor version of the cluster.",
			"Follow the next steps of the operators that block it.", ""},
		compat.ReasonErrorChecking: {Blocking, "The operators cannot be evaluated, for example because a catalog or a kind has not been read " +
			"yet, and there is no earlier result. That blocks, because the answer may be no.",
			"Wait some minutes after a start of the manager. Then correct what the message names.", showManager},
	},
	"PlatformOperatorsAvailable": {
		health.ReasonAsExpected: {Effect: Normal, Text: "The platform operators are available."},
		health.ReasonWaitingForOperators: {Blocking, "The installation of the cluster waits for platform operators.",
			"Look at the operators that are not ready.", listOperators},
	},
	"PlatformOperatorsProgressing": {
		health.ReasonAsExpected:        {Effect: Normal, Text: "No operator is being changed."},
		health.ReasonOperatorsChanging: {Effect: InProgress, Text: "Operators are being installed, upgraded or removed."},
	},
	"PlatformOperatorsDegraded": {
		health.ReasonAsExpected: {Effect: Normal, Text: "No installed operator has been unhealthy for longer than the limit."},
		health.ReasonOperatorsUnhealthy: {Warning, "An installed operator has been unhealthy for longer than the limit.",
			"Look at the operators that are not healthy.", listOperators},
	},
	"ManagerProgressing": {
		health.ReasonAsExpected: {Effect: Normal, Text: "The ClusterOperator reports the version of the manager."},
		operatorv1alpha1.ReasonWorkingTowardsVersion: {Effect: InProgress, Text: "The manager was updated, and has not reconciled every object " +
			"yet."},
	},
	"WatchesDegraded": {
		health.ReasonAsExpected: {Effect: Normal, Text: "The manager can list what it needs."},
		health.ReasonInstalledNotListed: {Warning, "The API server refuses to list kinds that the upgrade gate needs. The gate uses what was " +
			"listed last.", "Restore the permissions or the API that the message names.", showManager},
		health.ReasonObjectsNotListed: {Warning, "The API server refuses to list kinds that the manager needs.",
			"Restore the permissions or the API that the message names.", showManager},
	},
	"WritesDegraded": {
		health.ReasonAsExpected: {Effect: Normal, Text: "The API server permits what the manager writes."},
		reasonPermissionsMissing: {Warning, "The manager's ServiceAccount lacks permissions that its shipped roles grant.",
			"Restore the ClusterRoles and Roles whose names begin with platform-operators.", showManager},
	},
	"OperatorHealthControllerDegraded": {health.ReasonAsExpected: controllerWorks, reasonSyncError: controllerFails},
	"ManagerVersionControllerDegraded": {health.ReasonAsExpected: controllerWorks, reasonSyncError: controllerFails},
	"ManagerLimitsControllerDegraded":  {health.ReasonAsExpected: controllerWorks, reasonSyncError: controllerFails},
}
