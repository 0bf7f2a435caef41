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
	// restWrites is the maximum number of writes that DescribeWrites lists.
	restWrites = 10
)

// WaitForRest waits until the operator is at rest: the cluster has settled, and for Operator.Interval the API server has executed none of
// the operator's writes and has refused at most Operator.MaxRefusedWrites. WaitForRest ignores Events, Leases, and requests that an
// injected fault refused. If the operator is not at rest after eight intervals, WaitForRest returns an error that lists the last writes.
func (s *System) WaitForRest() error {
	cluster := s.Runner.Cluster
	if err := cluster.Settle(); err != nil {
		return err
	}
	var start time.Time // of the last interval
	for range restIntervals {
		start = time.Now()
		time.Sleep(s.operator.Interval)
		if err := cluster.Settle(); err != nil {
			return err
		}
		if len(s.writes(start, isExecuted)) == 0 && len(s.writes(start, isRefused)) <= s.operator.MaxRefusedWrites {
			return nil
		}
	}
	writes, what := s.writes(start, isExecuted), "it still writes"
	if len(writes) == 0 {
		writes, what = s.writes(start, isRefused), "the API server still refuses its writes"
	}
	return fmt.Errorf("the operator is not at rest: after %s %s, %d times in the last %s; the last writes were:\n%s",
		restIntervals*s.operator.Interval, what, len(writes), s.operator.Interval, DescribeWrites(writes))
}

// DescribeWrites returns one line for each of the last ten requests.
func DescribeWrites(writes []scenario.Request) string {
	lines := make([]string, 0, restWrites)
	for _, write := range writes[max(0, len(writes)-restWrites):] {
		lines = append(lines, fmt.Sprintf("%s %s", write.Time.UTC().Format(time.TimeOnly), write))
	}
	return strings.Join(lines, "\n")
}

// isExecuted reports whether the API server executed a request.
func isExecuted(r scenario.Request) bool { return r.Code >= 200 && r.Code <= 299 }

// isRefused reports whether the API server, and not an injected fault, refused a request.
func isRefused(r scenario.Request) bool { return r.Code != 0 && !isExecuted(r) && !r.IsFaulted }

// writes returns the operator's writes since a given time for which selects returns true. It omits writes to Events and Leases.
func (s *System) writes(since time.Time, selects func(scenario.Request) bool) []scenario.Request {
	return slices.DeleteFunc(s.Runner.Cluster.Requests(), func(r scenario.Request) bool {
		return r.Time.Before(since) || !s.operator.IsOperatorWrite(r) || !selects(r)
	})
}

// AllWrites returns the operator's writes since the system was opened, including those that the API server refused. It omits writes to
// Events and Leases.
func (s *System) AllWrites() []scenario.Request {
	return s.writes(time.Time{}, func(scenario.Request) bool { return true })
}

// CountWrites returns the number of the operator's writes that the API server executed. It does not count writes to Events and Leases.
func (s *System) CountWrites() int { return len(s.writes(time.Time{}, isExecuted)) }

// IsOperatorWrite reports whether a request is a write by the operator. It returns false for writes to Events and Leases.
func (o Operator) IsOperatorWrite(r scenario.Request) bool {
	return r.IsWrite() && slices.Contains(o.Users, r.User) && r.Resource.Resource != "events" && r.Resource.Resource != "leases"
}
