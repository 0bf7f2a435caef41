package scenario_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/openshift/platform-operators/pkg/scenario"
)

// ofObject returns a function that matches the events of an object with a name.
func ofObject(name string) func(scenario.Event) bool {
	return func(e scenario.Event) bool { return e.Name == name }
}

func TestAnInformerAndADelayedEvent(t *testing.T) {
	for name, c := range map[string]struct {
		existing []string // writes before the informer starts
		delay    scenario.EventDelay
		writes   []string // ten seconds after each other
		want     []string
	}{
		"that is a creation, merged with a change": {
			nil, scenario.EventDelay{Merge: true},
			[]string{"create a 1", "create b 1", "update a 2"}, []string{"10s add b 1", "20s add a 2"},
		},
		"that is a creation, merged with the deletion": {
			nil, scenario.EventDelay{Merge: true},
			[]string{"create a 1", "delete a", "create b 1"}, []string{"20s add b 1"},
		},
		"that is a change, merged with a change": {
			[]string{"create a 1"}, scenario.EventDelay{Merge: true},
			[]string{"update a 2", "update a 3"}, []string{"0s add a 1", "10s update a 1 to 3"},
		},
		"that is a change, merged with the deletion": {
			[]string{"create a 1"}, scenario.EventDelay{Merge: true},
			[]string{"update a 2", "delete a"}, []string{"0s add a 1", "10s delete a 1"},
		},
		"that is a deletion, merged with a creation": {
			[]string{"create a 1"}, scenario.EventDelay{Merge: true},
			[]string{"delete a", "create a 2"}, []string{"0s add a 1", "10s update a 1 to 2, another object"},
		},
		"that no other event follows": {
			[]string{"create a 1"}, scenario.EventDelay{Merge: true},
			[]string{"update a 2", "create b 1"}, []string{"0s add a 1", "10s add b 1", "1m0s update a 1 to 2"},
		},
		"that is the second one": {
			nil, scenario.EventDelay{Merge: true, Nth: 2},
			[]string{"create a 1", "update a 2", "update a 3"}, []string{"0s add a 1", "20s update a 1 to 3"},
		},
		"that all later events wait for": {
			nil, scenario.EventDelay{},
			[]string{"create b 1", "create a 1", "update b 2", "update a 2"},
			[]string{"0s add b 1", "1m10s add a 1", "1m10s update b 1 to 2", "1m10s update a 1 to 2"},
		},
		"of another user": {
			nil, scenario.EventDelay{User: "someone"},
			[]string{"create a 1"}, []string{"0s add a 1"},
		},
	} {
		for kind := range informerKinds {
			t.Run(name+"/"+kind, func(t *testing.T) {
				run(t, nil, func(s story) {
					s.grantObserver()
					s.write(c.existing...)
					seen, stop := s.observe(kind, configMapResource)
					defer stop()
					c.delay.User, c.delay.By = cmp.Or(c.delay.User, observer), time.Minute
					c.delay.Match = ofObject("a")
					delay := s.DelayEvent(c.delay)
					s.write(c.writes...)
					time.Sleep(2 * time.Minute)
					s.equal("the notifications", quoted(seen.notifications()), quoted(c.want))
					s.equal("applied", delay.Applied(), c.delay.User == observer)
				})
			})
		}
	}
}

func quoted(all []string) string { return fmt.Sprintf("%q", all) }

func TestADelayOfOneKindDoesNotDelayAnother(t *testing.T) {
	run(t, nil, func(s story) {
		s.grantObserver()
		configMaps, stop := s.observe("typed", configMapResource)
		defer stop()
		secrets, stop := s.observe("typed", secretResource)
		defer stop()
		s.DelayEvent(scenario.EventDelay{User: observer, Match: ofObject("a"), By: time.Minute})
		s.write("create a 1", "create secret 1")
		s.equal("the ConfigMaps meanwhile", configMaps.notifications(), "[]")
		time.Sleep(time.Minute)
		s.equal("the Secrets", secrets.notifications(), "[10s add secret 1]")
		s.equal("the ConfigMaps", configMaps.notifications(), "[1m0s add a 1]")
	})
}

func TestAnInformerMissesNoDelayedEventWhenItsWatchBreaks(t *testing.T) {
	for name, merge := range map[string]bool{"that is merged": true, "that others wait for": false} {
		t.Run(name, func(t *testing.T) {
			run(t, nil, func(s story) {
				s.grantObserver()
				s.write("create deleted 1")
				seen, stop := s.observe("typed", configMapResource)
				defer stop()
				s.DelayEvent(scenario.EventDelay{User: observer, Match: ofObject("deleted"), By: time.Minute, Merge: merge})
				s.write("delete deleted", "create b 1")
				if s.CutWatches(func(r scenario.Request) bool { return r.User == observer }) != 1 {
					t.Error("the informer does not watch")
				}
				time.Sleep(2 * time.Minute)
				s.write("update b 2")
				s.equal("the cache", seen.cached(), "map[b:2]")
			})
		})
	}
}

func TestAnInformerThatGotALateEventSeesNoEventTwice(t *testing.T) {
	run(t, nil, func(s story) {
		s.grantObserver()
		seen, stop := s.observe("typed", configMapResource)
		defer stop()
		s.DelayEvent(scenario.EventDelay{User: observer, Match: ofObject("a"), By: time.Minute, Merge: true})
		s.write("create a 1", "create b 1", "update b 2", "update b 3")
		time.Sleep(time.Minute)
		before := seen.notifications()
		s.CutWatches(func(r scenario.Request) bool { return r.User == observer })
		time.Sleep(time.Minute)
		s.equal("the notifications when the watch goes on", quoted(seen.notifications()), quoted(before))
	})
}

func TestASelectorSeesTheMergedChange(t *testing.T) {
	run(t, nil, func(s story) {
		s.grantObserver()
		s.write("create a 1")
		events := s.watchLabel("v=2")
		s.DelayEvent(scenario.EventDelay{User: observer, Match: ofObject("a"), Nth: 1, By: time.Minute, Merge: true})
		s.write("update a 2", "update a 3", "update a 2")
		s.equal("the events of label v=2", eventTypes(events), "[ADDED]")
	})
}

func TestEventsAreTheWritesInOrder(t *testing.T) {
	run(t, nil, func(s story) {
		s.must(s.Settle())
		before := s.Revision()
		s.write("create a 1", "update a 2", "delete a")
		events, err := s.Events(before)
		s.must(err)
		var got []string
		for _, event := range events {
			if event.Name == "a" {
				got = append(got, fmt.Sprintf("%s %s %s/%s", event.Type, event.Resource, event.Namespace, event.Name))
			}
		}
		s.equal("the events", got, "[ADDED configmaps default/a MODIFIED configmaps default/a DELETED configmaps default/a]")
		if !slices.IsSortedFunc(events, func(a, b scenario.Event) int { return int(a.Revision - b.Revision) }) || events[len(events)-1].Revision != s.Revision() {
			t.Errorf("the revisions are not in order up to %d: %v", s.Revision(), events)
		}
		if _, err := s.Events(s.Revision() + 1); err == nil {
			t.Error("the events after a revision in the future are no error")
		}
		s.must(s.Compact())
		if _, err := s.Events(before); err == nil {
			t.Error("the events after a compacted revision are no error")
		}
	})
}
