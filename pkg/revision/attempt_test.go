package revision

import (
	"testing"
	"time"

	"k8s.io/utils/ptr"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/attempt"
)

// changesAfterAFailure are changes of a BundleDeployment whose newest revision failed, and whether the revision is tried again.
var changesAfterAFailure = map[string]struct {
	change func(*fixture)
	again  bool
}{
	"a pause and its end": {func(f *fixture) {
		f.deployment.Spec.Paused = true
		f.progressing(corev1alpha2.ReasonPaused)
		f.deployment.Spec.Paused = false
	}, false},
	"another drift policy":                      {func(f *fixture) { f.deployment.Spec.Drift = &corev1alpha2.Drift{Policy: corev1alpha2.DriftReport} }, false},
	"another policy for failures":               {func(f *fixture) { f.deployment.Spec.OnFailure = corev1alpha2.OnFailureHold }, false},
	"the default, said explicitly":              {func(f *fixture) { f.deployment.Spec.Adoption = corev1alpha2.AdoptionSamePackage }, false},
	"another adoption":                          {func(f *fixture) { f.deployment.Spec.Adoption = corev1alpha2.AdoptionAny }, true},
	"another deadline":                          {func(f *fixture) { f.deployment.Spec.ProgressDeadlineSeconds = ptr.To[int32](7200) }, true},
	"a new value of the annotation":             {func(f *fixture) { f.retry("2") }, true},
	"the annotation with the value that it had": {func(f *fixture) { f.retry("1") }, false},
}

func (f *fixture) retry(value string) {
	f.deployment.Annotations = map[string]string{platformv1alpha1.AnnotationRetry: value}
}

// Promise HRD-U3: A version that was rolled back or is held is tried again if its bundle, the way it is installed, or annotation
// platform.openshift.io/retry changes. A version that only lacked kinds or permissions is tried again when these are available.
// Nothing else causes another attempt.
func TestHRD_U3_AFailedRevisionIsTriedAgainOnlyInAnotherAttempt(t *testing.T) {
	for _, onFailure := range []corev1alpha2.OnFailure{corev1alpha2.OnFailureHold, corev1alpha2.OnFailureRollback} {
		for name, test := range changesAfterAFailure {
			t.Run(string(onFailure)+": "+name, func(t *testing.T) {
				f := newFixture(t)
				f.retry("1")
				f.deployment.Spec.OnFailure = onFailure
				two := f.history.Stored[1]
				two.FirstSeen = start
				c := &controller{now: start.Add(time.Hour), report: unhealthy, pruned: Removal{Done: true}}
				f.sync(t, c)
				c.now = c.now.Add(time.Minute)
				c.report = healthyUnless(onFailure)
				f.sync(t, c)
				if reason := progressingReason(f.deployment.Status); reason != corev1alpha2.ReasonDeadlineExceeded {
					t.Fatalf("before the change, Progressing has reason %s", reason)
				}

				test.change(f)
				f.deployment.Generation++
				c.now = c.now.Add(time.Minute)
				m := f.sync(t, c)
				if again := two.Started.Unix() == c.now.Unix(); again != test.again {
					t.Errorf("tried again: %t, and the revision is %s", again, m.State(two))
				}
				if test.again && (two.FailedAttempt != "" || two.FailureMessage != "" || two.FailedGeneration != 0) {
					t.Errorf("the new attempt has the failure of the former one: %+v", two)
				}
				if reason := progressingReason(f.deployment.Status); !test.again && reason != corev1alpha2.ReasonDeadlineExceeded {
					t.Errorf("Progressing has reason %s", reason)
				}
			})
		}
	}
}

// healthyUnless returns the report about the revision that is applied after the deadline: the former one, which is healthy, or the held one.
func healthyUnless(onFailure corev1alpha2.OnFailure) Report {
	if onFailure == corev1alpha2.OnFailureRollback {
		return healthy
	}
	return unhealthy
}

func TestHRD_U3_AFailedRevisionIsNotTriedAgainAfterAnother(t *testing.T) {
	f := newFixture(t)
	f.deployment.Spec.OnFailure = corev1alpha2.OnFailureHold
	two := f.history.Stored[1]
	c := &controller{now: start.Add(time.Hour), report: unhealthy, pruned: Removal{Done: true}}
	f.sync(t, c)
	failed := f.desired
	f.desired.Source, c.report = f.history.Stored[0].Source, healthy
	f.deployment.Generation++
	if m := f.sync(t, c); m.State(two) != Failed || m.Failed() != nil {
		t.Fatalf("the revision that is left is %s", m.State(two))
	}
	f.desired = failed
	f.deployment.Generation++
	if m := f.sync(t, c); m.State(two) != Failed || m.Failed() != two || two.FailedGeneration != f.deployment.Generation {
		t.Errorf("the revision is %s when it is requested again", m.State(two))
	}
}

func TestAHeldRevisionThatBecomesHealthyHasNotFailed(t *testing.T) {
	f := newFixture(t)
	two := f.history.Stored[1]
	c := &controller{now: start.Add(time.Hour), report: unhealthy, pruned: Removal{Done: true}}
	if f.sync(t, c); two.FailedAttempt == "" {
		t.Fatal("the revision is not held")
	}
	c.report = healthy
	if m := f.sync(t, c); m.Active() != two || two.FailedAttempt != "" || two.FailureMessage != "" {
		t.Errorf("the active revision is %+v", two)
	}
}

func TestAHeldRevisionOfAnOlderManagerStaysHeld(t *testing.T) {
	f := newFixture(t)
	f.progressing(corev1alpha2.ReasonDeadlineExceeded)
	two := f.history.Stored[1]
	c := &controller{now: start.Add(time.Hour), report: unhealthy}
	if m := f.sync(t, c); m.State(two) != Held || two.FailedAttempt != attempt.Of(f.deployment) {
		t.Errorf("the revision is %s", m.State(two))
	}
}
