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

// messageReaders lists the functions that may read a message, and why. Functions that only compare a message with the previous one are
// permitted: they decide when to write, or whether to send an Event.
var messageReaders = map[string]string{
	"pkg/operatorstatus/events.go newApprovalMessage": "a message that changed is sent as another Event",
	"pkg/health/writelimiter.go WriteLimiter.Wait":    "a message that changed waits its turn to be written",
}

// TestNoCodeReadsAMessage fails if code makes a decision by the text of a message: if it compares the message with another text, uses it as
// a key, or searches in it. What the manager needs to know later belongs in a status field. A comparison with "" is permitted. The test
// checks syntax only, and does not find a decision by a variable that holds a message.
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
			t.Errorf("%s makes a decision by the text of a message: store what it needs to know in a status field instead", each)
		}
	}
	for each := range messageReaders {
		if !read[each] {
			t.Errorf("%s no longer reads a message: remove it from messageReaders", each)
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
		{`return c.Message == d.Message`, true},
		{`return table[c.Message]`, true},
		{`return slices.Contains(known, c.Message)`, true},
		{`return strings.TrimPrefix(c.Message, "a: ") == "b"`, true},
		{`return func() bool { return c.Message == towards() }()`, true},
		{`return c.Message == ""`, false},
		{`c.Message = "a: " + d.Message; return len(c.Message) > 5`, false},
		{`return c.Reason == "Message"`, false},
		{`c.Message = truncate.Bytes(d.Message, 5); return true`, false},
	} {
		got := readersOfMessages(t, "source.go", "package p\nfunc f() bool { "+test.body+" }\n")
		if want := map[bool][]string{true: {"f"}}[test.want]; !cmp.Equal(want, got) {
			t.Errorf("%s: found %q, want %q", test.body, got, want)
		}
	}
}

// readersOfMessages returns the names of the functions in a file that make a decision by the text of a message. It reads the file if source is
// nil; see parser.ParseFile.
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
		name := nameOf(declaration)
		ast.Inspect(declaration, func(node ast.Node) bool {
			if readsMessage(node) && !slices.Contains(found, name) {
				found = append(found, name)
			}
			return true
		})
	}
	return found
}

// nameOf returns the name of a function, with its receiver's type, and "var" for any other declaration.
func nameOf(declaration ast.Decl) string {
	function, isFunction := declaration.(*ast.FuncDecl)
	if !isFunction {
		return "var"
	}
	if function.Recv == nil {
		return function.Name.Name
	}
	receiver := function.Recv.List[0].Type
	if pointer, isPointer := receiver.(*ast.StarExpr); isPointer {
		receiver = pointer.X
	}
	return fmt.Sprintf("%v.%s", receiver, function.Name.Name)
}

// searchFunctions are functions that search in a text or take it apart, and methods of *regexp.Regexp.
var searchFunctions = []string{"strings.Cut", "strings.CutPrefix", "strings.CutSuffix", "strings.Contains", "strings.ContainsAny", "strings.HasPrefix",
	"strings.HasSuffix", "strings.Index", "strings.LastIndex", "strings.Split", "strings.SplitN", "strings.SplitSeq", "strings.Fields", "strings.EqualFold",
	"strings.Count", "strings.TrimPrefix", "strings.TrimSuffix", "slices.Contains", "slices.Index", ".MatchString", ".FindStringSubmatch", ".FindString",
	".FindAllString"}

// readsMessage reports whether a syntax node, without the nodes inside, makes a decision by the text of a message.
func readsMessage(node ast.Node) bool {
	switch node := node.(type) {
	case *ast.BinaryExpr:
		if node.Op != token.EQL && node.Op != token.NEQ {
			return false
		}
		return isMessage(node.X) && !isEmptyString(node.Y) || isMessage(node.Y) && !isEmptyString(node.X)
	case *ast.SwitchStmt:
		return node.Tag != nil && isMessage(node.Tag)
	case *ast.IndexExpr:
		return isMessage(node.X) || isMessage(node.Index)
	case *ast.CallExpr:
		selector, isSelector := node.Fun.(*ast.SelectorExpr)
		if !isSelector || !slices.ContainsFunc(node.Args, containsMessage) {
			return false
		}
		return slices.ContainsFunc(searchFunctions, func(name string) bool {
			return strings.HasSuffix(fmt.Sprintf("%v.%s", selector.X, selector.Sel.Name), name)
		})
	}
	return false
}

func isMessage(expression ast.Expr) bool {
	selector, isSelector := expression.(*ast.SelectorExpr)
	return isSelector && selector.Sel.Name == "Message"
}

func isEmptyString(expression ast.Expr) bool {
	literal, isLiteral := expression.(*ast.BasicLit)
	return isLiteral && literal.Value == `""`
}

func containsMessage(expression ast.Expr) bool {
	contains := false
	ast.Inspect(expression, func(node ast.Node) bool {
		if each, isExpression := node.(ast.Expr); isExpression && isMessage(each) {
			contains = true
		}
		return !contains
	})
	return contains
}
