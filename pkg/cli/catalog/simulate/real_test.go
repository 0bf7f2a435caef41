package simulate

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openshift/platform-operators/pkg/cli/catalog/content"
	"github.com/openshift/platform-operators/pkg/cli/catalog/semantics"
	"github.com/openshift/platform-operators/test/realdata"
)

// TestCLI_17_ReachabilityInTheRealCatalogs checks the totals of the simulation with those of UPG-V13: versions, and those that are stranded
// and cut off under the semantics that the packages select, which is channel. It also checks that a version without a target is stranded,
// the head, or above it, and that each path ends at its target.
func TestCLI_17_ReachabilityInTheRealCatalogs(t *testing.T) {
	type totals struct{ Versions, Stranded, CutOff int }
	for catalog, want := range map[string]totals{"community-v4.20": {803, 29, 216}, "certified-v4.20": {676, 14, 25}} {
		selection := content.Selection{Argument: realdata.Path(t, filepath.Join("catalogs", catalog))}
		packages, err := selection.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		report := NewReport(Input{Catalog: catalog, Packages: packages, Semantics: semantics.OfPackage})
		got := totals{Versions: report.Summary.Versions}
		for _, p := range report.Packages {
			for _, version := range p.Versions {
				outcome := version.Outcome
				if outcome.Stranded {
					got.Stranded++
				}
				if outcome.CutOff {
					got.CutOff++
				}
				if outcome.Stranded != (outcome.Target == "") && version.Version != p.Head {
					t.Errorf("%s %s: stranded is %t, and the target is %q", p.Name, version.Version, outcome.Stranded, outcome.Target)
				}
				if steps := len(outcome.Path); steps > 0 && outcome.Path[steps-1] != outcome.Target {
					t.Errorf("%s %s: the path %q does not end at %s", p.Name, version.Version, outcome.Path, outcome.Target)
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-UPG-V13 +simulation):\n%s", catalog, diff)
		}
	}
}
