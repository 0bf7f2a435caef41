package bundledeployment

import (
	"errors"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/classlimits"
	"github.com/openshift/platform-operators/pkg/revision"
	"github.com/openshift/platform-operators/pkg/unpack"
)

// limitedTo sets the spec of the fixture's class.
func (f *fixture) limitedTo(spec corev1alpha2.ProvisionerClassSpec) {
	spec.Provisioner = corev1alpha2.ProvisionerRegistry
	f.memory.class, f.memory.className = spec, "registry"
}

func onlyFrom(registry string) corev1alpha2.ProvisionerClassSpec {
	return corev1alpha2.ProvisionerClassSpec{AllowedSources: &corev1alpha2.AllowedSources{Image: corev1alpha2.AllowedImages{Registries: []string{registry}}}}
}

func TestENG_A9_ARevisionThatTheClassDoesNotAllowIsNotStarted(t *testing.T) {
	for name, c := range map[string]struct {
		spec corev1alpha2.ProvisionerClassSpec
		want string
	}{
		"because of its registry":       {onlyFrom("quay.io"), "allowedSources.image.registries"},
		"because of its ServiceAccount": {corev1alpha2.ProvisionerClassSpec{ServiceAccount: corev1alpha2.ServiceAccountRequired}, "set spec.serviceAccountName"},
		"because of its namespace": {corev1alpha2.ProvisionerClassSpec{AllowedNamespaces: &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}}},
			`labels that match "a=b", and the namespace does not exist`},
	} {
		t.Run(name, func(t *testing.T) {
			f := firstFixture(t)
			f.two.Resolved = "r.example/memo@sha256:" + strings.Repeat("2", 64)
			f.limitedTo(c.spec)
			f.decide(t)
			installed := conditionOf(t, f.deployment, corev1alpha2.ConditionInstalled)
			if f.machine.State(f.two) != revision.WaitingForClass || f.engine.applied != 0 || installed.Reason != corev1alpha2.ReasonInstallFailed || !strings.Contains(installed.Message, c.want) {
				t.Errorf("it is %s, applied %d times; %s: %s", f.machine.State(f.two), f.engine.applied, installed.Reason, installed.Message)
			}
			if f.retryAfter == 0 {
				t.Error("it is not tried again")
			}
			f.limitedTo(corev1alpha2.ProvisionerClassSpec{})
			f.decide(t)
			if f.machine.State(f.two) != revision.RollingOut || f.engine.applied != 1 {
				t.Errorf("without the limit, it is %s", f.machine.State(f.two))
			}
		})
	}
}

func TestENG_A9_ARevisionWithTooManyObjectsForTheClassIsNotStarted(t *testing.T) {
	f := firstFixture(t)
	f.limitedTo(corev1alpha2.ProvisionerClassSpec{Limits: &corev1alpha2.ClassLimits{Objects: 1}})
	f.two.Objects = 2
	check := f.checkRevisionClass(t.Context(), f.two)
	if check.Unmet != revision.Class || !check.Problem.Refused || !strings.Contains(check.Problem.Err.Error(), "limits.objects is 1") {
		t.Errorf("got %+v", check)
	}
	f.two.Objects = 1
	if check := f.checkRevisionClass(t.Context(), f.two); check.Unmet != revision.NoRequirement {
		t.Errorf("one object: %+v", check)
	}
}

func TestENG_A9_WhatTheClassDoesNotAllowIsNotFetched(t *testing.T) {
	f := newFixture(t)
	f.source.opened.Image = "r.example/memo:v3"
	f.source.desired.Source = "r/memo:v3"
	f.limitedTo(onlyFrom("quay.io"))
	f.decide(t)
	for kind, want := range map[string]string{
		corev1alpha2.ConditionUnpacked: "False NotAllowed", corev1alpha2.ConditionHasValidBundle: "Unknown NotAllowed",
		corev1alpha2.ConditionProgressing: "False Blocked", corev1alpha2.ConditionInstalled: "True UpgradeFailed",
	} {
		got := conditionOf(t, f.deployment, kind)
		if string(got.Status)+" "+got.Reason != want {
			t.Errorf("%s is %s %s: %s", kind, got.Status, got.Reason, got.Message)
		}
	}
	if f.engine.applied != 1 {
		t.Errorf("the active revision was applied %d times, want once", f.engine.applied)
	}
	if progress := f.c.fetches.Request("memo", f.request()); progress.Err != nil || progress.Result != nil {
		t.Errorf("it was fetched: %+v", progress)
	}
}

func TestENG_A9_ABundleOverItsSizeIsNotStored(t *testing.T) {
	for limit, want := range map[classlimits.Limit]string{
		classlimits.BundleBytes: corev1alpha2.ConditionUnpacked, classlimits.Objects: corev1alpha2.ConditionHasValidBundle,
	} {
		f := newFixture(t)
		f.limitedTo(corev1alpha2.ProvisionerClassSpec{Limits: &corev1alpha2.ClassLimits{BundleBytes: 1, Objects: 1}})
		f.machine = revision.NewMachine(revision.Input{Deployment: f.before, History: &revision.History{}, Desired: f.source.desired})
		rendered := &unpack.Rendering{Resolved: "r/memo@sha256:3", Invalid: &classlimits.SizeError{Limit: limit, Max: 1, Objects: 2}}
		f.setNotAllowed(rendered.Resolved, f.sizeProblem(rendered))
		f.machine.Report(&f.deployment.Status)
		got := conditionOf(t, f.deployment, want)
		if got.Status != metav1.ConditionFalse || got.Reason != corev1alpha2.ReasonNotAllowed || !strings.Contains(got.Message, string(limit)) {
			t.Errorf("%s: %s is %s %s: %s", limit, want, got.Status, got.Reason, got.Message)
		}
	}
	if problem := newFixture(t).sizeProblem(&unpack.Rendering{}); problem != nil {
		t.Errorf("a bundle within its size has the problem %v", problem)
	}
}

func TestENG_A9_OnlyWhatIsNewHasASize(t *testing.T) {
	f := newFixture(t)
	f.limitedTo(corev1alpha2.ProvisionerClassSpec{Limits: &corev1alpha2.ClassLimits{BundleBytes: 7, Objects: 3}})
	if got := f.request().Sizes; got != (classlimits.Sizes{Bytes: 7, Objects: 3}) {
		t.Errorf("new content is limited to %+v", got)
	}
	if got := f.requestFrom(f.source.opened.Source).Sizes; got != (classlimits.Sizes{}) {
		t.Errorf("the installed content is limited to %+v", got)
	}
}

func TestENG_A9_ANamespaceThatCannotBeReadDelaysNoRepair(t *testing.T) {
	f := newFixture(t)
	f.source.desired.Source = "r/memo:v3"
	f.limitedTo(corev1alpha2.ProvisionerClassSpec{AllowedNamespaces: &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}}})
	f.engine.namespaceErr = errors.New("etcd is down")
	f.decide(t)
	got := conditionOf(t, f.deployment, corev1alpha2.ConditionUnpacked)
	if got.Reason != corev1alpha2.ReasonUnpackFailed || !strings.Contains(got.Message, "etcd is down") || f.retryAfter == 0 || f.retryAfter > revision.RequirementInterval || f.engine.applied != 1 {
		t.Errorf("%s: %s; again after %s; applied %d times", got.Reason, got.Message, f.retryAfter, f.engine.applied)
	}
}

func TestENG_A9_APollOfWhatTheClassDoesNotAllowKeepsTheRevision(t *testing.T) {
	for name, c := range map[string]struct {
		err      error
		isPolled bool
		reason   string
	}{
		"not allowed":                     {nil, true, corev1alpha2.EventNotAllowed},
		"a namespace that cannot be read": {errors.New("etcd is down"), false, corev1alpha2.EventSourceUnreachable},
	} {
		t.Run(name, func(t *testing.T) {
			f := settledFixture(t)
			f.source.opened.PollInterval = time.Minute
			f.limitedTo(corev1alpha2.ProvisionerClassSpec{AllowedNamespaces: &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}}})
			f.engine.namespaceErr = c.err
			f.memory.polls.Due(f.deployment.UID, time.Minute, f.clock.Now())
			f.clock.SetTime(f.clock.Now().Add(2 * time.Minute))
			for range 2 { // the Event is sent once
				if f.mayPoll(t.Context(), f.two, unpack.Request{Known: f.two.Resolved}) {
					t.Error("it is polled")
				}
			}
			if len(f.memory.events) != 1 || f.memory.events[0].Reason != c.reason || f.machine.Desired() != f.two {
				t.Errorf("events %+v", f.memory.events)
			}
			if due, _ := f.memory.polls.Due(f.deployment.UID, time.Minute, f.clock.Now()); due == c.isPolled {
				t.Errorf("due again: %t", due)
			}
			exceeded := &unpack.Rendering{Resolved: "r/memo@sha256:3", Invalid: &classlimits.SizeError{Limit: classlimits.Objects, Max: 1, Objects: 2}}
			if err := f.takePoll(t.Context(), f.two, unpack.Request{Known: f.two.Resolved}, exceeded); err != nil || len(f.memory.events) != 2 || f.memory.events[1].Reason != corev1alpha2.EventNotAllowed {
				t.Errorf("too many objects: %v, events %+v", err, f.memory.events)
			}
		})
	}
}
