package namespaceuse

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"

	"github.com/openshift/platform-operators/pkg/truncate"
)

// repeatAfter is the maximum time for listing the other kinds. If listing them takes longer, the scan again lists the built-in kinds, which
// hold most of the data.
const repeatAfter = 5 * time.Second

// scan is the state of one check, which covers the namespaces of all its questions.
type scan struct {
	cluster   cluster
	clock     clock.PassiveClock
	questions map[string][]Question // keyed by namespace
	// rank is the position of each resource in the list that sorted returns. Of several reasons to keep a namespace, the one with the
	// lowest rank is reported.
	rank map[schema.GroupVersionResource]int
	// holdsGrant is set before the scan calls grant. Once it is set, the caller must revoke the grant.
	holdsGrant *atomic.Bool
	// since is the time at which the last list of the built-in resources began.
	since time.Time

	mu sync.Mutex
	// uses holds the reason with the lowest rank why a namespace is in use, keyed by namespace.
	uses map[string]use
}

type use struct {
	rank   int
	reason string
}

func newScan(on cluster, clock clock.PassiveClock, holdsGrant *atomic.Bool, questions []Question) *scan {
	s := &scan{cluster: on, clock: clock, holdsGrant: holdsGrant, questions: map[string][]Question{}, rank: map[schema.GroupVersionResource]int{}, uses: map[string]use{}}
	for _, each := range questions {
		s.questions[each.Namespace] = append(s.questions[each.Namespace], each)
	}
	return s
}

// inUse returns the reason for each namespace in use, keyed by namespace.
func (s *scan) inUse() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	reasons := map[string]string{}
	for namespace, each := range s.uses {
		reasons[namespace] = each.reason
	}
	return reasons
}

// undecided returns the namespaces that have no reason with the given rank or a lower one, sorted by name. It includes namespaces that have
// a reason of a higher rank, so that the result does not depend on the order in which concurrent lists end.
func (s *scan) undecided(rank int) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var left []string
	for namespace := range s.questions {
		if found, ok := s.uses[namespace]; !ok || found.rank > rank {
			left = append(left, namespace)
		}
	}
	slices.Sort(left)
	return left
}

func (s *scan) keep(namespace string, rank int, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if found, ok := s.uses[namespace]; !ok || rank < found.rank {
		s.uses[namespace] = use{rank, reason}
	}
}

func (s *scan) keepUndecided(reason string) {
	for _, namespace := range s.undecided(len(s.rank)) {
		s.keep(namespace, len(s.rank), reason)
	}
}

// run lists all resources, the built-in ones first. If these show that all namespaces are in use, run needs no grant.
func (s *scan) run(ctx context.Context) error {
	resources, unavailable, err := s.cluster.resources(ctx)
	if err != nil {
		return fmt.Errorf("discovering which kinds a namespace may hold: %w", err)
	}
	resources = sorted(slices.DeleteFunc(resources, func(each schema.GroupVersionResource) bool { return !IsListed(each.GroupResource()) }))
	first := len(resources) // the index of the first resource that is not built in
	for i, each := range resources {
		s.rank[each] = i
		if !isBuiltIn(each.GroupResource()) {
			first = min(first, i)
		}
	}
	if err := s.listBuiltIn(ctx, resources[:first]); err != nil {
		return err
	}
	if first < len(resources) && len(s.undecided(len(s.rank))) > 0 {
		if err := s.listOthers(ctx, resources[first:]); err != nil {
			return err
		}
		if s.clock.Since(s.since) > repeatAfter {
			if err := s.listBuiltIn(ctx, resources[:first]); err != nil {
				return err
			}
		}
	}
	for _, group := range slices.Sorted(maps.Keys(unavailable)) {
		s.keepUnavailable(group, unavailable[group])
	}
	return nil
}

func (s *scan) listBuiltIn(ctx context.Context, resources []schema.GroupVersionResource) error {
	s.since = s.clock.Now()
	missed, err := s.list(ctx, resources)
	if err != nil {
		return err
	}
	s.keepDenied(missed.denied)
	return nil
}

func (s *scan) keepDenied(denied []schema.GroupVersionResource) {
	if len(denied) > 0 {
		s.keepUndecided(fmt.Sprintf("the manager is not permitted to list %s, and the namespace may hold some", denied[0].GroupResource()))
	}
}

func (s *scan) keepUnavailable(group string, why error) {
	if isGroupListed(group) {
		s.keepUndecided(fmt.Sprintf("the API server does not serve API group %q at the moment, and the namespace may hold objects of that group: %s",
			group, truncate.Quote(why.Error())))
	}
}
