package docs

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestWordsOfStatusAreTheSameInCodePageAndCRD checks the enumerations of status fields: the page and the CRD have exactly the
// values of the constants.
func TestWordsOfStatusAreTheSameInCodePageAndCRD(t *testing.T) {
	crd, err := os.ReadFile(filepath.Join(root, "manifests", "0000_50_platform-operators_10-platformoperators.crd.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	const page = "platformoperators.md"
	for heading, fields := range map[string]map[string]string{ // of each section: the CRD's fields, and the prefix of their constants
		"Available updates": {"blockedReason": "Blocked"},
		"History":           {"state": "History", "trigger": "Trigger"},
	} {
		all := map[string]string{}
		for field, prefix := range fields {
			constants := constantsIn(t, "pkg/apis/platform/v1alpha1", prefix)
			if len(constants) < 5 {
				t.Fatalf("found only %d constants %s… in the code, want at least five", len(constants), prefix)
			}
			maps.Copy(all, constants)
			want := slices.Sorted(maps.Values(constants))
			if got := enumOf(t, string(crd), field); !slices.Equal(got, want) {
				t.Errorf("the CRD accepts %[2]v for %[1]s, want the constants %[3]v", field, got, want)
			}
		}
		expectListed(t, page, firstColumn(section(t, page, heading)), all)
	}
}

// enumOf returns the sorted enumeration of the first field with this name that has one. It fails the test if there is none.
func enumOf(t *testing.T, crd, field string) []string {
	t.Helper()
	found := regexp.MustCompile(`(?m)^( +)` + field + `:\n(?: +description:.*\n(?: {2,}.*\n)*?)? +enum:\n((?: +- \w+\n)+)`).FindStringSubmatch(crd)
	if found == nil {
		t.Fatalf("the CRD has no enumeration for %s", field)
	}
	return slices.Sorted(slices.Values(strings.Fields(strings.ReplaceAll(found[2], "- ", ""))))
}
