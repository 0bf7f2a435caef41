package docs

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

func TestProgressDeadlineIsTheSameInCodeCommentsAndPages(t *testing.T) {
	expectUsed(t, map[string]string{"corev1alpha2.DefaultProgressDeadlineSeconds": strconv.Itoa(corev1alpha2.DefaultProgressDeadlineSeconds)})
	stated := map[string]string{}
	for _, path := range []string{"pkg/apis/core/v1alpha2/bundledeployment.go", "pkg/apis/platform/v1alpha1/platformoperator.go"} {
		stated[path] = number(regexp.MustCompile(`Defaults to (\d+)`), fieldComment(t, path, "ProgressDeadlineSeconds"))
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "bundledeployments.md"))
	if err != nil {
		t.Fatal(err)
	}
	stated["docs/bundledeployments.md"] = number(regexp.MustCompile("(?m)^\\| `progressDeadlineSeconds` \\|.*\\| (\\d+) \\|$"), string(page))
	for place, seconds := range stated {
		if seconds != strconv.Itoa(corev1alpha2.DefaultProgressDeadlineSeconds) {
			t.Errorf("%s says that the default deadline is %q seconds; it is %d", place, seconds, corev1alpha2.DefaultProgressDeadlineSeconds)
		}
	}
}

// number returns the first group of the first match, or "" if nothing matches.
func number(pattern *regexp.Regexp, text string) string {
	if found := pattern.FindStringSubmatch(text); found != nil {
		return found[1]
	}
	return ""
}

// fieldComment returns the doc comment of the first field with this name in a file, or "" if there is none.
func fieldComment(t *testing.T, path, name string) string {
	t.Helper()
	comment := ""
	ast.Inspect(parseFile(t, filepath.Join(root, path)), func(node ast.Node) bool {
		if field, ok := node.(*ast.Field); ok && comment == "" && len(field.Names) == 1 && field.Names[0].Name == name {
			comment = field.Doc.Text()
		}
		return true
	})
	return comment
}
