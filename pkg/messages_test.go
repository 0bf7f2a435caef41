package pkg_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// messageReaders are the functions that read a message, and why each still does. No function may be added here.
var messageReaders = map[string]string{
	"pkg/controllers/managerversion/controller.go recorded": "nothing else in a ClusterOperator tells which version its Progressing condition is about",
}

// TestNoCodeReadsAMessage forbids what decides by the text of a message: a comparison with another text, and a search in it. Whatever the
// manager has to know again is a field. To compare one message with another one, or with none, tells only whether to write it.
func TestNoCodeReadsAMessage(t *testing.T) {
	read := map[string]bool{}
	for _, file := range sourceFiles(t) {
		if strings.HasPrefix(file, "pkg/client/") || strings.HasPrefix(file, "pkg/scenario/") || strings.HasPrefix(file, "cmd/platform-operators-tests-ext/") {
			continue
		}
		for _, function := range readersOfMessages(t, file, nil) {
			read[file+" "+function] = true
		}
	}
	for each := range read {
		if messageReaders[each] == "" {
			t.Errorf("%s decides by the text of a message: put what it has to know into a field", each)
		}
	}
	for each := range messageReaders {
		if !read[each] {
			t.Errorf("%s reads no message any more: remove it from messageReaders", each)
		}
	}
}

func TestReadersOfMessagesAreFound(t *testing.T) {
	for _, test := range []struct {
		body string
		want bool
	}{
		{`return c.Message == "Working towards 2"`, true},
		{`return "Working towards " + v != c.Message`, true},
		{`return c.Message == towards()`, true},
		{`before, _, _ := strings.Cut(c.Message, ": "); return before != ""`, true},
		{`return strings.HasPrefix(strings.TrimSpace(c.Message), "no")`, true},
		{`return pattern.MatchString(c.Message)`, true},
		{`switch c.Message { case "a": return true }; return false`, true},
		{`return c.Message[0] == 'a'`, true},
		{`return c.Message == d.Message`, false},
		{`return c.Message == ""`, false},
		{`c.Message = "a: " + d.Message; return len(c.Message) > 5`, false},
		{`return c.Reason == "Message"`, false},
	} {
		got := readersOfMessages(t, "source.go", "package p\nfunc f() bool { "+test.body+" }\n")
		if want := map[bool][]string{true: {"f"}}[test.want]; !cmp.Equal(want, got) {
			t.Errorf("%s: found %q, want %q", test.body, got, want)
		}
	}
}

// readersOfMessages returns the names of the functions in a file that decide by the text of a message. Source is as parser.ParseFile takes it.
func readersOfMessages(t *testing.T, path string, source any) []string {
	t.Helper()
	if source == nil {
		path = "../" + path
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, declaration := range file.Decls {
		function, isFunction := declaration.(*ast.FuncDecl)
		if !isFunction {
			continue
		}
		ast.Inspect(function, func(node ast.Node) bool {
			if readsMessage(node) && !slices.Contains(found, function.Name.Name) {
				found = append(found, function.Name.Name)
			}
			return true
		})
	}
	return found
}

// searching are packages, and methods of regular expressions, that look into a text.
var searching = []string{"strings.Cut", "strings.CutPrefix", "strings.CutSuffix", "strings.Contains", "strings.HasPrefix", "strings.HasSuffix",
	"strings.Index", "strings.LastIndex", "strings.Split", "strings.SplitN", "strings.Fields", "strings.EqualFold", "strings.Count",
	".MatchString", ".FindStringSubmatch", ".FindString", ".FindAllString"}

func readsMessage(node ast.Node) bool {
	switch node := node.(type) {
	case *ast.BinaryExpr:
		if node.Op != token.EQL && node.Op != token.NEQ {
			return false
		}
		return isMessage(node.X) && !harmless(node.Y) || isMessage(node.Y) && !harmless(node.X)
	case *ast.SwitchStmt:
		return node.Tag != nil && isMessage(node.Tag)
	case *ast.IndexExpr:
		return isMessage(node.X)
	case *ast.CallExpr:
		selector, isSelector := node.Fun.(*ast.SelectorExpr)
		if !isSelector || len(node.Args) == 0 || !mentionsMessage(node.Args[0]) {
			return false
		}
		return slices.ContainsFunc(searching, func(name string) bool {
			return strings.HasSuffix(fmt.Sprintf("%v.%s", selector.X, selector.Sel.Name), name)
		})
	}
	return false
}

func isMessage(expression ast.Expr) bool {
	selector, isSelector := expression.(*ast.SelectorExpr)
	return isSelector && selector.Sel.Name == "Message"
}

// harmless is what a message may be compared with: another message, or none.
func harmless(expression ast.Expr) bool {
	literal, isLiteral := expression.(*ast.BasicLit)
	return isMessage(expression) || isLiteral && literal.Value == `""`
}

func mentionsMessage(expression ast.Expr) bool {
	mentioned := false
	ast.Inspect(expression, func(node ast.Node) bool {
		if each, isExpression := node.(ast.Expr); isExpression && isMessage(each) {
			mentioned = true
		}
		return !mentioned
	})
	return mentioned
}
