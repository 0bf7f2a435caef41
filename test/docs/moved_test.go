package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
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
	file, functions, rows := "", map[string]string{}, 0
	for line := range strings.Lines(moved) {
		line = strings.TrimSuffix(line, "\n")
		if name, found := strings.CutPrefix(line, "### "); found {
			file = name
			if functions, err = functionsOf(filepath.Join(stories, file)); err != nil {
				t.Fatal(err)
			}
		}
		row := movedRow.FindStringSubmatch(line)
		if row == nil {
			continue
		}
		rows++
		body, exists := functions[row[2]]
		if !exists {
			t.Errorf("%s has no %s", file, row[2])
			continue
		}
		if words := row[3]; words != "" { // of several stories, by a table
			if !strings.Contains(body, strings.ReplaceAll(words, `"`, `\"`)) {
				t.Errorf("%s of %s has no stories %q", row[2], file, words)
			}
			continue
		}
		if !isStory(body, row[1]) {
			t.Errorf("%s of %s has no story with the words of %q", row[2], file, row[1])
		}
	}
	if rows < 100 {
		t.Errorf("the page has %d specs that moved", rows)
	}
}

// isStory is whether a function has a story with the words of a spec, after the names of its containers. These may have colons themselves.
func isStory(body, spec string) bool {
	for words := spec; words != ""; _, words, _ = strings.Cut(words, ": ") {
		if strings.Contains(body, "runStory(t, \""+strings.ReplaceAll(words, `"`, `\"`)+"\"") {
			return true
		}
	}
	return false
}

// functionsOf are the texts of a file's functions by their names.
func functionsOf(file string) (map[string]string, error) {
	source, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, source, 0)
	if err != nil {
		return nil, err
	}
	functions := map[string]string{}
	for _, declaration := range parsed.Decls {
		if function, isFunction := declaration.(*ast.FuncDecl); isFunction {
			functions[function.Name.Name] = string(source[files.Position(function.Pos()).Offset:files.Position(function.End()).Offset])
		}
	}
	return functions, nil
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
