package bundledeployment

import (
	"errors"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/bundle/formats"
	"github.com/openshift/platform-operators/pkg/revision"
	"github.com/openshift/platform-operators/pkg/revisions"
	"github.com/openshift/platform-operators/pkg/unpack"
)

var registryRenderer = formats.Renderer(corev1alpha2.FormatRegistryV1)

// settledFixture returns a fixture whose revision 2 is active and desired. Its next action is a poll.
func settledFixture(t *testing.T) *fixture {
	t.Helper()
	f := newFixture(t)
	f.one.Stored, f.one.Pruned, f.two.Stored = corev1alpha2.RevisionArchived, true, corev1alpha2.RevisionActive
	f.before.Status.ActiveRevision, f.before.Status.ObservedGeneration = 2, 3
	f.before.Status.Conditions = []metav1.Condition{{Type: corev1alpha2.ConditionProgressing, Status: metav1.ConditionFalse, Reason: corev1alpha2.ReasonAsExpected}}
	f.engine.report = apply.Report{Total: 1, Ready: 1, Complete: true}
	for action := f.machine.Next(f.clock.Now()); action.Kind != revision.Poll; action = f.machine.Next(f.clock.Now()) {
		if action.Kind == revision.Done {
			t.Fatal("nothing is polled")
		}
	}
	return f
}

func TestARevisionOfAnEarlierManagerIsRenderedAgainOnceAndOnlyWhenSettled(t *testing.T) {
	f := settledFixture(t)
	f.two.Renderer = "earlier"
	request, due := f.dueRendering(f.two)
	if !due || request.Source != named(f.two.Resolved) {
		t.Fatalf("due: %v, from %v; it is rendered from the same content", due, request.Source)
	}
	f.before.Status.Conditions[0].Reason = corev1alpha2.ReasonRollingOut
	if _, due := f.dueRendering(f.two); due {
		t.Error("it is rendered again while something is under way")
	}
	f.before.Status.Conditions[0].Reason = corev1alpha2.ReasonAsExpected
	f.endPoll(request)
	if _, due := f.dueRendering(f.two); due {
		t.Error("it is rendered again and again")
	}
}

func TestTheSameRenderingIsNoNewRevision(t *testing.T) {
	f := settledFixture(t)
	f.two.Renderer = "earlier"
	request, _ := f.dueRendering(f.two)
	if err := f.takePoll(t.Context(), f.two, request, &unpack.Rendering{Resolved: f.two.Resolved, Objects: rendered("2.0.0")}); err != nil {
		t.Fatal(err)
	}
	headers, err := f.c.revisions.List(t.Context(), revisions.OwnerOf(f.deployment))
	if err != nil || len(headers) != 2 || headers[1].Renderer != registryRenderer || f.machine.Desired() != f.two {
		t.Errorf("stored %+v, %v; want the same revisions, the second marked with %q", headers, err, registryRenderer)
	}
}

func TestAnotherRenderingIsANewRevision(t *testing.T) {
	f := settledFixture(t)
	f.two.Renderer = "earlier"
	request, _ := f.dueRendering(f.two)
	if err := f.takePoll(t.Context(), f.two, request, &unpack.Rendering{Resolved: f.two.Resolved, Objects: rendered("y")}); err != nil {
		t.Fatal(err)
	}
	if desired := f.machine.Desired(); desired.Number != 3 || desired.Renderer != registryRenderer {
		t.Errorf("desired is %+v", desired.Header)
	}
}

func TestATagThatIsResolvedToABrokenBundleLeavesTheActiveRevision(t *testing.T) {
	f := settledFixture(t)
	const interval = 10 * time.Minute
	f.memory.polls.Due(f.deployment.UID, interval, f.clock.Now())
	f.clock.SetTime(f.clock.Now().Add(interval))
	broken := &unpack.Rendering{Resolved: "r/memo@sha256:3", Invalid: errors.New("no ClusterServiceVersion")}
	for range 2 {
		if err := f.takePoll(t.Context(), f.two, unpack.Request{Known: f.two.Resolved}, broken); err != nil {
			t.Fatal(err)
		}
	}
	if due, _ := f.memory.polls.Due(f.deployment.UID, interval, f.clock.Now()); f.machine.Desired() != f.two || due {
		t.Errorf("desired is %s, and the next poll is due: %v", f.machine.Desired(), due)
	}
	if len(f.memory.events) != 1 || !f.memory.events[0].Warning {
		t.Errorf("Events %+v, want one", f.memory.events)
	}
}

func TestRenderingFollowsTheComponentThatMakesCertificates(t *testing.T) {
	for name, c := range map[string]struct {
		stored string
		now    bundle.CertificateProvider
		due    bool
	}{
		"the same component": {"cert-manager", bundle.CertManager, false},
		"another component":  {"cert-manager", bundle.ServiceCA, true},
		"none any more":      {"cert-manager", "", false},
		"no certificates":    {"", bundle.ServiceCA, false},
	} {
		f := settledFixture(t)
		f.c.certificates = provider(c.now)
		f.two.Certificates = c.stored
		if _, due := f.dueRendering(f.two); due != c.due {
			t.Errorf("%s: rendered again: %v, want %v", name, due, c.due)
		}
	}
}

func TestATagIsPolledWhenItIsDueAndNotAtAStart(t *testing.T) {
	s := newFixture(t)
	two := s.two
	minutes := int32(10)
	s.deployment.UID = "uid"
	s.deployment.Spec.Source.Image = &corev1alpha2.ImageSource{Ref: "r/memo:v2", PollIntervalMinutes: &minutes}
	if _, err := readSource(t.Context(), s.reconciliation); err != nil {
		t.Fatal(err)
	}
	if _, due := s.duePoll(two); due {
		t.Error("a start polls")
	}
	if s.retryAfter <= 0 || s.retryAfter > 10*time.Minute {
		t.Errorf("looks again after %s", s.retryAfter)
	}
	s.clock.SetTime(s.clock.Now().Add(s.retryAfter))
	got, due := s.duePoll(two)
	if !due || got.Known != two.Resolved || got.Source != named("r/memo:v2") {
		t.Errorf("due: %v, request %+v", due, got)
	}
	s.source.opened.PollInterval = 0
	if _, due := s.duePoll(two); due {
		t.Error("a source without an interval is polled")
	}
}

func TestAClassOfAnotherFormatHasTheSameContentRenderedAgain(t *testing.T) {
	f := newFixture(t)
	f.memory.history.Remove(f.one.Number)
	for provisioner, stored := range map[string]bool{corev1alpha2.ProvisionerRegistry: true, corev1alpha2.ProvisionerPlain: false} {
		f.memory.class.Provisioner = provisioner
		if _, err := readSource(t.Context(), f.reconciliation); err != nil {
			t.Fatal(err)
		}
		m := revision.NewMachine(revision.Input{Deployment: f.before, History: &f.memory.history, Desired: f.source.desired})
		if action := m.Next(f.clock.Now()); (action.Kind == revision.Poll) != stored || (action.Kind == revision.Fetch) == stored {
			t.Errorf("%s: the first action is %d", provisioner, action.Kind)
		}
		want := unpack.Request{Source: named(f.two.Resolved), Format: corev1alpha2.FormatOf(provisioner), Namespace: "memo"}
		if got := f.request(); got != want {
			t.Errorf("%s requests %+v, want %+v: the content is the same", provisioner, got, want)
		}
	}
}
