package revision

import (
	"fmt"
	"slices"
	"testing"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// inState returns a machine after the search for the desired revision, and a revision in a state: the active one, or else
// revision 2, which is desired.
func inState(t *testing.T, state State) (*Machine, *Revision) {
	t.Helper()
	f := newFixture(t)
	m := f.machine()
	one, two := f.history.Stored[0], f.history.Stored[1]
	m.active, m.desired, m.selected = one, two, true
	switch state {
	case Active:
		return m, one
	case Pending:
		two.Started = nil
	case Held:
		m.held = two
	case Failed:
		two.Stored = corev1alpha2.RevisionFailed
	case Archived:
		two.Stored = corev1alpha2.RevisionArchived
	}
	for requirement, waiting := range waitingStates {
		if waiting == state {
			m.waiting, two.Started = requirement, nil
		}
	}
	return m, two
}

// circumstances has, for each Transition.When, a function that makes the guard hold.
var circumstances = map[string]func(*Machine, *Revision){
	"the spec asks for other content":                                                  func(m *Machine, _ *Revision) { m.desired = m.active },
	"the spec asks for it again, and none of its objects was written":                  func(_ *Machine, r *Revision) { r.Started = nil },
	"its approval was withdrawn before all objects were applied":                       func(m *Machine, _ *Revision) { m.in.ApprovalRequired = true },
	"the class does not allow it":                                                      func(m *Machine, _ *Revision) { m.checked, m.check.Unmet = true, Class },
	"it changes a CustomResourceDefinition in an unsafe way, or this is being checked": func(m *Machine, _ *Revision) { m.checked, m.check.Unmet = true, CRDSafety },
	"its plan is not approved":                                                         func(m *Machine, _ *Revision) { m.checked, m.check.Unmet = true, Approval },
	"the manager lacks permissions":                                                    func(m *Machine, _ *Revision) { m.checked, m.check.Unmet = true, Permissions },
	"the manager must not use the install namespace":                                   func(m *Machine, _ *Revision) { m.checked, m.check.Unmet = true, InstallNamespace },
	"objects of 8 earlier revisions are not removed yet":                               func(m *Machine, _ *Revision) { m.checked, m.check.Unmet = true, Capacity },
	"it is desired, not paused, and every requirement holds":                           func(m *Machine, _ *Revision) { m.checked = true },
	"spec.paused is no longer set": func(m *Machine, _ *Revision) {
		(&fixture{deployment: m.in.Deployment}).progressing(corev1alpha2.ReasonPaused)
	},
	"all objects are applied and healthy": func(m *Machine, _ *Revision) { m.isClassified, m.report = true, healthy },
	"another revision is active":          func(m *Machine, _ *Revision) { m.active = m.desired },
	"its deadline has passed, spec.onFailure is Rollback, and there is an active revision": func(m *Machine, _ *Revision) { m.deadlineResult = rollBack },
	"its deadline has passed, and it is not rolled back":                                   func(m *Machine, _ *Revision) { m.deadlineResult = hold },
	"it was held in another attempt":                                                       func(_ *Machine, r *Revision) { r.FailedAttempt = "another" },
	"its objects are pruned, it is not the failed revision that the spec requests, and at least 3 newer revisions are neither active nor desired": func(m *Machine, r *Revision) {
		m.desired, r.Pruned = m.active, true
		for number := int64(3); number < 3+maxArchived; number++ {
			archived := newRevision(number, fmt.Sprintf("%d.0.0", number))
			archived.Stored, archived.Pruned = corev1alpha2.RevisionArchived, true
			m.in.History.Stored = append(m.in.History.Stored, archived)
		}
	},
}

func TestTransitions(t *testing.T) {
	for _, rule := range transitions {
		apply, known := circumstances[rule.When]
		if !known {
			t.Errorf("circumstances has no entry for the rule %q", rule.When)
			continue
		}
		for _, from := range rule.From {
			t.Run(fmt.Sprintf("%s to %s when %s", from, rule.To, rule.When), func(t *testing.T) {
				m, r := inState(t, from)
				if got := m.State(r); got != from {
					t.Fatalf("the revision is in state %s at the start of the test", got)
				}
				if rule.guard(m, r) {
					t.Fatal("the guard holds without the circumstances")
				}
				apply(m, r)
				if got := m.State(r); got != from {
					t.Fatalf("the circumstances alone change the state to %s", got)
				}
				if found, of := m.find(rule.Action); of != r || found.When != rule.When {
					t.Fatalf("rule %q applies instead", found.When)
				}
				rule.effect(m, r)
				got := m.State(r)
				if !slices.Contains(m.in.History.Stored, r) {
					got = Deleted
				}
				if got != rule.To {
					t.Errorf("the new state is %s", got)
				}
			})
		}
	}
}

// TestATransitionDoesNotApplyTwice checks that no rule applies again after its effect. Otherwise advance would loop.
func TestATransitionDoesNotApplyTwice(t *testing.T) {
	for _, rule := range transitions {
		for _, from := range rule.From {
			m, r := inState(t, from)
			circumstances[rule.When](m, r)
			rule.effect(m, r)
			m.advance()
			m.advance()
			if _, of := m.find(Done); of != nil {
				t.Errorf("after the transition from %s to %s, the same rule applies again", from, rule.To)
			}
		}
	}
}

func TestEveryStateHasTransitions(t *testing.T) {
	for _, state := range States() {
		entered := slices.ContainsFunc(transitions, func(rule Transition) bool { return rule.To == state && !slices.Equal(rule.From, []State{state}) })
		left := slices.ContainsFunc(transitions, func(rule Transition) bool { return slices.Contains(rule.From, state) && rule.To != state })
		if !entered {
			t.Errorf("no transition leads to %s", state)
		}
		if left == (state == Deleted) {
			t.Errorf("a transition leaves %s: %v", state, left)
		}
	}
}
