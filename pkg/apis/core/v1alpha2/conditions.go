package v1alpha2

// Condition types of a BundleDeployment.
const (
	// ConditionUnpacked is True while the content of the source is known.
	ConditionUnpacked = "Unpacked"
	// ConditionHasValidBundle is True while the content can be rendered.
	ConditionHasValidBundle = "HasValidBundle"
	// ConditionInstalled is True while every object of a revision is applied, also during and after a later one that failed.
	ConditionInstalled = "Installed"
	// ConditionHealthy is True while every object of the newest revision passes its probe; after a roll-back, of the one that
	// was put back; while the newest one is refused, of the active one.
	ConditionHealthy = "Healthy"
	// ConditionProgressing is True while a new source is being unpacked, and while a revision is rolling out, being rolled back
	// or being removed.
	ConditionProgressing = "Progressing"
	// ConditionDrifted is True while declared fields or objects are not as declared and are left so: because spec.drift.policy
	// is Report, because spec.paused is set, or because somebody changes them each time that they are put back.
	ConditionDrifted = "Drifted"
	// ConditionRemovalBlocked is there once the removal has begun, and True while it does not go on before somebody does
	// something; the message says what.
	ConditionRemovalBlocked = "RemovalBlocked"
)

// Reasons of the Unpacked condition.
const (
	// ReasonUnpackPending: nothing is tried yet; the message says what is waited for.
	ReasonUnpackPending = "UnpackPending"
	// ReasonUnpacking: the content is being fetched.
	ReasonUnpacking = "Unpacking"
	// ReasonUnpackSuccessful: the content is there.
	ReasonUnpackSuccessful = "UnpackSuccessful"
	// ReasonUnpackFailed: the content cannot be fetched or is not safe to unpack; it is tried again with back-off. Of a Bundle
	// also: it is not a bundle.
	ReasonUnpackFailed = "UnpackFailed"
	// ReasonProvisionerNotFound: spec.provisionerClassName names no class that this cluster has, or one whose provisioner is
	// not known here.
	ReasonProvisionerNotFound = "ProvisionerNotFound"
)

// Reasons of the HasValidBundle condition.
const (
	// ReasonBundleLoadSuccessful: the content was rendered.
	ReasonBundleLoadSuccessful = "BundleLoadSuccessful"
	// ReasonBundleLoadFailed: the content is not a bundle that can be installed; the message names file and object.
	ReasonBundleLoadFailed = "BundleLoadFailed"
)

// Reasons of the Installed condition.
const (
	// ReasonInstallPending: a revision is waiting to be applied for the first time.
	ReasonInstallPending = "InstallPending"
	// ReasonInstallationSucceeded: every object of a revision is applied.
	ReasonInstallationSucceeded = "InstallationSucceeded"
	// ReasonInstallFailed: the API server refuses an object of the first revision, or the object is somebody else's, or a
	// PlatformOperator has the BundleDeployment's name.
	ReasonInstallFailed = "InstallFailed"
	// ReasonUpgradeFailed: the API server refuses an object of a later revision, or the object is somebody else's; Installed
	// stays True.
	ReasonUpgradeFailed = "UpgradeFailed"
	// ReasonReconcileFailed: the API server refuses the repair of an object of the active revision, or the object is somebody
	// else's; Installed stays True.
	ReasonReconcileFailed = "ReconcileFailed"
)

// Reasons of the Healthy condition.
const (
	// ReasonHealthy: every object passes its probe.
	ReasonHealthy = "Healthy"
	// ReasonUnhealthy: at least one object does not; status.unready names the first ones.
	ReasonUnhealthy = "Unhealthy"
	// ReasonBlocked, below, with status Unknown: it is not looked at, because a PlatformOperator has its name.
)

// Reasons of the Progressing condition.
const (
	// ReasonRollingOut: a source is being unpacked, a revision is being applied, or what only earlier revisions had is being
	// deleted.
	ReasonRollingOut = "RollingOut"
	// ReasonRollingBack: a revision missed its deadline, and the one before it is being put back.
	ReasonRollingBack = "RollingBack"
	// ReasonDeadlineExceeded: the newest revision missed its deadline; it is held, or was rolled back, as spec.onFailure says.
	ReasonDeadlineExceeded = "DeadlineExceeded"
	// ReasonRemoving: the BundleDeployment is deleted and what it applied is being taken down.
	ReasonRemoving = "Removing"
	// ReasonAsExpected: nothing is to be done.
	ReasonAsExpected = "AsExpected"
	// ReasonBlocked: something is in the way; the message says what, and the remedy.
	ReasonBlocked = "Blocked"
	// ReasonPaused: spec.paused is set.
	ReasonPaused = "Paused"
)

// Reasons of the Drifted condition; AsExpected while there is no drift.
const (
	// ReasonDriftReported: drift is left, as spec.drift.policy says or because spec.paused is set.
	ReasonDriftReported = "DriftReported"
	// ReasonDriftContested: somebody changes what is put back each time, so that it is put back less and less often.
	ReasonDriftContested = "DriftContested"
	// ReasonDriftIgnored: nobody looks, as spec.drift.policy says.
	ReasonDriftIgnored = "DriftIgnored"
)

// Labels, annotations and finalizers that the engine writes or reads.
const (
	// FieldManagerPrefix, followed by the name of a BundleDeployment, is the field manager of everything that is applied for it.
	FieldManagerPrefix = "platform-operators/"
	// LabelOwnerKind on every applied object is "BundleDeployment".
	LabelOwnerKind = GroupName + "/owner-kind"
	// LabelOwnerName on every applied object is the BundleDeployment's name.
	LabelOwnerName = GroupName + "/owner-name"
	// OwnerKindBundleDeployment is the value of LabelOwnerKind.
	OwnerKindBundleDeployment = "BundleDeployment"
	// LabelAggregateToBundles, with the value "true", aggregates the rules of a ClusterRole into the manager's role for bundles.
	LabelAggregateToBundles = "platform.openshift.io/aggregate-to-bundles"
	// Finalizer keeps a BundleDeployment until what it applied has been taken down in order.
	Finalizer = GroupName + "/teardown"
	// FinalizerCachedBundle and FinalizerUnpackCache are what rukpak held a BundleDeployment by while a process of its had
	// files of it. They are taken off once everything that rukpak applied is taken over, or at removal.
	FinalizerCachedBundle = GroupName + "/delete-cached-bundle"
	FinalizerUnpackCache  = GroupName + "/cleanup-unpack-cache"
)
