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

// The words that status uses beside conditions: what the page lists and what the CRD accepts are the constants.
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
				t.Fatalf("found %d constants %s… in the code; they must have moved", len(constants), prefix)
			}
			maps.Copy(all, constants)
			want := slices.Sorted(maps.Values(constants))
			if got := enumOf(t, string(crd), field); !slices.Equal(got, want) {
				t.Errorf("the CRD accepts as %s %v, the constants are %v", field, got, want)
			}
		}
		wantSame(t, page, firstColumn(section(t, page, heading)), all)
	}
}

// enumOf gives the values that a CRD accepts in the only field of a name that has an enumeration, in order.
func enumOf(t *testing.T, crd, field string) []string {
	t.Helper()
	found := regexp.MustCompile(`(?m)^( +)` + field + `:\n(?: +description:.*\n(?: {2,}.*\n)*?)? +enum:\n((?: +- \w+\n)+)`).FindStringSubmatch(crd)
	if found == nil {
		t.Fatalf("the CRD has no enumeration for %s", field)
	}
	return slices.Sorted(slices.Values(strings.Fields(strings.ReplaceAll(found[2], "- ", ""))))
}
