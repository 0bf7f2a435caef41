package upgradegate

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	configv1 "github.com/openshift/api/config/v1"
	operatorv1 "github.com/openshift/api/operator/v1"
	"github.com/openshift/library-go/pkg/operator/status"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/resolve/joint"
)

// twoVersions is a catalog with 1.0.0, which permits OpenShift up to 4.21, and 1.1.0, which permits it up to 4.23.
type twoVersions struct{}

func (twoVersions) Unlisted() []string { return nil }

func (twoVersions) For(string) []resolve.Catalog {
	return []resolve.Catalog{{ID: catalog.ID{Kind: "ClusterCatalog", Name: "c"}, Package: &catalog.Package{
		Name: "compass", DefaultChannel: "stable",
		Channels: []catalog.Channel{{Name: "stable", Entries: []catalog.Entry{{Name: "compass.v1.0.0"}, {Name: "compass.v1.1.0", Replaces: "compass.v1.0.0"}}}},
		Bundles: []catalog.Bundle{
			{Name: "compass.v1.0.0", Version: "1.0.0", Image: "i@sha256:10", MaxOpenShiftVersions: []string{`"4.21"`}},
			{Name: "compass.v1.1.0", Version: "1.1.0", Image: "i@sha256:11", MaxOpenShiftVersions: []string{`"4.23"`}},
		},
	}}}
}

// alone returns the bundles of an operator as input for the verdict, on a cluster without other operators.
func alone(c *controller, operator *platformv1alpha1.PlatformOperator, on resolve.Cluster) []compat.Operator {
	in := input{cluster: on, operators: []*platformv1alpha1.PlatformOperator{operator}, deployments: deploymentsOf(operator)}
	found := c.queryFor(in).run(&joint.Cache{}, nil)
	return c.bundlesOf(operator, in, &found)
}

// deploymentsOf returns the BundleDeployments of operators, with a revision for each bundle in their status.
func deploymentsOf(operators ...*platformv1alpha1.PlatformOperator) map[string]*corev1alpha2.BundleDeployment {
	all := map[string]*corev1alpha2.BundleDeployment{}
	for _, operator := range operators {
		deployment := &corev1alpha2.BundleDeployment{ObjectMeta: metav1.ObjectMeta{Name: operator.Name, Finalizers: []string{corev1alpha2.Finalizer},
			OwnerReferences: []metav1.OwnerReference{{Kind: compat.KindPlatformOperator, Name: operator.Name, UID: operator.UID, Controller: ptr.To(true)}}}}
		if operator.DeletionTimestamp != nil && removed(operator) {
			continue
		}
		add := func(bundle *platformv1alpha1.InstalledBundle, state corev1alpha2.RevisionState) {
			if bundle != nil {
				deployment.Status.Revisions = append(deployment.Status.Revisions, corev1alpha2.Revision{State: state, Bundle: bundle.Bundle, Version: bundle.Version, Presence: corev1alpha2.Present})
			}
		}
		add(operator.Status.Installed, corev1alpha2.RevisionActive)
		if target := operator.Status.Target; target != nil && operator.Status.Installed != nil {
			add(target.Hop, corev1alpha2.RevisionRollingOut)
		}
		all[operator.Name] = deployment
	}
	return all
}

func compass(versions, installedMax, targetMax string) *platformv1alpha1.PlatformOperator {
	operator := &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: "compass", UID: "compass"}}
	operator.Spec.Package = platformv1alpha1.Package{Name: "compass", Version: versions}
	if installedMax != "none" {
		operator.Status.Installed = &platformv1alpha1.InstalledBundle{Bundle: "compass.v1.0.0", Version: "1.0.0", MaxOpenShiftVersion: installedMax}
	}
	if targetMax != "none" {
		operator.Status.Target = &platformv1alpha1.Target{Version: "1.2.0", Path: []string{"1.1.0", "1.2.0"},
			Hop: &platformv1alpha1.InstalledBundle{Bundle: "compass.v1.1.0", Version: "1.1.0", MaxOpenShiftVersion: targetMax}}
	}
	return operator
}

// manual sets an operator to manual approval, and returns it.
func manual(operator *platformv1alpha1.PlatformOperator) *platformv1alpha1.PlatformOperator {
	operator.Spec.Upgrades = &platformv1alpha1.Upgrades{Approval: platformv1alpha1.ApprovalManual}
	return operator
}

func TestRemedyThatTheManagerForbidsIsNamedWithItsField(t *testing.T) {
	c := &controller{catalogs: twoVersions{}, inventory: nothingElse{}, kubeVersion: "v1.36.3"}
	on := resolve.Cluster{Version: "4.21.0", KubeVersion: "v1.36.3", Manager: operatorv1alpha1.PlatformOperatorManagerSpec{AllowedPackages: []string{"other"}}}
	verdict, err := compat.Evaluate(on.Version, alone(c, compass("", "4.21", "none"), on), start)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"1.1.0", "spec.allowedPackages", `PlatformOperatorManager "cluster"`} {
		if !strings.Contains(verdict.Message, word) {
			t.Errorf("the message does not name %s: %s", word, verdict.Message)
		}
	}
}

// Promise CLU-G12: An operator of which nothing was installed does not block the gate. An operator in removal blocks until its workload
// is gone, and not for the finalizers of others.
func TestCLU_G12_WhatIsNotThereBlocksNobody(t *testing.T) {
	now := metav1.Now()
	on := resolve.Cluster{Version: "4.21.0", KubeVersion: "v1.36.3"}
	going := func(finalizers ...string) *platformv1alpha1.PlatformOperator {
		operator := compass("", "4.21", "none")
		operator.DeletionTimestamp, operator.Finalizers = &now, finalizers
		return operator
	}
	for name, test := range map[string]struct {
		operator    *platformv1alpha1.PlatformOperator
		upgradeable bool
	}{
		"installed":                                 {compass("", "4.21", "none"), false},
		"failed before anything was installed":      {compass("", "none", "4.21"), true},
		"being removed, its workload still there":   {going(platformv1alpha1.Finalizer), false},
		"its workload gone, others keep its object": {going("example.com/backup"), true},
	} {
		t.Run(name, func(t *testing.T) {
			c := &controller{catalogs: twoVersions{}, inventory: nothingElse{}, kubeVersion: "v1.36.3"}
			verdict, err := compat.Evaluate(on.Version, alone(c, test.operator, on), start)
			if err != nil || verdict.Upgradeable != test.upgradeable {
				t.Errorf("%t, %v: %s", verdict.Upgradeable, err, verdict.Message)
			}
		})
	}
}

// CLU-G7 is measured on the ClusterOperator, as library-go writes it.
//
// Promise CLU-G7: The gate's message is the same for any order of 1, 5 or 60 blockers, and has at most 1,500 characters on the
// ClusterOperator. Each line names operator, version, maximum and remedy.
func TestCLU_G7_MessageOnTheClusterOperatorIsStableBoundedAndSaysWhatToDo(t *testing.T) {
	sample := func(n int) []compat.Operator {
		var operators []compat.Operator
		for i := range n {
			operators = append(operators, compat.Operator{Name: fmt.Sprintf("operator-%02d", i), Package: "pkg", Version: "1.0.0", Max: []string{`"4.20"`},
				Candidates: [][]compat.Candidate{
					{{Version: "2.0.0", Installable: true}},
					{{Version: "2.0.0", Approve: "2.0.0", Obstacle: "it waits"}},
					nil,
				}[i%3]})
		}
		return operators
	}
	remedies := []string{"update to >=2.0.0 (allows 4.21)", "set spec.upgrades.approvedVersion to \"2.0.0\" (allows 4.21)", "no version in the catalogs allows 4.21"}
	shown := func(t *testing.T, operators []compat.Operator) string {
		t.Helper()
		verdict, err := compat.Evaluate("4.20.1", operators, start)
		if err != nil {
			t.Fatal(err)
		}
		return status.UnionClusterCondition(configv1.OperatorUpgradeable, operatorv1.ConditionTrue, nil,
			operatorv1.OperatorCondition{Type: ConditionType, Status: operatorv1.ConditionFalse, Reason: verdict.Reason, Message: verdict.Message}).Message
	}
	for _, n := range []int{1, 5, 60} {
		t.Run(fmt.Sprintf("%d blockers", n), func(t *testing.T) {
			operators := sample(n)
			message := shown(t, operators)
			for seed := range uint64(20) {
				rand.New(rand.NewPCG(seed, 1)).Shuffle(n, func(i, j int) { operators[i], operators[j] = operators[j], operators[i] })
				if again := shown(t, operators); again != message {
					t.Fatalf("in another order it says\n%s", again)
				}
			}
			if length := utf8.RuneCountInString(message); length > 1500 {
				t.Errorf("it has %d characters", length)
			}
			for _, end := range []string{"Where no version allows it", "After the available updates", "With the plugin",
				"Next step for operator-00: oc describe platformoperator operator-00"} {
				message, _, _ = strings.Cut(message, fmt.Sprintf("\n%s: %s", ConditionType, end))
			}
			lines := strings.Split(message, "\n")[1:]
			for i, line := range lines {
				if left := n - i; i == len(lines)-1 && n > len(lines) {
					if want := fmt.Sprintf("and %d more", left); !strings.HasSuffix(line, want) {
						t.Errorf("it ends with %q, want %q", line, want)
					}
					continue
				}
				for _, word := range []string{fmt.Sprintf("operator-%02d", i), "1.0.0", "allows at most 4.20", remedies[i%3]} {
					if !strings.Contains(line, word) {
						t.Errorf("%q does not name %q", line, word)
					}
				}
			}
			if len(lines) < min(n, 5) {
				t.Errorf("only %d lines:\n%s", len(lines), message)
			}
		})
	}
}

func TestEvaluate(t *testing.T) {
	for name, test := range map[string]struct {
		operator       *platformv1alpha1.PlatformOperator
		clusterVersion string
		upgradeable    bool
		reason         string
		words          []string
	}{
		"the installed version is in the way, and the spec keeps the remedy out": {
			compass("1.0.x", "4.21", "none"), "4.21.0", false, compat.ReasonIncompatible, []string{"compass", "1.0.0", "4.21", "4.22", "1.1.0", "1.0.x"}},
		"the remedy waits for nothing but a word": {
			manual(compass("", "4.21", "none")), "4.21.0", false, compat.ReasonIncompatible, []string{`set spec.upgrades.approvedVersion to "1.1.0" (allows 4.22)`}},
		"the installed version permits it":                     {compass("", "4.23", "none"), "4.21.0", true, compat.ReasonAsExpected, nil},
		"nothing is declared":                                  {compass("", "", "none"), "4.21.0", true, compat.ReasonAsExpected, nil},
		"nothing is installed, whatever is being moved to":     {compass("", "none", "4.20"), "4.21.0", true, compat.ReasonAsExpected, nil},
		"during a hop the old version still counts":            {compass("", "4.21", "4.23"), "4.21.0", false, compat.ReasonIncompatible, []string{"1.0.0"}},
		"during a hop the new version counts as well":          {compass("", "4.23", "4.21"), "4.21.0", false, compat.ReasonIncompatible, []string{"1.1.0"}},
		"what is declared cannot be read":                      {compass("", "garbage", "none"), "4.21.0", false, compat.ReasonIncompatible, []string{"garbage"}},
		"the cluster's version cannot be read: never open":     {compass("", "4.23", "none"), "banana", false, compat.ReasonErrorChecking, []string{"banana"}},
		"a cluster without a ClusterVersion has no such gate":  {compass("", "4.20", "none"), "", true, compat.ReasonAsExpected, nil},
		"a development build has a next minor version as well": {compass("", "4.21", "none"), "0.0.1-snapshot", true, compat.ReasonAsExpected, nil},
	} {
		t.Run(name, func(t *testing.T) {
			g := gateOf(t, test.operator)
			g.clusterVersion(t, test.clusterVersion)
			g.judge()
			g.searched(t)
			verdict := g.judge().verdict
			if verdict.Upgradeable != test.upgradeable || verdict.Reason != test.reason {
				t.Errorf("got %t/%s, want %t/%s: %s", verdict.Upgradeable, verdict.Reason, test.upgradeable, test.reason, verdict.Message)
			}
			for _, word := range test.words {
				if !strings.Contains(verdict.Message, word) {
					t.Errorf("the message does not name %q: %s", word, verdict.Message)
				}
			}
		})
	}
}

// nothingElse is an Inventory without kinds and packages.
type nothingElse struct{}

func (nothingElse) Kinds() []resolve.Kind                       { return nil }
func (nothingElse) ExternalPackages() []resolve.ExternalPackage { return nil }
