package health

import (
	"slices"
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
)

// StatusPause is the least time between two writes of a status that differs only in counts, messages or how far an installation
// came, of the ClusterOperator as of a PlatformOperator or BundleDeployment. An admin reads only the last of those states.
// Without a pause, each of thousands of objects that become ready, or each step of ten installations, would cause a write.
const StatusPause = 2 * time.Second

// RemovalPause is StatusPause for a PlatformOperator that is being removed. Its BundleDeployment tells each step of the removal; what
// blocks a removal is another status, and does not wait.
const RemovalPause = 10 * time.Second

// Pace holds back writes of conditions of which only messages changed. The zero value is ready; it is for one goroutine at a time.
type Pace struct {
	wrote time.Time
}

// Wait is how long conditions have to wait that are to be written now over those that are stored; zero when they need not. A condition
// that is new, or that has another status or reason, never waits.
func (p *Pace) Wait(now time.Time, stored, wanted []operatorv1.OperatorCondition) time.Duration {
	changed := false
	for _, each := range wanted {
		i := slices.IndexFunc(stored, func(before operatorv1.OperatorCondition) bool { return before.Type == each.Type })
		if i < 0 || stored[i].Status != each.Status || stored[i].Reason != each.Reason {
			return 0
		}
		changed = changed || stored[i].Message != each.Message
	}
	if !changed {
		return 0
	}
	return max(p.wrote.Add(StatusPause).Sub(now), 0)
}

// Wrote notes that conditions were written.
func (p *Pace) Wrote(now time.Time) { p.wrote = now }
