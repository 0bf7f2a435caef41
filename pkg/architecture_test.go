// Package pkg_test tests the architecture: which package may import which, and what pure packages must not use. It reads source files only,
// and does not depend on the packages that it tests.
package pkg_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const module = "github.com/openshift/platform-operators/"

// packages lists the packages with their layers, in the order of ARCHITECTURE.md. A package may import packages of lower layers and, in its
// own layer, packages that are above it in the list. An entry also covers the packages below its path; the longest matching path applies. A
// package without an entry fails the test.
var packages = []struct {
	layer int
	path  string
}{
	{0, "pkg/apis"},
	{0, "pkg/client"},
	// Files embedded in the binary, and no behavior.
	{0, "bindata"},
	{0, "manifests"},
	{1, "pkg/truncate"},
	{1, "pkg/shell"},
	{1, "pkg/ocplatform"},
	{1, "pkg/catalog"},
	{1, "pkg/upgrade"},
	{1, "pkg/compat"},
	{1, "pkg/limits"},
	{1, "pkg/resolve/reason"},
	{1, "pkg/resolve"},
	{1, "pkg/resolve/joint"},
	{1, "pkg/attempt"},
	{1, "pkg/upgradestep"},
	{1, "pkg/deploymentspec"},
	{1, "pkg/operatorstatus"},
	{1, "pkg/bundle"},
	{1, "pkg/health"},
	{1, "pkg/plan"},
	{1, "pkg/crdsafety"},
	{1, "pkg/drift"},
	{1, "pkg/ownership"},
	{1, "pkg/classlimits"},
	{1, "pkg/mirrors"},
	{1, "pkg/imagepolicy"},
	{1, "pkg/revision"},
	{1, "pkg/lastwrite"},
	{1, "pkg/finalizer"},
	{2, "pkg/catalogsource"},
	{2, "pkg/inventory"},
	{2, "pkg/imageconfig"},
	{2, "pkg/panics"},
	{2, "pkg/background"},
	{2, "pkg/signatures"},
	{2, "pkg/source"},
	{2, "pkg/store"},
	{2, "pkg/unpack"},
	{2, "pkg/certificates"},
	{2, "pkg/deploymentmetrics"},
	{2, "pkg/pager"},
	{2, "pkg/rulesreview"},
	{2, "pkg/namespaceuse"},
	{2, "pkg/storedobjects"},
	{2, "pkg/admissionpolicies"},
	{2, "pkg/apply"},
	{2, "pkg/revisions"},
	{2, "pkg/leaderelection"},
	{2, "pkg/managerstatus"},
	{2, "pkg/mustgather"},
	{2, "pkg/manifestserver/kinds"},
	{2, "pkg/manifestserver/discovery"},
	{2, "pkg/manifestserver"},
	{3, "pkg/controllers"},
	{4, "pkg/version"},
	{4, "pkg/operator"},
	{4, "pkg/applyconfiguration/content"},
	{4, "pkg/applyconfiguration"},
	{4, "pkg/capture"},
	{4, "pkg/declaredresources"},
	{4, "pkg/cli"},
	{5, "cmd"},
	// A library for tests, which does not depend on this project.
	{5, "pkg/scenario"},
}

const (
	pureLayer = 1
	// wiringLayer is the lowest layer that may read flags and the environment.
	wiringLayer = 4
)

const (
	// extension is the import path of the tests for openshift-tests. They use the manager as a user of the cluster does: they import
	// packages in extensionKnows only, and no other package imports extensionLibrary.
	extension        = module + "cmd/platform-operators-tests-ext"
	extensionLibrary = "github.com/openshift-eng/openshift-tests-extension"
	ginkgo           = "github.com/onsi/ginkgo"
)

// scenarios is the import path of a library for tests of any operator. Its packages import only one another, and programs must not import
// them.
const scenarios = module + "pkg/scenario"

var extensionKnows = []string{extension, module + "pkg/apis", module + "pkg/client"}

// impure are the import paths that a pure package must not import, including the packages below them. Callers pass in the values that a
// pure package needs.
var impure = []string{
	"crypto/rand", "flag", "log", "math/rand", "net", "os", "syscall",
	"github.com/openshift/client-go", "github.com/openshift/library-go",
	"github.com/google/go-containerregistry/pkg/v1/remote",
	"google.golang.org/grpc",
	"k8s.io/client-go", "k8s.io/klog", "k8s.io/apiserver", "k8s.io/component-base",
	module + "pkg/client",
}

// notPureCalls are functions whose result depends on the time of the call. Pure packages must not call them.
var notPureCalls = []string{"time.Now", "time.Since", "time.Until", "time.Sleep", "time.After", "time.AfterFunc", "time.Tick", "time.NewTimer", "time.NewTicker"}

// clockCalls are functions that read the wall clock. Below wiringLayer, a clock is passed in, because a round of apply-configuration has a
// time of its own. Timers are permitted: they delay work, and change no result.
var clockCalls = []string{"time.Now", "time.Since", "time.Until"}

// random are packages whose results differ between two equal runs. Below wiringLayer, what is random is passed in.
var random = []string{"crypto/rand", "math/rand"}

// manifestServer is the import path of the server that answers from manifests. onceOnly are the packages that may import it: a running
// manager does not.
const manifestServer = module + "pkg/manifestserver"

var onceOnly = []string{module + "pkg/applyconfiguration", module + "pkg/capture", module + "pkg/declaredresources"}

// environmentCalls are the functions and variables that only wiringLayer and higher layers may use.
var environmentCalls = []string{"os.Getenv", "os.LookupEnv", "os.Environ", "os.ExpandEnv", "os.Args", "os.Exit"}

// inClusterCalls are functions that read the configuration of the process's Pod. In a hosted control plane, this is not the configuration of
// the cluster in which the manager installs operators. Clients are built from the --kubeconfig flag, or by library-go without it.
var inClusterCalls = []string{"rest.InClusterConfig"}

// grabBags are names of packages that do not describe the content.
var grabBags = []string{"common", "helper", "helpers", "lib", "libs", "misc", "util", "utils"}

// sourceFiles returns the paths of the Go files in pkg and cmd, without tests, relative to the folder of go.mod.
func sourceFiles(t *testing.T) (files []string) {
	t.Helper()
	root := ".."
	for _, top := range []string{"pkg", "cmd"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(name string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.IsDir() && entry.Name() == "testdata" {
				return fs.SkipDir
			}
			if entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return nil
			}
			relative, err := filepath.Rel(root, name)
			files = append(files, filepath.ToSlash(relative))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// Promise OM-7: Controllers and what they call read neither the wall clock nor the environment nor random numbers. Feature gates are not read,
// either.
func TestOM_7_Architecture(t *testing.T) {
	commented := map[string]bool{}
	for _, file := range sourceFiles(t) {
		source, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		faults, hasComment := inspect(file, source)
		for _, fault := range faults {
			t.Error(fault)
		}
		folder := path.Dir(file)
		commented[folder] = commented[folder] || hasComment
	}
	for folder, has := range commented {
		if !has && entryOf(folder) != entryOf("pkg/client") {
			t.Errorf("%s: no file has a package comment; say what the package does, what it does not know, and who calls it", folder)
		}
	}
	if len(commented) < 5 {
		t.Errorf("only %d packages were seen; the test looks in the wrong place", len(commented))
	}
}

// inspect returns the violations of the rules in one source file, and whether the file has a package comment.
func inspect(name string, source []byte) (faults []string, hasComment bool) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return []string{err.Error()}, false
	}
	folder := path.Dir(name)
	for _, part := range strings.Split(folder, "/") {
		// Code generators choose their own names.
		if slices.Contains(grabBags, part) && entryOf(folder) != entryOf("pkg/client") {
			faults = append(faults, fmt.Sprintf("%s: a package named %q says nothing about what is inside", name, part))
		}
	}
	own := entryOf(folder)
	if own < 0 {
		return append(faults, fmt.Sprintf("%s: the package is in no layer; add it to ARCHITECTURE.md and to the list in this test", name)), false
	}
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return append(faults, err.Error()), false
		}
		if why := forbidden(own, folder, imported); why != "" {
			faults = append(faults, fmt.Sprintf("%s: imports %s: %s", name, imported, why))
		}
	}
	ast.Inspect(file, func(node ast.Node) bool {
		if why := forbiddenCode(packages[own].layer, node); why != "" {
			faults = append(faults, fmt.Sprintf("%s: %s", files.Position(node.Pos()), why))
		}
		return true
	})
	return faults, file.Doc != nil
}

// entryOf returns the index in packages of the entry for a folder, or -1 if there is none.
func entryOf(folder string) int {
	found := -1
	for i, entry := range packages {
		if (folder == entry.path || strings.HasPrefix(folder, entry.path+"/")) && (found < 0 || len(entry.path) > len(packages[found].path)) {
			found = i
		}
	}
	return found
}

// forbidden returns the reason why the package in folder, whose entry has index own, must not import another package. It returns "" if it
// may.
func forbidden(own int, folder, imported string) string {
	layer := packages[own].layer
	if strings.HasPrefix(imported, "sigs.k8s.io/controller-runtime") {
		return "the manager is built on library-go, not on controller-runtime"
	}
	if strings.HasSuffix(imported, "/featuregates") {
		return "whether we are there is what the feature-set annotation on each manifest says; nothing depends on a gate"
	}
	if layer == pureLayer {
		if isIn(imported, impure...) {
			return "what a pure package needs is passed in"
		}
	}
	if layer >= pureLayer && layer < wiringLayer && isIn(imported, random...) {
		return "two equal runs have equal results; what is random is passed in"
	}
	if isIn(imported, manifestServer) && !isIn(module+folder, append(onceOnly, manifestServer)...) {
		return "a running manager does not answer requests from manifests"
	}
	if why := acrossExtension(folder, imported); why != "" {
		return why
	}
	if why := acrossScenarios(folder, imported); why != "" {
		return why
	}
	target, ours := strings.CutPrefix(imported, module)
	if !ours {
		return ""
	}
	other := entryOf(target)
	switch {
	case other < 0:
		return "it is in no layer"
	case packages[other].layer > layer:
		return fmt.Sprintf("%s is on layer %d, above layer %d", packages[other].path, packages[other].layer, layer)
	case other > own:
		return fmt.Sprintf("%s stands below %s on the same layer", packages[other].path, packages[own].path)
	case other == own && packages[own].path == "pkg/controllers" && target != folder:
		return "controllers talk through the API, never to one another"
	}
	return ""
}

// acrossExtension returns the reason why the tests for openshift-tests must not import a package, or why another package must not import
// these tests or their library. It returns "" if the import is permitted.
func acrossExtension(folder, imported string) string {
	switch within := isIn(module+folder, extension); {
	case !within && isIn(imported, extension, extensionLibrary):
		return "the tests for openshift-tests and their library are nobody else's"
	case within && isIn(imported, ginkgo, extensionLibrary+"/pkg/ginkgo"):
		return "openshift-tests-extension wants a fork of Ginkgo; a test is a function"
	case within && strings.HasPrefix(imported, module) && !isIn(imported, extensionKnows...):
		return "the tests for openshift-tests know the API types and clients only"
	}
	return ""
}

// acrossScenarios returns the reason why a package of the scenario library must not import another package, or why another package must not
// import the library. It returns "" if the import is permitted.
func acrossScenarios(folder, imported string) string {
	switch within := isIn(module+folder, scenarios); {
	case within && strings.HasPrefix(imported, module) && !isIn(imported, scenarios):
		return "the scenario library is for any operator and knows nothing of this one"
	case !within && isIn(imported, scenarios):
		return "the scenario library is for tests"
	}
	return ""
}

// isIn reports whether an import path is one of roots or below one of them.
func isIn(imported string, roots ...string) bool {
	return slices.ContainsFunc(roots, func(root string) bool { return imported == root || strings.HasPrefix(imported, root+"/") })
}

// forbiddenCode returns the reason why a package of this layer must not contain an AST node. It returns "" if it may.
func forbiddenCode(layer int, node ast.Node) string {
	switch node := node.(type) {
	case *ast.GoStmt:
		if layer == pureLayer {
			return "a pure package starts no goroutine"
		}
	case *ast.CallExpr:
		if name, ok := node.Fun.(*ast.Ident); ok && name.Name == "panic" && layer >= pureLayer && layer < wiringLayer {
			return "library code returns errors, it does not panic"
		}
	case *ast.SelectorExpr:
		scope, ok := node.X.(*ast.Ident)
		if !ok {
			return ""
		}
		name := scope.Name + "." + node.Sel.Name
		if layer == pureLayer && slices.Contains(notPureCalls, name) {
			return name + ": the time is passed to a pure package"
		}
		if layer >= pureLayer && layer < wiringLayer && slices.Contains(clockCalls, name) {
			return name + ": a clock is passed in"
		}
		if layer < wiringLayer && slices.Contains(environmentCalls, name) {
			return name + ": only the wiring reads the environment"
		}
		if slices.Contains(inClusterCalls, name) {
			return name + ": in a hosted control plane, the Pod is in another cluster"
		}
	}
	return ""
}

func TestRulesCatchWhatTheyForbid(t *testing.T) {
	tests := map[string]struct {
		file, source string
		want         []string
	}{
		"pure package that imports pure packages above it": {
			"pkg/resolve/x.go", `import ("time"; "k8s.io/apimachinery/pkg/labels"; "` + module + `pkg/catalog"; "` + module + `pkg/apis/core/v1alpha2"); var wait = time.Second`, nil,
		},
		"command that reads the configuration of its Pod": {
			"cmd/platform-operators/x.go", `import "k8s.io/client-go/rest"; var config, err = rest.InClusterConfig()`,
			[]string{"cmd/platform-operators/x.go:2:51: rest.InClusterConfig: in a hosted control plane, the Pod is in another cluster"},
		},
		"package that imports one below it on its layer": {
			"pkg/catalog/x.go", `import "` + module + `pkg/resolve"`,
			[]string{"pkg/catalog/x.go: imports " + module + "pkg/resolve: pkg/resolve stands below pkg/catalog on the same layer"},
		},
		"package that imports one below its path": {
			"pkg/resolve/x.go", `import ("` + module + `pkg/resolve/joint"; "` + module + `pkg/resolve/reason")`,
			[]string{"pkg/resolve/x.go: imports " + module + "pkg/resolve/joint: pkg/resolve/joint stands below pkg/resolve on the same layer"},
		},
		"package that imports a higher layer": {
			"pkg/store/x.go", `import "` + module + `pkg/controllers/gate"`,
			[]string{"pkg/store/x.go: imports " + module + "pkg/controllers/gate: pkg/controllers is on layer 3, above layer 2"},
		},
		"controller that imports another": {
			"pkg/controllers/gate/x.go", `import "` + module + `pkg/controllers/bundledeployment"`,
			[]string{"pkg/controllers/gate/x.go: imports " + module + "pkg/controllers/bundledeployment: controllers talk through the API, never to one another"},
		},
		"pure package with a client": {
			"pkg/plan/x.go", `import "k8s.io/client-go/kubernetes"`,
			[]string{"pkg/plan/x.go: imports k8s.io/client-go/kubernetes: what a pure package needs is passed in"},
		},
		"pure package that reads a clock in a goroutine": {
			"pkg/health/x.go", "import \"time\"\nfunc f() { go f(); _ = time.Now() }",
			[]string{"pkg/health/x.go:3:12: a pure package starts no goroutine", "pkg/health/x.go:3:24: time.Now: the time is passed to a pure package"},
		},
		"environment below the wiring": {
			"pkg/apply/x.go", `import "os"; var home = os.Getenv("HOME")`,
			[]string{"pkg/apply/x.go:2:25: os.Getenv: only the wiring reads the environment"},
		},
		"wall clock in a controller": {
			"pkg/controllers/gate/x.go", "import \"time\"\nvar since = time.Since(time.Now())",
			[]string{"pkg/controllers/gate/x.go:3:13: time.Since: a clock is passed in", "pkg/controllers/gate/x.go:3:24: time.Now: a clock is passed in"},
		},
		"random order in a controller": {
			"pkg/controllers/gate/x.go", `import "math/rand/v2"`,
			[]string{"pkg/controllers/gate/x.go: imports math/rand/v2: two equal runs have equal results; what is random is passed in"},
		},
		"manager with the server that answers from manifests": {
			"pkg/operator/x.go", `import "` + manifestServer + `"`,
			[]string{"pkg/operator/x.go: imports " + manifestServer + ": a running manager does not answer requests from manifests"},
		},
		"environment in the wiring": {"pkg/operator/x.go", `import "os"; var home = os.Getenv("HOME")`, nil},
		"panic in a library":        {"pkg/source/image/x.go", "func f() { panic(1) }", []string{"pkg/source/image/x.go:2:12: library code returns errors, it does not panic"}},
		"grab-bag":                  {"pkg/apply/util/x.go", "", []string{`pkg/apply/util/x.go: a package named "util" says nothing about what is inside`}},
		"package in no layer":       {"pkg/misplaced/x.go", "", []string{"pkg/misplaced/x.go: the package is in no layer; add it to ARCHITECTURE.md and to the list in this test"}},
		"a feature gate is read":    {"pkg/operator/x.go", `import "github.com/openshift/library-go/pkg/operator/configobserver/featuregates"`, []string{"pkg/operator/x.go: imports github.com/openshift/library-go/pkg/operator/configobserver/featuregates: whether we are there is what the feature-set annotation on each manifest says; nothing depends on a gate"}},
		"controller-runtime":        {"pkg/operator/x.go", `import "sigs.k8s.io/controller-runtime/pkg/client"`, []string{"pkg/operator/x.go: imports sigs.k8s.io/controller-runtime/pkg/client: the manager is built on library-go, not on controller-runtime"}},
		"a test for openshift-tests that knows types and clients": {
			"cmd/platform-operators-tests-ext/specs/x.go",
			`import ("` + extension + `/spec"; "` + module + `pkg/apis/core/v1alpha2"; "` + module + `pkg/client/clientset/versioned"; "` + extensionLibrary + `/pkg/cmd")`, nil,
		},
		"a test for openshift-tests that knows the manager from within": {
			"cmd/platform-operators-tests-ext/specs/x.go", `import "` + module + `pkg/catalog"`,
			[]string{"cmd/platform-operators-tests-ext/specs/x.go: imports " + module + "pkg/catalog: the tests for openshift-tests know the API types and clients only"},
		},
		"a test for openshift-tests in Ginkgo": {
			"cmd/platform-operators-tests-ext/specs/x.go", `import "` + ginkgo + `/v2"`,
			[]string{"cmd/platform-operators-tests-ext/specs/x.go: imports " + ginkgo + "/v2: openshift-tests-extension wants a fork of Ginkgo; a test is a function"},
		},
		"the manager with the library of the tests for openshift-tests": {
			"pkg/operator/x.go", `import "` + extensionLibrary + `/pkg/extension"`,
			[]string{"pkg/operator/x.go: imports " + extensionLibrary + "/pkg/extension: the tests for openshift-tests and their library are nobody else's"},
		},
		"a command with the tests for openshift-tests": {
			"cmd/platform-operators/x.go", `import "` + extension + `/spec"`,
			[]string{"cmd/platform-operators/x.go: imports " + extension + "/spec: the tests for openshift-tests and their library are nobody else's"},
		},
		"a scenario package that imports another one": {
			"pkg/scenario/x.go", `import ("` + scenarios + `/etcd"; "k8s.io/client-go/kubernetes")`, nil,
		},
		"a scenario package that knows this operator": {
			"pkg/scenario/etcd/x.go", `import "` + module + `pkg/apis/core/v1alpha2"`,
			[]string{"pkg/scenario/etcd/x.go: imports " + module + "pkg/apis/core/v1alpha2: the scenario library is for any operator and knows nothing of this one"},
		},
		"the manager with the scenario library": {
			"pkg/operator/x.go", `import "` + scenarios + `"`,
			[]string{"pkg/operator/x.go: imports " + scenarios + ": the scenario library is for tests"},
		},
		"generated client that says utils": {"pkg/client/clientset/versioned/utils/x.go", "", nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, hasComment := inspect(test.file, []byte("package x\n"+test.source))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if hasComment {
				t.Error("a package comment is seen where there is none")
			}
		})
	}
}
