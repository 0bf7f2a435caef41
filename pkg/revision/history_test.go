package revision

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

func TestNextNumber(t *testing.T) {
	status := corev1alpha2.BundleDeploymentStatus{ActiveRevision: 4, Revisions: []corev1alpha2.Revision{{Number: 6}}}
	history := History{Stored: []*Revision{newRevision(5, "1.0.0")}}
	if got := history.NextNumber(status); got != 7 {
		t.Errorf("NextNumber() = %d, want 7: a revision that is no longer stored had number 6", got)
	}
	history.Stored = append(history.Stored, newRevision(7, "1.0.0"))
	history.Lose(history.Stored[1])
	if got := history.NextNumber(status); got != 8 {
		t.Errorf("NextNumber() = %d, want 8: a revision that was lost before the status had it had number 7", got)
	}
}

func TestDesiredMatchesSourceAndConfiguration(t *testing.T) {
	const registry = corev1alpha2.FormatRegistryV1
	one, two := newRevision(1, "1.0.0"), newRevision(2, "2.0.0")
	two.Source, two.Config = one.Source, "sha256:config"
	one.Renderer = "" // as stored by a manager that did not record renderers
	two.Renderer = "registry+v1/7"
	history := History{Stored: []*Revision{one, two}}
	for name, c := range map[string]struct {
		desired Desired
		want    *Revision
	}{
		"the same source without configuration":      {Desired{Format: registry, Source: one.Source}, one},
		"the same source with its configuration":     {Desired{Format: registry, Source: one.Source, Config: two.Config}, two},
		"the same source with another configuration": {Desired{Format: registry, Source: one.Source, Config: "sha256:else"}, nil},
		"another source":            {Desired{Format: registry, Source: "r/else:v1"}, nil},
		"a recreated Bundle":        {Desired{Format: registry, Source: one.Source, Resolved: "r/memo@sha256:else"}, nil},
		"a class of another format": {Desired{Format: corev1alpha2.FormatPlainV0, Source: one.Source}, nil},
		"an unchanged Bundle":       {Desired{Format: registry, Source: one.Source, Resolved: one.Resolved}, one},
	} {
		if got := history.latest(c.desired); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
	if got := history.Pinned(Desired{Format: registry, Source: one.Source, Config: "sha256:else"}); got != two.Resolved {
		t.Errorf("Pinned() = %q for another configuration of the same tag, want %q", got, two.Resolved)
	}
}

// TestNewHistory checks that a revision that is not in status is considered applied, unless it was stored after the status was written.
func TestNewHistory(t *testing.T) {
	started := metav1.Unix(1000, 0)
	written := func(revisions ...corev1alpha2.Revision) corev1alpha2.BundleDeploymentStatus {
		return corev1alpha2.BundleDeploymentStatus{ObservedGeneration: 3, Revisions: revisions}
	}
	for name, c := range map[string]struct {
		status corev1alpha2.BundleDeploymentStatus
		want   bool
	}{
		"its start is recorded":                           {written(corev1alpha2.Revision{Number: 2, State: corev1alpha2.RevisionFailed, StartedTime: &started}), true},
		"it waits without a recorded start":               {written(corev1alpha2.Revision{Number: 2, State: corev1alpha2.RevisionRollingOut}), false},
		"it failed without a recorded start":              {written(corev1alpha2.Revision{Number: 2, State: corev1alpha2.RevisionFailed}), false},
		"it was active":                                   {written(corev1alpha2.Revision{Number: 2, State: corev1alpha2.RevisionArchived}), true},
		"status had no space for it":                      {written(corev1alpha2.Revision{Number: 3, State: corev1alpha2.RevisionActive}), true},
		"it was stored after the last written status":     {written(corev1alpha2.Revision{Number: 1, State: corev1alpha2.RevisionActive}), false},
		"it is the first revision, and not in status yet": {written(), false},
		"status is lost":                                  {corev1alpha2.BundleDeploymentStatus{}, true},
		"it was pruned":                                   {written(corev1alpha2.Revision{Number: 2, State: corev1alpha2.RevisionFailed, StartedTime: &started, Presence: corev1alpha2.Absent}), false},
	} {
		t.Run(name, func(t *testing.T) {
			history := NewHistory([]Header{{Number: 2}}, c.status)
			if got := history.Stored[0].HasObjects(); got != c.want {
				t.Errorf("HasObjects() = %v, want %v", got, c.want)
			}
		})
	}
	history := NewHistory(nil, written(corev1alpha2.Revision{Number: 2, State: corev1alpha2.RevisionActive}))
	if len(history.Stored) != 0 || len(history.Lost) != 1 {
		t.Errorf("with a revision that is no longer stored, Stored is %v and Lost is %v", history.Stored, history.Lost)
	}
}

// TestHRD_G1_PresenceOfARevision checks that a started revision is absent while none of its objects was written. If that is unknown, it is
// present.
func TestHRD_G1_PresenceOfARevision(t *testing.T) {
	refused := Report{}
	wrote := Report{Written: true}
	for name, c := range map[string]struct {
		earlier, reloaded bool // objects existed before; status has presence Absent
		reports           []Report
		failed            bool
		want              corev1alpha2.Presence
	}{
		"it has started":                         {want: corev1alpha2.Present},
		"its first object is refused":            {reports: []Report{refused}, want: corev1alpha2.Absent},
		"its first object is refused repeatedly": {reports: []Report{refused, refused}, want: corev1alpha2.Absent},
		"an object is written after a refusal":   {reports: []Report{refused, wrote}, want: corev1alpha2.Present},
		"an object is written before a refusal":  {reports: []Report{wrote, refused}, want: corev1alpha2.Present},
		"all objects existed as declared":        {reports: []Report{{Exists: true, Complete: true}}, want: corev1alpha2.Present},
		"objects that another revision also has": {reports: []Report{{Exists: true}}, want: corev1alpha2.Absent},
		"objects of an earlier start may exist":  {earlier: true, reports: []Report{refused}, want: corev1alpha2.Present},
		"failed, and not pruned":                 {reports: []Report{refused}, failed: true, want: corev1alpha2.Present},
		"after a restart":                        {reloaded: true, want: corev1alpha2.Absent},
		"after a restart, refused again":         {reloaded: true, reports: []Report{refused}, want: corev1alpha2.Absent},
		"after a restart, an object exists":      {reloaded: true, reports: []Report{{Exists: true}}, want: corev1alpha2.Present},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			two := f.history.Stored[1]
			two.Started = nil
			if c.earlier {
				two.Started, two.Stored = &metav1.Time{}, corev1alpha2.RevisionFailed
			}
			m := f.machine()
			m.desired = two
			m.start(two)
			if c.reloaded {
				entry := two.entry()
				entry.Presence = corev1alpha2.Absent
				history := NewHistory([]Header{two.Header}, corev1alpha2.BundleDeploymentStatus{Revisions: []corev1alpha2.Revision{entry}})
				two = history.Stored[0]
			}
			for _, each := range c.reports {
				two.addAttempt(each)
			}
			if c.failed {
				two.Stored = corev1alpha2.RevisionFailed
			}
			if got := two.entry().Presence; got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// TestHRD_S2_AppliedRevisions checks that AppliedRevisions returns only revisions that were applied completely. Only these show which
// objects the manager created.
func TestHRD_S2_AppliedRevisions(t *testing.T) {
	for name, c := range map[string]struct {
		change func(f *fixture, one, two *Revision)
		want   []int64
	}{
		"the active revision, not the one that is rolling out": {func(*fixture, *Revision, *Revision) {}, []int64{1}},
		"a completely applied revision that is rolling out":    {func(_ *fixture, _, two *Revision) { two.Applied = true }, []int64{1, 2}},
		"a revision that was active before": {func(_ *fixture, one, two *Revision) {
			one.Stored, two.Stored = corev1alpha2.RevisionArchived, corev1alpha2.RevisionActive
		}, []int64{1, 2}},
		"not a failed revision":                    {func(_ *fixture, _, two *Revision) { two.Stored = corev1alpha2.RevisionFailed }, []int64{1}},
		"not a first revision that is rolling out": {func(f *fixture, _, two *Revision) { f.history.Stored = []*Revision{two} }, nil},
		"a first revision that was applied and never became healthy": {func(f *fixture, _, two *Revision) {
			f.history.Stored = []*Revision{two}
			installed(f)
		}, []int64{2}},
		"not a revision that is not loaded": {func(_ *fixture, one, _ *Revision) { one.Loaded = false }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			c.change(f, f.history.Stored[0], f.history.Stored[1])
			m := f.machine()
			var got []int64
			for _, each := range m.AppliedRevisions() {
				got = append(got, each.Number)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestFitKeepsTheActiveRevision(t *testing.T) {
	f := newFixture(t)
	for number := int64(3); number < 14; number++ {
		f.history.Stored = append(f.history.Stored, newRevision(number, "9.0.0"))
	}
	m := f.machine()
	m.active = f.history.Stored[0]
	var status corev1alpha2.BundleDeploymentStatus
	m.reportRevisions(&status)
	if got := status.Revisions; len(got) != maxRevisions || got[0].Number != 1 || got[maxRevisions-1].Number != 13 {
		t.Errorf("status has %d revisions, from %d to %d", len(got), got[0].Number, got[len(got)-1].Number)
	}
}

func TestHRD_G1_TooManyRevisionsHideNoneWithObjects(t *testing.T) {
	revisions := make([]corev1alpha2.Revision, 12)
	for i := range revisions {
		revisions[i] = corev1alpha2.Revision{Number: int64(i + 1), Presence: corev1alpha2.Absent}
	}
	revisions[1].Presence, revisions[2].Presence = corev1alpha2.Present, corev1alpha2.Present
	var kept []int64
	for _, each := range fit(revisions, 1) {
		kept = append(kept, each.Number)
	}
	if diff := cmp.Diff([]int64{1, 2, 3, 8, 9, 10, 11, 12}, kept); diff != "" {
		t.Errorf("revisions (-want +got):\n%s", diff)
	}
}

func TestActiveBundleIsReportedWhileItIsNotTheNewest(t *testing.T) {
	for name, c := range map[string]struct {
		given          func(m *Machine, one, two *Revision)
		bundle, active string
	}{
		"before anything is active":         {func(m *Machine, _, two *Revision) { m.desired = two }, "memo.v2.0.0", ""},
		"the active revision is the newest": {func(m *Machine, _, two *Revision) { m.active, m.desired = two, two }, "memo.v2.0.0", ""},
		"other content is fetched":          {func(m *Machine, one, _ *Revision) { m.active = one }, "", "memo.v1.0.0"},
		"another revision is rolling out":   {func(m *Machine, one, two *Revision) { m.active, m.desired = one, two }, "memo.v2.0.0", "memo.v1.0.0"},
		"another revision was rolled back":  {func(m *Machine, one, two *Revision) { m.active, m.desired, m.failed = one, one, two }, "memo.v2.0.0", "memo.v1.0.0"},
		"nothing is known, in a first sync": {func(*Machine, *Revision, *Revision) {}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			m := f.machine()
			c.given(m, f.history.Stored[0], f.history.Stored[1])
			status := corev1alpha2.BundleDeploymentStatus{ActiveBundle: &corev1alpha2.BundleMetadata{Name: "of the sync before"}}
			m.reportContent(&status)
			name := func(metadata *corev1alpha2.BundleMetadata) string {
				if metadata == nil {
					return ""
				}
				return metadata.Name
			}
			if bundle, active := name(status.Bundle), name(status.ActiveBundle); bundle != c.bundle || active != c.active {
				t.Errorf("bundle is %q and activeBundle %q, want %q and %q", bundle, active, c.bundle, c.active)
			}
		})
	}
}
