package bundledeployment

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	cached "k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/source"
	"github.com/openshift/platform-operators/pkg/store"
)

// barred gives an engine whose API server has the namespace, and forbids all that is asked of ConfigMaps; asked counts that.
func barred(t *testing.T) (engine *apply.Engine, asked func() int) {
	t.Helper()
	var mu sync.Mutex
	count := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var answer any = metav1.Status{Status: metav1.StatusFailure, Code: http.StatusNotFound, Reason: metav1.StatusReasonNotFound}
		code := http.StatusNotFound
		switch path := r.URL.Path; {
		case path == "/api":
			answer, code = metav1.APIVersions{Versions: []string{"v1"}}, http.StatusOK
		case path == "/apis":
			answer, code = metav1.APIGroupList{}, http.StatusOK
		case path == "/api/v1":
			answer, code = metav1.APIResourceList{GroupVersion: "v1", APIResources: []metav1.APIResource{
				{Name: "namespaces", Kind: "Namespace", Verbs: metav1.Verbs{"get"}}, {Name: "configmaps", Kind: "ConfigMap", Namespaced: true, Verbs: metav1.Verbs{"get"}},
			}}, http.StatusOK
		case path == "/api/v1/namespaces/memo":
			answer, code = map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "memo"}}, http.StatusOK
		case strings.Contains(path, "/configmaps/"):
			mu.Lock()
			defer mu.Unlock()
			count++
			answer, code = apierrors.NewForbidden(schema.GroupResource{Resource: "configmaps"}, "a", nil).Status(), http.StatusForbidden
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	config := &rest.Config{Host: server.URL}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	metadataClient, err := metadata.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	discovered, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	engine, err = apply.New(t.Context(), apply.Config{
		Dynamic: client, Metadata: metadataClient, Discovery: cached.NewMemCacheClient(discovered), Clock: clock.RealClock{}, Changed: func(string) {},
		Deployed: func(string) (time.Time, bool) { return time.Time{}, false },
	})
	if err != nil {
		t.Fatal(err)
	}
	return engine, func() int { mu.Lock(); defer mu.Unlock(); return count }
}

func TestWhatWasNeverBegunTakesNoRightsToBeTakenAway(t *testing.T) {
	started := metav1.Unix(1000, 0)
	for name, c := range map[string]struct {
		told  corev1alpha2.Revision
		asked bool
	}{
		"one that rights were missing for": {corev1alpha2.Revision{State: corev1alpha2.RevisionFailed}, false},
		"one that is still waiting":        {corev1alpha2.Revision{State: corev1alpha2.RevisionRollingOut}, false},
		"one that was given up half-way":   {corev1alpha2.Revision{State: corev1alpha2.RevisionFailed, StartedTime: &started}, true},
		"one that was active once":         {corev1alpha2.Revision{State: corev1alpha2.RevisionArchived}, true},
	} {
		t.Run(name, func(t *testing.T) {
			for what, take := range map[string]func(*state) error{
				"at an upgrade": func(s *state) error { _, err := prune(t.Context(), s); return err },
				"at a removal":  func(s *state) error { _, err := s.takeDown(t.Context()); return err },
			} {
				s, one, two := given(t)
				var asked func() int
				s.engine, asked = barred(t)
				s.backoff, s.deployment.Spec.InstallNamespace = source.Backoff{First: time.Second, Last: time.Minute}, "memo"
				two.set = setOf(t, "only-of-two")
				one.pruned, two.state, two.started = true, c.told.State, c.told.StartedTime
				s.wanted, s.before.Status.ActiveRevision = one, one.Number
				err := take(s)
				if got := asked() > 0; got != c.asked {
					t.Errorf("%s: asked for its objects: %v, want %v (%v, %s)", what, got, c.asked, err, s.pruning)
				}
				if what == "at an upgrade" && s.pruningBlocked != c.asked {
					t.Errorf("%s: waits for somebody: %v, want %v", what, s.pruningBlocked, c.asked)
				}
				if refused := err != nil || s.pruning != ""; refused != c.asked {
					t.Errorf("%s: refused: %v, want %v (%v, %s)", what, refused, c.asked, err, s.pruning)
				}
			}
		})
	}
}

func TestWhatStatusCannotTellOfARevisionCountsAsApplied(t *testing.T) {
	started := metav1.Unix(1000, 0)
	told := func(revisions ...corev1alpha2.Revision) corev1alpha2.BundleDeploymentStatus {
		return corev1alpha2.BundleDeploymentStatus{ObservedGeneration: 3, Revisions: revisions}
	}
	for name, c := range map[string]struct {
		status corev1alpha2.BundleDeploymentStatus
		want   bool
	}{
		"its start is told":                                {told(corev1alpha2.Revision{Number: 2, State: corev1alpha2.RevisionFailed, StartedTime: &started}), true},
		"it waits, and no start is told":                   {told(corev1alpha2.Revision{Number: 2, State: corev1alpha2.RevisionRollingOut}), false},
		"it was given up, and no start is told":            {told(corev1alpha2.Revision{Number: 2, State: corev1alpha2.RevisionFailed}), false},
		"it was active":                                    {told(corev1alpha2.Revision{Number: 2, State: corev1alpha2.RevisionArchived}), true},
		"it is older than those that there is room for":    {told(corev1alpha2.Revision{Number: 3, State: corev1alpha2.RevisionActive}), true},
		"it was stored after status was written last":      {told(corev1alpha2.Revision{Number: 1, State: corev1alpha2.RevisionActive}), false},
		"the first one, of which status does not tell yet": {told(), false},
		"status is lost":                                   {corev1alpha2.BundleDeploymentStatus{}, true},
	} {
		t.Run(name, func(t *testing.T) {
			s, _, _ := given(t)
			s.deployment.UID = "uid"
			s.revisions = store.NewRevisions(fake.NewClientset().CoreV1().Secrets("system"))
			if err := s.revisions.Save(t.Context(), ownerOf(s.deployment), &store.Revision{Header: store.Header{Number: 2}, Objects: rendered("x")}); err != nil {
				t.Fatal(err)
			}
			s.record, s.before.Status = &memory{}, c.status
			if err := s.load(t.Context()); err != nil || len(s.record.revisions) != 1 {
				t.Fatalf("loaded %d revisions: %v", len(s.record.revisions), err)
			}
			if got := s.record.revisions[0].left(); got != c.want {
				t.Errorf("something of it may be left: %v, want %v", got, c.want)
			}
		})
	}
}

func TestWhatCannotBePrunedIsToldOfAsProgressUntilItWaitsForSomebody(t *testing.T) {
	s, _, _ := given(t)
	s.pruningWaits("waiting for ConfigMap memo/a to be gone", false)
	if s.pruning == "" || s.pruningBlocked {
		t.Errorf("what is on its way: %q, blocked %v", s.pruning, s.pruningBlocked)
	}
	s.pruningWaits("ConfigMap memo/b: forbidden; grant it", true)
	s.pruningWaits("waiting for ConfigMap memo/c to be gone", false)
	if s.pruning != "ConfigMap memo/b: forbidden; grant it" || !s.pruningBlocked {
		t.Errorf("something else is on its way: %q, blocked %v", s.pruning, s.pruningBlocked)
	}
	var faults trouble
	start := time.Unix(1000, 0)
	for minutes, want := range []bool{0: false, 5: false, 10: false, 11: true} {
		now := start.Add(time.Duration(minutes) * time.Minute)
		if faults.met(now); faults.lasts(now) != want {
			t.Errorf("after %d minutes of faults it waits for somebody: %v", minutes, !want)
		}
	}
}

func TestARollBackThatCannotBeCleanedUpIsOverAndSaysSo(t *testing.T) {
	s, one, two := given(t)
	s.failed, s.wanted, s.report = two, one, apply.Report{Total: 1, Ready: 1, Complete: true}
	two.state = corev1alpha2.RevisionFailed
	s.before.Status.Revisions = []corev1alpha2.Revision{{Number: two.Number, State: corev1alpha2.RevisionFailed, StartedTime: two.started}}
	for want, blocked := range map[string]bool{corev1alpha2.ReasonRollingBack: false, corev1alpha2.ReasonDeadlineExceeded: true} {
		s.pruning, s.pruningBlocked = "ConfigMap memo/b: forbidden; grant it", blocked
		s.reportProgressing()
		if got := s.deployment.Status.Conditions[0]; got.Reason != want || !strings.Contains(got.Message, "grant it") {
			t.Errorf("blocked %v: %s: %s", blocked, got.Reason, got.Message)
		}
	}
}

func TestWhatWasLostIsSaidToBeLookedForAmongSomeKindsOnly(t *testing.T) {
	s, one, _ := given(t)
	s.engine, _ = barred(t)
	s.wanted, s.report.Complete = one, true
	s.before.Status.ActiveRevision = one.Number
	s.deployment.Spec.InstallNamespace = "memo"
	s.record.lost = []corev1alpha2.Revision{{Number: 4}, {Number: 5}}
	for range 2 {
		if _, err := sweep(t.Context(), s); err != nil || s.pruning != "" {
			t.Fatalf("%v, %s", err, s.pruning)
		}
	}
	if len(s.record.notices) != 1 || s.record.notices[0].reason != corev1alpha2.EventRevisionLost {
		t.Fatalf("told %+v, want one Event", s.record.notices)
	}
	for _, part := range []string{"revision 4, 5", "registry+v1", "kubectl get KIND -A -l core.rukpak.io/owner-name=memo"} {
		if told := bounded(s.record.notices[0].message); !strings.Contains(told, part) {
			t.Errorf("%q does not say %q", told, part)
		}
	}
}
