package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Upgrades says when and along which edges an operator may be moved to another version.
type Upgrades struct {
	// approval says whether moves need a word: Automatic moves to the newest version that may be installed, Manual only to
	// approvedVersion. The first installation needs none. Absent means spec.defaultApproval of PlatformOperatorManager "cluster".
	// +optional
	Approval Approval `json:"approval,omitempty"`

	// approvedVersion is, with approval Manual, the one version that may be moved to, along its path, written as in
	// status.availableUpdates: "1.4.2", or "1.4.2 (release 2)" of a version that was built several times. With Automatic it is
	// ignored.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]+\\\\.[0-9]+\\\\.[0-9]+(-[0-9A-Za-z.-]+)?(\\\\+[0-9A-Za-z.-]+)?( \\\\(release [0-9A-Za-z.-]+\\\\))?$')",message="upgrades.approvedVersion is one exact version, for example \"1.4.2\"; a range belongs into package.version"
	ApprovedVersion string `json:"approvedVersion,omitempty"`

	// edges says which moves from one version to another are permitted: Catalog those of the package's own semantics,
	// Channel those that its channels declare, Semver those of semantic versioning, SelfCertified any, on your own word: that
	// is recorded. Absent means Catalog.
	// +optional
	Edges Edges `json:"edges,omitempty"`
}

// Approval says whether moves to another version need a user's word.
//
// +kubebuilder:validation:Enum=Automatic;Manual
type Approval string

const (
	// ApprovalAutomatic moves to the newest version that may be installed.
	ApprovalAutomatic Approval = "Automatic"
	// ApprovalManual moves to the approved version only.
	ApprovalManual Approval = "Manual"
)

// Edges says which moves from one version to another are permitted.
//
// +kubebuilder:validation:Enum=Catalog;Channel;Semver;SelfCertified
type Edges string

const (
	// EdgesCatalog are those of the package's own semantics: what its upgrade rules say, or without rules what
	// PlatformOperatorManager "cluster" has as spec.defaultEdges.
	EdgesCatalog Edges = "Catalog"
	// EdgesChannel are those that the package's channels declare by replaces, skips and skipRange.
	EdgesChannel Edges = "Channel"
	// EdgesSemver are those of semantic versioning.
	EdgesSemver Edges = "Semver"
	// EdgesSelfCertified permits any move, downgrades included.
	EdgesSelfCertified Edges = "SelfCertified"
)

// Bounds of what status lists.
const (
	// MaxAvailableUpdates is how many of availableUpdates are listed; availableUpdatesTotal counts all.
	MaxAvailableUpdates = 20
	// MaxHistory is how many moves history keeps.
	MaxHistory = 10
	// MaxPath is how many versions of a path are listed; where the path ends is a field of its own.
	MaxPath = 32
	// MaxUpdateChannels is how many channels of an available update are listed.
	MaxUpdateChannels = 16
)

// Target is where an operator is being moved, and how.
type Target struct {
	// version is where the path ends.
	// +required
	// +kubebuilder:validation:MaxLength=128
	Version string `json:"version"`
	// path are the versions hop by hop, up to version; the first is the one of the hop that is under way or comes next. Of a
	// path of more than 32 hops the first 32.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=128
	Path []string `json:"path,omitempty"`
	// hop is the bundle of the hop that is under way; absent between two hops.
	// +optional
	Hop *InstalledBundle `json:"hop,omitempty"`
}

// AvailableUpdate is a version of the package that the catalogs have and that is above the installed one.
type AvailableUpdate struct {
	// version is the bundle's semantic version.
	// +required
	// +kubebuilder:validation:MaxLength=128
	Version string `json:"version"`
	// channels are the channels that have it; of more than 16 the first by name.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=253
	Channels []string `json:"channels,omitempty"`
	// path are the versions from the installed one, which is not in it, to this one, hop by hop; absent when there is no
	// path. Of a path of more than 32 hops the first 32.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=128
	Path []string `json:"path,omitempty"`
	// blockedReason says in one word why this version is not moved to now; absent when nothing is in the way.
	// +optional
	BlockedReason BlockedReason `json:"blockedReason,omitempty"`
	// blockedMessage says it in a sentence: what is in the way, whose rule that is, and what would do.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	BlockedMessage string `json:"blockedMessage,omitempty"`
}

// BlockedReason says why an available update is not moved to now.
//
// +kubebuilder:validation:Enum=NoEdge;Step;Prerelease;Unfit;Requirement;Conflict;Downgrade;RulesInvalid;AwaitingApproval;Failed;Unhealthy;ClusterUpdating;Paused;Ambiguous;Priority;SearchLimit;NotAllowed;Range;Channel
type BlockedReason string

const (
	// BlockedNoEdge: no path of permitted moves leads there from the installed version.
	BlockedNoEdge BlockedReason = "NoEdge"
	// BlockedStep: a rule of the author asks for another version to have been ready before, and that one cannot be moved to.
	BlockedStep BlockedReason = "Step"
	// BlockedPrerelease: it is a pre-release, and nobody asked for one.
	BlockedPrerelease BlockedReason = "Prerelease"
	// BlockedUnfit: this cluster, or the namespaces to be watched, are not what it runs on, or not what a version runs on that
	// every path leads through.
	BlockedUnfit BlockedReason = "Unfit"
	// BlockedRequirement: it needs an API or a package that is not there.
	BlockedRequirement BlockedReason = "Requirement"
	// BlockedConflict: it cannot be installed beside another operator.
	BlockedConflict BlockedReason = "Conflict"
	// BlockedDowngrade: it is older than what is installed.
	BlockedDowngrade BlockedReason = "Downgrade"
	// BlockedRulesInvalid: the package's upgrade rules cannot be read, so no move is permitted.
	BlockedRulesInvalid BlockedReason = "RulesInvalid"
	// BlockedAwaitingApproval: it may be moved to once spec.upgrades.approvedVersion names it.
	BlockedAwaitingApproval BlockedReason = "AwaitingApproval"
	// BlockedFailed: it was tried and failed, and nothing has changed since.
	BlockedFailed BlockedReason = "Failed"
	// BlockedUnhealthy: what is installed is not healthy, and is not moved on from.
	BlockedUnhealthy BlockedReason = "Unhealthy"
	// BlockedClusterUpdating: the cluster itself is being updated.
	BlockedClusterUpdating BlockedReason = "ClusterUpdating"
	// BlockedPaused: spec.paused is set.
	BlockedPaused BlockedReason = "Paused"
	// BlockedAmbiguous: catalogs of equal priority have different images for it.
	BlockedAmbiguous BlockedReason = "Ambiguous"
	// BlockedPriority: another catalog, of a higher priority, is the one that counts.
	BlockedPriority BlockedReason = "Priority"
	// BlockedSearchLimit: the package is too large for a search of its upgrade paths.
	BlockedSearchLimit BlockedReason = "SearchLimit"
	// BlockedNotAllowed: spec.allowedPackages of PlatformOperatorManager "cluster" does not have the package.
	BlockedNotAllowed BlockedReason = "NotAllowed"
	// BlockedRange: it is outside spec.package.version, or can be reached only through a version that this has cut out.
	BlockedRange BlockedReason = "Range"
	// BlockedChannel: it is in none of the chosen channels.
	BlockedChannel BlockedReason = "Channel"
)

// HistoryEntry is one move to a version, or the first installation.
type HistoryEntry struct {
	// version is the version that was moved to.
	// +required
	// +kubebuilder:validation:MaxLength=128
	Version string `json:"version"`
	// bundle is its bundle's name in the catalog.
	// +required
	// +kubebuilder:validation:MaxLength=253
	Bundle string `json:"bundle"`
	// state is what became of the move.
	// +required
	State HistoryState `json:"state"`
	// startedTime is when the move began.
	// +required
	StartedTime metav1.Time `json:"startedTime"`
	// readyTime is when the version was first complete and healthy; absent while it has not been. Rules that ask for a
	// version to have been ready go by it.
	// +optional
	ReadyTime *metav1.Time `json:"readyTime,omitempty"`
	// completedTime is when the move ended: the version became status.installed, or was given up. Absent while it is under way.
	// +optional
	CompletedTime *metav1.Time `json:"completedTime,omitempty"`
	// trigger says what started the move.
	// +required
	Trigger Trigger `json:"trigger"`
}

// HistoryState is what became of a move.
//
// +kubebuilder:validation:Enum=Installing;Ready;Failed;RolledBack;Superseded
type HistoryState string

const (
	// HistoryInstalling: the move is under way, or its version is installed and has not been healthy yet.
	HistoryInstalling HistoryState = "Installing"
	// HistoryReady: the version was complete and healthy. It stays so when the version is left later.
	HistoryReady HistoryState = "Ready"
	// HistoryFailed: the version could not be installed, or missed its deadline, and is held.
	HistoryFailed HistoryState = "Failed"
	// HistoryRolledBack: the version missed its deadline, and the one before it was put back.
	HistoryRolledBack HistoryState = "RolledBack"
	// HistorySuperseded: the version was left for another one before it was ready.
	HistorySuperseded HistoryState = "Superseded"
)

// Trigger is what started a move.
//
// +kubebuilder:validation:Enum=Installation;Automatic;Approved;SelfCertified;SpecChange;Restored
type Trigger string

const (
	// TriggerInstallation: nothing was installed before.
	TriggerInstallation Trigger = "Installation"
	// TriggerAutomatic: a catalog had a newer version, or the cluster came to permit one.
	TriggerAutomatic Trigger = "Automatic"
	// TriggerApproved: spec.upgrades.approvedVersion named the version.
	TriggerApproved Trigger = "Approved"
	// TriggerSelfCertified: spec.upgrades.edges was SelfCertified, so that nobody but the user vouches for the move.
	TriggerSelfCertified Trigger = "SelfCertified"
	// TriggerSpecChange: the spec was changed, and permits or asks for the version since.
	TriggerSpecChange Trigger = "SpecChange"
	// TriggerRestored: the BundleDeployment was deleted behind the PlatformOperator's back, and what was installed is put back.
	TriggerRestored Trigger = "Restored"
)
