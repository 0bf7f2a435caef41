package bundledeployment

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/component-base/metrics/testutil"
	clocktesting "k8s.io/utils/clock/testing"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
	corefake "github.com/openshift/platform-operators/pkg/client/clientset/versioned/fake"
	corelisters "github.com/openshift/platform-operators/pkg/client/listers/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/source"
	"github.com/openshift/platform-operators/pkg/store"
)

// quotaUsedUp is a namespace that takes no more Secrets, until it is lifted.
func quotaUsedUp(s *state) (tries func() int, lift func()) {
	client := fake.NewClientset()
	refuse, asked := true, 0
	client.PrependReactor("create", "secrets", func(clienttesting.Action) (bool, runtime.Object, error) {
		asked++
		return refuse, nil, apierrors.NewForbidden(corev1alpha2.Resource("secrets"), "revision", errors.New("exceeded quota"))
	})
	s.revisions = store.NewRevisions(client.CoreV1().Secrets("system"))
	return func() int { return asked }, func() { refuse = false }
}

func TestWhatCannotBeStoredIsTriedAgainWithBackoffAndIsNoFaultOfWhatRuns(t *testing.T) {
	s := renderedBefore(t)
	clock := clocktesting.NewFakePassiveClock(s.clock.Now())
	s.clock, s.backoff = clock, source.Backoff{First: 5 * time.Second, Last: time.Minute}
	known := s.active
	tries, lift := quotaUsedUp(s)
	poll := wish{known: known.Resolved}
	moved := &fetched{resolved: "r/memo@sha256:2", objects: rendered("y")}
	take := func() {
		t.Helper()
		if err := s.takeIn(t.Context(), known, poll, moved); err != nil || s.wanted != known || s.fault != nil {
			t.Fatalf("error %v, fault %v, wanted revision %d: what runs is not looked after", err, s.fault, s.wanted.Number)
		}
	}
	for range 10 { // drift events come as they like
		take()
	}
	if tries() != 1 || len(s.record.notices) != 0 {
		t.Errorf("tried %d times within a moment, told %+v", tries(), s.record.notices)
	}
	for range 2 * patience {
		clock.SetTime(clock.Now().Add(2 * time.Minute))
		take()
	}
	if tries() != 1+2*patience || len(s.record.notices) != 1 || !strings.Contains(s.record.notices[0].message, "exceeded quota") {
		t.Errorf("tried %d times, told %+v; want one Event once it has lasted", tries(), s.record.notices)
	}
	lift()
	clock.SetTime(clock.Now().Add(2 * time.Minute))
	if err := s.takeIn(t.Context(), known, poll, moved); err != nil || s.wanted == known || s.wanted.Number != 2 {
		t.Errorf("error %v, wanted revision %d once there is room", err, s.wanted.Number)
	}
}

func TestAnotherSourceIsStoredAtOnceWhateverWasRefusedBefore(t *testing.T) {
	s := renderedBefore(t)
	s.backoff = source.Backoff{First: 5 * time.Second, Last: time.Minute}
	_, lift := quotaUsedUp(s)
	large := s.revisionOf(&fetched{resolved: "r/memo@sha256:2", objects: rendered("y")})
	if kept, _, err := s.keepNew(t.Context(), wish{namespace: "one"}, large); kept != nil || err != nil {
		t.Fatalf("kept %v, %v", kept, err)
	}
	lift()
	if kept, _, err := s.keepNew(t.Context(), wish{namespace: "two"}, large); kept == nil || err != nil {
		t.Errorf("kept %v, %v", kept, err)
	}
}

func TestALostRevisionIsToldOnceHoweverOftenItsRestCannotBeDeleted(t *testing.T) {
	s, one, _ := given(t)
	client := fake.NewClientset()
	fail := true
	client.PrependReactor("*", "secrets", func(clienttesting.Action) (bool, runtime.Object, error) {
		return fail, nil, apierrors.NewInternalError(errors.New("not now"))
	})
	s.revisions = store.NewRevisions(client.CoreV1().Secrets("system"))
	if err := s.lose(t.Context(), one, errors.New("a part is missing")); err == nil {
		t.Fatal("nothing fails")
	}
	fail = false
	if err := s.lose(t.Context(), one, errors.New("a part is missing")); err != nil {
		t.Fatal(err)
	}
	s.active = nil
	s.reportRevisions()
	seen := map[int64]bool{}
	for _, each := range s.deployment.Status.Revisions {
		if seen[each.Number] {
			t.Errorf("status has revision %d twice, which the API server refuses", each.Number)
		}
		seen[each.Number] = true
	}
	if len(s.record.notices) != 1 {
		t.Errorf("told %+v", s.record.notices)
	}
}

// untold is a deployment whose status cannot be written, until that is lifted, after a repair and a decision.
func untold(t *testing.T) (s *state, one, two *revision, told *record.FakeRecorder) {
	t.Helper()
	s, one, two = given(t)
	client := corefake.NewSimpleClientset(s.before)
	conflict := true
	client.PrependReactor("update", "bundledeployments", func(clienttesting.Action) (bool, runtime.Object, error) {
		return conflict, nil, apierrors.NewConflict(corev1alpha2.Resource("bundledeployments"), "memo", errors.New("somebody was faster"))
	})
	told = record.NewFakeRecorder(10)
	s.client, s.events = client.CoreV1alpha2().BundleDeployments(), told
	s.before.Status.ActiveRevision = 1
	s.noteDrift(apply.Report{Drift: []corev1alpha2.DriftRecord{edited(corev1alpha2.DriftRepaired, 1, "/data/a")}})
	s.activate(two)
	s.deployment.Status.ActiveRevision = 2
	if err := s.writeStatus(t.Context()); !apierrors.IsConflict(err) || len(told.Events) > 0 {
		t.Fatalf("error %v, told %d Events", err, len(told.Events))
	}
	conflict = false
	return s, one, two, told
}

func TestEventsOutliveStatusesThatCannotBeWritten(t *testing.T) {
	s, one, two, told := untold(t)
	next := &state{controller: s.controller, record: s.record, before: s.before, deployment: s.before.DeepCopy(), active: one}
	next.activate(two)
	next.deployment.Status.ActiveRevision = 2
	if err := next.writeStatus(t.Context()); err != nil || len(told.Events) != 2 {
		t.Errorf("error %v, told %d Events, want one of the repair and one of the revision", err, len(told.Events))
	}
	if got := counterOf(t, s, corev1alpha2.MetricOutcomeSucceeded); got != 1 {
		t.Errorf("%v roll-outs were counted, want 1", got)
	}
}

func TestDecisionsThatWereNotWrittenDownAreNotTold(t *testing.T) {
	s, one, _, told := untold(t)
	next := &state{controller: s.controller, record: s.record, before: s.before, deployment: s.before.DeepCopy(), active: one}
	next.deployment.Status.Warnings = []string{"something else"}
	if err := next.writeStatus(t.Context()); err != nil || len(told.Events) != 1 {
		t.Fatalf("error %v, told %d Events, want that of the repair alone", err, len(told.Events))
	}
	if event := <-told.Events; !strings.Contains(event, corev1alpha2.EventDriftRepaired) {
		t.Error(event)
	}
	if got := counterOf(t, s, corev1alpha2.MetricOutcomeSucceeded); got != 0 {
		t.Errorf("%v roll-outs were counted, want none", got)
	}
}

func counterOf(t *testing.T, s *state, outcome string) float64 {
	t.Helper()
	value, err := testutil.GetCounterMetricValue(s.meters.rollouts.WithLabelValues(s.deployment.Name, outcome))
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func noClasses(t *testing.T) corelisters.ProvisionerClassLister {
	t.Helper()
	return corelisters.NewProvisionerClassLister(cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{}))
}

func TestAClassThatNobodyRemembersUndoesNothing(t *testing.T) {
	s, _, _ := given(t)
	s.classes = noClasses(t)
	s.deployment.Spec.ProvisionerClassName = "gone"
	if _, err := classify(t.Context(), s); err != nil || s.policies.drift.Policy != corev1alpha2.DriftReport || s.policies.crds == corev1alpha2.CRDsDelete {
		t.Errorf("error %v; after a restart without the class: %+v", err, s.policies)
	}
	s.deployment.Spec.Drift = &corev1alpha2.Drift{Policy: corev1alpha2.DriftEnforce}
	if _, err := classify(t.Context(), s); err != nil || s.policies.drift.Policy != corev1alpha2.DriftEnforce {
		t.Errorf("error %v; the spec says %q, and it is %q", err, corev1alpha2.DriftEnforce, s.policies.drift.Policy)
	}
}

func TestFinalizersOfRukpakGoWhenNothingOfItIsLeft(t *testing.T) {
	s, _, _ := given(t)
	s.before.Finalizers = []string{corev1alpha2.FinalizerCachedBundle, "example.com/mine", corev1alpha2.FinalizerUnpackCache}
	client := corefake.NewSimpleClientset(s.before)
	s.client = client.CoreV1alpha2().BundleDeployments()
	add := func() []string {
		t.Helper()
		if _, err := addFinalizer(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		live, err := s.client.Get(t.Context(), "memo", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return live.Finalizers
	}
	if got := add(); len(got) != 4 || !isInherited(s.before) {
		t.Errorf("before everything is taken over: %v", got)
	}
	s.record.swept, s.unknownClass = true, "gone"
	if got, want := add(), []string{"example.com/mine", corev1alpha2.Finalizer}; !slices.Equal(got, want) || isInherited(s.before) || !isHeld(s.before) {
		t.Errorf("after that, also while the class is gone: %v, want %v", got, want)
	}
	client.ClearActions()
	add()
	if asked := client.Actions(); len(asked) != 1 || asked[0].GetVerb() != "get" { // which is add's own
		t.Errorf("it is written again: %v", asked)
	}
}
