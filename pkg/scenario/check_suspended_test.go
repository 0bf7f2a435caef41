package scenario_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/openshift/platform-operators/pkg/scenario"
)

// countedChecks counts the calls of OnWrite and AtRest, which always find the cluster in order.
type countedChecks struct{ onWrite, atRest atomic.Int64 }

func (c *countedChecks) checks() scenario.Checks {
	return scenario.Checks{
		User:    operatorUser,
		OnWrite: func(*scenario.View, scenario.Write) error { c.onWrite.Add(1); return nil },
		AtRest:  func(*scenario.View) error { c.atRest.Add(1); return nil },
	}
}

// forWrite writes with the operator's client, waits until AtRest must have been called, and returns which functions were called since then.
func (c *countedChecks) forWrite(s story, client kubernetes.Interface, name string) string {
	s.Helper()
	c.onWrite.Store(0)
	c.atRest.Store(0)
	_, err := client.CoreV1().ConfigMaps("default").Create(s.Context(), named(name), metav1.CreateOptions{})
	s.must(err)
	time.Sleep(1500 * time.Millisecond)
	return fmt.Sprintf("OnWrite %t, AtRest %t", c.onWrite.Load() > 0, c.atRest.Load() > 0)
}

func TestInvariantsAreNotCheckedWhileTheOperatorSeesThePast(t *testing.T) {
	type steps []func(s story)
	const (
		all, none   = "OnWrite true, AtRest true", "OnWrite false, AtRest false"
		onlyOnWrite = "OnWrite true, AtRest false"
	)
	wait := func(s story) {
		s.DelayEvent(scenario.EventDelay{User: operatorUser, Match: ofObject("a"), By: time.Minute})
	}
	pause := func(story) { time.Sleep(time.Minute) }
	delay := func(name string, by time.Duration) func(s story) {
		return func(s story) {
			s.DelayEvent(scenario.EventDelay{User: operatorUser, Match: ofObject(name), By: by})
			s.must(s.createConfigMap(name))
		}
	}
	restore := func(s story) { s.must(s.RestoreSnapshot(s.Snapshot())) }
	for name, test := range map[string]struct {
		begin steps
		after time.Duration
		want  string
	}{
		"nothing happened":                                 {nil, 0, all},
		"a delay waits for its event":                      {steps{wait}, 0, all},
		"an event is delayed":                              {steps{delay("a", time.Minute)}, 0, onlyOnWrite},
		"an event is delayed a little longer":              {steps{delay("a", time.Minute)}, 55 * time.Second, onlyOnWrite},
		"the delay is over":                                {steps{delay("a", time.Minute)}, 65 * time.Second, all},
		"the second of two delays is over":                 {steps{delay("a", time.Minute), delay("b", time.Second)}, 30 * time.Second, onlyOnWrite},
		"the cluster was restored":                         {steps{restore}, 0, none},
		"the cluster was restored two minutes ago, almost": {steps{restore}, 118500 * time.Millisecond, none},
		"the restore is over":                              {steps{restore}, 125 * time.Second, all},
		"the cluster was restored again":                   {steps{restore, pause, restore}, 90 * time.Second, none},
		"an event is delayed longer than the restore":      {steps{restore, delay("a", 5*time.Minute)}, 150 * time.Second, onlyOnWrite},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, nil, func(s story) {
				client, _ := s.operator(func(*rest.Config) {})
				counted := &countedChecks{}
				s.Check(counted.checks())
				for _, begin := range test.begin {
					begin(s)
				}
				time.Sleep(test.after)
				s.equal("called", counted.forWrite(s, client, "probe"), test.want)

				time.Sleep(6 * time.Minute)
				counted.atRest.Store(0)
				s.must(s.Settle())
				if counted.atRest.Load() == 0 {
					t.Error("Settle does not check the state when all is over")
				}
				s.equal("called when all is over", counted.forWrite(s, client, "later"), all)
			})
		})
	}
}

func TestAStaleListSuspendsNoInvariant(t *testing.T) {
	run(t, nil, func(s story) {
		client, _ := s.operator(func(*rest.Config) {})
		counted := &countedChecks{}
		s.Check(counted.checks())
		s.must(s.createConfigMap("old"))
		past := s.Revision()
		s.must(s.createConfigMap("new"))
		defer s.ServeStaleLists(operatorUser, past)()
		list, err := client.CoreV1().ConfigMaps("default").List(s.Context(), metav1.ListOptions{ResourceVersion: "0"})
		s.must(err)
		s.equal("the stale list", slices.ContainsFunc(list.Items, func(each corev1.ConfigMap) bool { return each.Name == "new" }), false)
		s.equal("called", counted.forWrite(s, client, "probe"), "OnWrite true, AtRest true")
	})
}

func TestSettleDoesNotCheckTheStateWhileAnEventMayBeDelayed(t *testing.T) {
	run(t, nil, func(s story) {
		s.operator(func(*rest.Config) {})
		s.Check(scenario.Checks{User: operatorUser, AtRest: onePerPair})
		s.DelayEvent(scenario.EventDelay{User: operatorUser, Match: ofObject("a"), By: time.Minute})
		s.must(s.createConfigMap("a"))
		if err := s.Settle(); err != nil {
			t.Errorf("while the event is delayed: %v", err)
		}
		time.Sleep(time.Minute)
		if err := s.Settle(); err == nil {
			t.Error("the wrong state is not found when the delay is over")
		}
	})
}

func TestNoInvariantIsCheckedWhileTheAPIServerRestarts(t *testing.T) {
	run(t, nil, func(s story) {
		client, _ := s.operator(func(*rest.Config) {})
		counted := &countedChecks{}
		s.Check(counted.checks())
		var writing sync.WaitGroup
		writing.Go(func() {
			time.Sleep(time.Second)
			_, err := client.CoreV1().ConfigMaps("default").Create(s.Context(), named("refused"), metav1.CreateOptions{})
			if !errors.Is(err, syscall.ECONNREFUSED) {
				t.Errorf("the API server does not restart: %v", err)
			}
		})
		s.must(s.RestoreSnapshot(s.Snapshot()))
		writing.Wait()
		if calls := counted.onWrite.Load(); calls != 0 {
			t.Errorf("OnWrite was called %d times", calls)
		}
	})
}

func TestRequestsAreAlsoCheckedRightAfterARestore(t *testing.T) {
	run(t, nil, func(s story) {
		client, _ := s.operator(func(*rest.Config) {})
		s.Check(scenario.Checks{User: operatorUser, OnEveryWrite: func(write scenario.Write) error { return errors.New(write.Verb + " is wrong") }})
		s.must(s.RestoreSnapshot(s.Snapshot()))
		_, err := client.CoreV1().ConfigMaps("default").Create(s.Context(), named("a"), metav1.CreateOptions{})
		s.must(err)
		if found := s.Violations(); len(found) != 1 || !strings.Contains(found[0].Error(), "create is wrong") {
			t.Errorf("found %v", found)
		}
	})
}
