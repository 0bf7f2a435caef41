package bundledeployment

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/openshift/platform-operators/pkg/client/clientset/versioned/fake"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/plan"
)

// first is a sync of a first revision that was not begun, on a cluster that has this namespace.
func first(t *testing.T, namespace plan.InstallNamespace) *state {
	t.Helper()
	s, _, two := given(t)
	two.started, two.state = nil, ""
	s.active, s.record.revisions = nil, []*revision{two}
	s.before.Spec.InstallNamespace, s.managerNamespace = namespace.Name, "openshift-platform-operators"
	s.deployment = s.before.DeepCopy()
	s.client = fake.NewSimpleClientset(s.before).CoreV1alpha2().BundleDeployments()
	s.namespaceFor = func(context.Context, apply.Owner, string) (plan.InstallNamespace, error) { return namespace, nil }
	return s
}

func TestHRD_S1_ANamespaceOfOthersIsUsedOnlyWhenItIsNamed(t *testing.T) {
	theirs := plan.InstallNamespace{Name: "memo", Exists: true, Requester: "alice"}
	s := first(t, theirs)
	s.deployment.Annotations = map[string]string{platformv1alpha1.AnnotationNamespaceDefaulted: "true"}
	if _, err := begin(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if s.wanted.begun() || s.unbegun == nil {
		t.Fatalf("the revision was begun: %v", s.unbegun)
	}
	for _, want := range []string{"Namespace memo", `"alice"`, `set spec.install.namespace to "memo"`} {
		if !strings.Contains(s.unbegun.Error(), want) {
			t.Errorf("%q lacks %q", s.unbegun, want)
		}
	}
	if s.retryAfter != permissionsPause {
		t.Errorf("looks again after %s", s.retryAfter)
	}

	s = first(t, theirs)
	if _, err := begin(t.Context(), s); err != nil || !s.wanted.begun() {
		t.Fatalf("a namespace that is named is not used: %v, %v", s.unbegun, err)
	}
	if got := s.deployment.Status.Warnings; len(got) != 1 || !strings.HasPrefix(got[0], "Namespace memo: it was not created by the manager") {
		t.Errorf("warnings %q", got)
	}

	for _, name := range []string{"default", "kube-public", "openshift-platform-operators"} {
		s = first(t, plan.InstallNamespace{Name: name, Exists: true})
		if _, err := begin(t.Context(), s); err != nil || s.wanted.begun() {
			t.Errorf("%s is used: %v", name, err)
		}
	}
}

func TestHRD_S1_WhatWasInstalledInANamespaceOfOthersStaysWithAWarning(t *testing.T) {
	s, _, _ := given(t)
	s.before.Spec.InstallNamespace, s.deployment.Spec.InstallNamespace = "memo", "memo"
	s.before.Status.Warnings = []string{"another"}
	s.deployment.Status.Warnings = []string{"another"}
	s.take(apply.Report{NamespaceSeen: true, Preexisting: true})
	s.reportPlan()
	once := slices.Clone(s.deployment.Status.Warnings)
	if len(once) != 2 || !strings.HasPrefix(once[0], "Namespace memo: ") || once[1] != "another" {
		t.Fatalf("warnings %q", once)
	}
	s.reportPlan()
	if !slices.Equal(s.deployment.Status.Warnings, once) {
		t.Errorf("the second time: %q", s.deployment.Status.Warnings)
	}
	s.preexisting = nil // such as after a restart, while nothing is applied
	s.reportPlan()
	if !slices.Equal(s.deployment.Status.Warnings, once) {
		t.Errorf("while nothing has looked: %q", s.deployment.Status.Warnings)
	}
	s.take(apply.Report{NamespaceSeen: true})
	s.reportPlan()
	if !slices.Equal(s.deployment.Status.Warnings, []string{"another"}) {
		t.Errorf("when the manager has created it: %q", s.deployment.Status.Warnings)
	}
}
