package shell_test

import (
	"os/exec"
	"testing"

	"github.com/openshift/platform-operators/pkg/shell"
)

// TestQuoteMakesOneWord lets a shell read each quoted text.
func TestQuoteMakesOneWord(t *testing.T) {
	for _, word := range []string{
		"", "quay", "Kind/name.example.com", "a b", "  a\t", "it's", `"$HOME"`, "a; rm -rf b", "$(id)", "`id`", "a&b|c>d<e", "*", "~", "{a,b}",
		"!1", "#a", `\`, "'", "''", "a=b", "line\nline", "ü",
	} {
		output, err := exec.CommandContext(t.Context(), "sh", "-c", `printf '%s|' `+shell.Quote(word)).Output()
		if err != nil || string(output) != word+"|" {
			t.Errorf("%q is quoted as %s, and a shell reads it as %q: %v", word, shell.Quote(word), output, err)
		}
	}
	for _, word := range []string{"quay", "ClusterCatalog/harbor", "registry.example.com/a:v1@sha256:12", ">=1.0.0"} {
		if isPlain := shell.Quote(word) == word; isPlain != (word[0] != '>') {
			t.Errorf("got %s", shell.Quote(word))
		}
	}
}
