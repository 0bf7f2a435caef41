package mutants

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/openshift/platform-operators/cmd/platform-operators-tests-ext/spec"
	"github.com/openshift/platform-operators/cmd/platform-operators-tests-ext/specs"
	"github.com/openshift/platform-operators/test/environment"
)

// This test fails if a function was renamed or removed. If a rule moved to another function, only the tests that run the mutants fail:
// test/extension, and TestOM_19 with -stories. They take minutes.
func TestTheRuleOfEachMutantIsInItsFunctionAndTheManagerCompilesWithoutIt(t *testing.T) {
	root, err := environment.Root()
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		overlay func(root, dir string, mutants ...Mutant) (string, error)
		mutants []Mutant
	}{
		"for specs":      {Overlay, All()},
		"for invariants": {SwitchedOverlay, Invariants()},
		"for defects":    {SwitchedOverlay, mutantsOf(Perturbed())},
	} {
		t.Run(name, func(t *testing.T) {
			overlay, err := test.overlay(root, t.TempDir(), test.mutants...)
			if err != nil {
				t.Fatal(err)
			}
			arguments := []string{"build", "-trimpath", "-buildvcs=false", "-overlay", overlay}
			for _, each := range test.mutants {
				arguments = append(arguments, "./"+each.Package)
			}
			command := exec.CommandContext(t.Context(), "go", arguments...)
			command.Dir = root
			if output, err := command.CombinedOutput(); err != nil {
				t.Errorf("a manager without the rules does not compile: %v\n%s", err, output)
			}
		})
	}
}

func TestEachMutantHasASpecOfItsOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, each := range All() {
		if !slices.ContainsFunc(specs.All(), func(s spec.Spec) bool { return strings.HasSuffix(s.Name, "] "+each.Spec) }) {
			t.Errorf("the mutant in %s names no spec: %q", each.Place(), each.Spec)
		}
		if seen[each.Spec] {
			t.Errorf("two mutants name the spec %q", each.Spec)
		}
		seen[each.Spec] = true
	}
}

func TestAFunctionIsFoundByItsNameInAnyFileOfItsPackage(t *testing.T) {
	const one = "package p\n\nfunc rule() bool {\n\treturn false\n}\n\nfunc other() {}\n"
	const two = "package p\n\ntype t[K any] struct{}\n\nfunc (x *t[K]) rule() bool { return false }\n\nfunc (t[K]) other() {}\n"
	for _, test := range []struct{ name, function, want, err string }{
		{"a function", "rule", "func rule() bool {\nreturn true\n\treturn false\n}", ""},
		{"a method of a pointer", "(*t).rule", "func (x *t[K]) rule() bool {\nreturn true\n return false }", ""},
		{"a method of a value", "t.other", "func (t[K]) other() {\nreturn true\n}", ""},
		{"a function that is gone", "gone", "", "package p has function gone 0 times"},
		{"a method by the wrong receiver", "t.rule", "", "package p has function t.rule 0 times"},
		{"a function of tests", "inTests", "", "package p has function inTests 0 times"},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := writeFiles(t, map[string]string{"one.go": one, "two.go": two, "one_test.go": "package p\n\nfunc inTests() {}\n"})
			sources := map[string][]byte{}
			err := Mutant{Package: "p", Function: test.function, Begin: "return true"}.apply(root, sources)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("error %v, want %q", err, test.err)
				}
				return
			}
			if err != nil || len(sources) != 1 {
				t.Fatalf("%d files changed, error %v", len(sources), err)
			}
			for path, source := range sources {
				if !strings.Contains(string(source), test.want) {
					t.Errorf("%s has no %q:\n%s", path, test.want, source)
				}
			}
		})
	}
}

func TestAnAmbiguousFunctionIsRefused(t *testing.T) {
	root := writeFiles(t, map[string]string{"linux.go": "package p\n\nfunc rule() {}\n", "others.go": "//go:build !linux\n\npackage p\n\nfunc rule() {}\n"})
	err := Mutant{Package: "p", Function: "rule", Begin: "return"}.apply(root, map[string][]byte{})
	if err == nil || !strings.Contains(err.Error(), "2 times") {
		t.Errorf("got error %v, want one for two functions of one name", err)
	}
}

func TestMutantsOfOneFileAreAppliedTogether(t *testing.T) {
	root := writeFiles(t, map[string]string{"p.go": "package p\n\nfunc a() {}\n\nfunc b() {}\n"})
	dir := t.TempDir()
	if _, err := Overlay(root, dir, Mutant{Package: "p", Function: "a", Begin: "_ = 1"}, Mutant{Package: "p", Function: "b", Begin: "_ = 2"}); err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(dir, "0.go"))
	if want := "package p\n\nfunc a() {\n_ = 1\n}\n\nfunc b() {\n_ = 2\n}\n"; err != nil || string(source) != want {
		t.Errorf("the source is %q (error %v), want %q", source, err, want)
	}
}

// writeFiles writes files, by name, to the folder p of a new temporary directory, and returns the path of that directory.
func writeFiles(t *testing.T, files map[string]string) (root string) {
	t.Helper()
	root = t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "p"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(root, "p", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}
