package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Upgrades selects when and along which edges an operator is upgraded.
//
// +kubebuilder:validation:MinProperties=0
type Upgrades struct {
	// approval selects automatic or manual approval of upgrades. With Automatic, the operator is upgraded to the newest version
	// that the spec and the cluster permit. With Manual, it is upgraded only to approvedVersion. Even with Manual, the
	// first installation needs no approval; if approvedVersion is set, it installs exactly that version. Defaults to
	// spec.defaultApproval of PlatformOperatorManager "cluster".
	// +optional
	Approval Approval `json:"approval,omitempty"`

	// approvedVersion is the version that may be installed or upgraded to if approval is Manual. It has 1 to 128 characters. It
	// is one exact version as in status.availableUpdates, for example "1.4.2" or "1.4.2 (release 2)". The approval covers all
	// intermediate versions on the path. If approval is Automatic, the field has no effect. Defaults to no version.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]+\\\\.[0-9]+\\\\.[0-9]+(-[0-9A-Za-z.-]+)?(\\\\+[0-9A-Za-z.-]+)?( \\\\(release [0-9A-Za-z.-]+\\\\))?$')",message="upgrades.approvedVersion is one exact version, for example \"1.4.2\"; a range belongs into package.version"
	ApprovedVersion string `json:"approvedVersion,omitempty"`

	// edges selects which upgrades are permitted. Catalog permits those that the package's upgrade rules define. Channel permits
	// those that the channels declare. Semver permits upgrades to a higher version with the same major version, or with the same
	// minor version if the major version is 0. SelfCertified permits every change of the version at your own risk, and the history
	// records it. Defaults to Catalog.
	// +optional
	Edges Edges `json:"edges,omitempty"`
}

// Approval selects automatic or manual approval of upgrades.
//
// +kubebuilder:validation:Enum=Automatic;Manual
type Approval string

const (
	// ApprovalAutomatic upgrades to the newest version that the spec and the cluster permit.
	ApprovalAutomatic Approval = "Automatic"
	// ApprovalManual upgrades to the approved version only.
	ApprovalManual Approval = "Manual"
)

// Edges selects which upgrades are permitted.
//
// +kubebuilder:validation:Enum=Catalog;Channel;Semver;SelfCertified
type Edges string

const (
	// EdgesCatalog permits the upgrades that the upgrade rules of the package define. If the package has no rules, it permits the
	// upgrades that spec.defaultEdges of PlatformOperatorManager "cluster" selects.
	EdgesCatalog Edges = "Catalog"
	// EdgesChannel permits the upgrades that the channels of the package declare by replaces, skips and skipRange.
	EdgesChannel Edges = "Channel"
	// EdgesSemver permits upgrades to a higher version with the same major version, or with the same minor version if the major
	// version is 0.
	EdgesSemver Edges = "Semver"
	// EdgesSelfCertified permits every change of the version, including downgrades.
	EdgesSelfCertified Edges = "SelfCertified"
)

// Maximum lengths of lists in the status.
const (
	// MaxAvailableUpdates is the maximum length of availableUpdates. availableUpdatesTotal is the number of all available
	// updates.
	MaxAvailableUpdates = 20
	// MaxHistory is the maximum length of history.
	MaxHistory = 10
	// MaxPath is the maximum length of a path. A longer path is cut, but the field version still has its last version.
	MaxPath = 32
	// MaxUpdateChannels is the maximum length of the channels of an available update.
	MaxUpdateChannels = 16
)

// Target is the version that an operator is being upgraded to, with the path to it.
type Target struct {
	// version is the last version of the path. It has at most 128 characters.
	// +required
	// +kubebuilder:validation:MinLength=0
	// +kubebuilder:validation:MaxLength=128
	Version string `json:"version"`

	// path lists the versions from the next or current upgrade step up to the last version. The list has 1 to 32 entries of at
	// most 128 characters. A longer path is cut after 32 versions. The list is absent if the path is unknown.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MinLength=0
	// +kubebuilder:validation:items:MaxLength=128
	Path []string `json:"path,omitempty"`

	// hop is the bundle of the current upgrade step. It is absent between two steps.
	// +optional
	Hop *InstalledBundle `json:"hop,omitempty"`
}

// AvailableUpdate is a version of the package that is above the installed version.
type AvailableUpdate struct {
	// version is the semantic version of the bundle. It has 1 to 128 characters.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	Version string `json:"version,omitempty"`

	// channels are the channels that contain the version, sorted by name. The list has 1 to 16 entries of at most 253 characters.
	// Further channels are omitted. The list is absent if every name is longer than 253 characters.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MinLength=0
	// +kubebuilder:validation:items:MaxLength=253
	Channels []string `json:"channels,omitempty"`

	// path lists the versions from the first upgrade step to this version. The list has 1 to 32 entries of 1 to 128 characters. A
	// longer path is cut after 32 versions. The list is absent if there is no path.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=128
	Path []string `json:"path,omitempty"`

	// blockedReason is the reason why the operator is not upgraded to this version now. Valid values are NoEdge, Step,
	// Prerelease, Unfit, Requirement, Conflict, Downgrade, RulesInvalid, AwaitingApproval, AwaitingPlanApproval, Failed, Unhealthy,
	// ClusterUpdating, Paused, Ambiguous, Priority, SearchLimit, NotAllowed, Range and Channel. It is absent if nothing blocks the
	// update.
	// +optional
	BlockedReason BlockedReason `json:"blockedReason,omitempty"`

	// blockedMessage describes what blocks the update and how to unblock it. It has 1 to 1024 characters, and is absent if
	// nothing blocks the update.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	BlockedMessage string `json:"blockedMessage,omitempty"`
}

// BlockedReason is the reason why an available update is not installed now.
//
// +kubebuilder:validation:Enum=NoEdge;Step;Prerelease;Unfit;Requirement;Conflict;Downgrade;RulesInvalid;AwaitingApproval;AwaitingPlanApproval;Failed;Unhealthy;ClusterUpdating;Paused;Ambiguous;Priority;SearchLimit;NotAllowed;Range;Channel
type BlockedReason string

const (
	// BlockedNoEdge means that no path of permitted upgrades leads from the installed version to this one.
	BlockedNoEdge BlockedReason = "NoEdge"
	// BlockedStep means that an upgrade rule of the author requires another version before this one, and that version is not
	// available.
	BlockedStep BlockedReason = "Step"
	// BlockedPrerelease means that the version is a prerelease, and that spec.package.version does not name one.
	BlockedPrerelease BlockedReason = "Prerelease"
	// BlockedUnfit means that the version, or at least one version on each path to it, does not support this cluster or the watched namespaces.
	BlockedUnfit BlockedReason = "Unfit"
	// BlockedRequirement means that the version requires an API or a package that is missing.
	BlockedRequirement BlockedReason = "Requirement"
	// BlockedConflict means that the version conflicts with another operator.
	BlockedConflict BlockedReason = "Conflict"
	// BlockedDowngrade means that the version is older than the installed one.
	BlockedDowngrade BlockedReason = "Downgrade"
	// BlockedRulesInvalid means that the upgrade rules of the package are invalid, so that no upgrade is permitted.
	BlockedRulesInvalid BlockedReason = "RulesInvalid"
	// BlockedAwaitingApproval means that spec.upgrades.approvedVersion does not name the version.
	BlockedAwaitingApproval BlockedReason = "AwaitingApproval"
	// BlockedAwaitingPlanApproval means that the plan of the version, or of the next version on the path to it, is not approved.
	BlockedAwaitingPlanApproval BlockedReason = "AwaitingPlanApproval"
	// BlockedFailed means that the version was tried and failed, and that nothing has changed since the failure.
	BlockedFailed BlockedReason = "Failed"
	// BlockedUnhealthy means that the installed version is not healthy.
	BlockedUnhealthy BlockedReason = "Unhealthy"
	// BlockedClusterUpdating means that the cluster is being updated.
	BlockedClusterUpdating BlockedReason = "ClusterUpdating"
	// BlockedPaused means that spec.paused is set.
	BlockedPaused BlockedReason = "Paused"
	// BlockedAmbiguous means that catalogs of equal priority have different images for the version.
	BlockedAmbiguous BlockedReason = "Ambiguous"
	// BlockedPriority means that another catalog with a higher priority takes precedence.
	BlockedPriority BlockedReason = "Priority"
	// BlockedSearchLimit means that the package is too large for a search of its upgrade paths.
	BlockedSearchLimit BlockedReason = "SearchLimit"
	// BlockedNotAllowed means that spec.allowedPackages of PlatformOperatorManager "cluster" does not contain the package.
	BlockedNotAllowed BlockedReason = "NotAllowed"
	// BlockedRange means that spec.package.version excludes the version, or a version on every path to it.
	BlockedRange BlockedReason = "Range"
	// BlockedChannel means that none of the selected channels contains the version.
	BlockedChannel BlockedReason = "Channel"
)

// HistoryEntry is one upgrade step, or the first installation.
type HistoryEntry struct {
	// version is the version of the step. It has at most 128 characters.
	// +required
	// +kubebuilder:validation:MinLength=0
	// +kubebuilder:validation:MaxLength=128
	Version string `json:"version"`

	// bundle is the name of the bundle in the catalog. It has 1 to 253 characters.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Bundle string `json:"bundle,omitempty"`

	// state is the result of the step. Installing means that the version has not been healthy yet. Ready means that it was
	// complete and healthy. Failed means that it could not be installed, or missed its deadline and is held. RolledBack means that
	// it missed its deadline and the previous version was restored. Superseded means that another version replaced it before it
	// was ready.
	// +required
	State HistoryState `json:"state,omitempty"`

	// startedTime is the time when the step began.
	// +required
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=date-time
	StartedTime metav1.Time `json:"startedTime"`

	// readyTime is the time when the version was first complete and healthy. Upgrade rules that require a version use this time.
	// It is absent while the version has not been ready.
	// +optional
	ReadyTime *metav1.Time `json:"readyTime,omitempty"`

	// completedTime is the time when the step ended, because the version was installed or the manager abandoned it. It is absent
	// during the step.
	// +optional
	CompletedTime *metav1.Time `json:"completedTime,omitempty"`

	// trigger is the cause of the step. Installation means that nothing was installed before. Automatic means that a newer
	// version became available. Approved means that spec.upgrades.approvedVersion named the version. SelfCertified means that
	// spec.upgrades.edges was SelfCertified. SpecChange means that a change of the spec caused the step. Restored means that the
	// BundleDeployment was deleted and the installed version is restored. InstallChange means that a change of spec.install
	// changes how the same version is installed. Retry means another attempt after a failure:
	// annotation platform.openshift.io/retry requested it, or a missing kind or permission is available now.
	// +required
	Trigger Trigger `json:"trigger,omitempty"`

	// approvedBy is the user name of the person who approved the plan of the version. It has 1 to 512 characters. It is absent if
	// the plan needed no approval.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	ApprovedBy string `json:"approvedBy,omitempty"`
}

// HistoryState is the result of an upgrade step.
//
// +kubebuilder:validation:Enum=Installing;Ready;Failed;RolledBack;Superseded
type HistoryState string

const (
	// HistoryInstalling means that the step is in progress, or that its version has not been healthy yet.
	HistoryInstalling HistoryState = "Installing"
	// HistoryReady means that the version was complete and healthy. The state stays Ready when another version replaces it.
	HistoryReady HistoryState = "Ready"
	// HistoryFailed means that the version could not be installed, or missed its deadline and is held.
	HistoryFailed HistoryState = "Failed"
	// HistoryRolledBack means that the version missed its deadline, and the previous version was restored.
	HistoryRolledBack HistoryState = "RolledBack"
	// HistorySuperseded means that another version replaced the version before it was ready.
	HistorySuperseded HistoryState = "Superseded"
)

// Trigger is the cause of an upgrade step.
//
// +kubebuilder:validation:Enum=Installation;Automatic;Approved;SelfCertified;SpecChange;Restored;InstallChange;Retry
type Trigger string

const (
	// TriggerInstallation means that nothing was installed before.
	TriggerInstallation Trigger = "Installation"
	// TriggerAutomatic means that a catalog contained a newer version, or that the cluster began to permit one.
	TriggerAutomatic Trigger = "Automatic"
	// TriggerApproved means that spec.upgrades.approvedVersion named the version.
	TriggerApproved Trigger = "Approved"
	// TriggerSelfCertified means that spec.upgrades.edges was SelfCertified, so that the user alone is responsible for the step.
	TriggerSelfCertified Trigger = "SelfCertified"
	// TriggerSpecChange means that a change of the spec permits or requests the version.
	TriggerSpecChange Trigger = "SpecChange"
	// TriggerRestored means that the BundleDeployment was deleted, and the installed version is restored.
	TriggerRestored Trigger = "Restored"
	// TriggerInstallChange means that a change of spec.install changes how the same bundle is installed.
	TriggerInstallChange Trigger = "InstallChange"
	// TriggerRetry means another attempt after a failure: annotation platform.openshift.io/retry requested it, or a missing kind or
	// permission is available now.
	TriggerRetry Trigger = "Retry"
)
