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

// exceptionGroup are stories that do not run by rounds, for one reason.
type exceptionGroup struct {
	reason string
	// stories are the names of tests and stories, or the beginnings of such names.
	stories []string
}

// exceptions returns the stories of notByRounds.
func exceptions() (all []string) {
	for _, group := range notByRounds {
		all = append(all, group.stories...)
	}
	return all
}

// notByRounds are the stories that do not run by rounds.
var notByRounds = []exceptionGroup{
	{"Whoever writes the input reads catalogs and registries. What fails there is in no status.", []string{
		"TestStories/catalog-is-lost",
		"TestStories/reported-drift-outlives-a-restart",
		"TestManagerRestart/a damaged annotation of the installed bundle is restored at the start",
		"TestInstalledOperator/drift is repaired without catalogs and without the image's registry",
		"TestUpgradeGate/the gate keeps its verdict after a restart without catalogs",
		"TestHRD_U9_WhomToAsk/HRD-U9 an image that a catalog names and its registry lacks",
		"TestUpgradeGateDeclarations/CLU-G3 the gate follows what the catalog declares of installed bundles",
		"TestClusterOperatorDegraded/CLU-O3 ",
		"TestBadInput/without catalogs installed operators stay",
		"TestBadInput/other operators are not affected: an image that cannot be pulled",
	}},
	{"Without an API server, each access review counts as granted.", []string{
		"TestPlainBundles/ENG-F8 ",
		"TestPlainObjects/missing permissions for an object",
		"TestManagerPermissions/missing permissions are named",
		"TestFormats/[HRD-M3] a plain bundle's ClusterServiceVersion",
	}},
	{"A round does not see what the API server answers to its mutations, such as refusals and warnings.", []string{
		"TestAPIServerWarnings/ENG-P6 each warning of the API server",
		"TestBundleDeployment/a revision that cannot be stored is reported",
		"TestHRD_T6_LostPermissionIsReportedAndItsReturnNoticed/",
		"TestUpgradeGateInstallations/HRD-G1 ",
	}},
	{"A process remembers what it has applied, repaired, stored and removed, and how often; a round does not.", []string{
		"TestContestedDrift/ENG-D5 ",
		"TestForgedNamespace/[HRD-S1] other clients may update a namespace",
		"TestHRD_U5_DeletedRevisionsAreStoredAgain/HRD-U5 deleted revisions",
		"TestRollback/HRD-U3 HRD-M1 HRD-U5 ",
		"TestStoredLimits/[HRD-S3] stored limits that are deleted or edited",
		"TestRukpakMigration/an operator of rukpak keeps running",
	}},
	{"The sync that repairs an object also reports that in status and Events. A round sends the repair, and the next one sees no drift.", []string{
		"TestDrift/ENG-D3 ",
		"TestDrift/drift is repaired after a restart",
		"TestPausedBundleDeployment/edits during a pause are reverted",
		"TestNoNeedlessWrites/",
	}},
	{"The mutations of a round have no order, also those of objects in different phases.", []string{
		"TestFirstRollout/[ENG-D1] ",
		"TestRemovalOfBundleDeployments/[ENG-D12] a removal goes through the phases backward",
	}},
	{"The story is about a process: its options, leases, metrics, content directory, or the number of its requests and reconciles.", []string{
		"TestInstalledOperator/nothing is written while nothing changes",
		"TestClusterOperatorDegraded/CLU-O4 ",
		"TestTwoManagers/",
		"TestConsistentlyNeedsAManagerThatReconciles/",
		"TestContentDirectory/",
		"TestApply/HRD-M1 a kind that a bundle has without declaring it",
	}},
	{"A field of the manager's kinds that the shipped schema does not have is an error of the input.", []string{
		"TestFinalizersDoNotChangeTheSpec/",
	}},
	{"OpenShift's kinds and the manager's are built in, also if the cluster does not serve them.", []string{
		"TestHRD_U9_WhomToAsk/HRD-U9 a CustomResourceDefinition of the manager that is missing",
		"TestHRD_U11_WithoutOpenShift/",
	}},
	{"The server in memory sets no defaults of built-in kinds. It takes each apply of a webhook's rules for a change.", []string{
		"TestWebhooks/",
	}},
}

func TestOM_11_ExceptionsAreStoriesAndAtMostAQuarterOfAll(t *testing.T) {
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
