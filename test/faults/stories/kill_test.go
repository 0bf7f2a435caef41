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

// saga is one chapter of a BundleDeployment's life: what a user writes, and how it is told that it has been carried out.
type saga struct {
	name string
	// begin is the user's one write, or what somebody else does.
	begin func(ctx context.Context, h *harness, deployment string) error
	// over is nil when everything that follows from it has been done and nothing is left to clean.
	over func(ctx context.Context, h *harness, deployment string) error
	// patience is for how long status may claim what is not so.
	patience time.Duration
}

const (
	install   = "install"
	upgrade   = "upgrade"
	repair    = "repair"
	rollback  = "rollback"
	goingBack = "going back"
	removal   = "removal"
)

// sagas are a life, in order; each begins where the one before ended.
func sagas(t *testing.T, h *harness) []saga {
	one, two, never := h.ref(t, first), h.ref(t, second), h.ref(t, broken)
	carriedOut := func(ctx context.Context, h *harness, deployment string) error { return h.installed(deployment)(ctx) }
	return []saga{
		{install, func(ctx context.Context, h *harness, deployment string) error { return h.create(ctx, deployment, one) }, carriedOut, faults.Moment},
		{upgrade, func(ctx context.Context, h *harness, deployment string) error { return h.move(ctx, deployment, two) }, carriedOut, faults.Moment},
		{repair, func(ctx context.Context, h *harness, deployment string) error {
			return h.tamper(ctx, deployment, second)
		}, carriedOut, untilNoticed},
		{rollback, func(ctx context.Context, h *harness, deployment string) error {
			return h.attempt(ctx, deployment, never)
		},
			func(ctx context.Context, h *harness, deployment string) error { return h.rolledBack(deployment)(ctx) }, faults.Moment},
		{goingBack, func(ctx context.Context, h *harness, deployment string) error { return h.move(ctx, deployment, one) }, carriedOut, faults.Moment},
		{removal, func(ctx context.Context, h *harness, deployment string) error { return h.remove(ctx, deployment) },
			func(ctx context.Context, h *harness, deployment string) error { return h.estate.Gone(ctx, deployment) }, faults.Moment},
	}
}

// point is a write at which the manager is killed.
type point struct {
	// write is its number among those of the saga, counted from 1.
	write int
	// after says that the write goes through first.
	after bool
}

func (p point) String() string {
	if p.after {
		return fmt.Sprintf("after write %d", p.write)
	}
	return fmt.Sprintf("before write %d", p.write)
}

// lived is what a life without a fault was like: for each saga the number of writes, and what was there at its end.
type lived struct {
	writes []int
	there  [][]string
}

// TestENG_D10_KilledAtEveryWrite kills the manager before and after every write of install, upgrade, repair, rollback (by
// deadline and by the user) and removal.
func TestENG_D10_KilledAtEveryWrite(t *testing.T) {
	ctx, h := needs(t, "sample")
	chapters := sagas(t, h)
	clean := h.cleanLife(ctx, t, chapters)
	if t.Failed() {
		return
	}
	t.Logf("seed %d; SEED=%d tries the same kill points in the same order", *seed, *seed)
	points, lives := shuffled(clean.writes, *seed)
	began, struck, tried := time.Now(), 0, 0
	for life := range lives {
		if *stories == "sample" && life >= sampleLives || *stories == "long" && !*full && time.Since(began) > *budget {
			break
		}
		t.Run(fmt.Sprintf("life %d", life), func(t *testing.T) {
			for i, reached := range h.live(ctx, t, course{fmt.Sprintf("%s-%d", pkg, life), life, chapters, points, clean}) {
				t.Logf("%s, killed %s: reached %v", chapters[i].name, points[i][life%len(points[i])], reached)
				tried++
				if reached {
					struck++
				}
			}
		})
		if t.Failed() {
			break // what is left of it would make the next ones fail too
		}
	}
	all := 0
	for _, each := range points {
		all += len(each)
	}
	t.Logf("killed the manager at %d of %d kill points tried; there are %d", struck, tried, all)
	t.Attr("kill-points", fmt.Sprintf("%d of %d", tried, all))
	// Which status writes a saga has depends on what comes together, so that the last numbers may not be reached.
	if tried == 0 || struck*10 < tried*7 {
		t.Errorf("of %d kill points only %d were reached", tried, struck)
	}
}

// TestKilledAtAFewWrites is what make test-faults tries of it.
func TestKilledAtAFewWrites(t *testing.T) {
	ctx, h := needs(t, "quick")
	if *stories != "quick" {
		t.Skipf("-stories=%s has TestENG_D10_KilledAtEveryWrite", *stories)
	}
	chapters := slices.DeleteFunc(sagas(t, h), func(each saga) bool { return each.name == rollback }) // which takes its time
	points := [][]point{{{9, true}}, {{6, false}}, {{2, true}}, {{4, true}}, {{5, false}}}
	for i, reached := range h.live(ctx, t, course{name: pkg, chapters: chapters, points: points}) {
		if !reached {
			t.Errorf("%s has no write %d", chapters[i].name, points[i][0].write)
		}
	}
}

// shuffled gives the kill points of each saga in a random order, and how many lives it takes to try them all: a life has one
// of each saga.
func shuffled(writes []int, seed int64) (points [][]point, lives int) {
	for i, count := range writes {
		random := rand.New(rand.NewSource(seed + int64(i))) // one write more in a chapter must not change the points of the next
		var each []point
		for write := 1; write <= count; write++ {
			each = append(each, point{write, false}, point{write, true})
		}
		random.Shuffle(len(each), func(i, j int) { each[i], each[j] = each[j], each[i] })
		points, lives = append(points, each), max(lives, len(each))
	}
	return points, lives
}

// cleanLife lives a life without a fault, and counts.
func (h *harness) cleanLife(ctx context.Context, t *testing.T, chapters []saga) lived {
	t.Helper()
	const name = pkg + "-clean"
	h.cleared(t, name)
	var clean lived
	for _, chapter := range chapters {
		before := h.proxy.Seen()
		if err := h.through(ctx, chapter, name); err != nil {
			t.Fatalf("%s without a fault: %v", chapter.name, err)
		}
		count := 0
		for _, each := range h.proxy.Writes(before) {
			if faults.EngineWrites(each.Request) {
				count++
				t.Logf("%s, write %d: %s (%s)", chapter.name, count, each, each.Outcome)
			}
		}
		there, err := h.there(ctx, name)
		if err != nil {
			t.Fatal(err)
		}
		clean.writes, clean.there = append(clean.writes, count), append(clean.there, there)
	}
	return clean
}

// course is what is to happen in a life.
type course struct {
	// name is the BundleDeployment's; number is the life's, by which its points are taken.
	name     string
	number   int
	chapters []saga
	points   [][]point
	// clean is what to compare with; empty is nothing.
	clean lived
}

// live lives a life in which each saga is struck at one point, and says which points were reached.
func (h *harness) live(ctx context.Context, t *testing.T, course course) (reached []bool) {
	t.Helper()
	h.cleared(t, course.name)
	for i, chapter := range course.chapters {
		at := course.points[i][course.number%len(course.points[i])]
		strike := faults.Kill(h.kill)
		if at.after {
			strike = faults.After(strike)
		}
		injection := h.proxy.Inject(faults.Fault{On: faults.EngineWrites, Nth: at.write, Do: strike})
		witness := h.estate.Witness(ctx, course.name, chapter.patience)
		err := errors.Join(h.through(ctx, chapter, course.name), witness.Stop())
		injection.Lift()
		reached = append(reached, len(injection.Struck()) > 0)
		if behind := witness.Behind(); behind > 0 {
			t.Logf("%s, killed %s: status was behind for %s", chapter.name, at, behind.Round(100*time.Millisecond))
		}
		if err != nil {
			t.Fatalf("%s, killed %s (%v): %v\nthe last writes: %s", chapter.name, at, injection.Struck(), err, tail(h.proxy.Writes(0)))
		}
		if course.clean.there == nil {
			continue
		}
		there, err := h.there(ctx, course.name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(course.clean.there[i], there); diff != "" {
			t.Fatalf("%s, killed %s (%v): what is there, beside a life without a fault (-without +with):\n%s", chapter.name, at, injection.Struck(), diff)
		}
	}
	return reached
}

// through begins a saga and waits for its end and for quiet; at its end everything must still be as it should be.
func (h *harness) through(ctx context.Context, chapter saga, name string) error {
	over := func(ctx context.Context) error { return chapter.over(ctx, h, name) }
	if err := chapter.begin(ctx, h, name); err != nil {
		return err
	}
	if err := h.until(ctx, over); err != nil {
		return err
	}
	if err := h.quiet(ctx); err != nil {
		return err
	}
	return h.until(ctx, over)
}

// there is everything of a BundleDeployment that is there; nothing when that is removed. Names that are made unique by a hash
// of the install namespace are told without it.
func (h *harness) there(ctx context.Context, name string) ([]string, error) {
	if h.estate.Gone(ctx, name) == nil {
		return []string{}, nil
	}
	there, err := h.estate.Whole(ctx, name)
	for i := range there {
		there[i] = hashed.ReplaceAllString(there[i], "-<hash>")
	}
	return there, err
}

var hashed = regexp.MustCompile(`-[a-z0-9]{10,13}$`)
