package explain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/Masterminds/semver/v3"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/cli/operators"
	"github.com/openshift/platform-operators/pkg/cli/remedy"
	"github.com/openshift/platform-operators/pkg/compat"
)

// explainer builds the links and chains for the objects of one cluster.
type explainer struct {
	tools remedy.Tools
	// version is the version of the cluster, and next is its next minor version; they are empty and nil if not known.
	version string
	next    *compat.Minor
	now     time.Time
}

// chainOf returns the chain for a PlatformOperator. deployment is its BundleDeployment; nil if it has none or could not be read.
func (e explainer) chainOf(operator *platformv1alpha1.PlatformOperator, deployment *corev1alpha2.BundleDeployment) Chain {
	summary := operators.Summarize(operator, deployment)
	chain := Chain{Operator: operator.Name, Version: summary.Version, BlocksCluster: operators.Is(summary.BlocksCluster),
		Blocked: summary.Blocked, Outdated: summary.Outdated, Links: []Link{}}
	names := []string{platformv1alpha1.ConditionUpgradeable, platformv1alpha1.ConditionInstalled, platformv1alpha1.ConditionProgressing,
		platformv1alpha1.ConditionHealthy, platformv1alpha1.ConditionDeprecated}
	if deployment == nil || meta.FindStatusCondition(deployment.Status.Conditions, corev1alpha2.ConditionDrifted) == nil {
		names = append(names, platformv1alpha1.ConditionDrifted) // a copy of the BundleDeployment's condition, which linksOf explains if it exists
	}
	for _, name := range names {
		condition, exists := find(operator.Status.Conditions, name)
		if !exists {
			continue
		}
		link := newLink(KindPlatformOperator, operator.Name, condition, e.tools)
		link.Outdated = operators.IsConditionOutdated(condition, operator)
		// If nothing is installed, the condition Installed has the cause, which need not be a catalog that cannot be read.
		isRedundant := link.Reason == platformv1alpha1.ReasonCatalogUnavailable && operator.Status.Installed == nil
		if !link.isNotable() || isRedundant {
			continue
		}
		switch name {
		case platformv1alpha1.ConditionUpgradeable:
			e.addLimit(&link, operator)
		case platformv1alpha1.ConditionInstalled:
			addSelection(&link, operator)
			e.addVersions(&link, operator)
		case platformv1alpha1.ConditionProgressing:
			e.addUpdate(&link, operator, deployment)
		case platformv1alpha1.ConditionDeprecated:
			addWarnings(&link, operator)
		}
		chain.Links = append(chain.Links, link)
	}
	if deployment != nil {
		links := e.linksOf(deployment)
		for i := range links {
			e.endPause(&links[i], operator)
		}
		chain.Links = append(chain.Links, links...)
	}
	omitRepeated(chain.Links)
	return chain
}

// endPause replaces the remedy of a link about the BundleDeployment if a pause is the cause: the command changes the PlatformOperator,
// because the manager copies spec.paused from it to the BundleDeployment, and reverts any other value.
func (e explainer) endPause(link *Link, operator *platformv1alpha1.PlatformOperator) {
	if link.Remedy == nil {
		return
	}
	isDrift := link.Reason == corev1alpha2.ReasonDriftReported && operator.Spec.Paused
	if isDrift {
		link.Remedy.Text = "Look at the changes, and end the pause. The manager then treats them as spec.install.drift.policy says."
	}
	if isDrift || link.Reason == corev1alpha2.ReasonPaused {
		link.Remedy.Command = e.tools.PatchOperator(operator.Name, map[string]any{"paused": false})
	}
}

// omitRepeated removes a remedy if an earlier link in the chain already has it, perhaps with more text.
func omitRepeated(links []Link) {
	for i := range links {
		for _, earlier := range links[:i] {
			if links[i].Remedy != nil && earlier.Remedy != nil && links[i].Remedy.Command == earlier.Remedy.Command &&
				strings.HasPrefix(earlier.Remedy.Text, links[i].Remedy.Text) {
				links[i].Remedy = nil
			}
		}
	}
}

func find(conditions []metav1.Condition, name string) (metav1.Condition, bool) {
	for _, condition := range conditions {
		if condition.Type == name {
			return condition, true
		}
	}
	return metav1.Condition{}, false
}

// addWarnings adds the warnings in the status to a link whose cause may be a catalog that cannot be read. The warnings name such catalogs.
func addWarnings(link *Link, operator *platformv1alpha1.PlatformOperator) {
	if link.Reason != platformv1alpha1.ReasonSourceFailed && link.Reason != platformv1alpha1.ReasonCatalogUnavailable {
		return
	}
	for _, warning := range operator.Status.Warnings {
		link.add(link.Object, "status.warnings", warning)
	}
}

// addVersions sets the command of the remedy to a search for the package, if none of its versions can be installed.
func (e explainer) addVersions(link *Link, operator *platformv1alpha1.PlatformOperator) {
	if link.Reason == platformv1alpha1.ReasonSourceFailed || link.Reason == platformv1alpha1.ReasonValidationFailed {
		link.Remedy.Command = e.tools.Versions(operator.Spec.Package.Name)
	}
}

// addSelection adds the fields that select the package and its versions, and what prevents the catalogs from being read.
func addSelection(link *Link, operator *platformv1alpha1.PlatformOperator) {
	selected := operator.Spec.Package
	link.add(link.Object, "spec.package.name", selected.Name)
	link.add(link.Object, "spec.package.version", selected.Version)
	link.add(link.Object, "spec.package.channels", strings.Join(selected.Channels, ", "))
	if selected.CatalogSelector != nil {
		link.add(link.Object, "spec.package.catalogSelector", metav1.FormatLabelSelector(selected.CatalogSelector))
	}
	addWarnings(link, operator)
}

// addUpdate adds the fields on which the next upgrade depends, and the remedy for the newest update that is blocked for the link's reason.
// If the plan of the BundleDeployment waits for an approval, the remedy is to approve the plan.
func (e explainer) addUpdate(link *Link, operator *platformv1alpha1.PlatformOperator, deployment *corev1alpha2.BundleDeployment) {
	if link.Reason == platformv1alpha1.ReasonAwaitingApproval && operators.AwaitsPlan(deployment) {
		link.add("BundleDeployment/"+deployment.Name, "status.plan.digest", operators.PlanDigest(deployment))
		link.Remedy = planUnapproved.remedyFor(e.tools, operator.Name)
		return
	}
	wanted := platformv1alpha1.BlockedReason("")
	switch link.Reason {
	case platformv1alpha1.ReasonAwaitingApproval:
		wanted = platformv1alpha1.BlockedAwaitingApproval
		if upgrades := operator.Spec.Upgrades; upgrades != nil {
			link.add(link.Object, "spec.upgrades.approval", string(upgrades.Approval))
			link.add(link.Object, "spec.upgrades.approvedVersion", upgrades.ApprovedVersion)
		}
	case platformv1alpha1.ReasonPaused:
		link.add(link.Object, "spec.paused", fmt.Sprint(operator.Spec.Paused))
		return
	case platformv1alpha1.ReasonBlocked:
		switch {
		case operator.DeletionTimestamp != nil:
			link.Remedy = &remedy.Remedy{Text: "Do what the message says. The removal then continues by itself."}
			return
		case operator.Status.Installed == nil: // there are no updates
			link.Remedy = &remedy.Remedy{Text: "Follow the next step of the condition Installed."}
			return
		}
		addSelection(link, operator)
		link.Remedy = &remedy.Remedy{Text: "Do what the message says."} // unless an update is blocked
	default:
		return
	}
	if e.addApproval(link, operator) {
		return
	}
	for _, update := range operator.Status.AvailableUpdates { // newest first
		if update.BlockedReason == "" || wanted != "" && update.BlockedReason != wanted {
			continue
		}
		link.add("update "+update.Version, "blockedReason", string(update.BlockedReason))
		link.Remedy = remedy.ForUpdate(e.tools, operator, update)
		return
	}
}

// addApproval adds the approved version and its remedy, and returns true, if an upgrade is blocked and that version is not among the updates,
// so that the approval has no effect. It returns false for the approval of an earlier upgrade, and if the status does not list all updates.
func (e explainer) addApproval(link *Link, operator *platformv1alpha1.PlatformOperator) bool {
	upgrades, status := operator.Spec.Upgrades, operator.Status
	if link.Reason != platformv1alpha1.ReasonBlocked || upgrades == nil || upgrades.ApprovedVersion == "" || status.Installed == nil ||
		int(status.AvailableUpdatesTotal) > len(status.AvailableUpdates) {
		return false
	}
	approved, err := semver.NewVersion(upgrades.ApprovedVersion)
	installed, installedErr := semver.NewVersion(status.Installed.Version)
	isEarlier := err == nil && installedErr == nil && !approved.GreaterThan(installed)
	isAvailable := slices.ContainsFunc(status.AvailableUpdates, func(update platformv1alpha1.AvailableUpdate) bool {
		return update.Version == upgrades.ApprovedVersion
	})
	if isEarlier || isAvailable {
		return false
	}
	link.add(link.Object, "spec.upgrades.approvedVersion", upgrades.ApprovedVersion)
	link.Remedy = &remedy.Remedy{
		Text:    "Approve one of the versions that are available, or remove the approval, as the command does.",
		Command: e.tools.PatchOperator(operator.Name, map[string]any{"upgrades": map[string]any{"approvedVersion": nil}}),
	}
	return true
}
