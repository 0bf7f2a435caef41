package explain

import (
	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

const (
	listProvisioners  = "{client} get provisionerclasses"
	approvePlan       = "{plugin} approve {name}"
	unpauseDeployment = "{client} patch bundledeployment {name} --type=merge -p '{\"spec\":{\"paused\":false}}'"
)

// Explanations that are shared by several conditions.
var (
	provisionerNotFound = Explanation{Blocking, "There is no ProvisionerClass of the name in spec.provisionerClassName, or the manager " +
		"does not have its provisioner.", "Correct spec.provisionerClassName, or create the class.", listProvisioners}
	unpackPending = Explanation{InProgress, "Unpacking waits for what the message names.", "Provide what the message names.", describeDeployment}
	unpacking     = Explanation{Effect: InProgress, Text: "The content is being fetched."}
	unpackFailed  = Explanation{Blocking, "The content cannot be fetched, or is not safe to unpack. The manager retries with backoff.",
		"Check the source: the registry, the pull secret, the mirrors and the signatures.", describeDeployment}
	notAllowed = Explanation{Blocking, "The ProvisionerClass does not allow the source, the install namespace or the size of the bundle, or it requires " +
		"a ServiceAccount.", "Change what the message names, or ask a cluster admin to change the class.", listProvisioners + " -o yaml"}
	removing = Explanation{Effect: InProgress, Text: "The BundleDeployment is deleted, and its objects are being removed."}
)

// deploymentTable explains the conditions of a BundleDeployment.
var deploymentTable = map[string]byReason{
	corev1alpha2.ConditionUnpacked: {
		corev1alpha2.ReasonUnpackPending: unpackPending, corev1alpha2.ReasonUnpacking: unpacking, corev1alpha2.ReasonUnpackFailed: unpackFailed,
		corev1alpha2.ReasonProvisionerNotFound: provisionerNotFound, corev1alpha2.ReasonNotAllowed: notAllowed,
		corev1alpha2.ReasonUnpackSuccessful: {Effect: Normal, Text: "The content of the source is known."},
	},
	corev1alpha2.ConditionHasValidBundle: {
		corev1alpha2.ReasonUnpackPending: unpackPending, corev1alpha2.ReasonUnpacking: unpacking, corev1alpha2.ReasonUnpackFailed: unpackFailed,
		corev1alpha2.ReasonProvisionerNotFound: provisionerNotFound, corev1alpha2.ReasonNotAllowed: notAllowed,
		corev1alpha2.ReasonBundleLoadSuccessful: {Effect: Normal, Text: "The content was rendered."},
		corev1alpha2.ReasonBundleLoadFailed: {Blocking, "The content is not a bundle that can be installed, or it does not accept spec.config.",
			"Correct the file and the object that the message names, or spec.config.", describeDeployment},
	},
	corev1alpha2.ConditionInstalled: {
		corev1alpha2.ReasonInstallationSucceeded: {Effect: Normal, Text: "Every object of a revision is applied."},
		corev1alpha2.ReasonInstallPending: {Effect: InProgress, Text: "The first revision waits to be applied. The conditions Unpacked and " +
			"HasValidBundle say what is awaited."},
		corev1alpha2.ReasonInstallFailed: {Blocking, "The content cannot be installed, the API server refuses an object of the first revision, the object belongs " +
			"to another owner, the cluster does not serve its kind, the ProvisionerClass does not allow it, or a PlatformOperator has the name.",
			"Correct what the message names.", describeDeployment},
		corev1alpha2.ReasonUpgradeFailed: {Blocking, "The API server refuses an object of a later revision, or the object belongs to another " +
			"owner, or the ProvisionerClass does not allow the revision. The active revision stays.", "Correct the object that the message names.", describeDeployment},
		corev1alpha2.ReasonReconcileFailed: {Warning, "The API server refuses the repair of an object, or the object belongs to another " +
			"owner.",
			"Correct the object that the message names.", describeDeployment},
	},
	corev1alpha2.ConditionHealthy: {
		corev1alpha2.ReasonHealthy: {Effect: Normal, Text: "Every object passes its probe."},
		corev1alpha2.ReasonUnhealthy: {Warning, "At least one object fails its probe. status.unready lists the first " +
			"ones.", "Repair the objects.", describeDeployment},
		corev1alpha2.ReasonInstallPending: {Effect: InProgress, Text: "Nothing to probe is applied yet."},
		corev1alpha2.ReasonRemoving:       removing,
		corev1alpha2.ReasonBlocked:        nameInUse,
	},
	corev1alpha2.ConditionProgressing: {
		corev1alpha2.ReasonAsExpected: {Effect: Normal, Text: "Nothing is in progress."},
		corev1alpha2.ReasonRollingOut: {Effect: InProgress, Text: "A source is being unpacked, a revision applied, or objects of earlier " +
			"revisions deleted."},
		corev1alpha2.ReasonRollingBack: {Effect: InProgress, Text: "A revision missed its deadline, and the previous one is being restored."},
		corev1alpha2.ReasonDeadlineExceeded: {Blocking, "The newest revision missed its deadline. It is held or was rolled back, as " +
			"spec.onFailure selects.", "Repair what the revision waits for, or change the source.", describeDeployment},
		corev1alpha2.ReasonRemoving: removing,
		corev1alpha2.ReasonBlocked: {Blocking, "A rollout, a pruning or a removal is blocked.", "Remove the cause that the message names.",
			describeDeployment},
		corev1alpha2.ReasonAwaitingApproval: planUnapproved,
		corev1alpha2.ReasonPaused: {Waiting, "spec.paused is set, so nothing is applied, repaired or pruned. On a PlatformOperator's " +
			"BundleDeployment, the manager sets it from spec.paused of the PlatformOperator.", "End the pause.", unpauseDeployment},
	},
	corev1alpha2.ConditionDrifted: {
		corev1alpha2.ReasonAsExpected:     {Effect: Normal, Text: "The objects are as declared."},
		corev1alpha2.ReasonInstallPending: {Effect: InProgress, Text: "Nothing is applied yet."},
		corev1alpha2.ReasonRemoving:       removing,
		corev1alpha2.ReasonDriftIgnored:   {Effect: Normal, Text: "spec.drift.policy is Ignore, so the manager does not look for drift."},
		corev1alpha2.ReasonDriftReported: {Warning, "Objects differ from their declaration, and are not reverted, because " +
			"spec.drift.policy is Report or spec.paused is set.", "Look at the changes; revert them, or set the policy to Enforce.", showStatus},
		corev1alpha2.ReasonDriftContested: {Warning, "Somebody changes an object again each time that it is reverted.",
			"Find the field manager that status.drift names, and stop it or declare the change.", showStatus},
		corev1alpha2.ReasonReconcileFailed: {Warning, "Not every object can be read or reverted, so drift is not known.",
			"Correct what the message names.", describeDeployment},
	},
	corev1alpha2.ConditionApproved: {
		corev1alpha2.ReasonApproved:          {Effect: Normal, Text: "The plan of the newest revision was approved."},
		corev1alpha2.ReasonApprovalNotNeeded: {Effect: Normal, Text: "The newest revision was started before an approval was required."},
		corev1alpha2.ReasonAwaitingApproval:  planUnapproved,
		corev1alpha2.ReasonPoliciesNotInForce: {Blocking, "The plan is approved, and the approval does not count, because an admission policy of the manager " +
			"does not deny what it must deny.", "Restore the policy or the binding that the message names.", describeDeployment},
	},
	corev1alpha2.ConditionRemovalBlocked: {
		corev1alpha2.ReasonBlocked: {Blocking, "The removal waits for an action of a user, for example because custom resources exist.",
			"Do what the message says.", describeDeployment},
		corev1alpha2.ReasonRemoving: {Effect: InProgress, Text: "The removal continues by itself."},
	},
}

// planUnapproved explains a revision whose plan is not approved.
var planUnapproved = Explanation{Waiting, "The plan of the newest revision is not approved, so nothing of it is applied.",
	"Read the plan, and approve it.", approvePlan}

// nameInUse explains a BundleDeployment that is blocked because a PlatformOperator has the same name.
var nameInUse = Explanation{Blocking, "A PlatformOperator has the name of the BundleDeployment.",
	"Delete the BundleDeployment, or create the PlatformOperator with another name.", describeDeployment}
