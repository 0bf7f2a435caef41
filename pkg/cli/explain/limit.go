package explain

import (
	"fmt"
	"slices"
	"strings"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/cli/remedy"
	"github.com/openshift/platform-operators/pkg/compat"
)

// addLimit adds the declarations that limit the version of the cluster to a link. If the limit blocks the upgrade of the cluster, it also
// sets the remedy: an update that lifts the limit or, if there is none, an override.
func (e explainer) addLimit(link *Link, operator *platformv1alpha1.PlatformOperator) {
	status := operator.Status
	if installed := status.Installed; installed != nil {
		of := "bundle " + installed.Bundle
		link.add(of, "olm.maxOpenShiftVersion", installed.MaxOpenShiftVersion)
		link.add(of, "olm.maxOpenShiftVersion (unreadable)", strings.Join(installed.UnreadableMaxOpenShiftVersions, ", "))
		link.add(link.Object, "status.installed.maxOpenShiftVersionFrom", installed.MaxOpenShiftVersionFrom)
	}
	if status.Target != nil && status.Target.Hop != nil {
		link.add("bundle "+status.Target.Hop.Bundle, "olm.maxOpenShiftVersion", status.Target.Hop.MaxOpenShiftVersion)
	}
	if compatibility := status.Compatibility; compatibility != nil {
		link.add(link.Object, "status.compatibility.afterUpdates", compatibility.AfterUpdates)
	}
	if link.Effect != Blocking {
		return
	}
	if e.updatesPermitNext(operator) {
		for _, update := range status.AvailableUpdates { // newest first
			switch update.BlockedReason {
			case platformv1alpha1.BlockedAwaitingApproval, platformv1alpha1.BlockedPaused:
				link.Remedy = remedy.ForUpdate(e.tools, operator, update)
				link.Remedy.Text += fmt.Sprintf(" Version %s is the newest one that needs only this.", update.Version)
				return
			case platformv1alpha1.BlockedAwaitingPlanApproval:
				link.Remedy = remedy.ForUpdate(e.tools, operator, update)
				return
			case "":
				link.Remedy = &remedy.Remedy{Text: "Wait: the operator is upgraded by itself. See the path.", Command: e.tools.Updates(operator.Name)}
				return
			}
		}
	}
	link.Remedy = e.override(operator)
}

// updatesPermitNext reports whether an available or approvable update permits the next minor version of the cluster.
func (e explainer) updatesPermitNext(operator *platformv1alpha1.PlatformOperator) bool {
	if operator.Status.Compatibility == nil {
		return false
	}
	after, err := compat.ParseClusterVersion(operator.Status.Compatibility.AfterUpdates + ".0")
	if err != nil {
		return false
	}
	return e.next != nil && after.Compare(*e.next) >= 0
}

// isUncounted reports whether status.compatibility.afterUpdates does not count an update, because something other than approvals or the end
// of a pause must permit it.
func isUncounted(update platformv1alpha1.AvailableUpdate) bool {
	switch update.BlockedReason {
	case "", platformv1alpha1.BlockedAwaitingApproval, platformv1alpha1.BlockedAwaitingPlanApproval, platformv1alpha1.BlockedPaused:
		return false
	}
	return true
}

// override returns the remedy for an operator whose permitted updates do not lift the limit. If there are blocked updates, one of them may
// lift it, so an override is only the second choice.
func (e explainer) override(operator *platformv1alpha1.PlatformOperator) *remedy.Remedy {
	switch {
	case e.next == nil:
		return &remedy.Remedy{Text: "See what blocks newer versions, and what permits them.", Command: e.tools.Updates(operator.Name)}
	case slices.ContainsFunc(operator.Status.AvailableUpdates, isUncounted):
		return &remedy.Remedy{
			Text: fmt.Sprintf("No update that is permitted now allows OpenShift %s, but a blocked one may. See what blocks each version, and "+
				"what permits it. If none allows it, acknowledge the risk of this operator for a limited time in spec.compatibilityOverrides.", e.next),
			Command: e.tools.Updates(operator.Name),
		}
	}
	return &remedy.Remedy{
		Text:    fmt.Sprintf("No newer version is available that could allow OpenShift %s. Acknowledge the risk of this operator, for a limited time.", e.next),
		Command: e.tools.Override(operator, *e.next, e.now),
	}
}
