package explain

import (
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

const (
	editOperator       = "{client} edit platformoperator {name}"
	describeDeployment = "{client} describe bundledeployment {name}"
	showStatus         = "{plugin} status {name}"
	showUpdates        = "{plugin} updates {name}"
	showSearch         = "{plugin} search"
)

// operatorTable explains the conditions of a PlatformOperator.
var operatorTable = map[string]byReason{
	platformv1alpha1.ConditionInstalled: {
		platformv1alpha1.ReasonInstallSuccessful: {Effect: Normal, Text: "A bundle of the package is applied."},
		platformv1alpha1.ReasonSourceFailed: {Blocking, "No catalog has the package, the channel or a version in the range. Or no " +
			"catalog can be read.", "Compare the fields of spec.package with what the catalogs " +
			"have.", showSearch},
		platformv1alpha1.ReasonValidationFailed: {Blocking, "No candidate may be installed: each version is refused, or the spec or the " +
			"limits of the manager cannot be used, or another object has the package or the name.", "Correct what the message " +
			"names. If it refuses versions, compare them with what the catalogs have.", showSearch},
		platformv1alpha1.ReasonUnpackPending: {InProgress, "The image of the bundle is not unpacked yet.",
			"Wait. If it takes minutes, see what the BundleDeployment waits for.", describeDeployment},
		platformv1alpha1.ReasonUnpackFailed: {Blocking, "The image of the bundle cannot be pulled or unpacked. The manager retries with " +
			"backoff.",
			"Check the registry, the pull secret, the mirrors and the signatures of the image in the message.", describeDeployment},
		platformv1alpha1.ReasonInstallPending: {InProgress, "The bundle is unpacked and not applied yet, or catalogs are being read. With " +
			"spec.paused, it waits for the end of the pause.", "Wait. If it takes minutes, see what the BundleDeployment waits for.", describeDeployment},
		platformv1alpha1.ReasonInstallFailed: {Blocking, "The API server refuses an object of the bundle, the object belongs to another owner, or the cluster " +
			"does not serve its kind.",
			"Do what the message says. The manager tries again by itself.", ""},
		platformv1alpha1.ReasonRemoved: {Blocking, "The operator is removed, and a finalizer of another component holds what is left.",
			"Let the component remove the finalizer that the Progressing condition names.", describeDeployment},
	},
	platformv1alpha1.ConditionProgressing: {
		platformv1alpha1.ReasonInstalling: {InProgress, "The first installation is in progress.", "Wait, or watch the objects.", showStatus},
		platformv1alpha1.ReasonUpgrading:  {InProgress, "An upgrade step is in progress.", "Wait, or watch the objects.", showStatus},
		platformv1alpha1.ReasonRollingBack: {InProgress, "A version missed its deadline, and the previous one is being restored.",
			"Wait until it is restored. Then read why the version failed.", showStatus},
		platformv1alpha1.ReasonDeadlineExceeded: {Blocking, "A version missed its deadline. It is held or was rolled back, as " +
			"spec.install.onFailure selects.", "Repair what the version waits for, or exclude the version in spec.package.version.", showStatus},
		platformv1alpha1.ReasonRemoving: {InProgress, "The PlatformOperator is deleted, and its operator is being removed.",
			"Wait. If it takes minutes, see what the removal waits for.", describeDeployment},
		platformv1alpha1.ReasonBlocked: {Blocking, "An installation, an upgrade or a removal is blocked.", "See what blocks each version, and what permits it.",
			showUpdates},
		platformv1alpha1.ReasonAwaitingApproval: {Waiting, "A version is available, and spec.upgrades.approvedVersion does not name it, or its " +
			"plan is not approved.",
			"Approve the version.", showUpdates},
		platformv1alpha1.ReasonPaused: {Waiting, "spec.paused is set, so nothing is installed, upgraded, repaired or pruned.",
			"End the pause.", "{client} patch platformoperator {name} --type=merge -p '{\"spec\":{\"paused\":false}}'"},
		platformv1alpha1.ReasonAsExpected: {Effect: Normal, Text: "No newer version is permitted, and nothing is in progress."},
	},
	platformv1alpha1.ConditionHealthy: {
		platformv1alpha1.ReasonAsExpected: {Effect: Normal, Text: "Every object passes its probe."},
		platformv1alpha1.ReasonUnhealthy: {Warning, "At least one object fails its probe. Upgrades wait until the installed version is " +
			"healthy.",
			"Look at the objects that are not healthy.", showStatus},
		platformv1alpha1.ReasonUnknown: {Effect: InProgress, Text: "Nothing is installed yet, or the state is not known yet. The other " +
			"conditions have the cause."},
	},
	platformv1alpha1.ConditionDrifted: {
		platformv1alpha1.ReasonAsExpected:   {Effect: Normal, Text: "The objects are as declared."},
		platformv1alpha1.ReasonDriftIgnored: {Effect: Normal, Text: "spec.install.drift.policy is Ignore, so the manager does not look for drift."},
		platformv1alpha1.ReasonDriftReported: {Warning, "Objects differ from their declaration, and are not reverted, because " +
			"spec.install.drift.policy is Report or spec.paused is set.", "Look at the changes; revert them, or set the policy to Enforce.", showStatus},
		platformv1alpha1.ReasonDriftContested: {Warning, "Somebody changes an object again each time that it is reverted.",
			"Find the field manager that status.drift of the BundleDeployment names, and stop it or declare the change.", showStatus},
		platformv1alpha1.ReasonUnknown: {Effect: InProgress, Text: "Nothing is installed yet, or not every object can be read or reverted. " +
			"The other conditions have the cause."},
	},
	platformv1alpha1.ConditionUpgradeable: {
		platformv1alpha1.ReasonAsExpected: {Effect: Normal, Text: "The operator permits the next minor version of the cluster."},
		platformv1alpha1.ReasonIncompatibleOperator: {Blocking, "The installed bundle's olm.maxOpenShiftVersion is below the next minor " +
			"version of the cluster.", "Upgrade the operator to a version that permits it.", showUpdates},
		platformv1alpha1.ReasonCompatibilityUnreadable: {Blocking, "The installed bundle's olm.maxOpenShiftVersion cannot be read, or is " +
			"declared more than once. That blocks as a limit does.", "Upgrade the operator to a version with a readable limit, or ask the " +
			"author.", showUpdates},
		platformv1alpha1.ReasonOverrideAcknowledged: {Warning, "The operator does not permit the next minor version, and an " +
			"override in spec.compatibilityOverrides acknowledges the risk.", "Upgrade the operator to a version that permits it, before the " +
			"override expires.", showUpdates},
		platformv1alpha1.ReasonUnknown: {Warning, "The version of the cluster cannot be read, so the limit cannot be compared with it.",
			"Check the version of the cluster.", "{client} get clusterversion version"},
	},
	platformv1alpha1.ConditionDeprecated: {
		platformv1alpha1.ReasonDeprecated: {Warning, "The catalog declares the package, the channel or the bundle deprecated.",
			"Plan the change that the catalog's message recommends.", showUpdates},
		platformv1alpha1.ReasonNotDeprecated: {Effect: Normal, Text: "The catalog declares nothing deprecated."},
		platformv1alpha1.ReasonCatalogUnavailable: {Warning, "No selected catalog that can be read has the package, so newer " +
			"versions and deprecations are not known.", "Check the catalogs.", "{client} get clustercatalogs,catalogsources --all-namespaces"},
	},
}
