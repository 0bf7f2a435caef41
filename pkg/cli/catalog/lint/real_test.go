package lint

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openshift/platform-operators/pkg/cli/catalog/content"
	"github.com/openshift/platform-operators/pkg/cli/catalog/semantics"
	"github.com/openshift/platform-operators/test/realdata"
)

// goldenFile has the numbers of UPG-V13 for every package of the real catalogs.
const goldenFile = "../../../upgrade/testdata/catalogs-v4.20.golden"

// onlyPrereleases has the numbers of packages whose channels have nothing but pre-releases. Semantic versioning leads from one of these
// pre-releases to the next, as for the manager (UPG-V2). The golden file treats them like pre-releases of other packages, so that 89 semver
// edges are missing in it.
var onlyPrereleases = map[string]string{
	"couchbase-enterprise-certified": "13 9 0 38 45 0 78 78 0 0 0 0 0 0",
	"habana-ai-operator":             "7 6 0 15 16 0 21 21 0 0 0 0 0 0",
}

// line returns the numbers of a package in the order of the golden file, after the package's name and its head.
func (p Package) line() string {
	e := p.Edges
	return strings.Trim(fmt.Sprint(p.Versions, e.Replaces, e.Skips, e.SkipRange, e.Channel, e.Downgrades, e.Semver, e.Both, p.Stranded.Channel,
		p.Stranded.Semver, p.Stranded.Both, p.CutOff.Channel, p.CutOff.Semver, p.CutOff.Both), "[]")
}

// goldenLines returns the lines of the golden file for a catalog by package: the head, and the numbers as line returns them.
func goldenLines(t *testing.T, catalog string) map[string][2]string {
	t.Helper()
	raw, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(raw), "\n"+catalog+"\n")
	if !found {
		t.Fatalf("%s has no catalog %s", goldenFile, catalog)
	}
	lines := map[string][2]string{}
	for line := range strings.Lines(section) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] == "total" {
			break
		}
		if fields[0] != "package" {
			lines[fields[0]] = [2]string{fields[2], strings.Join(slices.Concat(fields[1:2], fields[3:]), " ")}
		}
	}
	return lines
}

// TestCLI_17_TheRealCatalogsHaveTheNumbersOfUPG_V13 checks the numbers of each package of the real catalogs, and how long the lint takes.
// The limit leaves room for a loaded machine.
func TestCLI_17_TheRealCatalogsHaveTheNumbersOfUPG_V13(t *testing.T) {
	packages := 0
	var took time.Duration
	for _, catalog := range []string{"community-v4.20", "certified-v4.20"} {
		selection := content.Selection{Argument: realdata.Path(t, filepath.Join("catalogs", catalog))}
		began := time.Now()
		read, err := selection.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		report := NewReport(catalog, read, semantics.All, nil)
		took += time.Since(began)
		packages += report.Summary.Packages
		if report.Summary.Errors > 0 {
			t.Errorf("%s: got %d errors in a catalog that is in use", catalog, report.Summary.Errors)
		}
		want, got := goldenLines(t, catalog), map[string][2]string{}
		for _, p := range report.Packages {
			got[p.Name] = [2]string{p.Head, p.line()}
			if numbers, isOnly := onlyPrereleases[p.Name]; isOnly {
				want[p.Name] = [2]string{want[p.Name][0], numbers}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-UPG-V13 +lint):\n%s", catalog, diff)
		}
	}
	t.Logf("the lint of %d packages took %s", packages, took)
	if packages != 96 || took > 20*time.Second {
		t.Errorf("the lint of %d packages took %s", packages, took)
	}
}
