package bundledeployment

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	clocktesting "k8s.io/utils/clock/testing"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/client/clientset/versioned/fake"
	platformlisters "github.com/openshift/platform-operators/pkg/client/listers/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/plan"
)

func TestDeadlines(t *testing.T) {
	start := time.Unix(1000, 0)
	base := judgement{started: start, seen: start, now: start, deadline: time.Minute, hasActive: true}
	cases := map[string]struct {
		change func(*judgement)
		want   verdict
		again  time.Duration
	}{
		"there is time at the start":                                     {func(*judgement) {}, inTime, time.Minute},
		"there is time until the last second, and the clock wakes it up": {func(j *judgement) { j.now = start.Add(59 * time.Second) }, inTime, time.Second},
		"held at the deadline, and nothing but a change moves it":        {func(j *judgement) { j.now = start.Add(time.Minute) }, hold, 0},
		"rolled back at the deadline, when the spec says so":             {func(j *judgement) { j.now, j.onFailure = start.Add(time.Minute), corev1alpha2.OnFailureRollback }, rollBack, 0},
		"a first installation has nothing to go back to": {func(j *judgement) {
			j.now, j.onFailure, j.hasActive = start.Add(time.Hour), corev1alpha2.OnFailureRollback, false
		}, hold, 0},
		"a manager that comes back later has no more time": {func(j *judgement) { j.now, j.seen = start.Add(time.Hour), start.Add(time.Hour) }, hold, 0},
		"a manager that comes back later looks before it gives up": {func(j *judgement) {
			j.now, j.seen, j.onFailure = start.Add(time.Hour), start.Add(time.Hour), corev1alpha2.OnFailureRollback
		}, hold, secondLook},
		"and gives up when it has looked": {func(j *judgement) {
			j.now, j.seen, j.onFailure = start.Add(time.Hour), start.Add(time.Hour-secondLook), corev1alpha2.OnFailureRollback
		}, rollBack, 0},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			j := base
			c.change(&j)
			if got, again := j.decide(); got != c.want || again != c.again {
				t.Errorf("got verdict %d and another look after %s, want %d and %s", got, again, c.want, c.again)
			}
		})
	}
}

// operatorsNamed lists PlatformOperators of these names.
func operatorsNamed(t *testing.T, names ...string) platformlisters.PlatformOperatorLister {
	t.Helper()
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	for _, name := range names {
		if err := indexer.Add(&platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("operator-" + name)}}); err != nil {
			t.Fatal(err)
		}
	}
	return platformlisters.NewPlatformOperatorLister(indexer)
}

// given is a sync of a deployment of generation 3 with revisions 1, active, and 2.
func given(t *testing.T) (*state, *revision, *revision) {
	t.Helper()
	one, two := testRevision(t, 1, "1.0.0"), testRevision(t, 2, "2.0.0")
	started := metav1.Unix(1000, 0)
	one.state, two.state, two.started = corev1alpha2.RevisionActive, corev1alpha2.RevisionRollingOut, &started
	one.Source, two.Source = "r/memo:v1", "r/memo:v2"
	registered, err := newMeters(registry().Register)
	if err != nil {
		t.Fatal(err)
	}
	s := &state{
		controller: &controller{operators: operatorsNamed(t), clock: clocktesting.NewFakePassiveClock(time.Unix(1000, 0)), meters: registered, missingFor: func(context.Context, *apply.Set) ([]corev1alpha2.MissingPermission, error) { return nil, nil },
			namespaceFor: func(_ context.Context, _ apply.Owner, name string) (plan.InstallNamespace, error) {
				return plan.InstallNamespace{Name: name}, nil
			}},
		record: &memory{revisions: []*revision{one, two}},
		before: &corev1alpha2.BundleDeployment{ObjectMeta: metav1.ObjectMeta{Name: "memo", Generation: 3}},
		active: one, wanted: two,
	}
	s.deployment = s.before.DeepCopy()
	return s, one, two
}

func TestARevisionThatLacksRightsIsNotBegunAndHasAllItsTimeWhenTheyAreGranted(t *testing.T) {
	s, _, two := given(t)
	two.started = nil
	s.deployment.Spec.OnFailure = corev1alpha2.OnFailureRollback
	s.client = fake.NewSimpleClientset(s.before).CoreV1alpha2().BundleDeployments()
	clock := clocktesting.NewFakePassiveClock(time.Unix(1000, 0))
	s.clock = clock
	var missing []corev1alpha2.MissingPermission
	var fault error
	s.missingFor = func(context.Context, *apply.Set) ([]corev1alpha2.MissingPermission, error) { return missing, fault }
	look := func(when string, begun bool) {
		t.Helper()
		if _, err := begin(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		s.report = apply.Report{Total: 1}
		s.judgeDeadline()
		if two.begun() != begun || (s.unbegun == nil) != begun || s.overdue || s.failed != nil {
			t.Errorf("%s: begun %v (%v), overdue %v, given up %v", when, two.begun(), s.unbegun, s.overdue, s.failed != nil)
		}
	}
	missing = []corev1alpha2.MissingPermission{{Resource: "secrets", Verbs: []string{"create"}}}
	look("at first", false)
	clock.SetTime(time.Unix(1000+3600, 0))
	look("an hour later", false)
	missing, fault = nil, errors.New("the server is not there")
	look("when nobody can be asked", false)
	fault = nil
	look("when they are granted", true)
	clock.SetTime(clock.Now().Add(s.deadline() - time.Second))
	look("for as long as any other", true)
	clock.SetTime(clock.Now().Add(time.Minute))
	s.judgeDeadline()
	if s.failed != two {
		t.Error("it is not given up after its deadline")
	}
}

func TestARevisionThatIsTriedAgainIsBegunByItsRightsAndNotByItsEarlierStart(t *testing.T) {
	for name, missing := range map[string]string{"while rights are missing": "rights", "while nobody can be asked": "answer", "while it is paused": "permission of the admin"} {
		t.Run(name, func(t *testing.T) {
			s, one, two := given(t)
			client := fake.NewSimpleClientset(s.before)
			s.client = client.CoreV1alpha2().BundleDeployments()
			s.clock = clocktesting.NewFakePassiveClock(time.Unix(1000+3600, 0))
			two.state, two.failedGeneration = corev1alpha2.RevisionFailed, 2
			s.missingFor = func(context.Context, *apply.Set) ([]corev1alpha2.MissingPermission, error) {
				if missing == "answer" {
					return nil, errors.New("the server is not there")
				}
				return []corev1alpha2.MissingPermission{{Resource: "secrets", Verbs: []string{"create"}}}, nil
			}
			s.deployment.Spec.Paused = missing == "permission of the admin"
			for sync := range 3 {
				if _, err := begin(t.Context(), s); err != nil || two.begun() || (s.unbegun == nil) != s.deployment.Spec.Paused {
					t.Fatalf("sync %d: %v; begun %v, because %v", sync, err, two.begun(), s.unbegun)
				}
				if s.judgeDeadline(); s.overdue || s.failed != nil {
					t.Fatalf("sync %d: what failed before is held against it", sync)
				}
				s.reportRevisions()
				if got := recorded(s.deployment.Status.Revisions, two.Number); got != corev1alpha2.RevisionFailed {
					t.Fatalf("sync %d: told of as %s", sync, got)
				}
				s = &state{controller: s.controller, record: s.record, before: s.deployment.DeepCopy(), deployment: s.deployment.DeepCopy(), active: one, wanted: two}
			}
			s.deployment.Spec.Paused = false
			meta.SetStatusCondition(&s.before.Status.Conditions, metav1.Condition{Type: corev1alpha2.ConditionProgressing, Status: metav1.ConditionFalse, Reason: corev1alpha2.ReasonPaused})
			if _, err := begin(t.Context(), s); err != nil || s.unbegun == nil {
				t.Fatalf("when a pause is over: %v; begun without rights", err)
			}
			s.missingFor = func(context.Context, *apply.Set) ([]corev1alpha2.MissingPermission, error) { return nil, nil }
			if _, err := begin(t.Context(), s); err != nil || !two.begun() || two.started.Unix() != 1000+3600 {
				t.Errorf("when nothing is missing: %v, begun %v at %v", err, two.begun(), two.started)
			}
		})
	}
}

func TestAStartThatCannotBeWrittenDownLeavesWhatIsKnownOfTheOneBefore(t *testing.T) {
	s, _, two := given(t)
	client := fake.NewSimpleClientset(s.before)
	client.PrependReactor("update", "bundledeployments", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, errors.New("the server is not there")
	})
	s.client = client.CoreV1alpha2().BundleDeployments()
	two.state, two.failedGeneration, two.failureMessage = corev1alpha2.RevisionFailed, 2, "Deployment memo/memo: 0 of 1 replicas"
	if _, err := begin(t.Context(), s); err == nil || two.begun() || !two.touched() {
		t.Errorf("%v; begun %v, something of it may be there: %v", err, two.begun(), two.touched())
	}
	if two.failedGeneration != 2 || two.failureMessage == "" {
		t.Errorf("failedGeneration %d, failureMessage %q after a start that was not written", two.failedGeneration, two.failureMessage)
	}
	two.state, two.started = corev1alpha2.RevisionRollingOut, nil
	if _, err := begin(t.Context(), s); err == nil || two.begun() || two.touched() {
		t.Errorf("one that is new: %v; begun %v, something of it may be there: %v", err, two.begun(), two.touched())
	}
}

func TestARevisionThatWasPausedHasAllItsTimeAgain(t *testing.T) {
	s, _, two := given(t)
	s.client = fake.NewSimpleClientset(s.before).CoreV1alpha2().BundleDeployments()
	s.clock = clocktesting.NewFakePassiveClock(time.Unix(1000+3600, 0))
	s.deployment.Spec.Paused = true
	if _, err := begin(t.Context(), s); err != nil || !two.begun() || two.started.Unix() != 1000 {
		t.Fatalf("while it is paused: %v, started %v", err, two.started)
	}
	s.deployment.Spec.Paused = false
	meta.SetStatusCondition(&s.before.Status.Conditions, metav1.Condition{Type: corev1alpha2.ConditionProgressing, Status: metav1.ConditionFalse, Reason: corev1alpha2.ReasonPaused})
	s.missingFor = func(context.Context, *apply.Set) ([]corev1alpha2.MissingPermission, error) {
		return nil, errors.New("asked about what was begun")
	}
	for range 2 {
		if _, err := begin(t.Context(), s); err != nil || s.unbegun != nil || two.started.Unix() != 1000+3600 {
			t.Fatalf("when it goes on: %v, %v, started %v", err, s.unbegun, two.started)
		}
	}
}

func TestARevisionThatMissedItsDeadlineIsRememberedAsFailedAndWhy(t *testing.T) {
	s, one, two := given(t)
	s.deployment.Spec.OnFailure = corev1alpha2.OnFailureRollback
	s.clock = clocktesting.NewFakePassiveClock(time.Unix(1000+3600, 0))
	two.seen = time.Unix(1000, 0)
	s.report = apply.Report{Total: 1, Unready: []string{"Deployment memo/memo: 0 of 1 replicas"}}
	s.judgeDeadline()
	if s.failed != two || s.wanted != one {
		t.Fatal("the revision before is not wanted again")
	}
	if _, err := report(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	want := []corev1alpha2.Revision{
		{Number: 1, Digest: "sha256:0", Version: "1.0.0", State: corev1alpha2.RevisionActive, Presence: corev1alpha2.Present, Bundle: "memo.v1.0.0"},
		{Number: 2, Digest: "sha256:0", Version: "2.0.0", State: corev1alpha2.RevisionFailed, StartedTime: two.started, FailedGeneration: 3, Presence: corev1alpha2.Present, Bundle: "memo.v2.0.0",
			FailureMessage: "Revision 2 (version 2.0.0) is not complete and healthy after its deadline of 30m0s: Deployment memo/memo: 0 of 1 replicas"},
	}
	if diff := cmp.Diff(want, s.deployment.Status.Revisions); diff != "" {
		t.Errorf("revisions (-want +got):\n%s", diff)
	}

	// The same after a restart; that the fields are read from status is checked by the story of a version that never gets healthy.
	again := &state{controller: s.controller, record: &memory{}, before: s.deployment, deployment: s.deployment.DeepCopy(), active: one, wanted: one}
	later := testRevision(t, 2, "2.0.0")
	later.state, later.failedGeneration, later.failureMessage = corev1alpha2.RevisionFailed, 3, want[1].FailureMessage
	again.failed, again.record.revisions = later, []*revision{one, later}
	again.report = apply.Report{Total: 1, Ready: 1, Complete: true}
	if _, err := report(t.Context(), again); err != nil {
		t.Fatal(err)
	}
	progressing := again.deployment.Status.Conditions[4]
	for _, part := range []string{"Revision 2 (version 2.0.0)", "30m0s", "0 of 1 replicas", "revision 1 (version 1.0.0) is active again", "before the spec changes"} {
		if !strings.Contains(progressing.Message, part) {
			t.Errorf("%s %s: %q does not say %q", progressing.Type, progressing.Reason, progressing.Message, part)
		}
	}
	if progressing.Reason != corev1alpha2.ReasonDeadlineExceeded {
		t.Errorf("%s is %s", progressing.Type, progressing.Reason)
	}
}

func TestWhatBecameOfRevisions(t *testing.T) {
	s, one, two := given(t)
	three, unbegun := testRevision(t, 3, "3.0.0"), testRevision(t, 4, "4.0.0")
	s.record.revisions = append(s.record.revisions, three, unbegun)
	s.wanted = three
	cases := map[string]struct {
		of   *revision
		was  corev1alpha2.RevisionState
		want corev1alpha2.RevisionState
	}{
		"the active one": {one, "", corev1alpha2.RevisionActive},
		"the wanted one": {three, "", corev1alpha2.RevisionRollingOut},
		"one that was given up before it was complete": {two, corev1alpha2.RevisionRollingOut, corev1alpha2.RevisionFailed},
		"one that was active before":                   {two, corev1alpha2.RevisionActive, corev1alpha2.RevisionArchived},
		"one that failed before":                       {two, corev1alpha2.RevisionFailed, corev1alpha2.RevisionFailed},
		"one that was begun, which status never told":  {two, "", corev1alpha2.RevisionArchived},
		"one that was given up before it was begun":    {unbegun, corev1alpha2.RevisionRollingOut, corev1alpha2.RevisionFailed},
		"one that was given up before it was told of":  {unbegun, "", corev1alpha2.RevisionFailed},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			c.of.state = c.was
			if got := s.stateOf(c.of); got != c.want {
				t.Errorf("is %s, want %s", got, c.want)
			}
		})
	}
}

func TestTooManyRevisionsNeverHideTheActiveOne(t *testing.T) {
	s, one, _ := given(t)
	for number := int64(3); number < 14; number++ {
		s.record.revisions = append(s.record.revisions, testRevision(t, number, "9.0.0"))
	}
	s.reportRevisions()
	got := s.deployment.Status.Revisions
	if len(got) != maxRevisions || got[0].Number != one.Number || got[maxRevisions-1].Number != 13 {
		t.Errorf("told of %d revisions, from %d to %d", len(got), got[0].Number, got[len(got)-1].Number)
	}
}

func TestHRD_G1_TooManyRevisionsHideNoneWhoseObjectsMayBeThere(t *testing.T) {
	revisions := make([]corev1alpha2.Revision, 12)
	for i := range revisions {
		revisions[i] = corev1alpha2.Revision{Number: int64(i + 1), Presence: corev1alpha2.Absent}
	}
	revisions[1].Presence, revisions[2].Presence = corev1alpha2.Present, corev1alpha2.Present
	var kept []int64
	for _, each := range fewer(revisions, 1) {
		kept = append(kept, each.Number)
	}
	if diff := cmp.Diff([]int64{1, 2, 3, 8, 9, 10, 11, 12}, kept); diff != "" {
		t.Errorf("revisions (-want +got):\n%s", diff)
	}
}

func TestHRD_G1_NoRevisionBeginsWhileStatusHasNoRoomForIt(t *testing.T) {
	s, _, two := given(t)
	two.started, two.state = nil, ""
	for number := int64(3); number < 3+maxRevisions-1; number++ {
		if err := s.tooManyPresent(); err != nil {
			t.Fatalf("before revision %d: %v", number, err)
		}
		failed := testRevision(t, number, "9.0.0")
		failed.started, failed.state = &metav1.Time{}, corev1alpha2.RevisionFailed
		s.record.revisions = append(s.record.revisions, failed)
	}
	s.wanted = two
	if err := s.tooManyPresent(); err == nil || !strings.Contains(err.Error(), "the objects of 8 earlier revisions are not removed yet") || s.retryAfter == 0 {
		t.Errorf("it begins, or is not tried again: %v, %s", err, s.retryAfter)
	}
}

func TestARevisionThatIsTriedAgainGoesThroughItsPhasesAgain(t *testing.T) {
	s, _, two := given(t)
	s.client = fake.NewSimpleClientset(s.before).CoreV1alpha2().BundleDeployments()
	two.applied = true
	if !s.appliedBefore(two) {
		t.Fatal("what was applied completely waits for its phases")
	}
	two.state, two.failedGeneration = corev1alpha2.RevisionFailed, 2
	if _, err := begin(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if two.state != corev1alpha2.RevisionRollingOut || s.appliedBefore(two) {
		t.Errorf("it is %s, and applied without waiting for one phase after the other: %v", two.state, s.appliedBefore(two))
	}
}

func TestStatusTellsOfARollOutBeforeAnythingIsChanged(t *testing.T) {
	s, one, two := given(t)
	meta.SetStatusCondition(&s.before.Status.Conditions, metav1.Condition{Type: corev1alpha2.ConditionHealthy, Status: metav1.ConditionTrue, Reason: corev1alpha2.ReasonHealthy})
	s.deployment = s.before.DeepCopy()
	s.client = fake.NewSimpleClientset(s.before).CoreV1alpha2().BundleDeployments()
	two.started = nil
	if _, err := begin(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	written, err := s.client.Get(t.Context(), s.before.Name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for condition, want := range map[string]metav1.ConditionStatus{corev1alpha2.ConditionHealthy: metav1.ConditionFalse, corev1alpha2.ConditionProgressing: metav1.ConditionTrue} {
		if found := meta.FindStatusCondition(written.Status.Conditions, condition); found == nil || found.Status != want || found.ObservedGeneration != written.Generation {
			t.Errorf("%s is %v, want %s of generation %d", condition, found, want, written.Generation)
		}
	}
	if recorded(written.Status.Revisions, two.Number) != corev1alpha2.RevisionRollingOut || recorded(written.Status.Revisions, one.Number) != corev1alpha2.RevisionActive {
		t.Errorf("told of %v", written.Status.Revisions)
	}
}

func TestWhatIsActiveIsKnownToBeAppliedAlthoughTheSpecChangedWhileTheManagerWasAway(t *testing.T) {
	cases := map[string]struct {
		generation, observed int64
		reason               string
		second               corev1alpha2.RevisionState
		want                 bool
	}{
		"nothing changed": {3, 3, corev1alpha2.ReasonAsExpected, corev1alpha2.RevisionArchived, true},
		"the spec changed, and nothing was done about it":     {4, 3, corev1alpha2.ReasonAsExpected, corev1alpha2.RevisionArchived, true},
		"another revision began to roll out":                  {4, 3, corev1alpha2.ReasonAsExpected, corev1alpha2.RevisionRollingOut, false},
		"something was under way":                             {3, 3, corev1alpha2.ReasonRollingOut, corev1alpha2.RevisionArchived, false},
		"the spec changed while something else was under way": {4, 3, corev1alpha2.ReasonRollingOut, corev1alpha2.RevisionFailed, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s, one, _ := given(t)
			s.wanted = one
			s.before.Generation, s.before.Status.ObservedGeneration = c.generation, c.observed
			s.before.Status.Revisions = []corev1alpha2.Revision{{Number: 1, State: corev1alpha2.RevisionActive}, {Number: 2, State: c.second, StartedTime: &metav1.Time{Time: time.Unix(900, 0)}}}
			s.before.Status.Conditions = []metav1.Condition{{Type: corev1alpha2.ConditionProgressing, Reason: c.reason, ObservedGeneration: c.observed}}
			if got := s.settled(); got != c.want {
				t.Errorf("settled: %v, want %v", got, c.want)
			}
		})
	}
}

func TestGoingBackToTheActiveRevisionIsToldUntilAllOfItIsAsBefore(t *testing.T) {
	cases := map[string]struct {
		reason   string
		complete bool
		want     string
	}{
		"while objects of the revision that was given up are left": {corev1alpha2.ReasonRollingOut, false, corev1alpha2.ReasonRollingOut},
		"when everything is as before":                             {corev1alpha2.ReasonRollingOut, true, corev1alpha2.ReasonAsExpected},
		"a repair is not told so":                                  {corev1alpha2.ReasonAsExpected, false, corev1alpha2.ReasonAsExpected},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s, one, _ := given(t)
			s.wanted, s.report.Complete, s.report.Waiting = one, c.complete, "applied 8 of 50 objects"
			s.before.Status.Conditions = []metav1.Condition{{Type: corev1alpha2.ConditionProgressing, Reason: c.reason}}
			s.reportProgressing()
			if got := s.deployment.Status.Conditions[0]; got.Reason != c.want {
				t.Errorf("%s: %s", got.Reason, got.Message)
			}
		})
	}
}
