package graph

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
)

// largePackage returns a package of versions of which each leads to each higher one.
func largePackage(versions int) *catalog.Package {
	p := &catalog.Package{Name: "large", DefaultChannel: "stable", Channels: []catalog.Channel{{Name: "stable"}}}
	for i := range versions {
		name := fmt.Sprintf("large.v1.%d.0", i)
		p.Bundles = append(p.Bundles, catalog.Bundle{Name: name, Version: fmt.Sprintf("1.%d.0", i)})
		p.Channels[0].Entries = append(p.Channels[0].Entries, catalog.Entry{Name: name})
	}
	return p
}

// TestCLI_7_AHugeGraphIsBounded checks what the report of more than a million edges has, and that it says what it leaves out.
func TestCLI_7_AHugeGraphIsBounded(t *testing.T) {
	const versions = 1500
	installed := operator("")
	installed.Status.Installed = &platformv1alpha1.InstalledBundle{Bundle: "large.v1.3.0", Version: "1.3.0"}
	report := NewReport(Input{Package: largePackage(versions), Catalog: "harbor", DefaultEdges: operatorv1alpha1.DefaultEdgesSemver, Operator: installed,
		Channels: []string{"stable"}})
	total := versions * (versions - 1) / 2
	if report.EdgeTotal != total || len(report.Edges) > maxEdges+versions || report.Omitted != total-len(report.Edges) {
		t.Errorf("got %d of %d edges, and %d omitted, want %d in all", len(report.Edges), report.EdgeTotal, report.Omitted, total)
	}
	for name, from := range map[string]string{"the newest": "large.v1.1498.0", "the installed one": "large.v1.3.0"} {
		if !slices.ContainsFunc(report.Edges, func(e Edge) bool { return e.From == from && e.To == "large.v1.1499.0" }) {
			t.Errorf("the report has no edge from %s", name)
		}
	}
	if sentence := report.omission(); !strings.Contains(sentence, fmt.Sprintf("the graph has %d edges", total)) || !strings.Contains(sentence, report.firstKept) {
		t.Errorf("got %q", sentence)
	}
	var out strings.Builder
	if err := report.writeText(&out, 0); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); !strings.Contains(text, fmt.Sprintf("%d edges: %d semver\n", total, total)) ||
		!strings.Contains(text, "\n  from 1.0.0 to 1.1498.0 (1499 versions): semver\n") || strings.Contains(text, "not listed") {
		t.Errorf("the text omits edges: %.300s", text)
	}
}

func TestCLI_7_TheNewestVersionsAreKept(t *testing.T) {
	for _, test := range []struct {
		counts     []int
		most, want int
	}{{nil, 5, 0}, {[]int{3, 2, 1, 0}, 6, 0}, {[]int{3, 2, 1, 0}, 5, 1}, {[]int{3, 2, 1, 0}, 0, 3}, {[]int{3, 9}, 5, 2}} {
		if got := keptFrom(test.counts, test.most); got != test.want {
			t.Errorf("%v: got %d, want %d", test.counts, got, test.want)
		}
	}
}
