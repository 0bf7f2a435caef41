package bundledeployment

import (
	"errors"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes/fake"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/bundle/registryv1"
	"github.com/openshift/platform-operators/pkg/health"
	"github.com/openshift/platform-operators/pkg/source"
	"github.com/openshift/platform-operators/pkg/store"
)

var registryRenderer = rendererOf(corev1alpha2.FormatRegistryV1)

func rendered(value string) []unstructured.Unstructured {
	return []unstructured.Unstructured{{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "a", "namespace": "memo"}, "data": map[string]any{"a": value},
	}}}
}

// renderedBefore is a sync of a deployment whose one revision was rendered by an earlier manager.
func renderedBefore(t *testing.T) *state {
	t.Helper()
	s, _, _ := given(t)
	s.revisions = store.NewRevisions(fake.NewClientset().CoreV1().Secrets("system"))
	s.certificates, s.remembered = noCertificates, noCertificates
	asked, err := newFetches(t.Context(), fetchConfig{
		slots: 1, backoff: source.Backoff{First: time.Second, Last: time.Minute}, clock: s.clock,
		done: func(string) {}, fetch: reader{}.read,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.fetches, s.record.revisions, s.deployment.UID = asked, nil, "uid"
	s.sought = sought{source: "r/memo:v1", format: corev1alpha2.FormatRegistryV1, image: imageSource(&corev1alpha2.ImageSource{Ref: "r/memo:v1"})}
	s.active, err = s.keep(t.Context(), &store.Revision{
		Header:  store.Header{Source: "r/memo:v1", Resolved: "r/memo@sha256:1", Renderer: "earlier"},
		Objects: rendered("x"),
	})
	if err != nil {
		t.Fatal(err)
	}
	s.wanted = s.active
	s.before.Status.ObservedGeneration = s.before.Generation
	s.before.Status.Conditions = []metav1.Condition{{Type: corev1alpha2.ConditionProgressing, Status: metav1.ConditionFalse, Reason: corev1alpha2.ReasonAsExpected}}
	return s
}

func TestWhatAnEarlierManagerRenderedIsRenderedAgainOnceAndOnlyWhenSettled(t *testing.T) {
	s := renderedBefore(t)
	wanted, due := s.rerender(s.active)
	if !due || wanted.source.Ref != "r/memo@sha256:1" {
		t.Fatalf("due: %v, from %q; it is rendered from the content that it was", due, wanted.source.Ref)
	}
	s.before.Status.Conditions[0].Reason = corev1alpha2.ReasonRollingOut
	if _, due := s.rerender(s.active); due {
		t.Error("something is rendered again while something else is under way")
	}
	s.before.Status.Conditions[0].Reason = corev1alpha2.ReasonAsExpected
	s.rereadDone(wanted)
	if _, due := s.rerender(s.active); due {
		t.Error("it is rendered again and again")
	}
}

func TestTheSameRenderingIsNoNewRevision(t *testing.T) {
	s := renderedBefore(t)
	wanted, _ := s.rerender(s.active)
	if err := s.takeIn(t.Context(), s.active, wanted, &fetched{resolved: "r/memo@sha256:1", objects: rendered("x")}); err != nil {
		t.Fatal(err)
	}
	headers, err := s.revisions.List(t.Context(), ownerOf(s.deployment))
	if err != nil || len(headers) != 1 || headers[0].Renderer != registryRenderer || s.wanted != s.active {
		t.Errorf("stored %+v, %v; want the one revision, marked with %q", headers, err, registryRenderer)
	}
}

func TestAnotherRenderingIsANewRevision(t *testing.T) {
	s := renderedBefore(t)
	wanted, _ := s.rerender(s.active)
	if err := s.takeIn(t.Context(), s.active, wanted, &fetched{resolved: "r/memo@sha256:1", objects: rendered("y")}); err != nil {
		t.Fatal(err)
	}
	if s.wanted == s.active || s.wanted.Number != 2 || s.wanted.Renderer != registryRenderer {
		t.Errorf("wanted is %+v", s.wanted.Header)
	}
}

func TestATagThatLeadsToSomethingBrokenLeavesWhatRuns(t *testing.T) {
	s := renderedBefore(t)
	broken := &fetched{resolved: "r/memo@sha256:2", invalid: errors.New("no ClusterServiceVersion")}
	for range 2 {
		if err := s.takeIn(t.Context(), s.active, wish{known: "r/memo@sha256:1"}, broken); err != nil {
			t.Fatal(err)
		}
	}
	if slot, _ := slotAt(s.deployment.UID, s.record.every, s.clock.Now()); s.wanted != s.active || s.record.slot != slot {
		t.Errorf("wanted is revision %d, polled in slot %d, want %d", s.wanted.Number, s.record.slot, slot)
	}
	if len(s.record.notices) != 1 || !s.record.notices[0].warning {
		t.Errorf("told %+v, want it once", s.record.notices)
	}
}

func TestRenderingFollowsWhoMakesCertificates(t *testing.T) {
	for name, c := range map[string]struct {
		stored string
		now    registryv1.Certificates
		due    bool
	}{
		"who it was":                          {"cert-manager", registryv1.CertificatesByCertManager, false},
		"somebody else":                       {"cert-manager", registryv1.CertificatesByServiceCA, true},
		"nobody any more, which helps nobody": {"cert-manager", "", false},
		"it needs none":                       {"", registryv1.CertificatesByServiceCA, false},
	} {
		s := renderedBefore(t)
		s.remembered = func() (registryv1.Certificates, error) { return c.now, nil }
		s.active.Renderer, s.active.Certificates = registryRenderer, c.stored
		if _, due := s.rerender(s.active); due != c.due {
			t.Errorf("%s: rendered again: %v, want %v", name, due, c.due)
		}
	}
}

func TestCountsAloneAreWrittenNowAndThen(t *testing.T) {
	s, _, _ := given(t)
	s.record.wroteAt = s.clock.Now().Add(-time.Second)
	s.deployment.Status.Objects = &corev1alpha2.ObjectCounts{Total: 5000, Ready: 17}
	// There is no client: a write would be a crash.
	if err := s.writeStatus(t.Context()); err != nil || s.retryAfter != time.Second {
		t.Errorf("error %v; looks again after %s, want what is left of %s", err, s.retryAfter, health.StatusPause)
	}
	s.deployment.Status.ActiveRevision = 2
	if s.onlyMoved() {
		t.Error("another active revision counts as a number that moved")
	}
}
