package v1alpha1

// Events about PlatformOperators, on the manager's Deployment.
const (
	// EventInstallStarted: a BundleDeployment was created for a PlatformOperator.
	EventInstallStarted = "InstallStarted"
	// EventUpgradeStarted: a PlatformOperator moves to another version.
	EventUpgradeStarted = "UpgradeStarted"
	// EventInstallSucceeded: the first version of a PlatformOperator is complete and healthy.
	EventInstallSucceeded = "InstallSucceeded"
	// EventUpgradeSucceeded: a PlatformOperator has reached another version, and that is complete and healthy.
	EventUpgradeSucceeded = "UpgradeSucceeded"
	// EventUpgradeFailed: a version of a PlatformOperator could not be installed, or missed its deadline.
	EventUpgradeFailed = "UpgradeFailed"
	// EventApprovalNeeded: a PlatformOperator could be moved to a version that nobody has approved of yet.
	EventApprovalNeeded = "ApprovalNeeded"
	// EventOverrideAcknowledged: a compatibility override of a PlatformOperator is in effect, so that the operator no longer
	// blocks an upgrade of the cluster.
	EventOverrideAcknowledged = "OverrideAcknowledged"
	// EventOverrideExpired: a compatibility override that was in effect has expired.
	EventOverrideExpired = "OverrideExpired"
	// EventRemovalStarted: a PlatformOperator was deleted, and its BundleDeployment is now.
	EventRemovalStarted = "RemovalStarted"
	// EventBundleDeploymentPutBack: somebody edited a BundleDeployment that a PlatformOperator has, and it was put back.
	EventBundleDeploymentPutBack = "BundleDeploymentPutBack"
)
