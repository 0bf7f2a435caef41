// Package docs compares what docs/ states with what the code does, where a page could come to be wrong without notice.
package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// reasonFiles are the files whose Reason constants are written into conditions that users read.
var reasonFiles = []string{
	"pkg/apis/platform/v1alpha1/conditions.go",
	"pkg/apis/core/v1alpha2/conditions.go",
	"pkg/health/aggregate.go",
	"pkg/compat/evaluate.go",
}

func reasonsInCode(t *testing.T) map[string]string {
	t.Helper()
	reasons := map[string]string{}
	for _, path := range reasonFiles {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "..", path), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(node ast.Node) bool {
			spec, ok := node.(*ast.ValueSpec)
			if !ok || !strings.HasPrefix(spec.Names[0].Name, "Reason") || len(spec.Values) != 1 {
				return true
			}
			if literal, ok := spec.Values[0].(*ast.BasicLit); ok {
				if value, err := strconv.Unquote(literal.Value); err == nil {
					reasons[value] = path
				}
			}
			return true
		})
	}
	return reasons
}

func TestConditionsPageListsEveryReasonAndNoOther(t *testing.T) {
	page, err := os.ReadFile("../../docs/conditions.md")
	if err != nil {
		t.Fatal(err)
	}
	inCode := reasonsInCode(t)
	if len(inCode) < 20 {
		t.Fatalf("found %d reasons in the code; the files must have moved", len(inCode))
	}
	onPage := map[string]bool{}
	for _, line := range strings.Split(string(page), "\n") {
		if cells := strings.Split(line, "|"); len(cells) == 5 {
			for _, word := range regexp.MustCompile("`([A-Za-z]+)`").FindAllStringSubmatch(cells[2], -1) {
				onPage[word[1]] = true
			}
		}
	}
	for reason, path := range inCode {
		if !onPage[reason] {
			t.Errorf("docs/conditions.md does not list reason %q of %s", reason, path)
		}
		if !regexp.MustCompile(`^[A-Z][A-Za-z]+$`).MatchString(reason) {
			t.Errorf("reason %q of %s is not CamelCase without digits", reason, path)
		}
	}
	for reason := range onPage {
		if inCode[reason] == "" {
			t.Errorf("docs/conditions.md lists %q, which no code writes", reason)
		}
	}
}
