package perturb

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/pkg/scenario/apiserver"
	"github.com/openshift/platform-operators/pkg/scenario/controllers"
	"github.com/openshift/platform-operators/pkg/scenario/harness"
	"github.com/openshift/platform-operators/pkg/scenario/workloads"
)

// maxForbidden is the maximum number of forbidden requests in an error.
const maxForbidden = 10

// requestSummary summarizes the requests that were sent while a story was recorded. Record explains its errors with it.
type requestSummary struct {
	operator harness.Operator

	mu sync.Mutex
	// users are all users that have sent requests. forbidden are the operator's requests that the authorizer did not allow, in one line.
	users, forbidden map[string]bool
}

// newRequestSummary returns an empty summary of an operator's systems, and the operator whose systems add their requests to it when they
// stop.
func newRequestSummary(operator harness.Operator) (*requestSummary, harness.Operator) {
	s := &requestSummary{operator: operator, users: map[string]bool{}, forbidden: map[string]bool{}}
	if operator.Open == nil {
		return s, operator // StartSystem returns an error
	}
	operator.Open = func(ctx context.Context, from harness.Checkpoint) (*harness.System, error) {
		system, err := s.operator.Open(ctx, from)
		if err != nil {
			return nil, err
		}
		stop := system.Stop
		system.Stop = func() error {
			s.add(system.Runner.Cluster.Requests())
			s.add(system.Runner.Cluster.Watches())
			return stop()
		}
		return system, nil
	}
	return s, operator
}

func (s *requestSummary) add(requests []scenario.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, request := range requests {
		s.users[request.User] = true
		if request.Reason == apiserver.ReasonForbidden && slices.Contains(s.operator.Users, request.User) {
			s.forbidden[request.String()] = true
		}
	}
}

// explain adds the operator's forbidden requests to an error.
func (s *requestSummary) explain(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.forbidden) == 0 {
		return err
	}
	lines := slices.Sorted(maps.Keys(s.forbidden))
	if len(lines) > maxForbidden {
		lines = append(lines[:maxForbidden], fmt.Sprintf("and %d others", len(lines)-maxForbidden))
	}
	return fmt.Errorf("%w\nRBAC forbids requests of the operator; create its roles before the story begins:\n%s",
		err, strings.Join(lines, "\n"))
}

// noWrites returns the error for a story in which the operator writes nothing. It wraps ErrNoWrites only if the operator sent requests.
func (s *requestSummary) noWrites() error {
	s.mu.Lock()
	users := maps.Clone(s.users)
	s.mu.Unlock()
	for _, user := range s.operator.Users {
		if users[user] {
			return s.explain(ErrNoWrites)
		}
	}
	delete(users, scenario.AdminUser)
	for _, user := range slices.Concat(controllers.Users(), workloads.Users()) {
		delete(users, user)
	}
	if len(users) == 0 {
		return fmt.Errorf("no request came from Operator.Users %q, nor from any other user; check that the operator runs", s.operator.Users)
	}
	return fmt.Errorf("no request came from Operator.Users %q; correct it: requests came from %q",
		s.operator.Users, slices.Sorted(maps.Keys(users)))
}
