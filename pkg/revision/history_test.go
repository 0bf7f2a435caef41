package revision

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

func TestRevisionNumbersAreUsedOnce(t *testing.T) {
	status := corev1alpha2.BundleDeploymentStatus{ActiveRevision: 4, Revisions: []corev1alpha2.Revision{{Number: 6}}}
	history := History{Stored: []*Revision{newRevision(5, "1.0.0")}}
	if got := history.NextNumber(status); got != 7 {
		t.Errorf("next number is %d, want 7: 6 was used, though it is not stored any more", got)
	}
}

func TestRevisionsAreToldApartBySourceAndConfiguration(t *testing.T) {
	const registry = corev1alpha2.FormatRegistryV1
	one, two := newRevision(1, "1.0.0"), newRevision(2, "2.0.0")
	two.Source, two.Config = one.Source, "sha256:config"
	one.Renderer = "" // stored before renderers were
	two.Renderer = "registry+v1/7"
	history := History{Stored: []*Revision{one, two}}
	for name, c := range map[string]struct {
		desired Desired
		want    *Revision
	}{
		"the same source without configuration":      {Desired{Format: registry, Source: one.Source}, one},
		"the same source with its configuration":     {Desired{Format: registry, Source: one.Source, Config: two.Config}, two},
		"the same source with another configuration": {Desired{Format: registry, Source: one.Source, Config: "sha256:else"}, nil},
		"another source":                  {Desired{Format: registry, Source: "r/else:v1"}, nil},
		"a Bundle that was created anew":  {Desired{Format: registry, Source: one.Source, Resolved: "r/memo@sha256:else"}, nil},
		"a class of another format":       {Desired{Format: corev1alpha2.FormatPlainV0, Source: one.Source}, nil},
		"a Bundle that is still the same": {Desired{Format: registry, Source: one.Source, Resolved: one.Resolved}, one},
	} {
		if got := history.latest(c.desired); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
	if got := history.Pinned(Desired{Format: registry, Source: one.Source, Config: "sha256:else"}); got != two.Resolved {
		t.Errorf("another configuration of the same tag is rendered from %q, want %q: a tag is resolved once", got, two.Resolved)
	}
}

// What status does not record of a revision counts as applied, unless the revision was stored after status was written.
func TestHistoryOfAManagerThatStarts(t *testing.T) {
	started := metav1.Unix(1000, 0)
	written := func(revisions ...corev1alpha2.Revision) corev1alpha2.BundleDeploymentStatus {
		return corev1alpha2.BundleDeploymentStatus{ObservedGeneration: 3, Revisions: revisions}
	}
	for name, c := range map[string]struct {
		status corev1alpha2.BundleDeploymentStatus
		want   bool
	}{
		"its start is recorded":                         {written(corev1alpha2.Revision{Number: 2, State: corev1alpha2.RevisionFailed, StartedTime: &started}), true},
		"it waits, and no start is recorded":            {written(corev1alpha2.Revision{Number: 2, State: corev1alpha2.RevisionRollingOut}), false},
		"it was given up, and no start is recorded":     {written(corev1alpha2.Revision{Number: 2, State: corev1alpha2.RevisionFailed}), false},
		"it was active":                                 {written(corev1alpha2.Revision{Number: 2, State: corev1alpha2.RevisionArchived}), true},
		"it is older than those that there is room for": {written(corev1alpha2.Revision{Number: 3, State: corev1alpha2.RevisionActive}), true},
		"it was stored after status was written last":   {written(corev1alpha2.Revision{Number: 1, State: corev1alpha2.RevisionActive}), false},
		"it is the first one, not in status yet":        {written(), false},
		"status is lost":                                {corev1alpha2.BundleDeploymentStatus{}, true},
		"it was pruned":                                 {written(corev1alpha2.Revision{Number: 2, State: corev1alpha2.RevisionFailed, StartedTime: &started, Presence: corev1alpha2.Absent}), false},
	} {
		t.Run(name, func(t *testing.T) {
			history := NewHistory([]Header{{Number: 2}}, c.status)
			if got := history.Stored[0].HasObjects(); got != c.want {
				t.Errorf("it may have objects: %v, want %v", got, c.want)
			}
		})
	}
	history := NewHistory(nil, written(corev1alpha2.Revision{Number: 2, State: corev1alpha2.RevisionActive}))
	if len(history.Stored) != 0 || len(history.Lost) != 1 {
		t.Errorf("a revision that is not stored any more: stored %v, lost %v", history.Stored, history.Lost)
	}
}

// HRD-G1: a revision of which nothing was written is absent, though it has started; in doubt it is present.
func TestHRD_G1_ARevisionIsPresentUnlessNothingOfItWasWritten(t *testing.T) {
	refused := Report{}
	wrote := Report{Written: true}
	for name, c := range map[string]struct {
		earlier, reloaded bool // something of it was there before; status says that nothing was written
		reports           []Report
		failed            bool
		want              corev1alpha2.Presence
	}{
		"it has started":                         {want: corev1alpha2.Present},
		"its first object is refused":            {reports: []Report{refused}, want: corev1alpha2.Absent},
		"again and again":                        {reports: []Report{refused, refused}, want: corev1alpha2.Absent},
		"written after that":                     {reports: []Report{refused, wrote}, want: corev1alpha2.Present},
		"written, and refused after that":        {reports: []Report{wrote, refused}, want: corev1alpha2.Present},
		"all of it was there as it is":           {reports: []Report{{Exists: true, Complete: true}}, want: corev1alpha2.Present},
		"objects that another revision has, too": {reports: []Report{{Exists: true}}, want: corev1alpha2.Absent},
		"something of it was there before":       {earlier: true, reports: []Report{refused}, want: corev1alpha2.Present},
		"given up, and not pruned":               {reports: []Report{refused}, failed: true, want: corev1alpha2.Present},
		"after a restart":                        {reloaded: true, want: corev1alpha2.Absent},
		"after a restart, refused again":         {reloaded: true, reports: []Report{refused}, want: corev1alpha2.Absent},
		"after a restart, an object is there":    {reloaded: true, reports: []Report{{Exists: true}}, want: corev1alpha2.Present},
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

// Of a revision that was not applied completely nobody can tell which of its objects the manager created.
func TestHRD_S2_OnlyARevisionThatWasAppliedCompletelyTellsWhichObjectsAreOurs(t *testing.T) {
	for name, c := range map[string]struct {
		change func(f *fixture, one, two *Revision)
		want   []int64
	}{
		"the active one, and not the one that is rolling out": {func(*fixture, *Revision, *Revision) {}, []int64{1}},
		"one that is rolling out after all of it was applied": {func(_ *fixture, _, two *Revision) { two.Applied = true }, []int64{1, 2}},
		"one that was active before": {func(_ *fixture, one, two *Revision) {
			one.Stored, two.Stored = corev1alpha2.RevisionArchived, corev1alpha2.RevisionActive
		}, []int64{1, 2}},
		"not one that failed":                 {func(_ *fixture, _, two *Revision) { two.Stored = corev1alpha2.RevisionFailed }, []int64{1}},
		"not a first one that is rolling out": {func(f *fixture, _, two *Revision) { f.history.Stored = []*Revision{two} }, nil},
		"a first one that was applied and never became healthy": {func(f *fixture, _, two *Revision) {
			f.history.Stored = []*Revision{two}
			installed(f)
		}, []int64{2}},
		"not one that is not loaded": {func(_ *fixture, one, _ *Revision) { one.Loaded = false }, nil},
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

func TestTooManyRevisionsNeverHideTheActiveOne(t *testing.T) {
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
