package revision

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// restarted returns the machine of a new process that has not fetched the content yet, after a sync of an earlier one with this content.
func restarted(t *testing.T, content Content) *Machine {
	t.Helper()
	f := newFixture(t)
	f.history.Stored = f.history.Stored[:1]
	f.writeRevisions()
	m := f.machine()
	(&controller{now: start, report: healthy, content: content}).run(t, m)
	f.write(m)
	next := f.machine()
	next.active = f.history.Stored[0]
	return next
}

func TestARestartDoesNotChangeTheStatusWhileContentIsFetchedAgain(t *testing.T) {
	for name, content := range map[string]Content{
		"the source cannot be unpacked":  {Err: errors.New("the registry answered 404")},
		"the bundle cannot be installed": {Resolved: "r/memo@sha256:2", Invalid: "The bundle has no manifests."},
	} {
		t.Run(name, func(t *testing.T) {
			m := restarted(t, content)
			status := m.in.Deployment.Status.DeepCopy()
			m.set(status, m.lastWhilePending(m.unpacked()), m.lastWhilePending(m.hasValidBundle()), m.lastWhilePending(m.installed()), m.lastWhilePending(m.progressing()))
			if diff := cmp.Diff(m.in.Deployment.Status.Conditions, status.Conditions); diff != "" {
				t.Errorf("conditions (-before +after):\n%s", diff)
			}
			if !m.wasSettled() {
				t.Error("differences from the active revision are not drift")
			}
		})
	}
	t.Run("the spec has changed", func(t *testing.T) {
		m := restarted(t, Content{Err: errors.New("the registry answered 404")})
		m.in.Deployment.Generation++
		if got := m.lastWhilePending(m.unpacked()); got.reason != corev1alpha2.ReasonUnpacking {
			t.Errorf("Unpacked has reason %s", got.reason)
		}
	})
	t.Run("the content was being fetched", func(t *testing.T) {
		m := restarted(t, Content{})
		if got := m.lastWhilePending(m.unpacked()); got.reason != corev1alpha2.ReasonUnpacking {
			t.Errorf("Unpacked has reason %s", got.reason)
		}
		if last := meta.FindStatusCondition(m.in.Deployment.Status.Conditions, corev1alpha2.ConditionProgressing); last == nil || last.Reason != corev1alpha2.ReasonRollingOut || !m.wasSettled() {
			t.Errorf("after %v, differences from the active revision are not drift", last)
		}
	})
}
