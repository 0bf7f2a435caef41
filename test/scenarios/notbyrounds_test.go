package scenarios

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// notByRounds are the names of tests and stories, or the beginnings of such names, that do not run by rounds.
var notByRounds []string

// exceptions returns notByRounds.
func exceptions() []string { return notByRounds }

func TestExceptionsFromRoundsAreStoriesAndAtMostAQuarterOfAll(t *testing.T) {
	t.Parallel()
	stories, err := knownStories()
	if err != nil {
		t.Fatal(err)
	}
	excepted := 0
	for _, story := range stories {
		if slices.ContainsFunc(exceptions(), func(each string) bool { return strings.HasPrefix(story, each) }) {
			excepted++
		}
	}
	if 4*excepted > len(stories) {
		t.Errorf("%d of %d stories do not run by rounds, which is more than a quarter", excepted, len(stories))
	}
	t.Attr("stories", strconv.Itoa(len(stories)))
	t.Attr("exceptions", strconv.Itoa(excepted))
	for _, each := range exceptions() {
		if !slices.ContainsFunc(stories, func(story string) bool { return strings.HasPrefix(story, each) }) {
			t.Errorf("notByRounds lists %q, and no story has this name; correct or remove the entry", each)
		}
	}
}

// knownStories returns the result of allStories for the files of this package.
var knownStories = sync.OnceValues(allStories)

// allStories returns the names of all stories in YAML and in Go, after the names of their tests. Of stories that a loop makes, it returns
// one name that ends where the names differ.
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

// beginningOf returns a text, or its beginning up to the first part that is not literal.
func beginningOf(text ast.Expr) string {
	switch text := text.(type) {
	case *ast.BasicLit:
		value, _ := strconv.Unquote(text.Value) // the compiler has accepted it
		return value
	case *ast.BinaryExpr:
		return beginningOf(text.X)
	case *ast.CallExpr:
		if len(text.Args) > 0 {
			format, _, _ := strings.Cut(beginningOf(text.Args[0]), "%")
			return format
		}
	}
	return ""
}
