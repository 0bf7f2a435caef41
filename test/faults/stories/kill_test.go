package stories

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openshift/platform-operators/test/faults"
)

// phase is one step in the lifecycle of a BundleDeployment, such as an upgrade.
type phase struct {
	name string
	// start changes the spec or the objects, or creates or deletes the BundleDeployment.
	start func(ctx context.Context, h *harness, deployment string) error
	// check returns nil when the manager has completed the phase.
	check func(ctx context.Context, h *harness, deployment string) error
	// tolerance is the maximum time for which a statement of the status may be false.
	tolerance time.Duration
}

const (
	install   = "install"
	upgrade   = "upgrade"
	repair    = "repair"
	rollback  = "rollback"
	downgrade = "downgrade"
	removal   = "removal"
)

// phases returns all phases in order. Each phase starts from the state at the end of the previous phase.
func phases(t *testing.T, h *harness) []phase {
	one, two, never := h.ref(t, first), h.ref(t, second), h.ref(t, broken)
	isInstalled := func(ctx context.Context, h *harness, deployment string) error { return h.installed(deployment)(ctx) }
	return []phase{
		{install, func(ctx context.Context, h *harness, deployment string) error { return h.create(ctx, deployment, one) }, isInstalled, faults.StatusTolerance},
		{upgrade, func(ctx context.Context, h *harness, deployment string) error {
			return h.setImage(ctx, deployment, two)
		}, isInstalled, faults.StatusTolerance},
		{repair, func(ctx context.Context, h *harness, deployment string) error {
			return h.tamper(ctx, deployment, second)
		}, isInstalled, driftTolerance},
		{rollback, func(ctx context.Context, h *harness, deployment string) error {
			return h.setImageWithRollback(ctx, deployment, never)
		},
			func(ctx context.Context, h *harness, deployment string) error { return h.rolledBack(deployment)(ctx) }, faults.StatusTolerance},
		{downgrade, func(ctx context.Context, h *harness, deployment string) error {
			return h.setImage(ctx, deployment, one)
		}, isInstalled, faults.StatusTolerance},
		{removal, func(ctx context.Context, h *harness, deployment string) error { return h.remove(ctx, deployment) },
			func(ctx context.Context, h *harness, deployment string) error {
				return h.inspector.CheckRemoved(ctx, deployment)
			}, faults.StatusTolerance},
	}
}

// killPoint is a write at which the manager is killed.
type killPoint struct {
	// write is the number of the write in its phase, counted from 1.
	write int
	// after is true if the manager is killed after the write, and false if before it.
	after bool
}

func (p killPoint) String() string {
	if p.after {
		return fmt.Sprintf("after write %d", p.write)
	}
	return fmt.Sprintf("before write %d", p.write)
}

// baselineResult is the result of a run without faults: for each phase the number of writes and the objects at its end.
type baselineResult struct {
	writes  []int
	objects [][]string
}

// TestENG_D10_KilledAtEveryWrite kills the manager before and after every write of an install, upgrade, repair, rollback,
// downgrade and removal.
func TestENG_D10_KilledAtEveryWrite(t *testing.T) {
	ctx, h := requireLevel(t, "sample")
	phases := phases(t, h)
	baseline := h.runBaseline(ctx, t, phases)
	if t.Failed() {
		return
	}
	t.Logf("seed %d; SEED=%d tries the same kill points in the same order", *seed, *seed)
	killPoints, runs := shuffle(baseline.writes, *seed)
	began, affected, tried := time.Now(), 0, 0
	for number := range runs {
		if *stories == "sample" && number >= sampleRuns || *stories == "long" && !*full && time.Since(began) > *budget {
			break
		}
		t.Run(fmt.Sprintf("run %d", number), func(t *testing.T) {
			for i, reached := range h.runLifecycle(ctx, t, lifecycleRun{fmt.Sprintf("%s-%d", pkg, number), number, phases, killPoints, baseline}) {
				t.Logf("%s, killed %s: reached %v", phases[i].name, killPoints[i][number%len(killPoints[i])], reached)
				tried++
				if reached {
					affected++
				}
			}
		})
		if t.Failed() {
			break // the remaining objects would make the next runs fail
		}
	}
	all := 0
	for _, each := range killPoints {
		all += len(each)
	}
	t.Logf("killed the manager at %d of %d kill points tried; there are %d", affected, tried, all)
	t.Attr("kill-points", fmt.Sprintf("%d of %d", tried, all))
	// The number of status writes in a phase varies with timing, so that a run may not reach the last kill points.
	if tried == 0 || affected*10 < tried*7 {
		t.Errorf("of %d kill points only %d were reached", tried, affected)
	}
}

// TestKilledAtAFewWrites tries one kill point in each phase except rollback. "make test-faults" runs this test.
func TestKilledAtAFewWrites(t *testing.T) {
	ctx, h := requireLevel(t, "quick")
	if *stories != "quick" {
		t.Skipf("-stories=%s has TestENG_D10_KilledAtEveryWrite", *stories)
	}
	phases := slices.DeleteFunc(phases(t, h), func(each phase) bool { return each.name == rollback }) // a rollback takes too long
	killPoints := [][]killPoint{{{9, true}}, {{6, false}}, {{2, true}}, {{4, true}}, {{5, false}}}
	for i, reached := range h.runLifecycle(ctx, t, lifecycleRun{name: pkg, phases: phases, killPoints: killPoints}) {
		if !reached {
			t.Errorf("%s has no write %d", phases[i].name, killPoints[i][0].write)
		}
	}
}

// shuffle returns the kill points of each phase in random order, and the number of runs that try them all. A run tries one kill point of
// each phase. writes are the numbers of writes of the phases.
func shuffle(writes []int, seed int64) (killPoints [][]killPoint, runs int) {
	for i, count := range writes {
		random := rand.New(rand.NewSource(seed + int64(i))) // so that one more write in a phase does not change the order of the next phase
		var each []killPoint
		for write := 1; write <= count; write++ {
			each = append(each, killPoint{write, false}, killPoint{write, true})
		}
		random.Shuffle(len(each), func(i, j int) { each[i], each[j] = each[j], each[i] })
		killPoints, runs = append(killPoints, each), max(runs, len(each))
	}
	return killPoints, runs
}

// runBaseline runs all phases without faults, and returns the number of writes and the objects of each phase.
func (h *harness) runBaseline(ctx context.Context, t *testing.T, phases []phase) baselineResult {
	t.Helper()
	const name = pkg + "-clean"
	h.removeAfterTest(t, name)
	var baseline baselineResult
	for _, phase := range phases {
		before := h.proxy.WriteCount()
		if err := h.runPhase(ctx, phase, name); err != nil {
			t.Fatalf("%s without a fault: %v", phase.name, err)
		}
		count := 0
		for _, each := range h.proxy.Writes(before) {
			if faults.EngineWrites(each.Request) {
				count++
				t.Logf("%s, write %d: %s (%s)", phase.name, count, each, each.Outcome)
			}
		}
		objects, err := h.objects(ctx, name)
		if err != nil {
			t.Fatal(err)
		}
		baseline.writes, baseline.objects = append(baseline.writes, count), append(baseline.objects, objects)
	}
	return baseline
}

// lifecycleRun is a run of all phases with one kill point each.
type lifecycleRun struct {
	// name is the name of the BundleDeployment. number selects the kill point of each phase.
	name       string
	number     int
	phases     []phase
	killPoints [][]killPoint
	// baseline is the result to compare the objects with. If it is empty, runLifecycle compares nothing.
	baseline baselineResult
}

// runLifecycle runs all phases and kills the manager once in each. It returns, by phase, whether the kill point was reached.
func (h *harness) runLifecycle(ctx context.Context, t *testing.T, run lifecycleRun) (reached []bool) {
	t.Helper()
	h.removeAfterTest(t, run.name)
	for i, phase := range run.phases {
		at := run.killPoints[i][run.number%len(run.killPoints[i])]
		action := faults.Kill(h.kill)
		if at.after {
			action = faults.After(action)
		}
		injection := h.proxy.Inject(faults.Fault{On: faults.EngineWrites, Nth: at.write, Do: action})
		monitor := h.inspector.MonitorStatus(ctx, run.name, phase.tolerance)
		err := errors.Join(h.runPhase(ctx, phase, run.name), monitor.Stop())
		injection.Remove()
		reached = append(reached, len(injection.Affected()) > 0)
		if lag := monitor.MaxLag(); lag > 0 {
			t.Logf("%s, killed %s: the status was false for %s", phase.name, at, lag.Round(100*time.Millisecond))
		}
		if err != nil {
			t.Fatalf("%s, killed %s (%v): %v\nthe last writes: %s", phase.name, at, injection.Affected(), err, lastWrites(h.proxy.Writes(0)))
		}
		if run.baseline.objects == nil {
			continue
		}
		objects, err := h.objects(ctx, run.name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(run.baseline.objects[i], objects); diff != "" {
			t.Fatalf("%s, killed %s (%v): the objects differ from those of a run without faults (-without +with):\n%s", phase.name, at, injection.Affected(), diff)
		}
	}
	return reached
}

// runPhase starts a phase and waits until the phase is complete and the manager has written nothing for quietPeriod. Then the check must
// still pass, or pass again within convergenceTimeout.
func (h *harness) runPhase(ctx context.Context, phase phase, name string) error {
	check := func(ctx context.Context) error { return phase.check(ctx, h, name) }
	if err := phase.start(ctx, h, name); err != nil {
		return err
	}
	if err := h.eventually(ctx, check); err != nil {
		return err
	}
	if err := h.waitForQuiet(ctx); err != nil {
		return err
	}
	return h.eventually(ctx, check)
}

// objects returns the objects of a BundleDeployment, and none if it is removed. It replaces hashes of the install namespace in names by
// "<hash>".
func (h *harness) objects(ctx context.Context, name string) ([]string, error) {
	if h.inspector.CheckRemoved(ctx, name) == nil {
		return []string{}, nil
	}
	objects, err := h.inspector.CheckComplete(ctx, name)
	for i := range objects {
		objects[i] = hashSuffix.ReplaceAllString(objects[i], "-<hash>")
	}
	return objects, err
}

var hashSuffix = regexp.MustCompile(`-[a-z0-9]{10,13}$`)
