package v1alpha1

// Condition types of a PlatformOperator.
const (
	// ConditionInstalled is True while a bundle of the package is applied, also during and after an upgrade step that failed.
	ConditionInstalled = "Installed"
	// ConditionProgressing is True during an upgrade step.
	ConditionProgressing = "Progressing"
	// ConditionHealthy is True while every object of the active revision passes its probe.
	ConditionHealthy = "Healthy"
	// ConditionDrifted is True while declared fields or objects differ from the active revision and are not reverted.
	ConditionDrifted = "Drifted"
	// ConditionUpgradeable is True while what is installed permits the cluster's next minor version.
	ConditionUpgradeable = "Upgradeable"
	// ConditionDeprecated is True while the package, the channel or the bundle that is installed is deprecated in its catalog.
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
	// ReasonInstallPending means that the bundle is unpacked and not yet applied, or that spec.paused was set before that. It also means
	// that its BundleDeployment is being deleted, or that catalogs which may have the package are being read for the first time.
	ReasonInstallPending = "InstallPending"
	// ReasonInstallFailed means that the API server refuses an object of the bundle, that the object belongs to another owner, or that the
	// cluster does not serve its kind.
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
	// ReasonAwaitingApproval means that a version is available and spec.upgrades.approvedVersion does not name it.
	ReasonAwaitingApproval = "AwaitingApproval"
	// ReasonPaused means that spec.paused is set.
	ReasonPaused = "Paused"
	// ReasonAsExpected means that there is nothing to do. It is also the reason of a True Healthy or Upgradeable condition.
	ReasonAsExpected = "AsExpected"
)

// Reasons of the Healthy condition beside AsExpected.
const (
	// ReasonUnhealthy means that at least one object fails its probe. The message names the first ones.
	ReasonUnhealthy = "Unhealthy"
	// ReasonUnknown means that nothing is installed yet, or that the state is unknown.
	ReasonUnknown = "Unknown"
)

// Reasons of the Drifted condition beside AsExpected and Unknown.
const (
	// ReasonDriftReported means that drift is not reverted, because the drift policy is Report or spec.paused is set.
	ReasonDriftReported = "DriftReported"
	// ReasonDriftContested means that a change returns each time that it is reverted, so that it is reverted less and less often.
	ReasonDriftContested = "DriftContested"
	// ReasonDriftIgnored means that the manager does not look for drift, because the drift policy is Ignore.
	ReasonDriftIgnored = "DriftIgnored"
)

// Reasons of the Upgradeable condition beside AsExpected.
const (
	// ReasonIncompatibleOperator means that the installed bundle's maxOpenShiftVersion is below the cluster's next minor version.
	ReasonIncompatibleOperator = "IncompatibleOperator"
	// ReasonCompatibilityUnreadable means that the installed bundle declares an unreadable maxOpenShiftVersion.
	ReasonCompatibilityUnreadable = "CompatibilityUnreadable"
	// ReasonOverrideAcknowledged means that one of these reasons applies, and that an override for that minor version is in effect.
	ReasonOverrideAcknowledged = "OverrideAcknowledged"
)

// Reasons of the Deprecated condition.
const (
	// ReasonDeprecated means that the catalog declares the package, the channel or the bundle deprecated.
	ReasonDeprecated = "Deprecated"
	// ReasonNotDeprecated means that the catalog declares none of them deprecated.
	ReasonNotDeprecated = "NotDeprecated"
	// ReasonCatalogUnavailable means that no selected and readable catalog has the package, so that deprecation is unknown.
	ReasonCatalogUnavailable = "CatalogUnavailable"
)

// Where InstalledBundle.MaxOpenShiftVersion was read.
const (
	// FromCatalog is the entry of the bundle in the catalog.
	FromCatalog = "Catalog"
	// FromBundle is the files of the bundle.
	FromBundle = "Bundle"
)

// Labels that a catalogSelector sees beside the catalog's own.
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
	// LabelPackage on a BundleDeployment is the package that it carries.
	LabelPackage = GroupName + "/package"
	// LabelVersion on a BundleDeployment is the version that it carries, "+" written as "_".
	LabelVersion = GroupName + "/version"
	// AnnotationBundle on a BundleDeployment is its InstalledBundle as JSON, written together with the image that starts the upgrade step.
	AnnotationBundle = GroupName + "/bundle"
	// AnnotationHop on a BundleDeployment is the time and the cause of the upgrade step to its bundle as JSON, written together with
	// AnnotationBundle.
	AnnotationHop = GroupName + "/hop"
	// AnnotationSettings on a BundleDeployment is a digest of the settings of its PlatformOperator that decide how a bundle is installed.
	// It distinguishes a change of these settings from a change that another client made in the BundleDeployment.
	AnnotationSettings = GroupName + "/settings"
	// AnnotationNamespaceDefaulted on a BundleDeployment is "true" if no user named its install namespace. Then the namespace is used only
	// if the manager creates it.
	AnnotationNamespaceDefaulted = GroupName + "/install-namespace-defaulted"
	// Finalizer keeps a PlatformOperator until its operator has been removed, so that Progressing can describe the removal.
	Finalizer = GroupName + "/removal"
	// AnnotationOrphanedFrom on a CustomResourceDefinition that was kept when its operator was removed names the former owner: package/NAME,
	// or bundledeployment/NAME for a BundleDeployment whose bundle names no package. The same owner adopts it again. A name alone is that of
	// a package.
	AnnotationOrphanedFrom = GroupName + "/orphaned-from"
)

// AnnotationRetry on a PlatformOperator makes the manager retry a version that was rolled back or is held: each new value requests one
// attempt. The manager copies it to the BundleDeployment. It has the same effect on a BundleDeployment that belongs to no PlatformOperator.
const AnnotationRetry = GroupName + "/retry"

// AnnotationAllowDeletion, with the value "true" on one of our CustomResourceDefinitions or on a PlatformOperatorManager that limits
// something, permits its deletion. The admission policies in manifests/ deny it without.
const AnnotationAllowDeletion = GroupName + "/allow-deletion"
