package v1alpha1

// Condition types of a PlatformOperator.
const (
	// ConditionInstalled is True while a bundle of the package is applied. It stays True during an upgrade step, even if that
	// step fails.
	ConditionInstalled = "Installed"
	// ConditionProgressing is True during an upgrade step.
	ConditionProgressing = "Progressing"
	// ConditionHealthy is True while every object of the active revision passes its probe.
	ConditionHealthy = "Healthy"
	// ConditionDrifted is True while declared fields or objects differ from the active revision and are not reverted.
	ConditionDrifted = "Drifted"
	// ConditionUpgradeable is True while what is installed permits the cluster's next minor version.
	ConditionUpgradeable = "Upgradeable"
	// ConditionDeprecated is True while the catalog declares the installed package, channel or bundle deprecated.
	ConditionDeprecated = "Deprecated"
)

// Reasons of the Installed condition.
const (
	// ReasonInstallSuccessful means that a bundle is applied. status.installed names it.
	ReasonInstallSuccessful = "InstallSuccessful"
	// ReasonSourceFailed means that no catalog has the package, the channel or a version in the range. It also means that no catalog can
	// be read.
	ReasonSourceFailed = "SourceFailed"
	// ReasonValidationFailed means that every candidate was refused, that the range is invalid, or that the content of the bundle cannot
	// be installed. It also means that the API server refuses the BundleDeployment, that another PlatformOperator has the package, or
	// that a BundleDeployment of this name belongs to another owner.
	ReasonValidationFailed = "ValidationFailed"
	// ReasonUnpackPending means that the image of the bundle has not been unpacked yet.
	ReasonUnpackPending = "UnpackPending"
	// ReasonUnpackFailed means that the image of the bundle cannot be pulled or unpacked.
	ReasonUnpackFailed = "UnpackFailed"
	// ReasonInstallPending means that the bundle is unpacked and not yet applied, or that spec.paused was set before the bundle
	// was applied. It also means that its BundleDeployment is being deleted, or that catalogs which may have the package are
	// being read for the first time.
	ReasonInstallPending = "InstallPending"
	// ReasonInstallFailed means that the API server refuses an object of the bundle, that the object belongs to another owner, that the
	// cluster does not serve its kind, or that the ProvisionerClass does not allow the bundle.
	ReasonInstallFailed = "InstallFailed"
	// ReasonRemoved means that the PlatformOperator is deleted and its operator is removed. A finalizer of another component still holds the
	// PlatformOperator or its BundleDeployment.
	ReasonRemoved = "Removed"
)

// Reasons of the Progressing condition.
const (
	// ReasonInstalling means that the first installation is in progress.
	ReasonInstalling = "Installing"
	// ReasonUpgrading means that an upgrade step is in progress.
	ReasonUpgrading = "Upgrading"
	// ReasonRollingBack means that a version missed its deadline, and the previous one is being restored.
	ReasonRollingBack = "RollingBack"
	// ReasonDeadlineExceeded means that a version missed its deadline. It is held or was rolled back, as spec.install.onFailure selects.
	ReasonDeadlineExceeded = "DeadlineExceeded"
	// ReasonRemoving means that the PlatformOperator is deleted, and that its operator is being removed.
	ReasonRemoving = "Removing"
	// ReasonBlocked means that an upgrade is blocked. The message has the cause and the remedy.
	ReasonBlocked = "Blocked"
	// ReasonAwaitingApproval means that a version is available and spec.upgrades.approvedVersion does not name it, or that the plan of the
	// version is not approved in spec.approval of the BundleDeployment.
	ReasonAwaitingApproval = "AwaitingApproval"
	// ReasonPaused means that spec.paused is set.
	ReasonPaused = "Paused"
	// ReasonAsExpected means that there is nothing to do. It is also the reason of a True Healthy or Upgradeable condition.
	ReasonAsExpected = "AsExpected"
)

// Reasons of the Healthy condition besides AsExpected.
const (
	// ReasonUnhealthy means that at least one object fails its probe. The message names the first ones.
	ReasonUnhealthy = "Unhealthy"
	// ReasonUnknown means that nothing is installed yet, or that the state is unknown.
	ReasonUnknown = "Unknown"
)

// Reasons of the Drifted condition besides AsExpected and Unknown.
const (
	// ReasonDriftReported means that drift is not reverted, because the drift policy is Report or spec.paused is set.
	ReasonDriftReported = "DriftReported"
	// ReasonDriftContested means that a change returns each time that the manager reverts it. The manager reverts it less and
	// less often.
	ReasonDriftContested = "DriftContested"
	// ReasonDriftIgnored means that the manager does not look for drift, because the drift policy is Ignore.
	ReasonDriftIgnored = "DriftIgnored"
)

// Reasons of the Upgradeable condition besides AsExpected.
const (
	// ReasonIncompatibleOperator means that the installed bundle's maxOpenShiftVersion is below the cluster's next minor version.
	ReasonIncompatibleOperator = "IncompatibleOperator"
	// ReasonCompatibilityUnreadable means that the installed bundle declares an unreadable maxOpenShiftVersion.
	ReasonCompatibilityUnreadable = "CompatibilityUnreadable"
	// ReasonOverrideAcknowledged means that an override for the cluster's next minor version is in effect. Without the override,
	// the reason would be ReasonIncompatibleOperator or ReasonCompatibilityUnreadable.
	ReasonOverrideAcknowledged = "OverrideAcknowledged"
)

// Reasons of the Deprecated condition.
const (
	// ReasonDeprecated means that the catalog declares the package, the channel or the bundle deprecated.
	ReasonDeprecated = "Deprecated"
	// ReasonNotDeprecated means that the catalog declares neither the package nor the channel nor the bundle deprecated.
	ReasonNotDeprecated = "NotDeprecated"
	// ReasonCatalogUnavailable means that no selected and readable catalog has the package, so that deprecation is unknown.
	ReasonCatalogUnavailable = "CatalogUnavailable"
)

// Values of InstalledBundle.MaxOpenShiftVersionFrom.
const (
	// FromCatalog means that the limit is that of the bundle's entry in the catalog.
	FromCatalog = "Catalog"
	// FromBundle means that the limit is that of the bundle's files.
	FromBundle = "Bundle"
)

// Labels that a catalogSelector can select by, in addition to the catalog's own labels.
const (
	// LabelCatalogKind is "CatalogSource" or "ClusterCatalog".
	LabelCatalogKind = GroupName + "/catalog-kind"
	// LabelCatalogNamespace is a CatalogSource's namespace.
	LabelCatalogNamespace = GroupName + "/catalog-namespace"
	// LabelCatalogName is the catalog's name.
	LabelCatalogName = GroupName + "/catalog-name"
)

// Labels and annotations that the manager writes.
const (
	// LabelPackage on a BundleDeployment is the package whose bundle it installs.
	LabelPackage = GroupName + "/package"
	// LabelVersion on a BundleDeployment is the version of the bundle that it installs, with "_" instead of "+".
	LabelVersion = GroupName + "/version"
	// AnnotationBundle on a BundleDeployment is its InstalledBundle as JSON, written together with the image that starts the upgrade step.
	AnnotationBundle = GroupName + "/bundle"
	// AnnotationHop on a BundleDeployment has the time and the cause of the upgrade step to the bundle in AnnotationBundle, as
	// JSON. Both annotations are written together.
	AnnotationHop = GroupName + "/hop"
	// AnnotationSettings on a BundleDeployment is a digest of the settings of its PlatformOperator that decide how a bundle is installed.
	// It distinguishes a change of these settings from a change that another client made in the BundleDeployment.
	AnnotationSettings = GroupName + "/settings"
	// AnnotationNamespaceDefaulted on a BundleDeployment is "true" if no user named its install namespace. In that case, the
	// manager uses the namespace only if it creates the namespace.
	AnnotationNamespaceDefaulted = GroupName + "/install-namespace-defaulted"
	// Finalizer keeps a PlatformOperator until its operator has been removed, so that Progressing can describe the removal.
	Finalizer = GroupName + "/removal"
	// AnnotationOrphanedFrom on a CustomResourceDefinition that was kept when its operator was removed names the former owner:
	// package/NAME, or bundledeployment/NAME for a BundleDeployment whose bundle names no package. The same owner can adopt the
	// CustomResourceDefinition again. A value without a slash is the name of a package. On a namespace that was kept, it is only
	// information.
	AnnotationOrphanedFrom = GroupName + "/orphaned-from"
)

// AnnotationRetry on a PlatformOperator makes the manager retry a version that was rolled back or is held: each new value requests one
// attempt. The manager copies it to the BundleDeployment. It has the same effect on a BundleDeployment that belongs to no PlatformOperator.
const AnnotationRetry = GroupName + "/retry"

// AnnotationAllowDeletion, with the value "true" on a CustomResourceDefinition of this project or on a PlatformOperatorManager that sets
// limits, permits the deletion of that object. Without the annotation, the admission policies in manifests/ deny the deletion.
const AnnotationAllowDeletion = GroupName + "/allow-deletion"
