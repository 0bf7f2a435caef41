package bundledeployment

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// Of a revision that was not applied completely nobody can tell which of its objects the manager made.
func TestHRD_S2_OnlyARevisionThatWasAppliedCompletelySaysWhatIsOurs(t *testing.T) {
	for name, c := range map[string]struct {
		change func(s *state, one, two *revision)
		want   []int64
	}{
		"the active one, and not the one that is rolling out": {func(*state, *revision, *revision) {}, []int64{1}},
		"one that is rolling out once all of it is applied":   {func(_ *state, _, two *revision) { two.applied = true }, []int64{1, 2}},
		"one that was active before":                          {func(s *state, one, two *revision) { s.active, one.state = two, corev1alpha2.RevisionArchived }, []int64{1, 2}},
		"not one that failed":                                 {func(_ *state, _, two *revision) { two.state = corev1alpha2.RevisionFailed }, []int64{1}},
		"nothing of a first one that is rolling out":          {func(s *state, one, two *revision) { s.active, s.record.revisions = nil, []*revision{two} }, nil},
		"a first one that was applied and never became healthy": {func(s *state, one, two *revision) {
			s.active, s.record.revisions = nil, []*revision{two}
			meta.SetStatusCondition(&s.before.Status.Conditions, metav1.Condition{Type: corev1alpha2.ConditionInstalled, Status: metav1.ConditionTrue, Reason: corev1alpha2.ReasonInstallationSucceeded})
		}, []int64{2}},
		"nothing of one whose objects are not known": {func(_ *state, one, _ *revision) { one.set = nil }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s, one, two := given(t)
			one.set, two.set = setOf(t, "one"), setOf(t, "two")
			numbers := map[any]int64{one.set: 1, two.set: 2}
			c.change(s, one, two)
			var got []int64
			for _, set := range s.appliedSets() {
				got = append(got, numbers[set])
			}
			if len(got) != len(c.want) {
				t.Fatalf("got %v, want %v", got, c.want)
			}
			for i := range got {
				if got[i] != c.want[i] {
					t.Errorf("got %v, want %v", got, c.want)
				}
			}
		})
	}
}
