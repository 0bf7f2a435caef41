package platformoperator

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/resolve"
)

// reportCompatibility says how far the operator lets the cluster be upgraded, and which of its overrides is in effect. The upgrade
// gate judges by the same rules, and does not wait for this.
func (s *state) reportCompatibility() {
	status := &s.operator.Status
	before := status.Compatibility
	status.Compatibility = nil
	cluster, unknown := compat.ParseClusterVersion(s.on.Version)
	var effective *compat.Override
	if unknown == nil {
		effective, s.ignored = compat.JudgeOverrides(cluster.Next(), resolve.OverridesOf(s.operator), s.clock.Now())
	}
	counted := s.counted()
	if len(counted) == 0 {
		return
	}
	now := &platformv1alpha1.Compatibility{MaxOpenShiftVersion: strictest(counted)}
	status.Compatibility = now
	if unknown != nil {
		return // condition Upgradeable says why
	}
	var candidates []compat.Candidate
	if !s.cannotTellUpdates() {
		candidates = s.decision.Moves()
	}
	bundles := make([]compat.Operator, 0, len(counted))
	for _, bundle := range counted {
		bundles = append(bundles, compat.Operator{Version: bundle.Version, Max: bundle.Max, Candidates: candidates})
	}
	reach := compat.LookAhead(cluster, bundles)
	if s.cannotTellUpdates() && before != nil {
		reach.After = max(reach.After, stepsTo(before.AfterUpdates, cluster))
	}
	now.HighestReachable, now.AfterUpdates = cluster.Beyond(reach.Now).String(), cluster.Beyond(reach.After).String()
	if reach.Now == 0 && effective != nil {
		now.Acknowledged = overrideOf(s.operator, effective.Version)
	}
}

// cannotTellUpdates says that nothing is known of versions above the installed one, because nobody looked, or nothing could be read.
func (s *state) cannotTellUpdates() bool {
	return s.refusal != nil || s.decision.Unread != "" && len(s.decision.Available) == 0 && len(s.decision.Refused) == 0
}

// counted are the bundles whose declarations count, as they do at the upgrade gate.
func (s *state) counted() []compat.Counted { return compat.CountedBundles(s.operator, s.deployment) }

// strictest is the lowest maxOpenShiftVersion that counts, before that one that cannot be read; empty where nothing is declared.
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

// stepsTo is how many minor versions beyond the cluster's a version is that was told before; 0 where it is none of them.
func stepsTo(told string, cluster compat.Minor) int {
	for n := compat.Horizon; n > 0; n-- {
		if cluster.Beyond(n).String() == told {
			return n
		}
	}
	return 0
}

func overrideOf(operator *platformv1alpha1.PlatformOperator, version string) *corev1alpha2.CompatibilityOverride {
	for _, each := range operator.Spec.CompatibilityOverrides {
		if each.OpenShiftVersion == version {
			return each.DeepCopy()
		}
	}
	return nil
}

// acknowledgedCondition is condition Upgradeable with what an override that is in effect makes of it.
func acknowledgedCondition(s *state) metav1.Condition {
	condition := upgradeableCondition(s.counted(), s.on.Version)
	override := inEffect(s.operator.Status.Compatibility)
	if override == nil {
		return condition
	}
	return isTrue(platformv1alpha1.ReasonOverrideAcknowledged, fmt.Sprintf("%s The risk of an upgrade to OpenShift %s is acknowledged until %s: %s",
		condition.Message, override.OpenShiftVersion, override.Expires.UTC().Format(time.RFC3339), override.Reason))
}

func inEffect(compatibility *platformv1alpha1.Compatibility) *corev1alpha2.CompatibilityOverride {
	if compatibility == nil {
		return nil
	}
	return compatibility.Acknowledged
}

// tellOverride sends the Events of an override that has come into effect, or has expired since.
func (s *state) tellOverride() {
	now, before := inEffect(s.operator.Status.Compatibility), inEffect(s.before.Status.Compatibility)
	switch {
	case now != nil && (before == nil || before.OpenShiftVersion != now.OpenShiftVersion):
		s.event(corev1.EventTypeWarning, platformv1alpha1.EventOverrideAcknowledged, "PlatformOperator %q does not permit an upgrade of the cluster to OpenShift %s, and does not block it until %s, at an acknowledged risk: %s",
			s.operator.Name, now.OpenShiftVersion, now.Expires.UTC().Format(time.RFC3339), now.Reason)
	case now == nil && before != nil && before.Expires != nil && !s.clock.Now().Before(before.Expires.Time):
		s.event(corev1.EventTypeWarning, platformv1alpha1.EventOverrideExpired, "PlatformOperator %q: the compatibility override for OpenShift %s expired at %s; the Upgradeable condition says whether the operator blocks an upgrade of the cluster now",
			s.operator.Name, before.OpenShiftVersion, before.Expires.UTC().Format(time.RFC3339))
	}
}
