package upgradestep

import (
	"fmt"
	"strings"
)

// Message returns the reason why a wanted step is held, and what an admin can do. It is empty unless the step's action is Hold. The step
// must be the result of Decide for the input.
func Message(in Input, step Step) string {
	switch step.Reason {
	case ReasonRebuiltNeedsApproval:
		return fmt.Sprintf(
			"Bundle %s has another image in catalog %s now, %s, and is not installed: spec.upgrades.approvedVersion cannot name it, because both images have the same version. Set spec.upgrades.approval to Automatic to install it, or approve a later version.",
			step.Next.Bundle, step.Next.Catalog, step.Next.Image)
	case ReasonUnhealthy:
		recorded := in.Current.Recorded.Version
		return fmt.Sprintf(
			"Version %s is available, but is not installed until version %s is healthy. That version is not healthy: %s. Remove the cause, or exclude version %s in spec.package.version, for example %q.",
			step.Next.Version, recorded, RolloutOf(in.Current.Deployment).Detail, recorded, excluding(in.Spec.VersionRange, recorded))
	case ReasonClusterUpdating:
		return fmt.Sprintf(
			"Version %s is available, but no upgrade step begins while the cluster itself is being updated to %s. The step begins when the update has completed; to upgrade at once, set spec.upgrades.approval to Manual and spec.upgrades.approvedVersion to %q.",
			step.Next.Version, in.ClusterUpdate, in.Decision.Target.Version)
	}
	return ""
}

// excluding returns versionRange with one version excluded. If versionRange has alternatives, the result is only an abbreviated example.
func excluding(versionRange, version string) string {
	switch {
	case versionRange == "":
		return "!=" + version
	case strings.Contains(versionRange, "||"): // each alternative would need the exclusion
		return "…, !=" + version
	}
	return versionRange + ", !=" + version
}
