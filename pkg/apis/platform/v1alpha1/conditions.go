package v1alpha1

// Condition types of a PlatformOperator.
const (
	// ConditionInstalled is True while a bundle of the package is applied, also during and after a hop that failed.
	ConditionInstalled = "Installed"
	// ConditionProgressing is True while a hop is under way.
	ConditionProgressing = "Progressing"
	// ConditionHealthy is True while every object of the active revision passes its probe.
	ConditionHealthy = "Healthy"
	// ConditionUpgradeable is True while what is installed permits the cluster's next minor version.
	ConditionUpgradeable = "Upgradeable"
	// ConditionDeprecated is True while the package, the channel or the bundle that is installed is deprecated in its catalog.
	ConditionDeprecated = "Deprecated"
)

// Reasons of the Installed condition.
const (
	// ReasonInstallSuccessful: a bundle is applied; status.installed names it.
	ReasonInstallSuccessful = "InstallSuccessful"
	// ReasonSourceFailed: no catalog has the package, the channel or a version in the range, or no catalog can be read, or
	// one that may count has not been read yet.
	ReasonSourceFailed = "SourceFailed"
	// ReasonValidationFailed: every candidate was refused, the range cannot be read, the bundle's content cannot be
	// installed, the API server refuses the BundleDeployment, another PlatformOperator has the package, or a
	// BundleDeployment of this name belongs to somebody else.
	ReasonValidationFailed = "ValidationFailed"
	// ReasonUnpackPending: the bundle's image has not been unpacked yet.
	ReasonUnpackPending = "UnpackPending"
	// ReasonUnpackFailed: the bundle's image cannot be pulled or unpacked.
	ReasonUnpackFailed = "UnpackFailed"
	// ReasonInstallPending: the bundle is unpacked and not yet applied; or spec.paused was set before that; or its
	// BundleDeployment is being deleted.
	ReasonInstallPending = "InstallPending"
	// ReasonInstallFailed: the API server refuses an object of the bundle, or the object is somebody else's.
	ReasonInstallFailed = "InstallFailed"
)

// Reasons of the Progressing condition.
const (
	// ReasonInstalling: the first hop is under way.
	ReasonInstalling = "Installing"
	// ReasonUpgrading: a hop from one version to another is under way.
	ReasonUpgrading = "Upgrading"
	// ReasonRollingBack: a version missed its deadline, and the one before it is being put back.
	ReasonRollingBack = "RollingBack"
	// ReasonDeadlineExceeded: a version missed its deadline; it is held, or was rolled back, as spec.install.onFailure says.
	ReasonDeadlineExceeded = "DeadlineExceeded"
	// ReasonRemoving: the PlatformOperator is deleted and its operator is being taken down.
	ReasonRemoving = "Removing"
	// ReasonBlocked: a move is wanted and something is in its way; the message says what, and the remedy.
	ReasonBlocked = "Blocked"
	// ReasonAwaitingApproval: a version could be moved to, and spec.upgrades.approvedVersion does not name it.
	ReasonAwaitingApproval = "AwaitingApproval"
	// ReasonPaused: spec.paused is set.
	ReasonPaused = "Paused"
	// ReasonAsExpected: nothing is to be done. Also the reason of a True Healthy or Upgradeable condition.
	ReasonAsExpected = "AsExpected"
)

// Reasons of the Healthy condition beside AsExpected.
const (
	// ReasonUnhealthy: at least one object fails its probe; the message names the first ones.
	ReasonUnhealthy = "Unhealthy"
	// ReasonUnknown: nothing is installed yet, or its state cannot be told.
	ReasonUnknown = "Unknown"
)

// Reasons of the Upgradeable condition beside AsExpected.
const (
	// ReasonIncompatibleOperator: the installed bundle's maxOpenShiftVersion is below the cluster's next minor version.
	ReasonIncompatibleOperator = "IncompatibleOperator"
	// ReasonCompatibilityUnreadable: the installed bundle declares a maxOpenShiftVersion that cannot be read.
	ReasonCompatibilityUnreadable = "CompatibilityUnreadable"
	// ReasonOverrideAcknowledged: one of these is the case, and an override for that minor version is in effect.
	ReasonOverrideAcknowledged = "OverrideAcknowledged"
)

// Reasons of the Deprecated condition.
const (
	// ReasonDeprecated: the catalog says that the package, the channel or the bundle should no longer be used.
	ReasonDeprecated = "Deprecated"
	// ReasonNotDeprecated: the catalog says nothing of the kind.
	ReasonNotDeprecated = "NotDeprecated"
	// ReasonCatalogUnavailable: no selected catalog that can be read has the package, so that nobody knows.
	ReasonCatalogUnavailable = "CatalogUnavailable"
)

// Where InstalledBundle.MaxOpenShiftVersion was read.
const (
	// FromCatalog: the catalog's blob of the bundle.
	FromCatalog = "Catalog"
	// FromBundle: the bundle's own files.
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
	// AnnotationBundle on a BundleDeployment is the InstalledBundle that it carries, as JSON, written together with the
	// image that starts the hop.
	AnnotationBundle = GroupName + "/bundle"
	// AnnotationHop on a BundleDeployment is when and why the hop to its bundle began, as JSON, written together with
	// AnnotationBundle.
	AnnotationHop = GroupName + "/hop"
	// AnnotationNamespaceDefaulted on a BundleDeployment is "true" when no user named its install namespace: that is used only if
	// the manager creates it.
	AnnotationNamespaceDefaulted = GroupName + "/install-namespace-defaulted"
	// Finalizer keeps a PlatformOperator until its operator has been taken down, so that Progressing can say how far that is.
	Finalizer = GroupName + "/removal"
	// AnnotationOrphanedFrom on a CustomResourceDefinition that was kept when its operator was removed names the package,
	// so that the same package adopts it again.
	AnnotationOrphanedFrom = GroupName + "/orphaned-from"
)

// AnnotationAllowDeletion, with the value "true" on one of our CustomResourceDefinitions or on a PlatformOperatorManager that limits
// something, permits its deletion. The admission policies in manifests/ deny it without.
const AnnotationAllowDeletion = GroupName + "/allow-deletion"
