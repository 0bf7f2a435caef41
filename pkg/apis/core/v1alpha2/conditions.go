package v1alpha2

// Condition types of a BundleDeployment.
const (
	// ConditionUnpacked is True while the content of the source is known.
	ConditionUnpacked = "Unpacked"
	// ConditionHasValidBundle is True while the content can be rendered.
	ConditionHasValidBundle = "HasValidBundle"
	// ConditionInstalled is True while every object of a revision is applied. It stays True during the rollout of a later
	// revision, even if that rollout fails.
	ConditionInstalled = "Installed"
	// ConditionHealthy is True while every object of the newest revision passes its probe. After a rollback, it describes the restored
	// revision. While the newest revision is refused, it describes the active one.
	ConditionHealthy = "Healthy"
	// ConditionProgressing is True while a new source is being unpacked, and while a revision is rolling out, being rolled back
	// or being removed.
	ConditionProgressing = "Progressing"
	// ConditionDrifted is True while declared fields or objects differ from the active revision and are not reverted. Either
	// spec.drift.policy is Report, or spec.paused is set, or the changes return each time that they are reverted.
	ConditionDrifted = "Drifted"
	// ConditionApproved exists while spec.approval or the ProvisionerClass requires approvals. It is True if the newest revision was
	// approved, or was started before an approval was required.
	ConditionApproved = "Approved"
	// ConditionRemovalBlocked exists during the removal. It is True while the removal waits for an action of a user, which the message
	// names.
	ConditionRemovalBlocked = "RemovalBlocked"
)

// Reasons of the Unpacked condition.
const (
	// ReasonUnpackPending means that unpacking waits for what the message names.
	ReasonUnpackPending = "UnpackPending"
	// ReasonUnpacking means that the content is being fetched.
	ReasonUnpacking = "Unpacking"
	// ReasonUnpackSuccessful means that the content was read.
	ReasonUnpackSuccessful = "UnpackSuccessful"
	// ReasonUnpackFailed means that the content cannot be fetched or is not safe to unpack. The manager retries with backoff. For a
	// Bundle, it also means that the content is not a bundle.
	ReasonUnpackFailed = "UnpackFailed"
	// ReasonProvisionerNotFound means that the class in spec.provisionerClassName does not exist, or that the manager does not have its
	// provisioner.
	ReasonProvisionerNotFound = "ProvisionerNotFound"
	// ReasonNotAllowed means that the ProvisionerClass does not allow the source, the install namespace or the size of the bundle, or that it
	// requires a ServiceAccount. The message has the limit and the remedy. It is also a reason of the HasValidBundle condition.
	ReasonNotAllowed = "NotAllowed"
)

// Reasons of the HasValidBundle condition.
const (
	// ReasonBundleLoadSuccessful means that the content was rendered.
	ReasonBundleLoadSuccessful = "BundleLoadSuccessful"
	// ReasonBundleLoadFailed means that the content is not a bundle that can be installed. The message names the file and the object.
	ReasonBundleLoadFailed = "BundleLoadFailed"
)

// Reasons of the Installed condition.
const (
	// ReasonInstallPending means that a revision waits to be applied for the first time.
	ReasonInstallPending = "InstallPending"
	// ReasonInstallationSucceeded means that every object of a revision is applied.
	ReasonInstallationSucceeded = "InstallationSucceeded"
	// ReasonInstallFailed means that the first revision cannot be applied before somebody acts: its content cannot be installed, the API
	// server refuses an object, an object belongs to another owner, the cluster does not serve a kind, the ProvisionerClass does not allow
	// it, or the manager lacks permissions.
	// It also means that a PlatformOperator has the name of the BundleDeployment.
	ReasonInstallFailed = "InstallFailed"
	// ReasonUpgradeFailed means that a later revision cannot be applied before somebody acts, for the reasons of ReasonInstallFailed.
	// Installed stays True.
	ReasonUpgradeFailed = "UpgradeFailed"
	// ReasonReconcileFailed means that the API server refuses the repair of an object of the active revision, or that the object belongs
	// to another owner. Installed stays True.
	ReasonReconcileFailed = "ReconcileFailed"
)

// Reasons of the Healthy condition.
const (
	// ReasonHealthy means that every object passes its probe.
	ReasonHealthy = "Healthy"
	// ReasonUnhealthy means that at least one object does not pass its probe. status.unready lists the first ones.
	ReasonUnhealthy = "Unhealthy"
	// ReasonBlocked, below, with status Unknown means that a PlatformOperator has the name of the BundleDeployment.
)

// Reasons of the Progressing condition.
const (
	// ReasonRollingOut means that a source is being unpacked, a revision is being applied, or objects that only earlier revisions had are
	// being deleted.
	ReasonRollingOut = "RollingOut"
	// ReasonRollingBack means that a revision missed its deadline, and the previous one is being restored.
	ReasonRollingBack = "RollingBack"
	// ReasonDeadlineExceeded means that the newest revision missed its deadline. It is held or was rolled back, as spec.onFailure selects.
	ReasonDeadlineExceeded = "DeadlineExceeded"
	// ReasonRemoving means that the BundleDeployment is deleted, and that its objects are being removed.
	ReasonRemoving = "Removing"
	// ReasonAsExpected means that there is nothing to do.
	ReasonAsExpected = "AsExpected"
	// ReasonBlocked means that progress is blocked. The message has the cause and the remedy.
	ReasonBlocked = "Blocked"
	// ReasonPaused means that spec.paused is set.
	ReasonPaused = "Paused"
)

// Reasons of the Approved condition.
const (
	// ReasonApproved means that the plan was approved. status.revisions says by whom.
	ReasonApproved = "Approved"
	// ReasonApprovalNotNeeded means that the newest revision was started before an approval was required, or that there is none yet.
	ReasonApprovalNotNeeded = "ApprovalNotNeeded"
	// ReasonAwaitingApproval means that the plan in status.plan is not approved. It is also a reason of the Progressing condition.
	ReasonAwaitingApproval = "AwaitingApproval"
	// ReasonPoliciesNotInForce means that the plan is approved, and that the approval does not count: an admission policy of the manager
	// or its binding is missing or does not deny, so that anybody who may edit the object could have approved.
	ReasonPoliciesNotInForce = "PoliciesNotInForce"
)

// Reasons of the Drifted condition. The reason is AsExpected while there is no drift.
const (
	// ReasonDriftReported means that drift is not reverted, because spec.drift.policy is Report or spec.paused is set.
	ReasonDriftReported = "DriftReported"
	// ReasonDriftContested means that a change returns each time that the manager reverts it. The manager reverts it less and
	// less often.
	ReasonDriftContested = "DriftContested"
	// ReasonDriftIgnored means that the manager does not look for drift, because spec.drift.policy is Ignore.
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
	// ExtraDeployment is the extra field of the user under which the manager writes objects as a ServiceAccount. Its value is the name of
	// the BundleDeployment. Only who may impersonate this field, as the manager may, can write the marks of the manager.
	ExtraDeployment = "platform.openshift.io/bundledeployment"
	// LabelPlanOf on a ConfigMap with the text of a plan is the name of the BundleDeployment that the plan is for.
	LabelPlanOf = "platform.openshift.io/plan-of"
	// PlanText is the name of the value of such a ConfigMap that has the text, and PlanDigest that of the value that has the digest of the
	// plan. PlanPermissions is the name of the value that has the roles which a ServiceAccount lacks, as YAML.
	PlanText, PlanDigest, PlanPermissions = "plan", "digest", "permissions.yaml"
	// LabelAggregateToBundles, with the value "true", aggregates the rules of a ClusterRole into the manager's role for bundles.
	LabelAggregateToBundles = "platform.openshift.io/aggregate-to-bundles"
	// Finalizer keeps a BundleDeployment until its objects have been removed in order.
	Finalizer = GroupName + "/teardown"
	// FinalizerCachedBundle and FinalizerUnpackCache are finalizers of rukpak, which kept a BundleDeployment until rukpak had
	// deleted its files. The manager removes them after it has taken over everything that rukpak applied, or during the removal
	// of the BundleDeployment.
	FinalizerCachedBundle = GroupName + "/delete-cached-bundle"
	FinalizerUnpackCache  = GroupName + "/cleanup-unpack-cache"
)
