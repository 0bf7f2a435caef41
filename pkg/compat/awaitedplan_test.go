package compat_test

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/compat"
)

var morning = time.Date(2026, 2, 20, 8, 0, 0, 0, time.UTC)

// awaiting returns a BundleDeployment that waits for the approval of the plan of version 1.1.0, whose bundle permits OpenShift up to 4.21.
func awaiting() *corev1alpha2.BundleDeployment {
	deployment := &corev1alpha2.BundleDeployment{ObjectMeta: metav1.ObjectMeta{Name: "quay", Generation: 2}}
	deployment.Status = corev1alpha2.BundleDeploymentStatus{
		ObservedGeneration: 2,
		Plan:               &corev1alpha2.Plan{Revision: 2, Digest: "sha256:2000"},
		Revisions: []corev1alpha2.Revision{
			{Number: 1, Version: "1.0.0", State: corev1alpha2.RevisionActive},
			{Number: 2, Version: "1.1.0", State: corev1alpha2.RevisionRollingOut, MaxOpenShiftVersions: []string{`"4.21"`}},
		},
		Conditions: []metav1.Condition{{Type: corev1alpha2.ConditionProgressing, Status: metav1.ConditionFalse, Reason: corev1alpha2.ReasonAwaitingApproval}},
	}
	return deployment
}

func TestAwaitedPlanOf(t *testing.T) {
	for name, test := range map[string]struct {
		change  func(*corev1alpha2.BundleDeployment)
		digest  string
		version string
	}{
		"a plan that waits for an approval":          {func(*corev1alpha2.BundleDeployment) {}, "sha256:2000", "1.1.0"},
		"the plan of a revision that is not listed":  {func(d *corev1alpha2.BundleDeployment) { d.Status.Revisions = nil }, "sha256:2000", ""},
		"a status that is about an earlier spec":     {func(d *corev1alpha2.BundleDeployment) { d.Generation = 3 }, "", ""},
		"a BundleDeployment that is being deleted":   {func(d *corev1alpha2.BundleDeployment) { d.DeletionTimestamp = &metav1.Time{Time: morning} }, "", ""},
		"a revision without a plan":                  {func(d *corev1alpha2.BundleDeployment) { d.Status.Plan = nil }, "", ""},
		"a plan whose revision waits for the class":  {func(d *corev1alpha2.BundleDeployment) { d.Status.Conditions[0].Reason = corev1alpha2.ReasonBlocked }, "", ""},
		"a BundleDeployment without a condition yet": {func(d *corev1alpha2.BundleDeployment) { d.Status.Conditions = nil }, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			deployment := awaiting()
			test.change(deployment)
			got := compat.AwaitedPlanOf(deployment)
			if got == nil {
				got = &compat.AwaitedPlan{}
			}
			if got.Digest != test.digest || got.Version != test.version {
				t.Errorf("got plan %q of version %q, want %q of %q", got.Digest, got.Version, test.digest, test.version)
			}
		})
	}
	if got := compat.AwaitedPlanOf(nil); got != nil {
		t.Errorf("without a BundleDeployment: got %+v", got)
	}
}

// Promise HRD-T9: If the version that permits the cluster's next minor version waits for an approval, of the version or of its plan, the
// gate's message names it, and its last line has the command that approves it.
func TestHRD_T9_RemedyIsTheApprovalOfAPlan(t *testing.T) {
	const (
		how = `, with the plugin, "oc platform approve quay", or as the Approved condition of its BundleDeployment says`
		run = `oc patch bundledeployment quay --type=merge -p '{"spec":{"approval":{"planDigest":"sha256:2000","approvedBy":"'"$(oc whoami)"'"}}}'`
	)
	installable := compat.Candidate{Version: "1.2.0", Max: []string{`"4.21"`}, Installable: true}
	unapproved := compat.Candidate{Version: "1.2.0", Max: []string{`"4.21"`}, Approve: "1.2.0", Obstacle: "it waits"}
	excluded := compat.Candidate{Version: "1.2.0", Max: []string{`"4.21"`}, Obstacle: "it is excluded"}
	tooOld := []string{`"4.20"`}
	for name, test := range map[string]struct {
		operator     compat.Operator
		line, step   string
		isByApproval bool
	}{
		"of the version on the path to it": {compat.Operator{Candidates: []compat.Candidate{installable}},
			"update to >=1.2.0 (allows 4.21); approve the plan of version 1.1.0" + how, run, true},
		"which is not needed before the version is approved": {compat.Operator{Candidates: []compat.Candidate{unapproved}},
			`set spec.upgrades.approvedVersion to "1.2.0" (allows 4.21)`, `oc patch platformoperator quay --type=merge -p '{"spec":{"upgrades":{"approvedVersion":"1.2.0"}}}'`, true},
		"which does not help while the range excludes the version": {compat.Operator{Candidates: []compat.Candidate{excluded}},
			"update to >=1.2.0 (allows 4.21); it is excluded", "oc describe platformoperator quay", false},
		"which does not help during a pause": {compat.Operator{Candidates: []compat.Candidate{installable}, Paused: true},
			"update to >=1.2.0 (allows 4.21); spec.paused is set", `oc patch platformoperator quay --type=merge -p '{"spec":{"paused":false}}'`, false},
		"which the approval of a version does not give during a pause": {compat.Operator{Candidates: []compat.Candidate{unapproved}, Paused: true},
			`set spec.upgrades.approvedVersion to "1.2.0" (allows 4.21)`, `oc patch platformoperator quay --type=merge -p '{"spec":{"upgrades":{"approvedVersion":"1.2.0"}}}'`, false},
		"which is not the remedy if no version permits it": {compat.Operator{}, "no version in the catalogs allows 4.21",
			`oc patch platformoperator quay --type=merge -p '{"spec":{"compatibilityOverrides":[`, false},
		"of a BundleDeployment without a PlatformOperator": {compat.Operator{Kind: compat.KindBundleDeployment},
			"approve the plan of version 1.1.0 (allows 4.21)" + how, run, true},
		"of a BundleDeployment whose next version does not permit it either": {compat.Operator{Kind: compat.KindBundleDeployment, AwaitedPlan: &compat.AwaitedPlan{Digest: "sha256:2000", Max: tooOld, IsMaxKnown: true}},
			"set its spec.source to a version that allows 4.21", "oc patch bundledeployment quay --type=merge -p '{\"spec\":{\"compatibilityOverrides\":[", false},
		"of a BundleDeployment whose next version is unknown": {compat.Operator{Kind: compat.KindBundleDeployment, AwaitedPlan: &compat.AwaitedPlan{Digest: "sha256:2000"}},
			"set its spec.source to a version that allows 4.21", "", false},
		"of a version without a name": {compat.Operator{Candidates: []compat.Candidate{installable}, AwaitedPlan: &compat.AwaitedPlan{Digest: "sha256:2000"}},
			"update to >=1.2.0 (allows 4.21); approve the plan of its newest revision" + how, run, true},
	} {
		t.Run(name, func(t *testing.T) {
			operator := test.operator
			operator.Name, operator.Version, operator.Max = "quay", "1.0.0", tooOld
			if operator.AwaitedPlan == nil {
				operator.AwaitedPlan = compat.AwaitedPlanOf(awaiting())
			}
			verdict, err := compat.Evaluate("4.20.1", []compat.Operator{operator}, morning)
			if err != nil || len(verdict.Blockers) != 1 {
				t.Fatalf("%d blockers, %v: %s", len(verdict.Blockers), err, verdict.Message)
			}
			if got := verdict.Blockers[0]; !strings.HasPrefix(got.Remedy, test.line) || got.AwaitsApproval != test.isByApproval {
				t.Errorf("the remedy is %q, by an approval: %t; want %q, %t", got.Remedy, got.AwaitsApproval, test.line, test.isByApproval)
			}
			if !strings.Contains(verdict.Message, "\nNext step for quay: "+test.step) {
				t.Errorf("it does not say %s:\n%s", test.step, verdict.Message)
			}
		})
	}
}

// TestCommandOfAPlanApprovesInTheNameOfItsUser runs the command in a shell, with a function in the place of oc.
func TestCommandOfAPlanApprovesInTheNameOfItsUser(t *testing.T) {
	operator := compat.Operator{Kind: compat.KindBundleDeployment, Name: "quay", Version: "1.0.0", Max: []string{`"4.20"`}, AwaitedPlan: compat.AwaitedPlanOf(awaiting())}
	verdict, err := compat.Evaluate("4.20.1", []compat.Operator{operator}, morning)
	if err != nil {
		t.Fatal(err)
	}
	_, command, _ := strings.Cut(verdict.Message, "Next step for quay: ")
	const oc = `oc() { if [ "$1" = whoami ]; then echo "kube:admin with a space"; else printf '%s|' "$@"; fi; }` + "\n"
	output, err := exec.CommandContext(t.Context(), "sh", "-c", oc+command).Output()
	const want = `patch|bundledeployment|quay|--type=merge|-p|{"spec":{"approval":{"planDigest":"sha256:2000","approvedBy":"kube:admin with a space"}}}|`
	if err != nil || string(output) != want {
		t.Errorf("%v: the words of %s are\n%s\nwant\n%s", err, command, output, want)
	}
}
