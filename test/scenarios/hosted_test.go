package scenarios

import (
	"flag"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"sigs.k8s.io/yaml"
)

var hostedStories = flag.Int("hosted", 0, "number of stories, chosen by -seed, that also run on a hosted control plane; -1 runs all of them there, too")

// topologiesFile lists the permitted differences between the clusters at the end of a story on the two topologies.
const topologiesFile = "testdata/topologies.yaml"

// permittedDifference is an entry of topologiesFile.
type permittedDifference struct {
	// Line is a line as differences returns it, or the name of a test.
	Line   string `json:"line"`
	Reason string `json:"reason"`

	used atomic.Bool
}

// topologies has the content of topologiesFile, and the stories that -hosted has chosen. chooseHosted sets it before the tests run.
var topologies struct {
	// Differences are the permitted differences.
	Differences []*permittedDifference `json:"differences"`
	// NotCompared are stories whose end depends on the order of goroutines, as the names of their tests. They run on a hosted control plane,
	// too, but the clusters are not compared.
	NotCompared []*permittedDifference `json:"notCompared"`

	chosen map[string]bool
}

// isPermitted reports whether a list contains a line, and notes that the entry was used.
func isPermitted(list []*permittedDifference, line string) bool {
	i := slices.IndexFunc(list, func(each *permittedDifference) bool { return each.Line == line })
	if i >= 0 {
		list[i].used.Store(true)
	}
	return i >= 0
}

// readTopologies reads topologiesFile.
func readTopologies() error {
	content, err := os.ReadFile(topologiesFile)
	if err != nil {
		return err
	}
	if err := yaml.UnmarshalStrict(content, &topologies); err != nil {
		return fmt.Errorf("reading %s: %w", topologiesFile, err)
	}
	for _, each := range slices.Concat(topologies.Differences, topologies.NotCompared) {
		if strings.TrimSpace(each.Reason) == "" {
			return fmt.Errorf("%s has no reason for %q", topologiesFile, each.Line)
		}
	}
	return nil
}

// chooseHosted reads topologiesFile, and chooses the stories of -hosted.
func chooseHosted() error {
	if err := readTopologies(); err != nil || *hostedStories <= 0 {
		return err
	}
	found, err := goStories()
	if err != nil {
		return err
	}
	files, err := filepath.Glob("scenarios/*.yaml")
	if err != nil {
		return err
	}
	var names []string
	for _, each := range found {
		names = append(names, each.function+"/"+strings.ReplaceAll(each.words, " ", "_"))
	}
	for _, file := range files {
		names = append(names, "TestStories/"+strings.TrimSuffix(filepath.Base(file), ".yaml"))
	}
	rand.New(rand.NewSource(*seed)).Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	topologies.chosen = map[string]bool{}
	for _, name := range names[:min(*hostedStories, len(names))] {
		topologies.chosen[name] = true
	}
	return nil
}

// isHostedStory reports whether the story of the test with the given name also runs on a hosted control plane.
func isHostedStory(test string) bool { return *hostedStories < 0 || topologies.chosen[test] }

// checkPermittedDifferences returns an error if a permitted difference has not occurred although all stories ran on both topologies.
func checkPermittedDifferences() error {
	if *hostedStories >= 0 || flag.Lookup("test.run").Value.String() != "" {
		return nil
	}
	var unused []string
	for _, each := range slices.Concat(topologies.Differences, topologies.NotCompared) {
		if !each.used.Load() {
			unused = append(unused, each.Line)
		}
	}
	if len(unused) > 0 {
		return fmt.Errorf("%s has entries that apply to no story; remove them:\n%s", topologiesFile, strings.Join(unused, "\n"))
	}
	return nil
}
