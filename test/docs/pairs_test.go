package docs

import (
	"go/ast"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// pairs has the reasons of each condition type.
type pairs map[string]map[string]bool

func (p pairs) add(condition string, reasons ...string) {
	if p[condition] == nil {
		p[condition] = map[string]bool{}
	}
	for _, reason := range reasons {
		p[condition][reason] = true
	}
}

func (p pairs) list() []string {
	var all []string
	for condition, reasons := range p {
		for reason := range reasons {
			all = append(all, condition+"/"+reason)
		}
	}
	return slices.Sorted(slices.Values(all))
}

// pairsInCode returns the conditions and reasons that code writes, by the heading of the section that lists them.
func pairsInCode(t *testing.T) map[string]pairs {
	t.Helper()
	return map[string]pairs{
		"BundleDeployment":     pairsOfBundleDeployments(t),
		"Bundle":               pairsOfBundles(t),
		"PlatformOperator":     pairsOfPlatformOperators(t),
		clusterOperatorSection: pairsOfOperatorResource(t),
	}
}

// TestConditionsPageHasEveryReasonUnderEachConditionThatCodeGivesItTo checks that an admin finds each condition and reason of an object on
// the page.
func TestConditionsPageHasEveryReasonUnderEachConditionThatCodeGivesItTo(t *testing.T) {
	expectPairsOnPage(t)
}

// expectPairsOnPage checks that the page lists exactly the conditions and reasons that code writes.
func expectPairsOnPage(t *testing.T) {
	t.Helper()
	for kind, written := range pairsInCode(t) {
		listed := pairsOnPage(t, kind)
		code, page := written.list(), listed.list()
		if len(code) < 4 {
			t.Fatalf("found only %v in the code for a %s, want at least four", code, kind)
		}
		for _, pair := range code {
			if !slices.Contains(page, pair) {
				t.Errorf("docs/conditions.md, section %s, does not list %s, which code writes", kind, pair)
			}
		}
		for _, pair := range page {
			if !slices.Contains(code, pair) {
				t.Errorf("docs/conditions.md, section %s, lists %s, which no code writes", kind, pair)
			}
		}
	}
}

// pairsOnPage returns the conditions and reasons in the three-column table of a section. A row without a condition belongs to the condition
// of the row above.
func pairsOnPage(t *testing.T, heading string) pairs {
	t.Helper()
	listed := pairs{}
	var conditions [][]string
	for _, line := range strings.Split(section(t, "conditions.md", heading), "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 5 {
			continue
		}
		if types := codeWord.FindAllStringSubmatch(cells[1], -1); types != nil {
			conditions = types
		}
		for _, word := range codeWord.FindAllStringSubmatch(cells[2], -1) {
			for _, condition := range conditions {
				listed.add(condition[1], word[1])
			}
		}
	}
	return listed
}

// pairsOfBundleDeployments returns the conditions and reasons of BundleDeployments, the first and third elements of condition literals.
func pairsOfBundleDeployments(t *testing.T) pairs {
	t.Helper()
	code, written := readPackage(t, "pkg/revision"), pairs{}
	for _, fn := range code.functions {
		kinds, reasons := literalElements(fn, "condition", 4, 0), literalElements(fn, "condition", 4, 2)
		for i, kind := range kinds {
			for _, condition := range code.constants(t, fn, kind) {
				written.add(condition, code.constants(t, fn, reasons[i])...)
			}
		}
	}
	return written
}

// pairsOfBundles returns the reasons of a Bundle's only condition, the third elements of condition literals.
func pairsOfBundles(t *testing.T) pairs {
	t.Helper()
	code, written := readPackage(t, "pkg/controllers/bundle"), pairs{}
	for _, fn := range code.functions {
		for _, reason := range literalElements(fn, "condition", 4, 2) {
			written.add("Unpacked", code.constants(t, fn, reason)...)
		}
	}
	return written
}

// pairsOfPlatformOperators returns the conditions in the calls of r.setCondition. Their reasons are those that the functions in the
// arguments pass to isTrue, isFalse and isUnknown.
func pairsOfPlatformOperators(t *testing.T) pairs {
	t.Helper()
	code, written := readPackage(t, "pkg/operatorstatus"), pairs{}
	for _, fn := range code.functions {
		ast.Inspect(fn, func(node ast.Node) bool {
			if call, ok := node.(*ast.CallExpr); ok && selectorName(call.Fun) == "r.setCondition" {
				condition := code.constants(t, fn, call.Args[0])[0]
				for _, maker := range code.callees(t, call.Args[1]) {
					written.add(condition, code.reasonsPassedTo(t, maker)...)
				}
			}
			return true
		})
	}
	return written
}

// packageCode has the functions and methods of a package, and the condition and reason constants of the API by qualified name. The key of a
// function is its name.
type packageCode struct {
	functions map[string]*ast.FuncDecl
	names     map[string]string
}

func readPackage(t *testing.T, folder string) packageCode {
	t.Helper()
	code := packageCode{functions: map[string]*ast.FuncDecl{}, names: apiConstants(t, "Condition")}
	maps.Copy(code.names, apiConstants(t, "Reason"))
	for _, path := range goFiles(t, folder) {
		for _, declared := range parseFile(t, path).Decls {
			if fn, ok := declared.(*ast.FuncDecl); ok && fn.Body != nil {
				key := fn.Name.Name
				if fn.Recv != nil { // methods are not called by a bare name
					key = filepath.Base(path) + ":" + strconv.Itoa(int(fn.Pos()))
				}
				code.functions[key] = fn
			}
		}
	}
	return code
}

// constants returns the possible values of an expression: a constant of the API, or the values that are assigned to a variable.
// It fails the test if it cannot determine them.
func (r packageCode) constants(t *testing.T, fn *ast.FuncDecl, of ast.Expr) []string {
	t.Helper()
	if value, found := r.names[selectorName(of)]; found {
		return []string{value}
	}
	var values []string
	switch of := of.(type) {
	case *ast.Ident:
		for _, set := range assignments(fn, of) {
			if call, ok := set.(*ast.CallExpr); ok {
				for _, called := range r.callees(t, call)[:1] {
					values = append(values, r.reasonsNamedBy(called)...)
				}
				continue
			}
			values = append(values, r.constants(t, fn, set)...)
		}
	case *ast.SelectorExpr:
		if variable, ok := of.X.(*ast.Ident); ok && of.Sel.Name == "Reason" {
			values = r.reasonsOf(t, variable.Name)
		}
	}
	if len(values) == 0 {
		t.Fatalf("cannot determine the values of an expression in %s (%T, %q)", fn.Name.Name, of, selectorName(of))
	}
	return values
}

// reasonsOf returns the possible reasons of a variable whose type another package declares. It returns nil for an unknown variable.
func (r packageCode) reasonsOf(t *testing.T, variable string) (reasons []string) {
	t.Helper()
	switch variable {
	case "installation":
		reasons = r.reasonsNamedBy(readPackage(t, "pkg/upgradestep").functions["InstallationOf"])
	case "decision":
		for _, each := range readPackage(t, "pkg/resolve").functions {
			reasons = append(reasons, r.reasonsNamedBy(each)...)
		}
	}
	return reasons
}

// assignments returns the expressions that a function assigns to a variable in the scope in which the variable is used. It leaves out an if
// statement's variable if the use is outside of the statement.
func assignments(fn *ast.FuncDecl, variable *ast.Ident) []ast.Expr {
	var found []ast.Expr
	outOfScope := map[ast.Node]bool{}
	ast.Inspect(fn, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.IfStmt:
			if variable.Pos() < node.Pos() || variable.Pos() > node.End() {
				outOfScope[node.Init] = true
			}
		case *ast.AssignStmt:
			for i, left := range node.Lhs {
				if name, ok := left.(*ast.Ident); ok && name.Name == variable.Name && !outOfScope[node] {
					found = append(found, node.Rhs[min(i, len(node.Rhs)-1)])
				}
			}
		case *ast.ValueSpec:
			for i, name := range node.Names {
				if name.Name == variable.Name && len(node.Values) > i {
					found = append(found, node.Values[i])
				}
			}
		case *ast.RangeStmt:
			name, ok := node.Value.(*ast.Ident)
			if list, isList := node.X.(*ast.CompositeLit); ok && isList && name.Name == variable.Name && variable.Pos() > node.Pos() && variable.Pos() < node.End() {
				found = append(found, list.Elts...)
			}
		}
		return true
	})
	return found
}

// callees returns the function of this package that an expression calls, and all functions of the package that it calls directly or
// indirectly. It fails the test if the expression is no such call.
func (r packageCode) callees(t *testing.T, of ast.Expr) []*ast.FuncDecl {
	t.Helper()
	call, ok := of.(*ast.CallExpr)
	if !ok {
		t.Fatalf("expected a call, found %T", of)
	}
	name, ok := call.Fun.(*ast.Ident)
	if !ok {
		t.Fatalf("expected a call of a function of the same package, found %s", selectorName(call.Fun))
	}
	if r.functions[name.Name] == nil {
		t.Fatalf("this package has no function %s", name.Name)
	}
	found := []*ast.FuncDecl{r.functions[name.Name]}
	for i := 0; i < len(found); i++ {
		ast.Inspect(found[i], func(node ast.Node) bool {
			if call, ok := node.(*ast.CallExpr); ok {
				if name, ok := call.Fun.(*ast.Ident); ok {
					if next := r.functions[name.Name]; next != nil && !slices.Contains(found, next) {
						found = append(found, next)
					}
				}
			}
			return true
		})
	}
	return found
}

// reasonsPassedTo returns the reasons that a function passes to isTrue, isFalse and isUnknown.
func (r packageCode) reasonsPassedTo(t *testing.T, fn *ast.FuncDecl) []string {
	t.Helper()
	var reasons []string
	ast.Inspect(fn, func(node ast.Node) bool {
		if call, ok := node.(*ast.CallExpr); ok {
			if name, ok := call.Fun.(*ast.Ident); ok && slices.Contains([]string{"isTrue", "isFalse", "isUnknown"}, name.Name) {
				reasons = append(reasons, r.constants(t, fn, call.Args[0])...)
			}
		}
		return true
	})
	return reasons
}

// reasonsNamedBy returns the reasons of PlatformOperators that a function uses, except in comparisons.
func (r packageCode) reasonsNamedBy(fn *ast.FuncDecl) []string {
	var reasons []string
	ast.Inspect(fn, func(node ast.Node) bool {
		if comparison, ok := node.(*ast.BinaryExpr); ok && (comparison.Op == token.EQL || comparison.Op == token.NEQ) {
			return false
		}
		if name := selectorName(node); strings.HasPrefix(name, "platformv1alpha1.Reason") {
			reasons = append(reasons, r.names[name])
		}
		return true
	})
	return reasons
}

// literalElements returns the elements at index place of a function's literals of the struct type of. It takes only literals with this
// number of elements.
func literalElements(fn *ast.FuncDecl, of string, fields, place int) []ast.Expr {
	var found []ast.Expr
	ast.Inspect(fn, func(node ast.Node) bool {
		if literal, ok := node.(*ast.CompositeLit); ok && len(literal.Elts) == fields {
			if kind, ok := literal.Type.(*ast.Ident); ok && kind.Name == of {
				found = append(found, literal.Elts[place])
			}
		}
		return true
	})
	return found
}
