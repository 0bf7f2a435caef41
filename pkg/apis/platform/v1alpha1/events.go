package v1alpha1

// Reasons of Events on a PlatformOperator.
const (
	// EventInstallStarted means that a BundleDeployment was created for the PlatformOperator.
	EventInstallStarted = "InstallStarted"
	// EventUpgradeStarted means that an upgrade step to another version begins.
	EventUpgradeStarted = "UpgradeStarted"
	// EventInstallSucceeded means that the first version is complete and healthy.
	EventInstallSucceeded = "InstallSucceeded"
	// EventUpgradeSucceeded means that another version is complete and healthy.
	EventUpgradeSucceeded = "UpgradeSucceeded"
	// EventInstallFailed means that the first version cannot be installed or missed its deadline.
	EventInstallFailed = "InstallFailed"
	// EventUpgradeFailed means the same for another version.
	EventUpgradeFailed = "UpgradeFailed"
	// EventApprovalNeeded means that a version is available and waits for an approval.
	EventApprovalNeeded = "ApprovalNeeded"
	// EventOverrideAcknowledged means that a compatibility override takes effect, so that the operator no longer blocks an upgrade
	// of the cluster.
	EventOverrideAcknowledged = "OverrideAcknowledged"
	// EventOverrideExpired means that a compatibility override that was in effect has expired.
	EventOverrideExpired = "OverrideExpired"
	// EventRemovalStarted means that the PlatformOperator was deleted and the manager deletes its BundleDeployment.
	EventRemovalStarted = "RemovalStarted"
	// EventBundleDeploymentReverted means that somebody edited the BundleDeployment of the PlatformOperator, and the manager reverted
	// the edit.
	EventBundleDeploymentReverted = "BundleDeploymentReverted"
)
