package upgradegate

import (
	"fmt"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/openshift/platform-operators/pkg/compat"
)

// featureGateName is the name of the only FeatureGate of a cluster.
const featureGateName = "cluster"

// featureSetNote returns a note if the cluster's feature set blocks updates to another minor version, whatever the operators permit. The
// note is empty if the verdict permits updates, because the cluster-config-operator itself reports the feature set to the CVO.
func (c *controller) featureSetNote(verdict compat.Verdict) string {
	if verdict.Upgradeable {
		return ""
	}
	gate, err := c.featureGates.Get(featureGateName)
	if err != nil { // also if the cluster has no FeatureGate
		return ""
	}
	return FeatureSetNote(gate.Spec.FeatureSet)
}

// FeatureSetNote returns the note of the gate's message about the feature set of FeatureGate "cluster"; empty if the feature set does not
// block updates.
func FeatureSetNote(set configv1.FeatureSet) string {
	switch set {
	case configv1.TechPreviewNoUpgrade, configv1.DevPreviewNoUpgrade, configv1.CustomNoUpgrade:
		return fmt.Sprintf("FeatureGate %q has the feature set %s, which blocks all updates to another minor version and cannot be removed.", featureGateName, set)
	}
	return ""
}
