package approve

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/cli/cluster"
)

func TestCLI_16_WhoHasAVerb(t *testing.T) {
	role := func(name string, rule rbacv1.PolicyRule) rbacv1.ClusterRole {
		return rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: []rbacv1.PolicyRule{{Verbs: []string{"get"}}, rule}}
	}
	rule := func(verb, group, resource string, names ...string) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{Verbs: []string{"list", verb}, APIGroups: []string{group}, Resources: []string{resource}, ResourceNames: names}
	}
	binding := func(role string, subjects ...rbacv1.Subject) rbacv1.ClusterRoleBinding {
		return rbacv1.ClusterRoleBinding{RoleRef: rbacv1.RoleRef{Kind: "ClusterRole", Name: role}, Subjects: subjects}
	}
	user := func(name string) rbacv1.Subject { return rbacv1.Subject{Kind: "User", Name: name} }
	roles := []rbacv1.ClusterRole{
		role("all", rule("*", "*", "*")), role("this", rule("approve", "core.rukpak.io", "bundledeployments", "other", "quay")),
		role("other", rule("approve", "core.rukpak.io", "bundledeployments", "other")), role("group", rule("approve", "apps", "bundledeployments")),
		role("resource", rule("approve", "core.rukpak.io", "bundles")), role("verb", rule("patch", "core.rukpak.io", "bundledeployments")),
		role("unbound", rule("*", "*", "*")),
	}
	bindings := []rbacv1.ClusterRoleBinding{
		binding("all", user("root"), rbacv1.Subject{Kind: "ServiceAccount", Namespace: "kube-system", Name: "remover"}), binding("this", user("ada"), user("root")),
		binding("this", user("ada")), binding("other", user("a")), binding("group", user("b")), binding("resource", user("c")), binding("verb", user("d")),
		binding("deleted", user("e")),
	}
	got := holdersOf(roles, bindings, cluster.Permission{Verb: "approve", Group: "core.rukpak.io", Resource: "bundledeployments", Name: "quay"})
	want := []string{"User ada (ClusterRole this)", "User root (ClusterRole all)", "User root (ClusterRole this)", "ServiceAccount kube-system/remover (ClusterRole all)"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if text := heldBy(nil, nil, cluster.Permission{}, false); text != "No ClusterRoleBinding grants it, among the first that were read." {
		t.Errorf("without roles: %s", text)
	}
}

// storedPlans are ConfigMaps. before is called before the read with this number, from 0.
type storedPlans struct {
	parts  map[string]*corev1.ConfigMap
	before func(number int)
	reads  int
}

func (s *storedPlans) ManagerConfigMap(_ context.Context, name string) (*corev1.ConfigMap, error) {
	if s.before != nil {
		s.before(s.reads)
	}
	s.reads++
	if part, exists := s.parts[name]; exists {
		return part.DeepCopy(), nil
	}
	return nil, fmt.Errorf("reading: %w", apierrors.NewNotFound(schema.GroupResource{Resource: "configmaps"}, name))
}

func (s *storedPlans) set(name, version, digest, key, text string) {
	s.parts[name] = &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name, ResourceVersion: version}, Data: map[string]string{corev1alpha2.PlanDigest: digest, key: text},
	}
}

func TestCLI_16_OnlyTheWholeTextOfAPlanIsRead(t *testing.T) {
	of := &corev1alpha2.Plan{Digest: "sha256:1", ConfigMaps: []string{"a", "b", "c"}}
	for name, test := range map[string]struct {
		change  func(*storedPlans)
		isStale bool
	}{
		"Whole":       {func(*storedPlans) {}, false},
		"OtherPlan":   {func(s *storedPlans) { s.set("a", "2", "sha256:2", corev1alpha2.PlanText, "create other\n") }, true},
		"OtherPart":   {func(s *storedPlans) { s.set("b", "2", "sha256:2", corev1alpha2.PlanText, "create other\n") }, true},
		"NoDigest":    {func(s *storedPlans) { s.set("a", "2", "", corev1alpha2.PlanText, "digest sha256:1\n") }, true},
		"MissingPart": {func(s *storedPlans) { delete(s.parts, "b") }, true},
		"RewrittenMeanwhile": {func(s *storedPlans) {
			s.before = func(number int) {
				if number == 1 { // the first part is read, and the others are not
					s.set("a", "2", "sha256:1", corev1alpha2.PlanText, "an unsafe change\ncreate zero\n")
					s.set("b", "2", "sha256:1", corev1alpha2.PlanText, "create one\n")
				}
			}
		}, true},
	} {
		stored := &storedPlans{parts: map[string]*corev1.ConfigMap{}}
		stored.set("a", "1", "sha256:1", corev1alpha2.PlanText, "create zero\n")
		stored.set("b", "1", "sha256:1", corev1alpha2.PlanText, "create one\n")
		stored.set("c", "1", "sha256:1", corev1alpha2.PlanPermissions, "kind: Role\n")
		test.change(stored)
		text, err := readText(t.Context(), stored, of)
		if errors.Is(err, errStale) != test.isStale || err == nil != !test.isStale {
			t.Errorf("%s: got %v", name, err)
		}
		if want := (planText{lines: "create zero\ncreate one\n", permissions: "kind: Role\n"}); !test.isStale && text != want {
			t.Errorf("%s: got %+v", name, text)
		}
	}
}

// TestCLI_16_TheDifferenceOfLargePlansTakesSeconds compares two plans of 4 MiB. The limit leaves room for a loaded machine.
func TestCLI_16_TheDifferenceOfLargePlansTakesSeconds(t *testing.T) {
	var before, after strings.Builder
	for i := range 20_000 {
		line := fmt.Sprintf("create ConfigMap memo/settings-%d %s\n", i, strings.Repeat("x", 180))
		before.WriteString(line)
		switch i % 1000 {
		case 3:
			continue
		case 5:
			line = strings.Replace(line, "xxx", "yyy", 1)
		}
		after.WriteString(line)
	}
	began := time.Now()
	difference, err := differenceOf(before.String(), after.String())
	took := time.Since(began)
	removed, added := strings.Count(difference, "\n-create"), strings.Count(difference, "\n+create")
	if err != nil || removed != 40 || added != 20 || took > time.Minute {
		t.Errorf("got %d and %d lines after %s: %v", removed, added, took, err)
	}
}

func TestCLI_16_WhatIsAwaited(t *testing.T) {
	condition := func(kind string, status metav1.ConditionStatus, reason string) metav1.Condition {
		return metav1.Condition{Type: kind, Status: status, Reason: reason, Message: "message of " + kind}
	}
	deployment := func(conditions ...metav1.Condition) *corev1alpha2.BundleDeployment {
		return &corev1alpha2.BundleDeployment{Status: corev1alpha2.BundleDeploymentStatus{
			Conditions: conditions, Plan: &corev1alpha2.Plan{Digest: "sha256:1"},
		}}
	}
	waits := condition("Approved", "False", "AwaitingApproval")
	operator := &platformv1alpha1.PlatformOperator{Status: platformv1alpha1.PlatformOperatorStatus{
		Conditions: []metav1.Condition{condition("Progressing", "False", "AwaitingApproval")},
	}}
	stale, paused, deleted, unplanned := deployment(waits), deployment(condition("Approved", "Unknown", "AwaitingApproval")), deployment(waits), deployment(waits)
	stale.Generation, paused.Spec.Paused, deleted.DeletionTimestamp, unplanned.Status.Plan = 2, true, &metav1.Time{}, nil
	type want struct{ Version, Plan, Pending bool }
	for name, test := range map[string]struct {
		s    subject
		want want
	}{
		"Plan":                {subject{nil, deployment(waits)}, want{Plan: true}},
		"PlanOfOperator":      {subject{operator, deployment(waits)}, want{Plan: true}},
		"Version":             {subject{operator, deployment(condition("Approved", "True", "Approved"))}, want{Version: true}},
		"VersionWithoutPlans": {subject{operator, deployment()}, want{Version: true}},
		"NoDeployment":        {subject{operator, nil}, want{Version: true}},
		"NoStatus":            {subject{&platformv1alpha1.PlatformOperator{}, nil}, want{Pending: true}},
		"Stale":               {subject{nil, stale}, want{Plan: true, Pending: true}},
		"PlanNotKnown":        {subject{nil, deployment(condition("Approved", "Unknown", "AwaitingApproval"))}, want{Pending: true}},
		"Paused":              {subject{nil, paused}, want{}},
		"Deleted":             {subject{nil, deleted}, want{}},
		"NoPlan":              {subject{nil, unplanned}, want{}},
		"PoliciesNotInForce":  {subject{nil, deployment(condition("Approved", "False", "PoliciesNotInForce"))}, want{}},
	} {
		if got := (want{test.s.awaitsVersion(), test.s.awaitsPlan(), test.s.pending() != ""}); got != test.want {
			t.Errorf("%s: got %+v, want %+v", name, got, test.want)
		}
	}
}

func TestWhatFollowsAnApprovalDependsOnWhatIsMissing(t *testing.T) {
	missing := []string{"anything"}
	for want, plan := range map[string]Plan{
		"The manager applies revision 1 now.":                                               {},
		"The manager applies revision 2 when somebody has granted the missing permissions.": {Revision: 2, Missing: missing},
		"The manager applies revision 2 when the cluster serves the missing kinds and somebody has granted the missing permissions.": {
			Revision: 2, Missing: missing, KindsMissing: missing,
		},
	} {
		if got := plan.nextSteps(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
