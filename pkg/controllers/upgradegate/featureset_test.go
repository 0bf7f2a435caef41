package upgradegate

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1 "github.com/openshift/api/config/v1"
)

// Promise HRD-T4: If an operator blocks the cluster's next minor version, and the cluster's feature set blocks it anyway, the message names
// the feature set.
func TestHRD_T4_MessageNamesAFeatureSetThatBlocksMinorUpdates(t *testing.T) {
	for name, c := range map[string]struct {
		set     configv1.FeatureSet
		most    string
		isNamed bool
	}{
		"TechPreviewNoUpgrade":               {configv1.TechPreviewNoUpgrade, "4.21", true},
		"DevPreviewNoUpgrade":                {configv1.DevPreviewNoUpgrade, "4.21", true},
		"CustomNoUpgrade":                    {configv1.CustomNoUpgrade, "4.21", true},
		"OKD":                                {configv1.OKD, "4.21", false},
		"the default":                        {configv1.Default, "4.21", false},
		"TechPreviewNoUpgrade, no blocker":   {configv1.TechPreviewNoUpgrade, "4.22", false},
		"TechPreviewNoUpgrade, not declared": {configv1.TechPreviewNoUpgrade, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			g := gateOf(t, compass("", c.most, "none"))
			g.clusterVersion(t, "4.21.0")
			if err := g.featureGates.Add(&configv1.FeatureGate{ObjectMeta: metav1.ObjectMeta{Name: "cluster"},
				Spec: configv1.FeatureGateSpec{FeatureGateSelection: configv1.FeatureGateSelection{FeatureSet: c.set}}}); err != nil {
				t.Fatal(err)
			}
			_, _, message := g.says(t)
			if got := strings.Contains(message, `FeatureGate "cluster" has the feature set `+string(c.set)+", which blocks all updates to another minor version"); got != c.isNamed {
				t.Errorf("names the feature set: %t, want %t: %s", got, c.isNamed, message)
			}
		})
	}
}
