package cluster

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"
)

// TestCLI_18_TheLeaseIsThatOfTheManager compares the name with the constants of the manager's main package, which cannot be imported.
func TestCLI_18_TheLeaseIsThatOfTheManager(t *testing.T) {
	const directory = "../../../cmd/platform-operators/"
	constants := map[string]string{}
	for _, name := range []string{"start.go", "leaderelection.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), directory+name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(node ast.Node) bool {
			if constant, ok := node.(*ast.ValueSpec); ok && len(constant.Values) == 1 {
				constants[constant.Names[0].Name] = textOf(constants, constant.Values[0])
			}
			return true
		})
	}
	if got := constants["leaseName"]; got != leaseName || !strings.HasSuffix(got, "-lock") {
		t.Errorf("the Lease of the manager is %q, and the plugin reads %q", got, leaseName)
	}
}

// textOf returns the value of a constant text that can be a sum.
func textOf(constants map[string]string, value ast.Expr) string {
	switch typed := value.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(typed.Value)
		return text
	case *ast.Ident:
		return constants[typed.Name]
	case *ast.BinaryExpr:
		return textOf(constants, typed.X) + textOf(constants, typed.Y)
	}
	return ""
}
