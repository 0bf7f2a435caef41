package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const stories = "../scenarios/"

// movedRow is a row of docs/testing.md: a spec, and the test that has its words now.
var movedRow = regexp.MustCompile("^\\| (.*) \\| `(Test\\w+)`(?:, `([^`]*): …`)? \\|$")

// For each moved spec in docs/testing.md, the named test exists and has a subtest with the spec's name.
func TestSpecsThatMovedAreWhereThePageSays(t *testing.T) {
	content, err := os.ReadFile("../../docs/testing.md")
	if err != nil {
		t.Fatal(err)
	}
	_, moved, _ := strings.Cut(string(content), "\n## Specs that moved\n")
	file, text, rows := "", "", 0
	for line := range strings.Lines(moved) {
		line = strings.TrimSuffix(line, "\n")
		if name, found := strings.CutPrefix(line, "### "); found {
			file = name
			source, err := os.ReadFile(filepath.Join(stories, file))
			if err != nil {
				t.Error(err)
			}
			text = string(source)
		}
		row := movedRow.FindStringSubmatch(line)
		if row == nil {
			continue
		}
		rows++
		if !strings.Contains(text, "func "+row[2]+"(t *testing.T)") {
			t.Errorf("%s has no %s", file, row[2])
		}
		words := row[3]
		for start := row[1]; words == "" && start != ""; _, start, _ = strings.Cut(start, ": ") { // a container's name may have a colon
			if strings.Contains(text, "runStory(t, \""+strings.ReplaceAll(start, `"`, `\"`)+"\"") {
				words = start
			}
		}
		if words == "" || !strings.Contains(text, strings.ReplaceAll(words, `"`, `\"`)) {
			t.Errorf("%s has no story with the words of %q", file, row[1])
		}
	}
	if rows < 100 {
		t.Errorf("the page has %d specs that moved", rows)
	}
}

var specFile = regexp.MustCompile("`([a-z_]+)`")

// Each file of specs has a reason on docs/testing.md, which names no others.
func TestEachSpecOnTheRealAPIServerHasAReason(t *testing.T) {
	content, err := os.ReadFile("../../docs/testing.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(content), "\n| what only real processes show | specs |\n|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var listed []string
	for line := range strings.Lines(table) {
		cells := strings.Split(line, " | ")
		for _, name := range specFile.FindAllStringSubmatch(cells[len(cells)-1], -1) {
			listed = append(listed, name[1])
		}
	}
	files, err := filepath.Glob("../integration/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if text := string(source); strings.Contains(text, "= Describe(") || strings.Contains(text, "= DescribeTable(") {
			found = append(found, strings.TrimSuffix(filepath.Base(file), "_test.go"))
		}
	}
	slices.Sort(listed)
	if !slices.Equal(listed, found) {
		t.Errorf("the page has\n%q, and test/integration\n%q", listed, found)
	}
}
