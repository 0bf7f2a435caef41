package scenarios

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"sigs.k8s.io/yaml"
)

// exceptionGroup has the stories that do not run by rounds for one reason.
type exceptionGroup struct {
	Reason string `json:"reason"`
	// Stories are the names of tests and stories, or the beginnings of such names.
	Stories []string `json:"stories"`
}

// exceptions returns the stories that do not run by rounds.
var exceptions = sync.OnceValues(func() (all []string, err error) {
	content, err := os.ReadFile("testdata/not-by-rounds.yaml")
	if err != nil {
		return nil, err
	}
	var groups []exceptionGroup
	if err := yaml.UnmarshalStrict(content, &groups); err != nil {
		return nil, fmt.Errorf("reading testdata/not-by-rounds.yaml: %w", err)
	}
	for _, group := range groups {
		if group.Reason == "" {
			return nil, fmt.Errorf("testdata/not-by-rounds.yaml lists %q without a reason", group.Stories)
		}
		all = append(all, group.Stories...)
	}
	return all, nil
})

func TestOM_11_ExceptionsAreStoriesAndAtMostAQuarterOfAll(t *testing.T) {
	t.Parallel()
	stories, err := knownStories()
	if err != nil {
		t.Fatal(err)
	}
	listed, err := exceptions()
	if err != nil {
		t.Fatal(err)
	}
	excepted := 0
	for _, story := range stories {
		if slices.ContainsFunc(listed, func(each string) bool { return concerns(each, story) }) {
			excepted++
		}
	}
	if 4*excepted > len(stories) {
		t.Errorf("testdata/not-by-rounds.yaml lists %d of %d stories, which is more than a quarter", excepted, len(stories))
	}
	t.Attr("stories", strconv.Itoa(len(stories)))
	t.Attr("exceptions", strconv.Itoa(excepted))
	for _, each := range listed {
		if !slices.ContainsFunc(stories, func(story string) bool { return concerns(each, story) }) {
			t.Errorf("testdata/not-by-rounds.yaml lists %q, but no story has this name; correct or remove the entry", each)
		}
	}
}

// concerns reports whether an exception is about a story of allStories.
func concerns(exception, story string) bool {
	beginning, isBeginning := strings.CutSuffix(story, differs)
	return strings.HasPrefix(beginning, exception) || isBeginning && strings.HasPrefix(exception, beginning)
}

// differs is the end of a name whose rest is not a literal.
const differs = "…"

// knownStories returns the result of allStories for the files of this package.
var knownStories = sync.OnceValues(allStories)

// allStories returns the names of all stories in YAML and in Go, each after the name of its test. For the stories of a loop, it returns one name,
// which ends with differs where their names begin to differ.
func allStories() (names []string, err error) {
	inYAML, err := filepath.Glob("scenarios/*.yaml")
	if err != nil {
		return nil, err
	}
	for _, file := range inYAML {
		names = append(names, yamlStories+"/"+strings.TrimSuffix(filepath.Base(file), ".yaml"))
	}
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			return nil, err
		}
		for _, declaration := range parsed.Decls {
			function, isFunction := declaration.(*ast.FuncDecl)
			if !isFunction || !strings.HasPrefix(function.Name.Name, "Test") {
				continue
			}
			ast.Inspect(function, func(node ast.Node) bool {
				call, isCall := node.(*ast.CallExpr)
				if !isCall || len(call.Args) < 2 {
					return true
				}
				if callee, isName := call.Fun.(*ast.Ident); isName && strings.HasPrefix(callee.Name, "runStory") {
					names = append(names, function.Name.Name+"/"+beginningOf(call.Args[1]))
				}
				return true
			})
		}
	}
	return names, nil
}

// beginningOf returns the value of a text expression. If a part of it is not a literal, it returns the value of the parts before, and differs.
func beginningOf(text ast.Expr) string {
	switch text := text.(type) {
	case *ast.BasicLit:
		value, _ := strconv.Unquote(text.Value) // the compiler has accepted it
		return value
	case *ast.BinaryExpr:
		return strings.TrimSuffix(beginningOf(text.X), differs) + differs
	case *ast.CallExpr:
		if len(text.Args) > 0 {
			format, _, _ := strings.Cut(beginningOf(text.Args[0]), "%")
			return format + differs
		}
	}
	return differs
}
