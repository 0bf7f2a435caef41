package scenarios

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openshift/platform-operators/pkg/scenario/generate"
	"github.com/openshift/platform-operators/pkg/scenario/harness"
	"github.com/openshift/platform-operators/pkg/scenario/perturb"
	"github.com/openshift/platform-operators/pkg/scenario/story"
)

var triedFile = flag.String("tried", "", "append the existing and the tried perturbations and fields to this file, for docs/soak-tried.txt")

// tally counts the systems, starts, writes and virtual hours of an operator under test. It is safe for concurrent use.
type tally struct {
	runs, starts, writes, virtual atomic.Int64
	faults, applied               atomic.Int64
	// These count generated stories: those in which an operator was installed, was upgraded, and in which a reported value was corrected.
	installed, upgraded, corrected atomic.Int64
	// assigned and reported count the values that generated stories have set, and the reported ones among them.
	assigned, reported atomic.Int64

	mu    sync.Mutex
	lines []string
	// refusals are the API server's refusals of steps.
	refusals map[story.Position]error
}

// count returns the operator with an Open function that updates the tally.
func (c *tally) count(operator harness.Operator) harness.Operator {
	open := operator.Open
	operator.Open = func(ctx context.Context, from harness.Checkpoint) (*harness.System, error) {
		system, err := open(ctx, from)
		if err != nil {
			return nil, err
		}
		c.runs.Add(1)
		system.Runner.OnRefusal = c.noteRefusal
		opened := time.Now()
		start, stop := system.StartOperator, system.Stop
		system.StartOperator = func() error {
			c.starts.Add(1)
			return start()
		}
		system.Stop = func() error {
			injected, applied := system.Runner.CountFaults()
			c.faults.Add(int64(injected))
			c.applied.Add(int64(applied))
			c.writes.Add(int64(system.CountWrites()))
			c.virtual.Add(int64(time.Since(opened)))
			return stop()
		}
		return system, nil
	}
	return operator
}

// noteStory counts a generated story that was played, with the versions that it installed.
func (c *tally) noteStory(versions *versionSteps, made generate.Generated) {
	if versions.wasInstalled {
		c.installed.Add(1)
	}
	if versions.wasUpgraded {
		c.upgraded.Add(1)
	}
	for _, assignment := range made.Assignments {
		c.assigned.Add(1)
		if assignment.Value.Class == generate.Reported {
			c.reported.Add(1)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for reported, corrections := range made.Corrected {
		isAccepted := func(at story.Position) bool { return c.refusals[at] == nil }
		if isAccepted(reported) && slices.ContainsFunc(corrections, isAccepted) {
			c.corrected.Add(1)
			return
		}
	}
}

// reportStories adds the counts of generated stories to the test's report.
func (c *tally) reportStories(t *testing.T) {
	t.Helper()
	t.Attr("stories-with-an-installed-operator", fmt.Sprint(c.installed.Load()))
	t.Attr("stories-with-an-upgraded-operator", fmt.Sprint(c.upgraded.Load()))
	t.Attr("stories-with-a-corrected-value", fmt.Sprint(c.corrected.Load()))
	t.Attr("values-set", fmt.Sprint(c.assigned.Load()))
	t.Attr("reported-values-set", fmt.Sprint(c.reported.Load()))
	t.Attr("faults-injected", fmt.Sprint(c.faults.Load()))
	t.Attr("faults-applied", fmt.Sprint(c.applied.Load()))
}

func (c *tally) noteRefusal(step story.Step, refusal error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refusals == nil {
		c.refusals = map[story.Position]error{}
	}
	c.refusals[step.Position] = refusal
}

// wasTried reports whether the API server refused a Refused value, or accepted a value of another class. It returns false if the step
// failed with 404 or 409, for example because the object does not exist.
func (c *tally) wasTried(assignment generate.Assignment) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	refusal := c.refusals[assignment.Step]
	if assignment.Value.Class == generate.Refused {
		return story.IsRefused(refusal)
	}
	return refusal == nil
}

// note records a line for the file of -tried: "known" or "tried", a group and an item.
func (c *tally) note(state, group, item string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lines = append(c.lines, strings.Join([]string{state, group, item}, "\t"))
}

// report adds the counts to the test's report, and writes the file of -tried.
func (c *tally) report(t *testing.T) {
	t.Helper()
	t.Attr("systems", fmt.Sprint(c.runs.Load()))
	t.Attr("starts-of-the-manager", fmt.Sprint(c.starts.Load()))
	t.Attr("writes", fmt.Sprint(c.writes.Load()))
	t.Attr("virtual-hours", fmt.Sprint(int(time.Duration(c.virtual.Load()).Hours())))
	if *triedFile == "" || t.Failed() {
		return
	}
	file, err := os.OpenFile(*triedFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Error(err)
		return
	}
	slices.Sort(c.lines)
	_, err = file.WriteString(strings.Join(slices.Compact(c.lines), "\n") + "\n")
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		t.Error(err)
	}
}

// triedPerturbation returns the group and the item of a perturbation in docs/soak-tried.txt.
func triedPerturbation(of perturbedStory) (group, item string) {
	p := of.perturbation
	switch item = fmt.Sprint(p.Step); p.Pattern {
	case perturb.Restart, perturb.RestoredSnapshot, perturb.RestoredAfterRestart, perturb.StaleRestart:
		item = fmt.Sprintf("%d:%s", p.Step, p.Write.Request)
		if p.Write.Nth > 1 {
			item += fmt.Sprintf("#%d", p.Write.Nth)
		}
		if p.Lag != "" {
			item += "~" + p.Lag
		}
	case perturb.MergedEvent, perturb.DelayedEvent:
		item = fmt.Sprintf("%d:%s/%s/%s#%d", p.Step, p.Event.Resource.Resource, p.Event.Namespace, p.Event.Name, p.Nth)
	}
	return of.story + ", " + string(p.Pattern), strings.NewReplacer(" ", "-", `"`, "").Replace(item)
}

// noteLeaves records the leaves of the kinds' specs, and those that a played story has set to valid and to invalid values.
func (c *tally) noteLeaves(kinds []*generate.Kind, assignments []generate.Assignment) {
	for _, kind := range kinds {
		for _, leaf := range kind.Leaves {
			c.note("known", kind.GroupVersionKind.Kind+", valid", string(leaf))
			c.note("known", kind.GroupVersionKind.Kind+", invalid", string(leaf))
		}
	}
	for _, assignment := range assignments {
		if !c.wasTried(assignment) {
			continue
		}
		class := ", invalid"
		if assignment.Value.Class == generate.Valid {
			class = ", valid"
		}
		for _, leaf := range assignment.Leaves() {
			c.note("tried", assignment.Kind.GroupVersionKind.Kind+class, string(leaf))
		}
	}
}
