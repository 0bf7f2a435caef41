package v1alpha1

// Events about PlatformOperators, on the manager's Deployment.
const (
	// EventInstallStarted: a BundleDeployment was created for a PlatformOperator.
	EventInstallStarted = "InstallStarted"
	// EventUpgradeStarted: a PlatformOperator moves to another version.
	EventUpgradeStarted = "UpgradeStarted"
	// EventRemovalStarted: a PlatformOperator was deleted, and its BundleDeployment is now.
	EventRemovalStarted = "RemovalStarted"
	// EventBundleDeploymentPutBack: somebody edited a BundleDeployment that a PlatformOperator has, and it was put back.
	EventBundleDeploymentPutBack = "BundleDeploymentPutBack"
)
