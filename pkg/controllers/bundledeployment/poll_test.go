package bundledeployment

import (
	"errors"
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/bundle/registryv1"
	"github.com/openshift/platform-operators/pkg/revision"
)

var registryRenderer = revision.Renderer(corev1alpha2.FormatRegistryV1)

// settledFixture has revision 2 active and desired, with nothing under way.
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
	if !due || request.source.Ref != f.two.Resolved {
		t.Fatalf("due: %v, from %q; it is rendered from the same content", due, request.source.Ref)
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
	if err := f.takePoll(t.Context(), f.two, request, &fetched{resolved: f.two.Resolved, objects: rendered("2.0.0")}); err != nil {
		t.Fatal(err)
	}
	headers, err := f.c.revisions.List(t.Context(), ownerOf(f.deployment))
	if err != nil || len(headers) != 2 || headers[1].Renderer != registryRenderer || f.machine.Desired() != f.two {
		t.Errorf("stored %+v, %v; want the same revisions, the second marked with %q", headers, err, registryRenderer)
	}
}

func TestAnotherRenderingIsANewRevision(t *testing.T) {
	f := settledFixture(t)
	f.two.Renderer = "earlier"
	request, _ := f.dueRendering(f.two)
	if err := f.takePoll(t.Context(), f.two, request, &fetched{resolved: f.two.Resolved, objects: rendered("y")}); err != nil {
		t.Fatal(err)
	}
	if desired := f.machine.Desired(); desired.Number != 3 || desired.Renderer != registryRenderer {
		t.Errorf("desired is %+v", desired.Header)
	}
}

func TestATagThatIsResolvedToABrokenBundleLeavesTheActiveRevision(t *testing.T) {
	f := settledFixture(t)
	broken := &fetched{resolved: "r/memo@sha256:3", invalid: errors.New("no ClusterServiceVersion")}
	for range 2 {
		if err := f.takePoll(t.Context(), f.two, fetchRequest{known: f.two.Resolved}, broken); err != nil {
			t.Fatal(err)
		}
	}
	if slot, _ := slotAt(f.deployment.UID, f.memory.pollInterval, f.clock.Now()); f.machine.Desired() != f.two || f.memory.pollSlot != slot {
		t.Errorf("desired is %s, polled in slot %d, want %d", f.machine.Desired(), f.memory.pollSlot, slot)
	}
	if len(f.memory.events) != 1 || !f.memory.events[0].Warning {
		t.Errorf("Events %+v, want one", f.memory.events)
	}
}

func TestRenderingFollowsTheComponentThatMakesCertificates(t *testing.T) {
	for name, c := range map[string]struct {
		stored string
		now    registryv1.Certificates
		due    bool
	}{
		"the same component": {"cert-manager", registryv1.CertificatesByCertManager, false},
		"another component":  {"cert-manager", registryv1.CertificatesByServiceCA, true},
		"none any more":      {"cert-manager", "", false},
		"no certificates":    {"", registryv1.CertificatesByServiceCA, false},
	} {
		f := settledFixture(t)
		f.c.recentCertificates = func() (registryv1.Certificates, error) { return c.now, nil }
		f.two.Certificates = c.stored
		if _, due := f.dueRendering(f.two); due != c.due {
			t.Errorf("%s: rendered again: %v, want %v", name, due, c.due)
		}
	}
}

func TestPollsKeepToTheirTimesAfterARestart(t *testing.T) {
	every := 10 * time.Minute
	start := time.Unix(1_700_000_000, 0)
	seen := map[time.Duration]bool{}
	for i := range 100 {
		uid := types.UID(fmt.Sprint("uid-", i))
		slot, next := slotAt(uid, every, start)
		if next <= 0 || next > every {
			t.Fatalf("the next poll is in %s", next)
		}
		seen[next.Truncate(time.Minute)] = true
		if before, _ := slotAt(uid, every, start.Add(next-time.Nanosecond)); before != slot {
			t.Fatal("a poll is due before its time")
		}
		if after, again := slotAt(uid, every, start.Add(next)); after != slot+1 || again != every {
			t.Fatalf("at its time the slot is %d after %d, and the next is in %s", after, slot, again)
		}
	}
	if len(seen) < 8 {
		t.Errorf("100 deployments poll in %d of 10 minutes: they are not spread", len(seen))
	}
}

func TestATagIsPolledWhenItIsDueAndNotAtAStart(t *testing.T) {
	s := newFixture(t)
	two := s.two
	minutes := int32(10)
	s.deployment.UID = "uid"
	s.deployment.Spec.Source.Image = &corev1alpha2.ImageSource{Ref: "r/memo:v2", PollIntervalMinutes: &minutes}
	if _, due := s.duePoll(two); due {
		t.Error("a start polls")
	}
	if s.retryAfter <= 0 || s.retryAfter > 10*time.Minute {
		t.Errorf("looks again after %s", s.retryAfter)
	}
	s.memory.pollSlot-- // a slot has gone by
	got, due := s.duePoll(two)
	if !due || got.known != two.Resolved || got.source.Ref != "r/memo:v2" {
		t.Errorf("due: %v, request %+v", due, got)
	}
	s.deployment.Spec.Source.Image.Ref = two.Resolved
	if _, due := s.duePoll(two); due {
		t.Error("a reference by digest is polled")
	}
}
