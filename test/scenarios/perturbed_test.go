package scenarios

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/pkg/scenario/harness"
	"github.com/openshift/platform-operators/pkg/scenario/perturb"
)

var (
	perturbStory  = flag.String("perturb", "", "name of a story's file in folder scenarios; plays all perturbations of this story")
	perturbations = flag.Int("perturbations", 20, "number of perturbations to play: at least one of each pattern, and others, chosen by -seed "+
		"from those of -fixed-stories and -other-stories; ignored with -perturb")
	fixed = flag.Int("fixed-stories", 3, "number of the thirteen fixed stories that -seed chooses to perturb, one of them always "+
		mergedSteps+"; ignored with -perturb")
	otherStories = flag.Int("other-stories", 1, "number of stories, besides the thirteen fixed ones, that -seed chooses to perturb; "+
		"ignored with -perturb")
)

// mergedSteps is the fixed story that has steps for pattern "merged steps".
const mergedSteps = "operator-is-paused-by-mistake"

// fixedStories are the stories whose perturbations are all played by make test-long FULL=1. For each class of promise OM-14 that has a story
// in YAML, the list contains at least one. The sample of a run always has the first one.
var fixedStories = []string{
	mergedSteps,
	"install-upgrade-remove", "version-range", "gate-blocks-until-overridden", "drift-is-repaired", "failed-version-is-rolled-back",
	"removal-waits-for-custom-resources", "catalog-is-lost", "two-for-one-package", "quiet-day", "manager-restarts", "manual-approval", "pods-crash",
}

// Promise OM-17: In a sample of perturbed stories, the manager reaches the same state after a restart with current or stale lists, delayed
// or merged events, or the restore of a backup. Unless a backup was restored or the manager saw two changes by users as one, it also
// creates and deletes objects as often as without the perturbation.
func TestOM_17_TheManagerReachesTheSameStateInSpiteOfPerturbations(t *testing.T) {
	t.Parallel()
	recordings := map[string]*perturb.Recording{}
	if *perturbStory != "" {
		name := findStory(t, *perturbStory)
		recording, err := recordStory(t, fmt.Sprintf("scenarios/%s.yaml", name))
		if err != nil {
			t.Fatal(err)
		}
		recordings[name] = recording
	} else {
		recordings = recordStories(t, slices.Concat(chooseFixed(), chooseOthers(t)))
	}
	if t.Failed() {
		return
	}
	checkRestarts(t, recordings)
	counts := &tally{}
	chosen := choosePerturbations(recordings, counts)
	played := newPlayed(chosen)
	t.Cleanup(func() {
		t.Attr("seed", fmt.Sprint(*seed))
		reportTally(t, played)
		counts.report(t)
	})
	for _, each := range chosen {
		t.Run(each.name(), func(t *testing.T) {
			t.Parallel()
			operator := counts.count(perturbedOperator(t, each.story))
			synctest.Test(t, func(t *testing.T) {
				err := recordings[each.story].Run(t.Context(), operator, each.perturbation)
				played.Add(each.perturbation, err)
				switch {
				case errors.Is(err, perturb.ErrNotApplied):
					t.Log(err) // reportTally counts it
				case err == nil:
					group, item := triedPerturbation(each)
					counts.note("tried", group, item)
				default:
					content, yamlErr := recordings[each.story].YAML(each.perturbation)
					t.Errorf("%v\nTo repeat the failure, run:\n\tgo test -vet=off ./test/scenarios -run 'OM_17/%s$' -args -perturb=%s\n"+
						"The steps up to the perturbed one:\n%s", errors.Join(err, yamlErr), each.name(), each.story, content)
				}
			})
		})
	}
}

// storyNames returns the names of the files in folder scenarios, without .yaml.
func storyNames(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob("scenarios/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(file), ".yaml"))
	}
	return names
}

// findStory returns the name of a story's file without folder and .yaml. It ends the test if there is no such story.
func findStory(t *testing.T, file string) string {
	t.Helper()
	name, known := strings.TrimSuffix(filepath.Base(file), ".yaml"), storyNames(t)
	if !slices.Contains(known, name) {
		t.Fatalf("-perturb=%s: there is no such story; the stories are %s", file, strings.Join(known, ", "))
	}
	return name
}

// chooseFixed returns -fixed-stories stories of fixedStories: the first one, and others that -seed chooses.
func chooseFixed() []string {
	others := slices.Clone(fixedStories[1:])
	rand.New(rand.NewSource(*seed)).Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
	return append(fixedStories[:1:1], others[:min(*fixed-1, len(others))]...)
}

// chooseOthers returns -other-stories stories in YAML that are not in fixedStories, chosen by -seed.
func chooseOthers(t *testing.T) []string {
	t.Helper()
	others := slices.DeleteFunc(storyNames(t), func(name string) bool { return slices.Contains(fixedStories, name) })
	rand.New(rand.NewSource(*seed)).Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
	return others[:min(*otherStories, len(others))]
}

// sharedNamespaces maps each story in which a package moves from one PlatformOperator to another to their common install namespace. After
// the restore of a backup, the manager's caches still contain the second BundleDeployment. The manager therefore creates objects for the
// second BundleDeployment while it removes the first one. The removal finds the namespace in use, and keeps it without an owner.
var sharedNamespaces = map[string]string{"two-for-one-package": "memo"}

// perturbedOperator is like underTest, and does not compare the presence of revisions that are rolling out. The manager records that a
// revision may be present before it applies the first object. A manager that is restarted at that time does not know whether an object was
// applied.
func perturbedOperator(t *testing.T, story string) harness.Operator {
	t.Helper()
	operator := underTest(t)
	if namespace, isShared := sharedNamespaces[story]; isShared {
		operator.NormalizeHistory = removeHistoryAndOwners
		operator.IsCounted = func(event scenario.Event) bool {
			isDefault := event.Namespace == namespace && slices.Contains([]string{"kube-root-ca.crt", "default"}, event.Name)
			return isCounted(event) && !isDefault && (event.Resource.Resource != "namespaces" || event.Name != namespace)
		}
	}
	operator.Normalize = normalizePresence
	return operator
}

// normalizePresence is like normalizeCompared, without the presence of revisions that are rolling out.
func normalizePresence(object *unstructured.Unstructured) (isCompared bool, err error) {
	revisions, _, err := unstructured.NestedSlice(object.Object, "status", "revisions")
	if object.GetKind() != "BundleDeployment" || len(revisions) == 0 || err != nil {
		return normalizeCompared(object)
	}
	for _, each := range revisions {
		if revision, isObject := each.(map[string]any); isObject && revision["state"] == string(corev1alpha2.RevisionRollingOut) {
			delete(revision, "presence")
		}
	}
	if err := unstructured.SetNestedSlice(object.Object, revisions, "status", "revisions"); err != nil {
		return false, err
	}
	return normalizeCompared(object)
}

// perturbedStory is a perturbation of a story.
type perturbedStory struct {
	story        string
	perturbation perturb.Perturbation
}

// name returns the name of a subtest.
func (p perturbedStory) name() string {
	return p.story + ": " + p.perturbation.Name()
}

// changedByRestart are the steps after which a restart of the manager changes the cluster, as STORY:STEP, with the objects that it changes.
var changedByRestart = map[string][]string{
	// The manager keeps the content of a catalog in its memory only. After the restart, it does not know what the lost catalog deprecated.
	"catalog-is-lost:1": {
		"clusteroperators.config.openshift.io  platform-operators-aggregated",
		"platformoperatormanagers.operator.openshift.io  cluster",
		"platformoperators.platform.openshift.io  memo",
	},
}

// checkRestarts fails the test if a restart after a recorded step changes other objects than those that changedByRestart lists for the step.
func checkRestarts(t *testing.T, recordings map[string]*perturb.Recording) {
	t.Helper()
	for _, story := range slices.Sorted(maps.Keys(recordings)) {
		changed := recordings[story].ChangedByRestart()
		for step, change := range changed {
			if permitted := changedByRestart[fmt.Sprintf("%s:%d", story, step)]; !slices.Equal(permitted, change.Objects) {
				t.Errorf("a restart after step %d of %s changes the objects %q, want %q; correct the manager, or list them in changedByRestart "+
					"with the reason (-before +after):\n%s", step, story, change.Objects, permitted, change.Difference)
			}
		}
		for name := range changedByRestart {
			before, step, _ := strings.Cut(name, ":")
			if number, err := strconv.Atoi(step); err != nil || before == story && changed[number].Difference == "" {
				t.Errorf("changedByRestart lists %s, but a restart after that step changes nothing; remove the entry", name)
			}
		}
	}
}

// reportTally adds to the test's report how many perturbations of each pattern were applied, and how many could not be applied.
func reportTally(t *testing.T, played *perturb.Tally) {
	t.Helper()
	applied, notApplied := played.Applied(), played.NotApplied()
	for _, pattern := range slices.Sorted(maps.Keys(applied)) {
		t.Attr(attribute(pattern), fmt.Sprint(applied[pattern]))
	}
	for _, pattern := range slices.Sorted(maps.Keys(notApplied)) {
		t.Attr(attribute(pattern)+"-not-applied", fmt.Sprint(notApplied[pattern]))
	}
	if err := played.Err(); err != nil {
		t.Error(err)
	}
}

// attribute returns the plural of a pattern's name as the key of a test's attribute.
func attribute(pattern perturb.Pattern) string {
	return strings.ReplaceAll(strings.TrimSuffix(string(pattern), "s"), " ", "-") + "s"
}

// choosePerturbations returns all perturbations of the story of -perturb, or a sample of the perturbations of all recorded stories.
func choosePerturbations(recordings map[string]*perturb.Recording, counts *tally) (chosen []perturbedStory) {
	for _, name := range slices.Sorted(maps.Keys(recordings)) {
		for _, each := range recordings[name].Perturbations() {
			group, item := triedPerturbation(perturbedStory{name, each})
			counts.note("known", group, item)
			chosen = append(chosen, perturbedStory{name, each})
		}
	}
	if *perturbStory != "" {
		return chosen
	}
	fmt.Printf("-seed=%d: %d of %d perturbations\n", *seed, min(*perturbations, len(chosen)), len(chosen))
	describe := func(p perturbedStory) (perturb.Pattern, string) { return p.perturbation.Pattern, p.name() }
	return perturb.Choose(chosen, *perturbations, *seed, describe)
}

// newPlayed returns a Tally of the chosen perturbations.
func newPlayed(chosen []perturbedStory) *perturb.Tally {
	var all []perturb.Perturbation
	for _, each := range chosen {
		all = append(all, each.perturbation)
	}
	return perturb.NewTally(all)
}

// recordStories records stories in parallel, each in its own bubble. It fails the test if a story cannot be recorded.
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
	operator := perturbedOperator(t, strings.TrimSuffix(filepath.Base(file), ".yaml"))
	synctest.Test(t, func(t *testing.T) { recording, err = perturb.Record(t.Context(), operator, from, read) })
	return recording, err
}

// startOf returns the checkpoint at which a story starts. If the story continues others, startOf plays them first.
func startOf(t *testing.T, file string) (harness.Checkpoint, error) {
	t.Helper()
	from := harness.Checkpoint{IsOperatorRunning: true}
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
	operator := underTest(t)
	synctest.Test(t, func(t *testing.T) {
		var system *harness.System
		if system, err = operator.StartSystem(t.Context(), from); err != nil {
			return
		}
		defer func() {
			if stopErr := system.Stop(); err == nil {
				err = stopErr
			}
		}()
		if err = system.Play(t.Context(), before.Steps...); err == nil {
			from, err = system.Checkpoint()
			from.Story = parent
		}
	})
	return from, err
}
