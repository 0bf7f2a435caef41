package scenarios

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

var (
	sample = flag.Int("sample", 0, "run this many stories in Go, chosen by -seed; 0 runs all tests")
	seed   = flag.Int64("seed", time.Now().UnixNano(), "number that chooses the stories of -sample, the perturbations and the generated "+
		"stories; pass a printed seed to repeat the choice")
)

// goStory is a story in Go.
type goStory struct {
	// function is the name of the test, and words is the name of the subtest.
	function, words string
}

// goStories returns the stories of this package whose names are literals.
func goStories() ([]goStory, error) {
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		return nil, err
	}
	var found []goStory
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			return nil, err
		}
		for _, declaration := range parsed.Decls {
			if function, ok := declaration.(*ast.FuncDecl); ok && strings.HasPrefix(function.Name.Name, "Test") {
				for _, words := range storiesIn(function) {
					found = append(found, goStory{function.Name.Name, words})
				}
			}
		}
	}
	return found, nil
}

// storiesIn returns the names of the stories in a function that are literals.
func storiesIn(function *ast.FuncDecl) (words []string) {
	ast.Inspect(function, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok || len(call.Args) < 2 {
			return true
		}
		callee, isName := call.Fun.(*ast.Ident)
		literal, isText := call.Args[1].(*ast.BasicLit)
		if isName && callee.Name == "runStory" && isText {
			if text, err := strconv.Unquote(literal.Value); err == nil {
				words = append(words, text)
			}
		}
		return true
	})
	return words
}

// chooseSample limits the run to a random sample of the stories, and prints the stories with the seed. It does nothing if the flag sample
// is 0.
func chooseSample() error {
	if *sample == 0 {
		return nil
	}
	stories, err := goStories()
	if err != nil {
		return err
	}
	// A slash in the words would begin another level of subtests.
	stories = slices.DeleteFunc(stories, func(each goStory) bool { return strings.Contains(each.words, "/") })
	rand.New(rand.NewSource(*seed)).Shuffle(len(stories), func(i, j int) { stories[i], stories[j] = stories[j], stories[i] })
	var functions, words []string
	for _, each := range stories[:min(*sample, len(stories))] {
		functions, words = append(functions, each.function), append(words, regexp.QuoteMeta(each.words))
		fmt.Printf("-seed=%d: %s: %s\n", *seed, each.function, each.words)
	}
	return flag.Set("test.run", fmt.Sprintf("^(%s)$/^(%s)$", strings.Join(functions, "|"), strings.Join(words, "|")))
}

// checkSample returns an error if fewer stories ran than the flag sample requires.
func checkSample() error {
	if ran := int(storiesRun.Load()); ran < *sample {
		return fmt.Errorf("only %d of %d sampled stories ran (-seed=%d)", ran, *sample, *seed)
	}
	return nil
}

// minStories is the minimum number of stories in this package.
const minStories = 100

// make bench measures their duration. TestENG_D10 has the class that is not listed here, a restart at every write.
//
// Promise OM-14: There are at least 100 stories, among them installation, upgrade by steps, gate, drift, rollback, removal, loss of a
// catalog, conflict and a quiet day.
func TestOM_14_ThereAreAHundredStoriesAndOneOfEachClass(t *testing.T) {
	t.Parallel()
	stories, err := goStories()
	if err != nil {
		t.Fatal(err)
	}
	inYAML, err := filepath.Glob("scenarios/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if len(stories)+len(inYAML) < minStories {
		t.Errorf("there are %d stories in Go and %d in YAML", len(stories), len(inYAML))
	}
	for class, name := range map[string]string{
		"install": "memo-is-installed", "upgrade by steps": "TestUpgrades", "gate": "gate-blocks-until-overridden", "drift": "drift-is-repaired",
		"rollback": "failed-version-is-rolled-back", "removal": "removal-waits-for-custom-resources", "catalog loss": "catalog-is-lost",
		"conflict": "TestAdoption", "a quiet virtual day": "quiet-day",
	} {
		isGo := slices.ContainsFunc(stories, func(each goStory) bool { return each.function == name })
		if !isGo && !slices.Contains(inYAML, "scenarios/"+name+".yaml") {
			t.Errorf("%s: there is no story %s", class, name)
		}
	}
}
