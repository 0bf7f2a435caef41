package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/openshift/platform-operators/test/steady"
)

func TestInstallPart(t *testing.T) {
	p := installPart(installs{
		ours: []float64{6, 4, 5}, plain: []float64{2, 3, 2.5}, objects: 80,
		memory: []residentMemory{{10 << 20, 40 << 20}, {15 << 20, 50 << 20}, {20 << 20, 60 << 20}, {20 << 20, 60 << 20}},
		requests: []steady.Requests{
			{Written: map[string]int{"events": 40, "clusteroperators/status": 3, "secrets": 10}},
			{Written: map[string]int{"events": 50, "selfsubjectaccessreviews": 2, "selfsubjectrulesreviews": 1}},
			{Written: map[string]int{"events": 60, "clusteroperators/status": 5}},
		},
	})
	want := []figure{{name: "10 operators, until healthy", unit: seconds, ours: 5, baseline: 2.5, n: 3},
		{name: "10 operators, PlatformOperator status writes (c02a7af: 66)", unit: count, n: 3},
		{name: "10 operators, PlatformOperatorManager status writes (c02a7af: 34)", unit: count, n: 3},
		{name: "10 operators, ClusterOperator status writes (c02a7af: 29)", unit: count, ours: 5, n: 3},
		{name: "10 operators, Events (c02a7af: 88)", unit: count, ours: 60, n: 3},
		{name: "10 operators, access reviews (c02a7af: 114)", unit: count, ours: 3, n: 3},
		{name: "10 operators, sum of these (c02a7af: 331)", unit: count, ours: 65, n: 3},
	}
	if diff := cmp.Diff(want, p.figures, cmp.AllowUnexported(figure{})); diff != "" {
		t.Errorf("figures (-want +got):\n%s", diff)
	}
	rows := [][]string{
		{"0", "10.0 MiB", "1.0×", "40.0 MiB", "1.0×"},
		{"10", "15.0 MiB", "1.5×", "50.0 MiB", "1.2×"},
		{"20", "20.0 MiB", "2.0×", "60.0 MiB", "1.5×"},
		{"30", "20.0 MiB", "2.0×", "60.0 MiB", "1.5×"},
	}
	if diff := cmp.Diff(rows, p.details.rows); diff != "" {
		t.Errorf("memory (-want +got):\n%s", diff)
	}
}

func TestAvailableRequiresTheCurrentGeneration(t *testing.T) {
	condition := func(status corev1.ConditionStatus) []appsv1.DeploymentCondition {
		return []appsv1.DeploymentCondition{
			{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionTrue},
			{Type: appsv1.DeploymentAvailable, Status: status},
		}
	}
	for name, tc := range map[string]struct {
		status appsv1.DeploymentStatus
		want   bool
	}{
		"not before its controller has seen it":    {appsv1.DeploymentStatus{}, false},
		"not while pods are missing":               {appsv1.DeploymentStatus{ObservedGeneration: 2, Conditions: condition(corev1.ConditionFalse)}, false},
		"not when it says so of an earlier spec":   {appsv1.DeploymentStatus{ObservedGeneration: 1, Conditions: condition(corev1.ConditionTrue)}, false},
		"when it says so of the spec as it is now": {appsv1.DeploymentStatus{ObservedGeneration: 2, Conditions: condition(corev1.ConditionTrue)}, true},
	} {
		t.Run(name, func(t *testing.T) {
			d := &appsv1.Deployment{Status: tc.status}
			d.Generation = 2
			if got := available(d); got != tc.want {
				t.Errorf("got %t, want %t", got, tc.want)
			}
		})
	}
}
