package remedy

import (
	"fmt"
	"slices"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/shell"
)

// atOwnRisk is the end of a remedy that permits upgrades which the author of the package does not permit.
const atOwnRisk = "spec.upgrades.edges: SelfCertified permits it at your own risk"

// blockedUpdate is an available update with its operator, for a remedy.
type blockedUpdate struct {
	Tools
	operator *platformv1alpha1.PlatformOperator
	update   platformv1alpha1.AvailableUpdate
}

// updateRemedy is the remedy for a BlockedReason.
type updateRemedy struct {
	text    string
	command func(blockedUpdate) string
}

// updateRemedies maps each BlockedReason to its remedy.
var updateRemedies = map[platformv1alpha1.BlockedReason]updateRemedy{
	platformv1alpha1.BlockedNoEdge: {"Read which edges exist, and ask the author of the package for one. " + atOwnRisk + ".",
		blockedUpdate.graph},
	platformv1alpha1.BlockedStep: {"Add a catalog that has the version which the upgrade rule requires. " + atOwnRisk + ".",
		blockedUpdate.graph},
	platformv1alpha1.BlockedPrerelease: {"Name the prerelease in spec.package.version if you want it.", blockedUpdate.pin},
	platformv1alpha1.BlockedUnfit: {"Upgrade the cluster, or change spec.install.config.watchNamespace, as the message says. Until then " +
		"the version cannot run.", blockedUpdate.show},
	platformv1alpha1.BlockedRequirement: {"Install a package that provides what the message names.", blockedUpdate.search},
	platformv1alpha1.BlockedConflict:    {"Change or remove the other operator that the message names.", blockedUpdate.list},
	platformv1alpha1.BlockedDowngrade: {"Keep the installed version. To go back, select the version in spec.package.version; " +
		atOwnRisk + ".", blockedUpdate.show},
	platformv1alpha1.BlockedRulesInvalid: {"Ask the author of the package to correct the upgrade rules. " + atOwnRisk + ".",
		blockedUpdate.graph},
	platformv1alpha1.BlockedAwaitingApproval:     {"Approve the version.", blockedUpdate.approve},
	platformv1alpha1.BlockedAwaitingPlanApproval: {"Read the plan of the next version on the path, and approve it.", blockedUpdate.approvePlan},
	platformv1alpha1.BlockedFailed: {"Read why the version failed. It is tried again when its bundle changes, or config, adoption or " +
		"progressDeadlineSeconds in spec.install, or when annotation platform.openshift.io/retry is set to a new value. If it failed only " +
		"for missing kinds or permissions, it is also tried again when they are there.", blockedUpdate.status},
	platformv1alpha1.BlockedUnhealthy:       {"Repair the installed version first. See what is not healthy.", blockedUpdate.status},
	platformv1alpha1.BlockedClusterUpdating: {"Wait until the cluster is updated. Then the upgrade starts by itself.", blockedUpdate.cluster},
	platformv1alpha1.BlockedPaused:          {"End the pause.", blockedUpdate.unpause},
	platformv1alpha1.BlockedAmbiguous: {"Select one of the catalogs that the message names by spec.package.catalogSelector, or give them " +
		"different priorities.", blockedUpdate.edit},
	platformv1alpha1.BlockedPriority: {"Wait until the catalog with the higher priority has the version, or select the other catalog by " +
		"spec.package.catalogSelector.", blockedUpdate.edit},
	platformv1alpha1.BlockedSearchLimit: {"Reduce the search: select fewer channels in spec.package.channels.", blockedUpdate.edit},
	platformv1alpha1.BlockedNotAllowed:  {"Ask an admin of the cluster to allow the package.", blockedUpdate.allow},
	platformv1alpha1.BlockedRange: {"Widen the range in spec.package.version. If the message names another version, the range excludes " +
		"that version on the path.", blockedUpdate.widen},
	platformv1alpha1.BlockedChannel: {"Select a channel that has the version.", blockedUpdate.addChannel},
}

// ForUpdate returns the remedy that permits an available update; nil if nothing blocks the update. If this version does not know the
// reason, because a newer manager wrote it, the remedy is to read the message.
func ForUpdate(t Tools, operator *platformv1alpha1.PlatformOperator, update platformv1alpha1.AvailableUpdate) *Remedy {
	if update.BlockedReason == "" {
		return nil
	}
	blocked := blockedUpdate{t, operator, update}
	known, isKnown := updateRemedies[update.BlockedReason]
	if !isKnown {
		return &Remedy{"Read the message; this version of the plugin does not know the reason.", blocked.show()}
	}
	return &Remedy{known.text, known.command(blocked)}
}

func (b blockedUpdate) graph() string  { return b.Graph(b.operator.Name) }
func (b blockedUpdate) status() string { return b.Status(b.operator.Name) }
func (b blockedUpdate) search() string { return b.Plugin + " search" }
func (b blockedUpdate) list() string   { return b.Plugin + " list" }
func (b blockedUpdate) show() string   { return b.Show("platformoperator", b.operator.Name) }
func (b blockedUpdate) edit() string {
	return b.Client + " edit platformoperator " + shell.Quote(b.operator.Name)
}
func (b blockedUpdate) cluster() string { return b.Client + " get clusterversion version" }
func (b blockedUpdate) allow() string   { return b.AllowPackage(b.operator.Spec.Package.Name) }

func (b blockedUpdate) approve() string {
	return b.PatchOperator(b.operator.Name, map[string]any{"upgrades": map[string]any{"approvedVersion": b.update.Version}})
}

func (b blockedUpdate) approvePlan() string { return b.Approve(b.operator.Name) }

func (b blockedUpdate) unpause() string {
	return b.PatchOperator(b.operator.Name, map[string]any{"paused": false})
}

func (b blockedUpdate) pin() string {
	return b.PatchOperator(b.operator.Name, map[string]any{"package": map[string]any{"version": b.update.Version}})
}

// widen returns the command that extends the range in spec.package.version by the versions from the installed one up to the update. Other
// versions stay excluded.
func (b blockedUpdate) widen() string {
	installed := b.operator.Status.Installed
	if installed == nil {
		return b.edit()
	}
	wider := fmt.Sprintf(">=%s <=%s", installed.Version, b.update.Version)
	if before := b.operator.Spec.Package.Version; before != "" && before != installed.Version {
		wider = before + " || " + wider
	}
	return b.PatchOperator(b.operator.Name, map[string]any{"package": map[string]any{"version": wider}})
}

// addChannel returns the command that adds one of the update's channels to the selected channels. If the operator uses the default channel
// and the name of that channel is not known, the command opens an editor instead, because a list without the default channel would deselect
// it.
func (b blockedUpdate) addChannel() string {
	channels := slices.Clone(b.operator.Spec.Package.Channels)
	if installed := b.operator.Status.Installed; len(channels) == 0 && installed != nil && installed.Channel != "" {
		channels = append(channels, installed.Channel)
	}
	if len(channels) == 0 || len(b.update.Channels) == 0 {
		return b.edit()
	}
	channels = append(channels, b.update.Channels[0])
	return b.PatchOperator(b.operator.Name, map[string]any{"package": map[string]any{"channels": channels}})
}
