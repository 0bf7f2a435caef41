package operatorstatus

import (
	"cmp"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/ocplatform"
	"github.com/openshift/platform-operators/pkg/resolve"
)

// setCompatibility sets status.compatibility: the lowest maxOpenShiftVersion, the highest minor version that the cluster can reach, and the
// override that is in effect. It sets nil if no bundle can have objects on the cluster. If the cluster version is unknown, it sets only
// maxOpenShiftVersion. It also sets r.ignoredOverrides. The upgrade gate applies the same rules and does not wait for this status.
func (r *report) setCompatibility() {
	status := &r.operator.Status
	before := status.Compatibility
	status.Compatibility = nil
	cluster, unknown := compat.ParseClusterVersion(r.in.ClusterVersion)
	var effective *compat.Override
	if unknown == nil {
		var ignored []compat.IgnoredOverride
		effective, ignored = compat.JudgeOverrides(cluster.Next(), resolve.OverridesOf(r.operator), r.in.Now)
		r.ignoredOverrides = compat.Sentences(ignored)
	}
	counted := r.counted()
	if len(counted) == 0 {
		return
	}
	now := &platformv1alpha1.Compatibility{MaxOpenShiftVersion: strictest(counted)}
	status.Compatibility = now
	if unknown != nil {
		return // condition Upgradeable has the reason
	}
	var candidates []compat.Candidate
	if !r.areUpdatesUnknown() {
		candidates = r.decision().Moves(resolve.Request{}) // no change of the request counts as an update
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

// strictest returns the lowest maxOpenShiftVersion that the bundles declare; empty if none declares one. If any declaration is unreadable,
// it returns the text of the first unreadable one instead.
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

// minorsBeyond returns the number of minor versions from the cluster's version to a later one. It returns 0 if the version is not one of
// the next compat.Horizon minor versions.
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

// acknowledgedCondition returns the Upgradeable condition. If an override is in effect, the condition is True and its message names the
// override. Otherwise, if the operator blocks upgrades, the message names the commands that show the remedy.
func acknowledgedCondition(r *report) metav1.Condition {
	condition := upgradeableCondition(r.counted(), r.in.ClusterVersion)
	override := overrideInEffect(r.operator.Status)
	switch {
	case override == nil && condition.Reason == platformv1alpha1.ReasonIncompatibleOperator:
		condition.Message += fmt.Sprintf(" To see the remedy, run \"oc adm upgrade\" or, %s.", ocplatform.Explain(r.operator.Name).WithPlugin())
		return condition
	case override == nil:
		return condition
	}
	return isTrue(platformv1alpha1.ReasonOverrideAcknowledged, fmt.Sprintf("%s The risk of an upgrade to OpenShift %s is acknowledged until %s, for the reason %q.",
		condition.Message, override.OpenShiftVersion, override.Expires.UTC().Format(time.RFC3339), override.Reason))
}

func overrideInEffect(status platformv1alpha1.PlatformOperatorStatus) *corev1alpha2.CompatibilityOverride {
	if status.Compatibility == nil {
		return nil
	}
	return status.Compatibility.Acknowledged
}

// upgradeableCondition returns the Upgradeable condition for the bundles that may have objects on the cluster. If one of them does not
// permit the cluster's next minor version, the condition names the first such bundle.
func upgradeableCondition(bundles []compat.Counted, clusterVersion string) metav1.Condition {
	if len(bundles) == 0 {
		return isTrue(platformv1alpha1.ReasonAsExpected, "Nothing is installed that can block a cluster upgrade.")
	}
	for _, bundle := range bundles {
		if condition := permits(bundle, clusterVersion); condition.Status != metav1.ConditionTrue {
			return condition
		}
	}
	return permits(bundles[0], clusterVersion)
}

// permits returns the Upgradeable condition for one bundle. It is Unknown if the cluster version cannot be read, and False if the bundle's
// declaration cannot be read or does not permit the next minor version.
func permits(bundle compat.Counted, clusterVersion string) metav1.Condition {
	name := cmp.Or(bundle.Bundle, bundle.Version, "The bundle") // a plain+v0 bundle may have neither a name nor a version
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
			"%s runs on OpenShift up to %s, but the cluster's next minor version is %s.", name, max.Names(), next.Names()))
	}
	return isTrue(platformv1alpha1.ReasonAsExpected, fmt.Sprintf("%s runs on OpenShift up to %s.", name, max.Names()))
}
