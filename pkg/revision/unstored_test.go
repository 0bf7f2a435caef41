package revision

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// rolledBackFixture returns a fixture whose revision 2 was rolled back to revision 1, and a controller that finds everything healthy.
func rolledBackFixture(t *testing.T) (*fixture, *controller) {
	t.Helper()
	f := newFixture(t)
	f.deployment.Spec.OnFailure = corev1alpha2.OnFailureRollback
	f.history.Stored[1].FirstSeen = start
	c := &controller{now: start.Add(time.Hour), report: unhealthy, pruned: Removal{Done: true}}
	f.sync(t, c)
	c.report = healthy
	f.sync(t, c)
	if m := f.sync(t, c); m.Failed() != f.history.Stored[1] || m.Active() != f.history.Stored[0] {
		t.Fatalf("%v failed, and %v is active", m.Failed(), m.Active())
	}
	return f, c
}

func TestHRD_U5_ALostStoredCopyIsReportedInEveryState(t *testing.T) {
	lost := errors.New("its Secrets are gone")
	for name, test := range map[string]struct {
		prepare func(*testing.T) (*fixture, *controller)
		// lost is the number of the revision whose stored copy is lost.
		lost   int64
		reason string
		// restored is true if the manager stores it again now.
		restored bool
	}{
		"the active revision, settled": {func(t *testing.T) (*fixture, *controller) {
			f := newFixture(t)
			f.desired.Source = f.history.Stored[0].Source
			return f, &controller{now: start, report: healthy, pruned: Removal{Done: true}}
		}, 1, "False/" + corev1alpha2.ReasonBlocked, true},
		"the active revision during a rollout": {func(t *testing.T) (*fixture, *controller) {
			return newFixture(t), &controller{now: start, report: unhealthy}
		}, 1, "True/" + corev1alpha2.ReasonRollingOut, true},
		"the revision that is rolling out": {func(t *testing.T) (*fixture, *controller) {
			return newFixture(t), &controller{now: start, report: unhealthy}
		}, 2, "True/" + corev1alpha2.ReasonRollingOut, true},
		"the active revision while another is held": {func(t *testing.T) (*fixture, *controller) {
			return newFixture(t), &controller{now: start.Add(time.Hour), report: unhealthy}
		}, 1, "False/" + corev1alpha2.ReasonDeadlineExceeded, true},
		"the active revision after a rollback": {rolledBackFixture, 1, "False/" + corev1alpha2.ReasonDeadlineExceeded, true},
		"the failed revision after a rollback": {rolledBackFixture, 2, "False/" + corev1alpha2.ReasonDeadlineExceeded, true},
		"the active revision while new content cannot be fetched": {func(t *testing.T) (*fixture, *controller) {
			f := newFixture(t)
			f.desired.Source = "r/memo:v3"
			return f, &controller{now: start, report: healthy, pruned: Removal{Done: true}, content: Content{Err: errors.New("the registry is down")}}
		}, 1, "False/" + corev1alpha2.ReasonBlocked, true},
		"the active revision while paused": {func(t *testing.T) (*fixture, *controller) {
			f := newFixture(t)
			f.deployment.Spec.Paused = true
			return f, &controller{now: start, report: unhealthy}
		}, 1, "False/" + corev1alpha2.ReasonPaused, false},
	} {
		t.Run(name, func(t *testing.T) {
			f, c := test.prepare(t)
			known := f.history.find(test.lost)
			known.Unstored = lost
			var messages []string
			for range 3 {
				f.sync(t, c)
				if got := f.reasonOf(corev1alpha2.ConditionProgressing); got != test.reason {
					t.Errorf("Progressing is %s, want %s", got, test.reason)
				}
				if got := slices.Contains(c.actions, Restore); got != test.restored {
					t.Errorf("stored again: %v, want %v", got, test.restored)
				}
				messages = append(messages, meta.FindStatusCondition(f.deployment.Status.Conditions, corev1alpha2.ConditionProgressing).Message)
			}
			if strings.Count(messages[2], lost.Error()) != 1 || messages[1] != messages[2] {
				t.Errorf("the messages are %q", messages)
			}
			known.Unstored = nil
			f.sync(t, c)
			if message := meta.FindStatusCondition(f.deployment.Status.Conditions, corev1alpha2.ConditionProgressing).Message; strings.Contains(message, "stored") {
				t.Errorf("after it is stored again, the message is %q", message)
			}
		})
	}
}

// An older manager recorded why a revision was rolled back only in the message of the condition.
func TestALostStoredCopyIsReportedOnceIfTheConditionHasTheOnlyReason(t *testing.T) {
	f, c := rolledBackFixture(t)
	f.history.Stored[1].FailureMessage = ""
	f.writeRevisions()
	f.history.Stored[0].Unstored = errors.New("its Secrets are gone")
	for range 3 {
		f.sync(t, c)
	}
	message := meta.FindStatusCondition(f.deployment.Status.Conditions, corev1alpha2.ConditionProgressing).Message
	if strings.Count(message, "its Secrets are gone") != 1 {
		t.Errorf("the message is %q", message)
	}
	f.history.Stored[0].Unstored = nil
	f.sync(t, c)
	if message := meta.FindStatusCondition(f.deployment.Status.Conditions, corev1alpha2.ConditionProgressing).Message; strings.Contains(message, "its Secrets") {
		t.Errorf("after it is stored again, the message is %q", message)
	}
}

func TestHRD_U3_ARolledBackRevisionDoesNotStartAfterTheActiveOneIsLost(t *testing.T) {
	f, c := rolledBackFixture(t)
	two := f.history.Stored[1]
	history := NewHistory([]Header{two.Header}, f.deployment.Status)
	f.history, two = &history, history.Stored[0]
	c.report = unhealthy
	for range 3 {
		c.now = c.now.Add(time.Hour)
		m := f.sync(t, c)
		if two.isStarted() || m.Desired() != nil || m.Newest() != two || slices.Contains(c.actions, Apply) || slices.Contains(c.actions, Fetch) {
			t.Fatalf("the revision that was rolled back is %s, after the actions %v", m.State(two), c.actions)
		}
		message := meta.FindStatusCondition(f.deployment.Status.Conditions, corev1alpha2.ConditionProgressing).Message
		if got := f.reasonOf(corev1alpha2.ConditionProgressing); got != "False/"+corev1alpha2.ReasonBlocked || !strings.Contains(message, "0 of 1 replicas") {
			t.Fatalf("Progressing is %s: %s", got, message)
		}
		if got := f.reasonOf(corev1alpha2.ConditionInstalled); got != "True/"+corev1alpha2.ReasonInstallationSucceeded {
			t.Fatalf("Installed is %s", got)
		}
	}
	f.deployment.Annotations = map[string]string{"platform.openshift.io/retry": "1"}
	if m := f.sync(t, c); !two.isStarted() || m.Desired() != two {
		t.Errorf("in another attempt, the revision is %s", m.State(two))
	}
}

func TestHRD_U3_ARevisionThatWasRolledBackIsNotTriedAgainAfterItIsLost(t *testing.T) {
	for name, test := range map[string]struct {
		digest string
		// retry is a value of the annotation, and activeLost is true if the active revision is lost, too.
		retry      string
		activeLost bool
		want       bool
	}{
		"the same objects":                          {"sha256:2", "", false, false},
		"the same objects, without an active one":   {"sha256:2", "", true, false},
		"other objects":                             {"sha256:3", "", false, true},
		"the same objects, in another attempt":      {"sha256:2", "1", false, true},
		"other objects, without an active one":      {"sha256:3", "", true, true},
		"in another attempt, without an active one": {"sha256:2", "1", true, true},
	} {
		t.Run(name, func(t *testing.T) {
			f, c := rolledBackFixture(t)
			f.history.Stored[1].Digest = "sha256:2"
			f.sync(t, c)
			headers := []Header{f.history.Stored[0].Header}
			if test.activeLost {
				headers = nil
			}
			history := NewHistory(headers, f.deployment.Status)
			f.history = &history
			f.deployment.Annotations = map[string]string{"platform.openshift.io/retry": test.retry}
			again := newRevision(3, "2.0.0")
			again.Digest = test.digest
			c.fetched, c.report = again, unhealthy
			f.sync(t, c)
			c.fetched = nil
			for range 2 {
				m := f.sync(t, c)
				if again.isStarted() != test.want || m.Newest() != again {
					t.Fatalf("the revision is %s, and %s is the newest", m.State(again), m.Newest())
				}
			}
			if message := again.failure(); !test.want && !strings.Contains(message, "0 of 1 replicas") {
				t.Errorf("the reason of the failure is lost: %s", message)
			}
		})
	}
}

// The missing permissions of a revision are checked with its objects, which cannot be read.
func TestHRD_U3_ARolledBackRevisionThatCannotBeReadIsNotTriedAgain(t *testing.T) {
	f, c := rolledBackFixture(t)
	two := f.history.Stored[1]
	two.Loaded, two.FailedFor, two.Digest = false, corev1alpha2.FailedForPermissions, "sha256:2"
	again := newRevision(3, "2.0.0")
	again.Digest = two.Digest
	c.damaged, c.fetched, c.report = map[int64]bool{2: true}, again, unhealthy
	if m := f.sync(t, c); !slices.Contains(c.actions, Fetch) || again.isStarted() || m.Failed() != again || again.FailedFor != two.FailedFor {
		t.Errorf("the revision is %s, after the actions %v", m.State(again), c.actions)
	}
}

// A first revision that was held never had an active revision to go back to. It goes on by itself.
func TestAHeldFirstRevisionIsTriedAgainAfterAnotherSource(t *testing.T) {
	f := newFixture(t)
	f.history.Stored, f.deployment.Status.ActiveRevision = f.history.Stored[1:], 0
	f.writeRevisions()
	two, first := f.history.Stored[0], f.desired
	c := &controller{now: start.Add(time.Hour), report: unhealthy, content: Content{Err: errors.New("the registry is down")}}
	if m := f.sync(t, c); m.State(two) != Held {
		t.Fatalf("the revision is %s", m.State(two))
	}
	f.desired.Source = "r/memo:v3"
	f.deployment.Generation++
	f.sync(t, c)
	f.desired = first
	f.deployment.Generation++
	if m := f.sync(t, c); m.State(two) != RollingOut {
		t.Errorf("the revision is %s", m.State(two))
	}
}

func TestTheTextsPromiseToStoreARevisionAgainOnlyWhenTheManagerDoes(t *testing.T) {
	for name, test := range map[string]struct {
		paused  bool
		unknown string
		want    string
	}{
		"its source is unreadable":  {false, "", "when its source can be read; make the source readable."},
		"paused":                    {true, "", "when spec.paused is no longer set."},
		"its class is unknown":      {false, "The class does not exist.", "when its provisioner class can be used."},
		"paused, without the class": {true, "The class does not exist.", "when spec.paused is no longer set."},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			active := f.history.Stored[0]
			active.Unstored = errors.New("its Secrets are gone")
			f.deployment.Spec.Paused, f.unknown = test.paused, test.unknown
			f.syncs(t, 2, &controller{now: start, report: unhealthy}, nil)
			message := meta.FindStatusCondition(f.deployment.Status.Conditions, corev1alpha2.ConditionProgressing).Message
			if !strings.Contains(message, "It is stored again "+test.want) || strings.Count(message, "stored again") != 1 {
				t.Errorf("Progressing: %s", message)
			}
			event := f.history.UnstoredEvent(active, active.Unstored)
			if !strings.HasSuffix(event.Message, "unless spec.paused is set or the provisioner class is unknown") {
				t.Errorf("the Event is %q", event.Message)
			}
		})
	}
}
