package docs

import (
	"go/ast"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	operatorv1 "github.com/openshift/api/operator/v1"
	"github.com/openshift/library-go/pkg/operator/status"
)

// clusterOperatorSection is the heading of the section with the conditions of the operator resource, from which library-go derives the
// ClusterOperator's.
const clusterOperatorSection = "ClusterOperator `platform-operators-aggregated`"

// conditionWriters are the names of the methods that write a condition.
var conditionWriters = map[string]bool{
	"SetStatusCondition": true, "SetOperatorCondition": true, "UpdateConditionFn": true, "UpdateStaticPodConditionFn": true,
	"ApplyOperatorStatus": true, "PatchOperatorStatus": true, degradedOnError: true,
}

// degradedOnError is the method of library-go's controller factory after which the controller writes a Degraded condition if its sync
// fails.
const degradedOnError = "WithSyncDegradedOnError"

// roundsFile writes the conditions that library-go's factory writes otherwise, for the controllers with degradedOnError.
const roundsFile = "pkg/operator/once.go"

// checkedPackages are the packages whose conditions pairsInCode collects. No other package may write conditions.
var checkedPackages = []string{
	"pkg/controllers/bundle", "pkg/revision", "pkg/operatorstatus", // BundleDeployments, Bundles and PlatformOperators
	"pkg/controllers/operatorhealth", "pkg/controllers/upgradegate", "pkg/controllers/managerversion", "pkg/controllers/managerlimits", "pkg/controllers/watches",
	"pkg/controllers/deniedwrites", // the operator resource
}

// Promise CLU-O9: Each reason that the manager writes is a CamelCase constant without names or digits, and a page lists it under its
// condition. The ClusterOperator carries library-go's union of the operator resource's reasons.
func TestCLU_O9_EveryReasonIsAListedConstantAndTheClusterOperatorHasTheirUnion(t *testing.T) {
	t.Run("only checked packages write conditions", func(t *testing.T) {
		var packages []string
		for _, file := range managerFiles(t) {
			if strings.HasSuffix(file, roundsFile) {
				continue
			}
			ast.Inspect(parseFile(t, file), func(node ast.Node) bool {
				if call, ok := node.(*ast.CallExpr); ok {
					if called, ok := call.Fun.(*ast.SelectorExpr); ok && conditionWriters[called.Sel.Name] {
						packages = append(packages, packageOf(t, file))
					}
				}
				return true
			})
		}
		slices.Sort(packages)
		want := slices.Sorted(slices.Values(checkedPackages))
		if packages = slices.Compact(packages); !slices.Equal(packages, want) {
			t.Errorf("packages %q write conditions, want %q", packages, want)
		}
	})
	t.Run("every reason is a constant", func(t *testing.T) {
		for _, file := range managerFiles(t) {
			ast.Inspect(parseFile(t, file), func(node ast.Node) bool {
				field, ok := node.(*ast.KeyValueExpr)
				if !ok {
					return true
				}
				name, isIdent := field.Key.(*ast.Ident)
				if text, literal := field.Value.(*ast.BasicLit); isIdent && literal && name.Name == "Reason" && text.Kind == token.STRING {
					t.Errorf("%s writes reason %s; make it a constant Reason… and list it in docs/conditions.md", file, text.Value)
				}
				return true
			})
		}
	})
	t.Run("reasons and condition types are CamelCase without digits", func(t *testing.T) {
		camelCase := regexp.MustCompile(`^[A-Z][a-z]+([A-Z][a-z]+)*$`)
		for kind, written := range pairsInCode(t) {
			for condition, reasons := range written {
				if !camelCase.MatchString(condition) {
					t.Errorf("%s: condition type %q is not CamelCase", kind, condition)
				}
				for reason := range reasons {
					if !camelCase.MatchString(reason) {
						t.Errorf("%s: reason %[3]q of %[2]s is not CamelCase", kind, condition, reason)
					}
				}
			}
		}
	})
	t.Run("the page lists exactly the reasons of each condition", expectPairsOnPage)
	t.Run("the ClusterOperator has library-go's union of the reasons", func(t *testing.T) { expectUnion(t, pairsOfOperatorResource(t)) })
}

func packageOf(t *testing.T, file string) string {
	t.Helper()
	relative, err := filepath.Rel(root, filepath.Dir(file))
	if err != nil {
		t.Fatal(err)
	}
	return filepath.ToSlash(relative)
}

// expectUnion checks that library-go's union of the conditions and reasons in written has the reasons that the page lists.
func expectUnion(t *testing.T, written pairs) {
	t.Helper()
	reasons := map[string]bool{"NoData": true}
	if got := status.UnionCondition("Available", operatorv1.ConditionTrue, nil).Reason; got != "NoData" {
		t.Errorf("the union of no conditions has reason %q, want NoData", got)
	}
	for suffix, good := range map[string]operatorv1.ConditionStatus{"Available": operatorv1.ConditionTrue, "Progressing": operatorv1.ConditionFalse,
		"Degraded": operatorv1.ConditionFalse, "Upgradeable": operatorv1.ConditionTrue} {
		oppositeStatus := map[operatorv1.ConditionStatus]operatorv1.ConditionStatus{operatorv1.ConditionTrue: operatorv1.ConditionFalse, operatorv1.ConditionFalse: operatorv1.ConditionTrue}[good]
		var healthy, all []operatorv1.OperatorCondition
		var parts []string
		for _, pair := range written.list() {
			condition, reason, _ := strings.Cut(pair, "/")
			if !strings.HasSuffix(condition, suffix) {
				continue
			}
			if reason == "AsExpected" {
				healthy = append(healthy, operatorv1.OperatorCondition{Type: condition, Status: good, Reason: reason})
				continue
			}
			one := operatorv1.OperatorCondition{Type: condition, Status: oppositeStatus, Reason: reason}
			want := strings.TrimSuffix(condition, suffix) + "_" + reason
			if got := status.UnionCondition(suffix, good, nil, one).Reason; got != want {
				t.Errorf("the union of %s has reason %q, want %q", pair, got, want)
			}
			reasons[want] = true
			all, parts = append(all, one), append(parts, want)
		}
		if len(healthy) == 0 {
			t.Errorf("no package writes AsExpected to a condition …%s, so that the ClusterOperator's condition is Unknown", suffix)
		}
		if len(all) == 0 {
			t.Errorf("no package writes another reason than AsExpected to a condition …%s", suffix)
		}
		if got := status.UnionCondition(suffix, good, nil, healthy...).Reason; got != "AsExpected" {
			t.Errorf("%s: the union of healthy conditions has reason %q, want AsExpected", suffix, got)
		}
		slices.Sort(parts)
		if got := status.UnionCondition(suffix, good, nil, all...).Reason; got != strings.Join(parts, "::") {
			t.Errorf("%s: the union of all conditions has reason %q, want %q", suffix, got, strings.Join(parts, "::"))
		}
	}
	text := section(t, "conditions.md", clusterOperatorSection)
	listed := 0
	for _, word := range codeWord.FindAllStringSubmatch(text, -1) {
		if strings.Contains(word[1], "_") && word[1] != "_" {
			listed++
			if !reasons[word[1]] {
				t.Errorf("docs/conditions.md lists reason %q of the ClusterOperator, which no union has", word[1])
			}
		}
	}
	if listed == 0 {
		t.Error("docs/conditions.md lists no reason of the ClusterOperator")
	}
	for _, required := range []string{"`::`", "`NoData`"} {
		if !strings.Contains(text, required) {
			t.Errorf("docs/conditions.md does not explain %s in reasons of the ClusterOperator", required)
		}
	}
}

// pairsOfOperatorResource returns the conditions of the operator resource with their reasons. It collects those of pkg/health, of the
// controllers that write one condition, and of library-go.
func pairsOfOperatorResource(t *testing.T) pairs {
	t.Helper()
	written := pairs{}
	operators, watches := constant(t, "pkg/controllers/operatorhealth", "ConditionPrefix"), constant(t, "pkg/controllers/watches", "ConditionPrefix")
	local := constantsIn(t, "pkg/health", "")
	for _, fn := range readPackage(t, "pkg/health").functions {
		prefix := operators
		if fn.Name.Name == "WatchCondition" {
			prefix = watches
		}
		types, reasons := literalElements(fn, "Condition", 4, 0), literalElements(fn, "Condition", 4, 2)
		for i := range types {
			kind, reason := local[identifier(types[i])], local[identifier(reasons[i])]
			if kind == "" {
				t.Fatalf("the type of a condition in %s is no constant of pkg/health", fn.Name.Name)
			}
			if reason == "" {
				t.Fatalf("the reason of a condition in %s is no constant of pkg/health", fn.Name.Name)
			}
			written.add(prefix+kind, reason)
		}
	}
	written.add(constant(t, "pkg/controllers/upgradegate", "ConditionType"), reasonsNamedIn(t, "pkg/controllers/upgradegate", "pkg/compat")...)
	written.add(constant(t, "pkg/controllers/deniedwrites", "ConditionType"), reasonsNamedIn(t, "pkg/controllers/deniedwrites")...)
	written.add(constant(t, "pkg/controllers/managerversion", "ConditionType"), reasonsNamedIn(t, "pkg/controllers/managerversion")...)
	for _, file := range managerFiles(t) {
		ast.Inspect(parseFile(t, file), func(node ast.Node) bool {
			if called, ok := node.(*ast.SelectorExpr); ok && called.Sel.Name == degradedOnError {
				written.add(constant(t, packageOf(t, file), "ControllerName")+"Degraded", reasonsOfLibraryGo(t)...)
			}
			return true
		})
	}
	return written
}

// reasonsOfLibraryGo returns the reasons of the Degraded condition that library-go's controllers write.
func reasonsOfLibraryGo(t *testing.T) []string {
	t.Helper()
	var reasons []string
	ast.Inspect(parseFile(t, filepath.Join(root, "vendor/github.com/openshift/library-go/pkg/controller/factory/base_controller.go")), func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok {
			return true
		}
		called, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || called.Sel.Name != "WithReason" {
			return true
		}
		literal, ok := call.Args[0].(*ast.BasicLit)
		if !ok {
			t.Fatal("a reason in library-go is no literal")
		}
		reason, err := strconv.Unquote(literal.Value)
		if err != nil {
			t.Fatal(err)
		}
		reasons = append(reasons, reason)
		return true
	})
	if len(reasons) < 2 {
		t.Fatalf("found only reasons %q in library-go, want at least two", reasons)
	}
	return reasons
}

// reasonsNamedIn returns the values of the Reason constants that packages use, except in comparisons, sorted.
func reasonsNamedIn(t *testing.T, folders ...string) []string {
	t.Helper()
	constants := apiConstants(t, "Reason")
	for _, folder := range folders {
		for name, value := range constantsIn(t, folder, "Reason") {
			constants[name], constants[path.Base(folder)+"."+name] = value, value
		}
	}
	found := map[string]bool{}
	for _, folder := range folders {
		for _, fn := range readPackage(t, folder).functions {
			ast.Inspect(fn, func(node ast.Node) bool {
				if comparison, ok := node.(*ast.BinaryExpr); ok && (comparison.Op == token.EQL || comparison.Op == token.NEQ) {
					return false
				}
				name := selectorName(node)
				if expression, ok := node.(ast.Expr); ok && name == "" {
					name = identifier(expression)
				}
				if value, known := constants[name]; known {
					found[value] = true
				}
				return true
			})
		}
	}
	return slices.Sorted(maps.Keys(found))
}

func identifier(of ast.Expr) string {
	if name, ok := of.(*ast.Ident); ok {
		return name.Name
	}
	return ""
}

// constant returns the value of a string constant of a package. It fails the test if there is none.
func constant(t *testing.T, folder, name string) string {
	t.Helper()
	value := constantsIn(t, folder, name)[name]
	if value == "" {
		t.Fatalf("%s has no string constant %s", folder, name)
	}
	return value
}
