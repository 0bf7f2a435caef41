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

// pairs are reasons by the condition that has them.
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

// pairsInCode gives what is written on each kind, by the section of the page that lists it.
func pairsInCode(t *testing.T) map[string]pairs {
	t.Helper()
	return map[string]pairs{
		"BundleDeployment":     pairsOfBundleDeployments(t),
		"Bundle":               pairsOfBundles(t),
		"PlatformOperator":     pairsOfPlatformOperators(t),
		clusterOperatorSection: pairsOfOperatorResource(t),
	}
}

// Somebody who is paged looks up what an object says: the condition, and the reason that it has there.
func TestConditionsPageHasEveryReasonUnderEachConditionThatCodeGivesItTo(t *testing.T) {
	wantPairsOnPage(t)
}

// wantPairsOnPage compares the page with the code, both ways.
func wantPairsOnPage(t *testing.T) {
	t.Helper()
	for kind, written := range pairsInCode(t) {
		listed := pairsOnPage(t, kind)
		code, page := written.list(), listed.list()
		if len(code) < 4 {
			t.Fatalf("found %v as what code writes on a %s; it must look otherwise now", code, kind)
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

// pairsOnPage reads the table of a section; a row without a condition is about the one above.
func pairsOnPage(t *testing.T, heading string) pairs {
	t.Helper()
	listed := pairs{}
	var conditions [][]string
	for _, line := range strings.Split(section(t, "conditions.md", heading), "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 5 {
			continue
		}
		if named := marked.FindAllStringSubmatch(cells[1], -1); named != nil {
			conditions = named
		}
		for _, word := range marked.FindAllStringSubmatch(cells[2], -1) {
			for _, condition := range conditions {
				listed.add(condition[1], word[1])
			}
		}
	}
	return listed
}

// pairsOfBundleDeployments are the first and third elements of conditions.
func pairsOfBundleDeployments(t *testing.T) pairs {
	t.Helper()
	code, written := readPackage(t, "pkg/revision"), pairs{}
	for _, fn := range code.functions {
		kinds, reasons := elements(fn, "condition", 4, 0), elements(fn, "condition", 4, 2)
		for i, kind := range kinds {
			for _, condition := range code.constants(t, fn, kind) {
				written.add(condition, code.constants(t, fn, reasons[i])...)
			}
		}
	}
	return written
}

// pairsOfBundles are the third elements of conditions; a Bundle has one condition.
func pairsOfBundles(t *testing.T) pairs {
	t.Helper()
	code, written := readPackage(t, "pkg/controllers/bundle"), pairs{}
	for _, fn := range code.functions {
		for _, reason := range elements(fn, "condition", 4, 2) {
			written.add("Unpacked", code.constants(t, fn, reason)...)
		}
	}
	return written
}

// pairsOfPlatformOperators are those of r.setCondition: what the function that makes the condition, and those that it calls, give to isTrue,
// isFalse and isUnknown.
func pairsOfPlatformOperators(t *testing.T) pairs {
	t.Helper()
	code, written := readPackage(t, "pkg/operatorstatus"), pairs{}
	for _, fn := range code.functions {
		ast.Inspect(fn, func(node ast.Node) bool {
			if call, ok := node.(*ast.CallExpr); ok && selected(call.Fun) == "r.setCondition" {
				condition := code.constants(t, fn, call.Args[0])[0]
				for _, maker := range code.calledFrom(t, call.Args[1]) {
					written.add(condition, code.given(t, maker)...)
				}
			}
			return true
		})
	}
	return written
}

// packageCode is a package's code: its functions and methods by name, and the constants of the API by what code calls them.
type packageCode struct {
	functions map[string]*ast.FuncDecl
	names     map[string]string
}

func readPackage(t *testing.T, folder string) packageCode {
	t.Helper()
	code := packageCode{functions: map[string]*ast.FuncDecl{}, names: apiConstants(t, "Condition")}
	maps.Copy(code.names, apiConstants(t, "Reason"))
	for _, path := range goFiles(t, folder) {
		for _, declared := range parsed(t, path).Decls {
			if fn, ok := declared.(*ast.FuncDecl); ok && fn.Body != nil {
				key := fn.Name.Name
				if fn.Recv != nil { // never called by its name alone
					key = filepath.Base(path) + ":" + strconv.Itoa(int(fn.Pos()))
				}
				code.functions[key] = fn
			}
		}
	}
	return code
}

// constants gives what an expression in a function may be: a constant of the API, or what a variable is set to, directly, by
// another function of the package, or from outside. One that cannot be told fails the test.
func (r packageCode) constants(t *testing.T, fn *ast.FuncDecl, of ast.Expr) []string {
	t.Helper()
	if value, found := r.names[selected(of)]; found {
		return []string{value}
	}
	var values []string
	switch of := of.(type) {
	case *ast.Ident:
		for _, set := range settings(fn, of) {
			if call, ok := set.(*ast.CallExpr); ok {
				for _, called := range r.calledFrom(t, call)[:1] {
					values = append(values, r.named(called)...)
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
		t.Fatalf("cannot tell what may be written by an expression in %s (%T, %q)", fn.Name.Name, of, selected(of))
	}
	return values
}

// reasonsOf gives the reasons of a value of another package.
func (r packageCode) reasonsOf(t *testing.T, variable string) (reasons []string) {
	t.Helper()
	switch variable {
	case "installation":
		reasons = r.named(readPackage(t, "pkg/upgradestep").functions["InstallationOf"])
	case "decision":
		for _, each := range readPackage(t, "pkg/resolve").functions {
			reasons = append(reasons, r.named(each)...)
		}
	}
	return reasons
}

// settings are the expressions that a variable of a function is set to, where it is used. What an if statement declares ends
// with that.
func settings(fn *ast.FuncDecl, variable *ast.Ident) []ast.Expr {
	var found []ast.Expr
	elsewhere := map[ast.Node]bool{}
	ast.Inspect(fn, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.IfStmt:
			if variable.Pos() < node.Pos() || variable.Pos() > node.End() {
				elsewhere[node.Init] = true
			}
		case *ast.AssignStmt:
			for i, left := range node.Lhs {
				if name, ok := left.(*ast.Ident); ok && name.Name == variable.Name && !elsewhere[node] {
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

// calledFrom gives the function of this package that a call is of, and those that that one calls in turn.
func (r packageCode) calledFrom(t *testing.T, of ast.Expr) []*ast.FuncDecl {
	t.Helper()
	call, ok := of.(*ast.CallExpr)
	if !ok {
		t.Fatalf("expected a call, found %T", of)
	}
	name, ok := call.Fun.(*ast.Ident)
	if !ok {
		t.Fatalf("expected the call of a function by its name, found %s", selected(call.Fun))
	}
	if r.functions[name.Name] == nil {
		t.Fatalf("expected the call of a function of the same package, found %s", name.Name)
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

// given are the reasons that a function gives to the three functions that make conditions.
func (r packageCode) given(t *testing.T, fn *ast.FuncDecl) []string {
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

// named are the reasons of PlatformOperators that a function names, but to compare with them.
func (r packageCode) named(fn *ast.FuncDecl) []string {
	var reasons []string
	ast.Inspect(fn, func(node ast.Node) bool {
		if comparison, ok := node.(*ast.BinaryExpr); ok && (comparison.Op == token.EQL || comparison.Op == token.NEQ) {
			return false
		}
		if name := selected(node); strings.HasPrefix(name, "platformv1alpha1.Reason") {
			reasons = append(reasons, r.names[name])
		}
		return true
	})
	return reasons
}

// elements are those at a place in literals of a struct type that name no fields.
func elements(fn *ast.FuncDecl, of string, fields, place int) []ast.Expr {
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
