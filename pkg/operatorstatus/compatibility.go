package operatorstatus

import (
	"cmp"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/resolve"
)

// setCompatibility reports how far the operator lets the cluster be upgraded, and which of its overrides is in effect. The upgrade gate
// applies the same rules and does not wait for this status.
func (r *report) setCompatibility() {
	status := &r.operator.Status
	before := status.Compatibility
	status.Compatibility = nil
	cluster, unknown := compat.ParseClusterVersion(r.in.ClusterVersion)
	var effective *compat.Override
	if unknown == nil {
		effective, r.ignoredOverrides = compat.JudgeOverrides(cluster.Next(), resolve.OverridesOf(r.operator), r.in.Now)
	}
	counted := r.counted()
	if len(counted) == 0 {
		return
	}
	now := &platformv1alpha1.Compatibility{MaxOpenShiftVersion: strictest(counted)}
	status.Compatibility = now
	if unknown != nil {
		return // condition Upgradeable says why
	}
	var candidates []compat.Candidate
	if !r.areUpdatesUnknown() {
		candidates = r.decision().Moves()
	}
	bundles := make([]compat.Operator, 0, len(counted))
	for _, bundle := range counted {
		bundles = append(bundles, compat.Operator{Version: bundle.Version, Max: bundle.Max, Candidates: candidates})
	}
	reach := compat.NewLookAhead(cluster, bundles)
	if r.areUpdatesUnknown() && before != nil {
		reach.After = max(reach.After, minorsBeyond(before.AfterUpdates, cluster))
	}
	now.HighestReachable, now.AfterUpdates = cluster.Beyond(reach.Now).String(), cluster.Beyond(reach.After).String()
	if reach.Now == 0 && effective != nil {
		now.Acknowledged = overrideFor(r.operator, effective.Version)
	}
}

// strictest returns the lowest maxOpenShiftVersion that counts, or before any other one that cannot be read; empty if none is declared.
func strictest(bundles []compat.Counted) (text string) {
	var lowest *compat.Minor
	for _, bundle := range bundles {
		most, err := compat.ReadMax(bundle.Max)
		if err != nil {
			text, _ = compat.Record(bundle.Max)
			return text
		}
		if most != nil && (lowest == nil || most.Compare(*lowest) < 0) {
			lowest, text = most, most.String()
		}
	}
	return text
}

// minorsBeyond returns how many minor versions a version is beyond the cluster's; 0 if it is beyond the horizon, or no version.
func minorsBeyond(version string, cluster compat.Minor) int {
	for n := compat.Horizon; n > 0; n-- {
		if cluster.Beyond(n).String() == version {
			return n
		}
	}
	return 0
}

func overrideFor(operator *platformv1alpha1.PlatformOperator, version string) *corev1alpha2.CompatibilityOverride {
	for _, each := range operator.Spec.CompatibilityOverrides {
		if each.OpenShiftVersion == version {
			return each.DeepCopy()
		}
	}
	return nil
}

// acknowledgedCondition returns condition Upgradeable with the override that is in effect, if one is.
func acknowledgedCondition(r *report) metav1.Condition {
	condition := upgradeableCondition(r.counted(), r.in.ClusterVersion)
	override := overrideInEffect(r.operator.Status)
	if override == nil {
		return condition
	}
	return isTrue(platformv1alpha1.ReasonOverrideAcknowledged, fmt.Sprintf("%s The risk of an upgrade to OpenShift %s is acknowledged until %s: %s",
		condition.Message, override.OpenShiftVersion, override.Expires.UTC().Format(time.RFC3339), override.Reason))
}

func overrideInEffect(status platformv1alpha1.PlatformOperatorStatus) *corev1alpha2.CompatibilityOverride {
	if status.Compatibility == nil {
		return nil
	}
	return status.Compatibility.Acknowledged
}

// upgradeableCondition reports whether the counted bundles permit the cluster's next minor version, or the first one that does not.
func upgradeableCondition(bundles []compat.Counted, clusterVersion string) metav1.Condition {
	if len(bundles) == 0 {
		return isTrue(platformv1alpha1.ReasonAsExpected, "Nothing is installed, so nothing is in the way of a cluster upgrade.")
	}
	for _, bundle := range bundles {
		if condition := permits(bundle, clusterVersion); condition.Status != metav1.ConditionTrue {
			return condition
		}
	}
	return permits(bundles[0], clusterVersion)
}

// permits reports whether a bundle permits the cluster's next minor version.
func permits(bundle compat.Counted, clusterVersion string) metav1.Condition {
	name := cmp.Or(bundle.Bundle, bundle.Version, "The bundle") // metadata is what plain+v0 need not have
	cluster, err := compat.ParseClusterVersion(clusterVersion)
	if err != nil {
		return isUnknown(platformv1alpha1.ReasonUnknown, fmt.Sprintf("The cluster's version cannot be read: %v.", err))
	}
	max, err := compat.ReadMax(bundle.Max)
	if err != nil {
		return isFalse(platformv1alpha1.ReasonCompatibilityUnreadable, fmt.Sprintf(
			"The olm.maxOpenShiftVersion of %s cannot be read, so cluster upgrades are blocked: %v. Move to a version whose declaration is readable, have it corrected in the catalog, acknowledge the risk in spec.compatibilityOverrides, or remove the operator.", name, err))
	}
	if max == nil {
		return isTrue(platformv1alpha1.ReasonAsExpected, fmt.Sprintf("%s declares no olm.maxOpenShiftVersion.", name))
	}
	next := cluster.Next()
	if !max.Permits(next) {
		return isFalse(platformv1alpha1.ReasonIncompatibleOperator, fmt.Sprintf(
			"%s runs on OpenShift %s at most, and the cluster's next minor version is %s.", name, max.Names(), next.Names()))
	}
	return isTrue(platformv1alpha1.ReasonAsExpected, fmt.Sprintf("%s runs on OpenShift up to %s.", name, max.Names()))
}
