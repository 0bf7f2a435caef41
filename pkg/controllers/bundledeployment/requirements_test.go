package bundledeployment

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/attempt"
	"github.com/openshift/platform-operators/pkg/plan"
	"github.com/openshift/platform-operators/pkg/revision"
)

// firstFixture returns a fixture with only a first revision, which has not started.
func firstFixture(t *testing.T) *fixture {
	t.Helper()
	f := newFixture(t)
	f.two.Started = nil
	f.memory.history.Remove(f.one.Number)
	f.before.Status = corev1alpha2.BundleDeploymentStatus{}
	f.deployment = f.before.DeepCopy()
	return f
}

func TestARevisionWithoutPermissionsDoesNotStart(t *testing.T) {
	f := firstFixture(t)
	f.engine.missing = []corev1alpha2.MissingPermission{{Resource: "secrets", Verbs: []string{"create"}}}
	f.decide(t)
	if state := f.machine.State(f.two); state != revision.WaitingForPermissions || f.engine.applied != 0 {
		t.Errorf("it is %s, applied %d times", state, f.engine.applied)
	}
	if diff := cmp.Diff(f.engine.missing, f.deployment.Status.Plan.PermissionsMissing); diff != "" {
		t.Errorf("status.plan.permissionsMissing (-want +got):\n%s", diff)
	}

	f.engine.missing, f.engine.askErr = nil, errors.New("the server is not there")
	if _, err := rollOut(t.Context(), f.reconciliation); err == nil || f.engine.applied != 0 {
		t.Errorf("error %v, applied %d times although the permissions are not known", err, f.engine.applied)
	}
}

func TestPermissionsAreAskedAboutAgainWhenTheAPIServerDeniesSomething(t *testing.T) {
	for name, c := range map[string]struct {
		missing []corev1alpha2.MissingPermission
		want    string
	}{
		"one is missing":            {[]corev1alpha2.MissingPermission{{Resource: "secrets", Verbs: []string{"create"}}}, "secrets (create)"},
		"something else forbids it": {nil, "exceeded quota"},
	} {
		t.Run(name, func(t *testing.T) {
			f := firstFixture(t)
			f.decide(t)
			if f.engine.applied != 1 {
				t.Fatalf("applied %d times", f.engine.applied)
			}
			f.engine.missing, f.engine.err = c.missing, &apply.Refusal{Err: forbidden("exceeded quota"), Remedy: "grant it"}
			f.decide(t)
			installed := conditionOf(t, f.deployment, corev1alpha2.ConditionInstalled)
			if installed.Reason != corev1alpha2.ReasonInstallFailed || !strings.Contains(installed.Message, c.want) {
				t.Errorf("%s: %s", installed.Reason, installed.Message)
			}
		})
	}
}

func TestHRD_S1_ANamespaceOfOthersIsUsedOnlyWhenItIsNamed(t *testing.T) {
	theirs := plan.InstallNamespace{Exists: true, Requester: "alice"}
	f := firstFixture(t)
	f.engine.namespace = theirs
	f.deployment.Annotations = map[string]string{platformv1alpha1.AnnotationNamespaceDefaulted: "true"}
	f.decide(t)
	if state := f.machine.State(f.two); state != revision.WaitingForNamespace {
		t.Fatalf("it is %s", state)
	}
	installed := conditionOf(t, f.deployment, corev1alpha2.ConditionInstalled)
	for _, want := range []string{"Namespace memo", `"alice"`, `set spec.install.namespace of the PlatformOperator to "memo"`} {
		if !strings.Contains(installed.Message, want) {
			t.Errorf("%q lacks %q", installed.Message, want)
		}
	}

	f = firstFixture(t)
	f.engine.namespace = theirs
	f.decide(t)
	if state := f.machine.State(f.two); state != revision.RollingOut {
		t.Fatalf("a namespace that is named is not used: it is %s", state)
	}
	if got := f.deployment.Status.Warnings; len(got) != 1 || !strings.HasPrefix(got[0], "Namespace memo: it was not created by the manager") {
		t.Errorf("warnings %q", got)
	}

	for _, name := range []string{"default", "kube-public", "openshift-platform-operators"} {
		f = firstFixture(t)
		f.engine.namespace.Exists = true
		f.deployment.Spec.InstallNamespace = name
		f.decide(t)
		if state := f.machine.State(f.two); state != revision.WaitingForNamespace {
			t.Errorf("%s is used: the revision is %s", name, state)
		}
	}
}

func TestHRD_S1_WhatWasInstalledInANamespaceOfOthersStaysWithAWarning(t *testing.T) {
	f := newFixture(t)
	f.before.Status.Warnings = []string{"another"}
	f.deployment.Status.Warnings = []string{"another"}
	f.take(apply.Report{NamespaceSeen: true, Preexisting: true})
	f.reportPlan()
	once := slices.Clone(f.deployment.Status.Warnings)
	if len(once) != 2 || !strings.HasPrefix(once[0], "Namespace memo: ") || once[1] != "another" {
		t.Fatalf("warnings %q", once)
	}
	for name, look := range map[string]func(){
		"the second time":       func() {},
		"while nothing is read": func() { f.preexisting = nil }, // for example after a restart, before an apply
	} {
		look()
		f.reportPlan()
		if !slices.Equal(f.deployment.Status.Warnings, once) {
			t.Errorf("%s: %q", name, f.deployment.Status.Warnings)
		}
	}
	f.take(apply.Report{NamespaceSeen: true})
	f.reportPlan()
	if !slices.Equal(f.deployment.Status.Warnings, []string{"another"}) {
		t.Errorf("when the manager has created it: %q", f.deployment.Status.Warnings)
	}
}

func TestFinalizersOfRukpakGoWhenNothingOfItIsLeft(t *testing.T) {
	f := newFixture(t)
	f.before.Finalizers = []string{corev1alpha2.FinalizerCachedBundle, "example.com/mine", corev1alpha2.FinalizerUnpackCache}
	add := func() []string {
		t.Helper()
		if _, err := addFinalizer(t.Context(), f.reconciliation); err != nil {
			t.Fatal(err)
		}
		live, err := f.c.client.Get(t.Context(), "memo", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return live.Finalizers
	}
	if got := add(); len(got) != 4 || !revision.IsInherited(f.before) {
		t.Errorf("before everything is taken over: %v", got)
	}
	f.memory.history.LeftoversRemoved, f.unknownClass = true, "gone"
	if got, want := add(), []string{"example.com/mine", corev1alpha2.Finalizer}; !slices.Equal(got, want) || revision.IsInherited(f.before) || !revision.IsHeld(f.before) {
		t.Errorf("after that, also while the class is gone: %v, want %v", got, want)
	}
	f.api.ClearActions()
	add()
	if asked := f.api.Actions(); len(asked) != 1 || asked[0].GetVerb() != "get" { // the request of the test's add function
		t.Errorf("it is written again: %v", asked)
	}
}

func TestTheClassOfAnEarlierProcessUndoesNothing(t *testing.T) {
	f := newFixture(t)
	f.deployment.Spec.ProvisionerClassName = "gone"
	if _, err := readClass(t.Context(), f.reconciliation); err != nil || f.policies.Drift.Policy != corev1alpha2.DriftReport || f.policies.CRDs == corev1alpha2.CRDsDelete {
		t.Errorf("error %v; after a restart without the class: %+v", err, f.policies)
	}
	f.deployment.Spec.Drift = &corev1alpha2.Drift{Policy: corev1alpha2.DriftEnforce}
	if _, err := readClass(t.Context(), f.reconciliation); err != nil || f.policies.Drift.Policy != corev1alpha2.DriftEnforce {
		t.Errorf("error %v; the spec says %q, and it is %q", err, corev1alpha2.DriftEnforce, f.policies.Drift.Policy)
	}
}

func TestHRD_M1_AFailedRevisionIsTriedAgainWhenAllKindsThatItLackedAreServed(t *testing.T) {
	memo, note := schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Memo"}, schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Note"}
	for name, test := range map[string]struct {
		lacked []corev1alpha2.MissingKind
		served sets.Set[schema.GroupVersionKind]
		want   bool
	}{
		"all are served":        {[]corev1alpha2.MissingKind{corev1alpha2.MissingKind(memo), corev1alpha2.MissingKind(note)}, sets.New(memo, note), true},
		"one is not served":     {[]corev1alpha2.MissingKind{corev1alpha2.MissingKind(memo), corev1alpha2.MissingKind(note)}, sets.New(memo), false},
		"none is served":        {[]corev1alpha2.MissingKind{corev1alpha2.MissingKind(memo)}, nil, false},
		"the kinds are unknown": {nil, sets.New(memo, note), false},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.two.Stored, f.two.FailedGeneration, f.two.FailedAttempt = corev1alpha2.RevisionFailed, 3, attempt.Of(f.deployment)
			f.two.FailedFor, f.two.KindsMissing = corev1alpha2.FailedForKinds, test.lacked
			f.engine.served, f.engine.report = test.served, apply.Report{Total: 1, Ready: 1, Complete: true}
			f.decide(t)
			if got := f.machine.Newest() == f.machine.Active(); got != test.want {
				t.Errorf("tried again: %v, want %v", got, test.want)
			}
		})
	}
}
