package severity

import (
	"os"
	"regexp"
	"testing"

	"github.com/openshift/platform-operators/pkg/upgrade"
)

// TestCLI_17_ThePageHasTheSeverities compares the severity of each finding in docs/upgrade-rules.md with the code. A test of pkg/upgrade
// checks that the page has every finding.
func TestCLI_17_ThePageHasTheSeverities(t *testing.T) {
	page, err := os.ReadFile("../../../../docs/upgrade-rules.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (Error|Warning|Info) \\|").FindAllStringSubmatch(string(page), -1)
	if len(rows) < 20 {
		t.Errorf("the page has %d findings with a severity, want at least 20", len(rows))
	}
	for _, row := range rows {
		if got := Of(upgrade.FindingKind(row[1])); string(got) != row[2] {
			t.Errorf("%s has severity %s in the page and %s in the code", row[1], row[2], got)
		}
	}
}
