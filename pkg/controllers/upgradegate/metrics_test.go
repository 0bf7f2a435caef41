package upgradegate

import (
	"strings"
	"testing"
	"time"

	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/testutil"

	"github.com/openshift/platform-operators/pkg/compat"
)

// Promise CLU-G6: An operator that declares no maximum never blocks the gate. The metric `platform_operators_undeclared` counts it, and
// so does the message when the gate is open.
func TestCLU_G6_WhatDeclaresNothingIsCountedAndBlocksNothing(t *testing.T) {
	shown := &gauge{}
	registry := metrics.NewKubeRegistry()
	registry.CustomMustRegister(shown)
	none, some := compat.Operator{Name: "none", Version: "1.0.0"}, compat.Operator{Name: "some", Version: "1.0.0", Max: []string{`"4.30"`}}
	alone, err := compat.Evaluate("4.20.1", []compat.Operator{none, some, {Name: "none", Version: "1.1.0"}}, start)
	if err != nil || !alone.Upgradeable || alone.Message != "platform-operators: 2 PlatformOperators permit OpenShift 4.21; 1 of them declares no olm.maxOpenShiftVersion." {
		t.Errorf("beside one that permits it: %t, %q, %v", alone.Upgradeable, alone.Message, err)
	}
	beside, err := compat.Evaluate("4.20.1", []compat.Operator{none, {Name: "old", Version: "1.0.0", Max: []string{`"4.20"`}}, {Name: "old", Version: "1.1.0", Max: []string{`"4.20"`}}}, start)
	if err != nil || beside.Upgradeable || strings.Contains(beside.Message, "- none ") {
		t.Errorf("beside one that does not: %t, %q, %v", beside.Upgradeable, beside.Message, err)
	}
	for _, test := range []struct {
		verdict compat.Verdict
		want    string
	}{
		{alone, `
			# HELP platform_operators_undeclared [ALPHA] Installed operators that declare no olm.maxOpenShiftVersion: they block no cluster upgrade, and nobody vouches for them.
			# TYPE platform_operators_undeclared gauge
			platform_operators_undeclared 1
			`},
		{beside, `
			# HELP platform_operators_undeclared [ALPHA] Installed operators that declare no olm.maxOpenShiftVersion: they block no cluster upgrade, and nobody vouches for them.
			# TYPE platform_operators_undeclared gauge
			platform_operators_undeclared 1
			# HELP platform_operators_upgrade_blocker [ALPHA] PlatformOperators, and BundleDeployments that no PlatformOperator owns, that do not permit the cluster's next minor version. With awaits=approval, only an approval is missing for an update that permits it.
			# TYPE platform_operators_upgrade_blocker gauge
			platform_operators_upgrade_blocker{awaits="",bundledeployment="",platformoperator="old"} 1
			`},
	} {
		shown.set(test.verdict)
		if err := testutil.GatherAndCompare(registry, strings.NewReader(test.want), "platform_operators_undeclared", "platform_operators_upgrade_blocker"); err != nil {
			t.Error(err)
		}
	}
}

func TestHRD_G2_MetricsOfHowFarTheClusterMayGoAndOfAcknowledgedRisks(t *testing.T) {
	shown := &gauge{}
	registry := metrics.NewKubeRegistry()
	registry.CustomMustRegister(shown)
	verdict, err := compat.Evaluate("4.20.1", []compat.Operator{
		{Name: "a", Version: "1.0.0", Max: []string{`"4.20"`}, Candidates: []compat.Candidate{{Version: "2.0.0", Max: []string{`"4.21"`}, Installable: true}},
			Acknowledged: &compat.Override{Version: "4.21", Reason: "Ada", Expires: time.Unix(1, 0)}},
		{Name: "b", Version: "1.0.0"},
		{Name: "c", Version: "1.0.0", Max: []string{`"4.20"`}, Candidates: []compat.Candidate{{Version: "1.1.0", Max: []string{`"4.21"`}, Approve: "1.1.0"}}},
		{Kind: compat.KindBundleDeployment, Name: "a", Version: "1.0.0", Max: []string{`"4.21"`}},
		{Kind: compat.KindBundleDeployment, Name: "byhand", Version: "1.0.0", Max: []string{`"4.20"`}},
		{Kind: compat.KindBundleDeployment, Name: "byhand", Version: "1.1.0", Max: []string{`"4.20"`}},
		{Kind: compat.KindBundleDeployment, Name: "risky", Version: "1.0.0", Max: []string{`"4.20"`}, Acknowledged: &compat.Override{Version: "4.21", Reason: "Ada", Expires: time.Unix(1, 0)}},
		{Kind: compat.KindBundleDeployment, Name: "silent", Version: "1.0.0"},
	}, start)
	if err != nil {
		t.Fatal(err)
	}
	shown.set(verdict)
	want := `
		# HELP platform_operators_acknowledged_risk [ALPHA] PlatformOperators, and BundleDeployments that no PlatformOperator owns, that do not permit the cluster's next minor version, and do not block it, because a compatibility override is in effect.
		# TYPE platform_operators_acknowledged_risk gauge
		platform_operators_acknowledged_risk{bundledeployment="",platformoperator="a"} 1
		platform_operators_acknowledged_risk{bundledeployment="risky",platformoperator=""} 1
		# HELP platform_operators_reachable_minor_versions [ALPHA] How many minor versions beyond the cluster's an installed operator permits, at most two.
		# TYPE platform_operators_reachable_minor_versions gauge
		platform_operators_reachable_minor_versions{bundledeployment="",platformoperator="a",when="after_updates"} 1
		platform_operators_reachable_minor_versions{bundledeployment="",platformoperator="a",when="now"} 0
		platform_operators_reachable_minor_versions{bundledeployment="",platformoperator="b",when="after_updates"} 2
		platform_operators_reachable_minor_versions{bundledeployment="",platformoperator="b",when="now"} 2
		platform_operators_reachable_minor_versions{bundledeployment="",platformoperator="c",when="after_updates"} 1
		platform_operators_reachable_minor_versions{bundledeployment="",platformoperator="c",when="now"} 0
		platform_operators_reachable_minor_versions{bundledeployment="a",platformoperator="",when="after_updates"} 1
		platform_operators_reachable_minor_versions{bundledeployment="a",platformoperator="",when="now"} 1
		platform_operators_reachable_minor_versions{bundledeployment="byhand",platformoperator="",when="after_updates"} 0
		platform_operators_reachable_minor_versions{bundledeployment="byhand",platformoperator="",when="now"} 0
		platform_operators_reachable_minor_versions{bundledeployment="risky",platformoperator="",when="after_updates"} 0
		platform_operators_reachable_minor_versions{bundledeployment="risky",platformoperator="",when="now"} 0
		platform_operators_reachable_minor_versions{bundledeployment="silent",platformoperator="",when="after_updates"} 2
		platform_operators_reachable_minor_versions{bundledeployment="silent",platformoperator="",when="now"} 2
		# HELP platform_operators_undeclared [ALPHA] Installed operators that declare no olm.maxOpenShiftVersion: they block no cluster upgrade, and nobody vouches for them.
		# TYPE platform_operators_undeclared gauge
		platform_operators_undeclared 2
		# HELP platform_operators_upgrade_blocker [ALPHA] PlatformOperators, and BundleDeployments that no PlatformOperator owns, that do not permit the cluster's next minor version. With awaits=approval, only an approval is missing for an update that permits it.
		# TYPE platform_operators_upgrade_blocker gauge
		platform_operators_upgrade_blocker{awaits="",bundledeployment="byhand",platformoperator=""} 1
		platform_operators_upgrade_blocker{awaits="approval",bundledeployment="",platformoperator="c"} 1
		`
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want)); err != nil {
		t.Error(err)
	}
}
