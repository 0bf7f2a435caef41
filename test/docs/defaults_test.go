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
	wantUsed(t, map[string]string{"corev1alpha2.DefaultProgressDeadlineSeconds": strconv.Itoa(corev1alpha2.DefaultProgressDeadlineSeconds)})
	said := map[string]string{}
	for _, path := range []string{"pkg/apis/core/v1alpha2/bundledeployment.go", "pkg/apis/platform/v1alpha1/platformoperator.go"} {
		said[path] = number(regexp.MustCompile(`Defaults to (\d+)`), fieldComment(t, path, "ProgressDeadlineSeconds"))
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "bundledeployments.md"))
	if err != nil {
		t.Fatal(err)
	}
	said["docs/bundledeployments.md"] = number(regexp.MustCompile("(?m)^\\| `progressDeadlineSeconds` \\|.*\\| (\\d+) \\|$"), string(page))
	for where, seconds := range said {
		if seconds != strconv.Itoa(corev1alpha2.DefaultProgressDeadlineSeconds) {
			t.Errorf("%s says that the deadline is %q seconds where the spec does not say; it is %d", where, seconds, corev1alpha2.DefaultProgressDeadlineSeconds)
		}
	}
}

// number gives the first group of a match; empty without one.
func number(pattern *regexp.Regexp, text string) string {
	if found := pattern.FindStringSubmatch(text); found != nil {
		return found[1]
	}
	return ""
}

// fieldComment gives the comment of the first field of a name in a file.
func fieldComment(t *testing.T, path, name string) string {
	t.Helper()
	comment := ""
	ast.Inspect(parsed(t, filepath.Join(root, path)), func(node ast.Node) bool {
		if field, ok := node.(*ast.Field); ok && comment == "" && len(field.Names) == 1 && field.Names[0].Name == name {
			comment = field.Doc.Text()
		}
		return true
	})
	return comment
}
