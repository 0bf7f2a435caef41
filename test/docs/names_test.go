package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const root = "../.."

// apis has the folders of the packages of the API, by import name. The packages declare a constant for every name that users see.
var apis = map[string]string{
	"corev1alpha2":     "pkg/apis/core/v1alpha2",
	"platformv1alpha1": "pkg/apis/platform/v1alpha1",
	"operatorv1alpha1": "pkg/apis/operator/v1alpha1",
}

// constantsIn returns the string constants of a package whose names have a prefix, by name. It includes constants that are set to another
// constant of the package.
func constantsIn(t *testing.T, folder, prefix string) map[string]string {
	t.Helper()
	all := map[string]string{}
	alias := map[string]string{}
	for _, path := range goFiles(t, folder) {
		ast.Inspect(parseFile(t, path), func(node ast.Node) bool {
			spec, ok := node.(*ast.ValueSpec)
			if !ok || len(spec.Values) != len(spec.Names) {
				return true
			}
			for i, name := range spec.Names {
				switch value := spec.Values[i].(type) {
				case *ast.BasicLit:
					if text, err := strconv.Unquote(value.Value); err == nil {
						all[name.Name] = text
					}
				case *ast.Ident:
					alias[name.Name] = value.Name
				}
			}
			return true
		})
	}
	for name, of := range alias {
		if value, found := all[of]; found {
			all[name] = value
		}
	}
	maps.DeleteFunc(all, func(name, _ string) bool { return !strings.HasPrefix(name, prefix) })
	return all
}

// apiConstants returns the string constants of all packages of the API whose names have a prefix, by qualified name, as in
// "corev1alpha2.ReasonHealthy".
func apiConstants(t *testing.T, prefix string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for imported, folder := range apis {
		for name, value := range constantsIn(t, folder, prefix) {
			all[imported+"."+name] = value
		}
	}
	return all
}

// expectUsed checks that the manager's code uses every constant. The keys are qualified names.
func expectUsed(t *testing.T, constants map[string]string) {
	t.Helper()
	used := map[string]bool{}
	for _, path := range managerFiles(t) {
		ast.Inspect(parseFile(t, path), func(node ast.Node) bool {
			used[selectorName(node)] = true
			return true
		})
	}
	for name, value := range constants {
		if !used[name] {
			t.Errorf("%s (%q) is used by no code under pkg/", name, value)
		}
	}
}

// selectorName returns "package.Name" if a node is such a selector, or else "".
func selectorName(node ast.Node) string {
	if selector, ok := node.(*ast.SelectorExpr); ok {
		if from, ok := selector.X.(*ast.Ident); ok {
			return from.Name + "." + selector.Sel.Name
		}
	}
	return ""
}

// managerFiles returns the files of the manager's code. It leaves out the API, generated code, and the scenario library, which
// no program imports.
func managerFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	for _, path := range goFiles(t, "pkg") {
		isIn := func(folder string) bool { return strings.HasPrefix(path, filepath.Join(root, "pkg", folder)+"/") }
		if !isIn("apis") && !isIn("client") && !isIn("scenario") {
			files = append(files, path)
		}
	}
	if len(files) < 50 {
		t.Fatalf("found only %d files under pkg/, want at least 50", len(files))
	}
	return files
}

// goFiles returns the Go files of a folder and its subfolders, without tests.
func goFiles(t *testing.T, folder string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func parseFile(t *testing.T, path string) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// section returns the text below a "## " heading of a page in docs/, up to the next heading of this level. It fails the test if there is no
// such heading.
func section(t *testing.T, page, heading string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", page))
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(text), "\n## "+heading+"\n")
	if !found {
		t.Fatalf("docs/%s has no section %q", page, heading)
	}
	below, _, _ := strings.Cut(after, "\n## ")
	return below
}

var codeWord = regexp.MustCompile("`([A-Za-z_]+)`")

// firstColumn returns the words in code style in the first column of two-column tables.
func firstColumn(text string) map[string]bool {
	words := map[string]bool{}
	for _, line := range strings.Split(text, "\n") {
		if cells := strings.Split(line, "|"); len(cells) == 4 {
			for _, word := range codeWord.FindAllStringSubmatch(cells[1], -1) {
				words[word[1]] = true
			}
		}
	}
	return words
}

// expectListed checks that a page lists exactly the values of the constants.
func expectListed(t *testing.T, page string, listed map[string]bool, constants map[string]string) {
	t.Helper()
	values := map[string]bool{}
	for name, value := range constants {
		values[value] = true
		if !listed[value] {
			t.Errorf("docs/%s does not list %q (%s)", page, value, name)
		}
	}
	for word := range listed {
		if !values[word] {
			t.Errorf("docs/%s lists %q, and pkg/apis has no such constant", page, word)
		}
	}
}
