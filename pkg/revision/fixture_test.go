package revision

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// start is the start time of the tests' rollouts.
var start = time.Unix(1000, 0)

// fixture is a BundleDeployment of generation 3, and its revisions.
type fixture struct {
	deployment *corev1alpha2.BundleDeployment
	history    *History
	desired    Desired
	inherited  bool
	unknown    string
	policy     corev1alpha2.DriftPolicy
}

// newFixture returns a fixture with the active revision 1, and revision 2 of the desired source, which has been rolling out since start.
func newFixture(t *testing.T) *fixture {
	t.Helper()
	one, two := newRevision(1, "1.0.0"), newRevision(2, "2.0.0")
	started := metav1.NewTime(start)
	one.Stored, two.Started = corev1alpha2.RevisionActive, &started
	f := &fixture{
		deployment: &corev1alpha2.BundleDeployment{ObjectMeta: metav1.ObjectMeta{Name: "memo", Generation: 3}},
		history:    &History{Stored: []*Revision{one, two}},
		desired:    Desired{Source: two.Source, Format: corev1alpha2.FormatRegistryV1},
	}
	f.deployment.Status.ObservedGeneration, f.deployment.Status.ActiveRevision = 3, 1
	f.writeRevisions()
	return f
}

// newRevision returns a loaded revision with one object.
func newRevision(number int64, version string) *Revision {
	r := New(Header{
		Number: number, Digest: "sha256:0", Source: "r/memo:v" + version, Resolved: "r/memo@sha256:" + version,
		Bundle: corev1alpha2.BundleMetadata{Name: "memo.v" + version, Version: version},
	})
	r.Loaded, r.Objects = true, 1
	return r
}

// writeRevisions sets status.revisions from the stored revisions.
func (f *fixture) writeRevisions() {
	f.deployment.Status.Revisions = nil
	for _, each := range f.history.Stored {
		f.deployment.Status.Revisions = append(f.deployment.Status.Revisions, each.entry())
	}
}

// progressing replaces the conditions with one Progressing condition with status False and this reason.
func (f *fixture) progressing(reason string) {
	f.deployment.Status.Conditions = []metav1.Condition{{
		Type: corev1alpha2.ConditionProgressing, Status: isFalse, Reason: reason, ObservedGeneration: f.deployment.Generation,
	}}
}

func (f *fixture) machine() *Machine {
	m := NewMachine(Input{
		Deployment: f.deployment, History: f.history, Desired: f.desired, UnknownClass: f.unknown, DriftPolicy: f.policy, Inherited: f.inherited,
		RefusalBackoff: func(refusals int) time.Duration { return time.Duration(refusals) * time.Second },
	})
	m.now = start
	return m
}

var (
	// healthy and unhealthy are reports about a revision with one object.
	healthy   = Report{Total: 1, Ready: 1, Complete: true, Exists: true}
	unhealthy = Report{Total: 1, Complete: true, Exists: true, Unready: []string{"Deployment memo/memo: 0 of 1 replicas"}}
)

// memo is a kind, and lacksKind a report about a revision with an object of it while the cluster does not serve it.
var (
	memo      = corev1alpha2.MissingKind{Group: "example.com", Version: "v1", Kind: "Memo"}
	lacksKind = Report{Total: 2, Ready: 1, Exists: true, Waiting: "Memo a waits for its kind", MissingKinds: []corev1alpha2.MissingKind{memo}}
)

// controller performs actions without a cluster.
type controller struct {
	now time.Time
	// actions are the performed actions.
	actions []ActionKind
	check   Check
	report  Report
	problem Problem
	// startErr is the error of RecordStart, and damaged are the numbers of revisions that cannot be loaded.
	startErr error
	damaged  map[int64]bool
	content  Content
	// fetched is the revision that Fetch, Store and Poll find; nil if they find none.
	fetched *Revision
	pruned  Removal
	// restorable is true if Restore succeeds.
	restorable bool
	// provided is true if CheckFailure finds everything that the failed revision lacked.
	provided bool
}

// maxActions is the maximum number of actions that run performs. It is above the number of actions in any sync.
const maxActions = 100

// run performs one sync, and returns false if it was aborted. It fails the test after maxActions actions.
func (c *controller) run(t *testing.T, m *Machine) bool {
	t.Helper()
	c.actions = nil
	for range maxActions {
		action := m.Next(c.now)
		if action.Kind == Done {
			return true
		}
		c.actions = append(c.actions, action.Kind)
		if action.Kind == Abort || !c.execute(m, action) {
			return false
		}
	}
	t.Fatalf("the sync has too many actions: %v", c.actions)
	return false
}

func (c *controller) execute(m *Machine, action Action) bool {
	switch r := action.Revision; action.Kind {
	case Load:
		if c.damaged[r.Number] {
			m.in.History.Lose(r)
		} else {
			r.Loaded, r.Objects = true, 1
		}
	case Fetch, Store, Poll:
		if c.fetched != nil {
			m.SetDesired(c.fetched)
		} else if action.Kind != Poll {
			m.SetContent(c.content)
		}
	case Restore:
		if c.restorable {
			r.Unstored = nil
		}
	case CheckFailure:
		m.SetProvided(c.provided)
	case CheckRequirements:
		m.SetCheck(c.check)
	case RecordStart:
		if c.startErr != nil {
			m.StartFailed()
			return false
		}
		written := m.in.Deployment.DeepCopy()
		m.ReportStart(&written.Status)
		m.StartRecorded(written)
	case Apply:
		m.SetApplied(c.report, c.problem)
	case ApplyRemaining:
		m.SetRemaining(Report{}, Problem{})
	case Observe:
		m.SetObserved(healthy)
	case Prune:
		m.SetPruned(r, c.pruned)
	case Delete:
		m.Deleted(r)
	case RemoveLeftovers:
		m.SetLeftovers(c.pruned)
	case CollectGarbage:
		m.in.History.GarbageCollected = true
	}
	return true
}

// write sets the status at the end of a sync. The next sync needs a new machine.
func (f *fixture) write(m *Machine) {
	written := m.in.Deployment.DeepCopy()
	m.Report(&written.Status)
	written.Status.Plan = &corev1alpha2.Plan{KindsMissing: m.KindsMissing()}
	f.deployment = written
}
