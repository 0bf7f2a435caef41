package harness

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/openshift/platform-operators/pkg/scenario"
)

const (
	// restIntervals is the number of intervals within which an operator must come to rest. An operator may postpone its work several times.
	restIntervals = 8
	// restWrites is the maximum number of writes that the error of Rest lists. It lists the last ones.
	restWrites = 10
)

// Rest waits until the cluster has settled and the operator has not written for Operator.Interval. It ignores Events, Leases and requests
// that the API server refused; a cluster does not settle while an operator repeats those every few seconds. Rest returns an error with the
// last writes if the operator still writes after eight intervals.
func (s *System) Rest() error {
	cluster := s.Runner.Cluster
	if err := cluster.Settle(); err != nil {
		return err
	}
	for range restIntervals {
		start := time.Now()
		time.Sleep(s.operator.Interval)
		if err := cluster.Settle(); err != nil {
			return err
		}
		if len(s.writes(start)) == 0 {
			return nil
		}
	}
	last := s.writes(time.Now().Add(-s.operator.Interval))
	lines := make([]string, 0, restWrites)
	for _, write := range last[max(0, len(last)-restWrites):] {
		lines = append(lines, fmt.Sprintf("%s %s", write.Time.UTC().Format(time.TimeOnly), write))
	}
	return fmt.Errorf("the operator is not at rest: after %s it still writes, %d times in the last %s; the last writes were:\n%s",
		restIntervals*s.operator.Interval, len(last), s.operator.Interval, strings.Join(lines, "\n"))
}

// writes returns the operator's writes that the API server executed since a time, except those of Events and Leases.
func (s *System) writes(since time.Time) []scenario.Request {
	return slices.DeleteFunc(s.Runner.Cluster.Requests(), func(r scenario.Request) bool {
		return r.Time.Before(since) || !s.operator.Writes(r) || r.Code < 200 || r.Code > 299
	})
}

// Writes returns the number of the operator's writes that the API server executed, except those of Events and Leases.
func (s *System) Writes() int { return len(s.writes(time.Time{})) }

// Writes reports whether a request is a write of the operator, except of an Event or a Lease.
func (o Operator) Writes(r scenario.Request) bool {
	return r.IsWrite() && slices.Contains(o.Users, r.User) && r.Resource.Resource != "events" && r.Resource.Resource != "leases"
}
