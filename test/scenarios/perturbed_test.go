package scenarios

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/openshift/platform-operators/pkg/scenario/perturb"
	"github.com/openshift/platform-operators/pkg/scenario/trial"
)

var (
	perturbStory  = flag.String("perturb", "", "play this story with each of its perturbations; name its file without .yaml")
	perturbations = flag.Int("perturbations", 40, "play this many perturbations, chosen by -seed from twelve stories; ignored with -perturb")
)

// perturbable are the stories whose perturbations are played: at least one of each class of OM-14 that is in YAML.
var perturbable = []string{
	"install-upgrade-remove", "version-range", "gate-blocks-until-overridden", "drift-is-repaired", "failed-version-is-rolled-back",
	"removal-waits-for-custom-resources", "catalog-is-lost", "two-for-one-package", "quiet-day", "manager-restarts", "manual-approval", "pods-crash",
}

// Promise OM-17: In a sample of perturbed stories, the manager reaches the same state after a restart with fresh or stale caches, delayed or
// merged events, or the restore of a backup. Unless a backup is restored or a change is unseen, it creates and deletes the same objects.
func TestOM_17_TheManagerReachesTheSameStateInSpiteOfPerturbations(t *testing.T) {
	t.Parallel()
	recordings := map[string]*perturb.Recording{}
	if *perturbStory != "" {
		recording, err := recordStory(t, fmt.Sprintf("scenarios/%s.yaml", *perturbStory))
		if err != nil {
			t.Fatal(err)
		}
		recordings[*perturbStory] = recording
	} else {
		recordings = recordStories(t, perturbable)
	}
	if t.Failed() {
		return
	}
	var notMade atomic.Int64
	chosen := choosePerturbations(recordings)
	t.Cleanup(func() {
		if n := notMade.Load(); n > int64(max(1, len(chosen)/20)) {
			t.Errorf("%d of %d perturbations could not be made", n, len(chosen))
		}
	})
	for _, each := range chosen {
		t.Run(each.name(), func(t *testing.T) {
			t.Parallel()
			operator := underTrial(t)
			synctest.Test(t, func(t *testing.T) {
				err := recordings[each.story].Run(t.Context(), operator, each.perturbation)
				switch {
				case errors.Is(err, perturb.ErrNoEvent):
					notMade.Add(1)
					t.Skip(err)
				case err != nil:
					t.Errorf("%v\nrepeat it with -perturb=%s -run 'OM_17/%s'; the story up to there:\n%s", err, each.story, each.name(), each.yaml(t))
				}
			})
		})
	}
}

// perturbedStory is a perturbation of a story.
type perturbedStory struct {
	story        string
	perturbation perturb.Perturbation
}

// name returns the name of a subtest.
func (p perturbedStory) name() string {
	return p.story + ": " + strings.NewReplacer("/", " ", `"`, "", "(", "", ")", "").Replace(p.perturbation.String())
}

// yaml returns the story up to the perturbed step, without expectations.
func (p perturbedStory) yaml(t *testing.T) []byte {
	t.Helper()
	read, err := readStory(fmt.Sprintf("scenarios/%s.yaml", p.story))
	if err != nil {
		t.Fatal(err)
	}
	end := p.perturbation.Step
	if p.perturbation.Pattern == perturb.UnseenStep {
		end++ // the two steps are one change
	}
	read.Steps = slices.Clone(read.Steps[:end])
	for i := range read.Steps {
		read.Steps[i].Then = nil
	}
	content, err := read.YAML()
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// choosePerturbations returns all perturbations of the story of -perturb, or a sample of those of all stories.
func choosePerturbations(recordings map[string]*perturb.Recording) (chosen []perturbedStory) {
	for _, name := range slices.Sorted(maps.Keys(recordings)) {
		for _, each := range recordings[name].Perturbations() {
			chosen = append(chosen, perturbedStory{name, each})
		}
	}
	if *perturbStory != "" {
		return chosen
	}
	fmt.Printf("-seed=%d: %d of %d perturbations\n", *seed, min(*perturbations, len(chosen)), len(chosen))
	rand.New(rand.NewSource(*seed)).Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
	return chosen[:min(*perturbations, len(chosen))]
}

// recordStories plays stories without perturbations, each in a bubble of its own. An error fails the test.
func recordStories(t *testing.T, names []string) map[string]*perturb.Recording {
	t.Helper()
	recordings := map[string]*perturb.Recording{}
	var mu sync.Mutex
	t.Run("recording", func(t *testing.T) { // returns when its parallel subtests have ended
		for _, name := range names {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				recording, err := recordStory(t, fmt.Sprintf("scenarios/%s.yaml", name))
				if err != nil {
					t.Fatal(err)
				}
				mu.Lock()
				defer mu.Unlock()
				recordings[name] = recording
			})
		}
	})
	return recordings
}

func recordStory(t *testing.T, file string) (recording *perturb.Recording, err error) {
	t.Helper()
	read, err := readStory(file)
	if err != nil {
		return nil, err
	}
	from, err := startOf(t, file)
	if err != nil {
		return nil, err
	}
	operator := underTrial(t)
	synctest.Test(t, func(t *testing.T) { recording, err = perturb.Record(t.Context(), operator, from, read) })
	return recording, err
}

// startOf returns the moment at which a story starts: the end of the stories that it continues, which are played first.
func startOf(t *testing.T, file string) (trial.Moment, error) {
	t.Helper()
	from := trial.Moment{Runs: true}
	read, err := readStory(file)
	if err != nil || read.From == "" {
		return from, err
	}
	parent := filepath.Clean(parentOf(read))
	if from, err = startOf(t, parent); err != nil {
		return from, err
	}
	before, err := readStory(parent)
	if err != nil {
		return from, err
	}
	operator := underTrial(t)
	synctest.Test(t, func(t *testing.T) {
		var system *trial.System
		if system, err = operator.Start(t.Context(), from); err != nil {
			return
		}
		defer func() {
			if stopErr := system.Stop(); err == nil {
				err = stopErr
			}
		}()
		if err = system.Play(t.Context(), before.Steps...); err == nil {
			from, err = system.Moment()
		}
	})
	return from, err
}
