package graph

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/cli/printer"
)

// anchors returns a package with three versions in channel stable, and one of them and a pre-release in channel fast.
func anchors() *catalog.Package {
	p := &catalog.Package{Name: "anchor", DefaultChannel: "stable", Channels: []catalog.Channel{
		{Name: "fast", Entries: []catalog.Entry{{Name: "c"}, {Name: "d", Replaces: "c"}}},
		{Name: "stable", Entries: []catalog.Entry{{Name: "a"}, {Name: "b", Replaces: "a"}, {Name: "c", Replaces: "b"}}},
	}}
	for name, version := range map[string]string{"a": "1.0.0", "b": "1.1.0", "c": "2.0.0", "d": "2.1.0-rc.1", "e": "not a version"} {
		p.Bundles = append(p.Bundles, catalog.Bundle{Name: name, Version: version})
	}
	slices.SortFunc(p.Bundles, func(x, y catalog.Bundle) int { return int(x.Name[0]) - int(y.Name[0]) })
	return p
}

func operator(edges platformv1alpha1.Edges, channels ...string) *platformv1alpha1.PlatformOperator {
	o := &platformv1alpha1.PlatformOperator{}
	o.Spec.Package = platformv1alpha1.Package{Name: "anchor", Channels: channels}
	o.Spec.Upgrades = &platformv1alpha1.Upgrades{Edges: edges}
	o.Status.Installed = &platformv1alpha1.InstalledBundle{Bundle: "b", Version: "1.1.0"}
	return o
}

func TestCLI_7_EdgesOfAGraph(t *testing.T) {
	for name, test := range map[string]struct {
		in    Input
		edges []string
	}{
		"AllChannels":    {Input{}, []string{"a b replaces", "b c replaces", "c d replaces"}},
		"OneChannel":     {Input{Channels: []string{"fast"}}, []string{"c d replaces"}},
		"UnknownChannel": {Input{Channels: []string{"x"}}, nil},
		"Semver":         {Input{DefaultEdges: operatorv1alpha1.DefaultEdgesSemver}, []string{"a b semver"}},
		"Both": {Input{DefaultEdges: operatorv1alpha1.DefaultEdgesBoth}, []string{"a b replaces semver", "b c replaces", "c " +
			"d replaces"}},
		"DefaultChannel":    {Input{Operator: operator("")}, []string{"a b replaces", "b c replaces"}},
		"OperatorsChannels": {Input{Operator: operator("", "fast", "stable")}, []string{"a b replaces", "b c replaces", "c d replaces"}},
		"OperatorsEdges":    {Input{Operator: operator(platformv1alpha1.EdgesSemver)}, []string{"a b semver"}},
	} {
		t.Run(name, func(t *testing.T) {
			test.in.Package = anchors()
			var got []string
			for _, edge := range NewReport(test.in).Edges {
				text := edge.From + " " + edge.To
				for _, source := range edge.Sources {
					text += " " + source.Kind
				}
				got = append(got, text)
			}
			if !slices.Equal(got, test.edges) {
				t.Errorf("got %q, want %q", got, test.edges)
			}
		})
	}
}

func TestCLI_7_StatesOfVersions(t *testing.T) {
	waiting := operator("")
	waiting.Status.AvailableUpdates = []platformv1alpha1.AvailableUpdate{{Version: "2.0.0", BlockedReason: platformv1alpha1.BlockedPaused}}
	lost := operator("")
	lost.Status.Installed = &platformv1alpha1.InstalledBundle{Bundle: "z", Version: "1.5.0"}
	for name, test := range map[string]struct {
		in     Input
		max    string // olm.maxOpenShiftVersion of version 2.0.0
		steps  int    // of version 2.0.0
		reason string
	}{
		"Reachable":          {Input{Operator: operator("")}, "", 1, ""},
		"BlockedByTheStatus": {Input{Operator: waiting}, "", 1, "Paused"},
		"NoEdge":             {Input{Operator: operator(platformv1alpha1.EdgesSemver)}, "", 0, "NoEdge"},
		"NotInTheCatalog":    {Input{Operator: lost}, "", 0, "NoEdge"},
		"ClusterTooNew":      {Input{Operator: operator(""), ClusterVersion: "4.21.0"}, `"4.20"`, 0, "Unfit"},
		"ClusterFits":        {Input{Operator: operator(""), ClusterVersion: "4.20.9"}, `"4.20"`, 1, ""},
		"ClusterUnknown":     {Input{Operator: operator("")}, `"4.20"`, 1, ""},
		"UnreadableLimit":    {Input{Operator: operator(""), ClusterVersion: "4.20.9"}, `{}`, 0, "Unfit"},
		"SelfCertified":      {Input{Operator: operator(platformv1alpha1.EdgesSelfCertified)}, "", 1, ""},
		"NothingInstalled":   {Input{}, "", 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			test.in.Package = anchors()
			if test.max != "" {
				test.in.Package.Bundles[2].MaxOpenShiftVersions = []string{test.max}
			}
			nodes := NewReport(test.in).Nodes
			at := slices.IndexFunc(nodes, func(n Node) bool { return n.Version == "2.0.0" })
			if got := nodes[at]; got.Steps != test.steps || got.Reason != test.reason {
				t.Errorf("got %+v, want %d steps and reason %q", got, test.steps, test.reason)
			}
		})
	}
}

// TestCLI_7_JSONIsThatOfTheOtherCommands compares the edges that are written one by one with the report as a whole.
func TestCLI_7_JSONIsThatOfTheOtherCommands(t *testing.T) {
	for name, in := range map[string]Input{"Edges": {Package: anchors()}, "NoEdges": {Package: anchors(), Channels: []string{"x"}}} {
		report := NewReport(in)
		var got, want strings.Builder
		if err := errors.Join(report.writeJSON(&got), printer.Report(&want, printer.FormatJSON, report)); err != nil {
			t.Fatal(err)
		}
		if got.String() != want.String() {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got.String(), want.String())
		}
	}
}

func TestCLI_7_RunsOmitNoVersion(t *testing.T) {
	var r Report
	for _, version := range []string{"1", "2", "3", "4", "5", "6", "7"} {
		r.Nodes = append(r.Nodes, Node{Version: version})
	}
	for _, test := range []struct {
		positions []int
		want      string
	}{
		{[]int{0}, "1"}, {[]int{0, 1}, "2, 1"}, {[]int{0, 1, 2}, "1 to 3 (3 versions)"}, {[]int{0, 2, 3, 4, 6}, "7, 3 to 5 (3 versions), 1"},
	} {
		var group edgeGroup
		for _, position := range test.positions {
			group.add(position)
		}
		if got := r.runs(group.from); got != test.want {
			t.Errorf("%v: got %q, want %q", test.positions, got, test.want)
		}
	}
}

// TestCLI_7_ALargeGraphIsShort shows a package to which semantic versioning gives half a million edges. The limit leaves room for a loaded machine.
func TestCLI_7_ALargeGraphIsShort(t *testing.T) {
	const versions = 1000
	p := largePackage(versions)
	began := time.Now()
	report := NewReport(Input{Package: p, Catalog: "harbor", DefaultEdges: operatorv1alpha1.DefaultEdgesSemver})
	var out strings.Builder
	if err := report.writeText(&out, 0); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("the graph took %s", took)
	}
	if edges := versions * (versions - 1) / 2; len(report.Edges) != edges {
		t.Errorf("got %d edges, want %d", len(report.Edges), edges)
	}
	if lines := strings.Count(out.String(), "\n"); lines > 3*versions+10 {
		t.Errorf("got %d lines for %d versions", lines, versions)
	}
	for i := range versions {
		if !strings.Contains(out.String(), fmt.Sprintf("\n1.%d.0 [stable]\n", i)) {
			t.Fatalf("the text omits version 1.%d.0", i)
		}
	}
	if last := fmt.Sprintf("from 1.0.0 to 1.%d.0 (%d versions): semver\n", versions-2, versions-1); !strings.Contains(out.String(), last) {
		t.Errorf("the text has no line %q", last)
	}
}

// TestCLI_7_NoFormatIsWrittenAfterTheEnd checks that each writer ends with the context.
func TestCLI_7_NoFormatIsWrittenAfterTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	report := NewReport(Input{Package: anchors()})
	for name, write := range map[string]func(io.Writer) error{
		"mermaid": report.writeMermaid, "dot": report.writeDOT, "json": report.writeJSON,
		"text": func(w io.Writer) error { return report.writeText(w, 0) },
	} {
		var out strings.Builder
		if err := write(endingWriter{ctx, &out}); !errors.Is(err, context.Canceled) || out.Len() > 0 {
			t.Errorf("%s: got error %v and %q", name, err, out.String())
		}
	}
}

// TestCLI_7_DifferentRulesOfOneCatalogPermitNothing checks that the command reads rules as the manager does.
func TestCLI_7_DifferentRulesOfOneCatalogPermitNothing(t *testing.T) {
	p := anchors()
	for _, semantics := range []string{"channel", "semver"} {
		p.UpgradeRules = append(p.UpgradeRules, catalog.UpgradeRules{
			Schema: "io.openshift.operators.upgrades.v1alpha1", Location: "blob " + semantics, Raw: `{"semantics": "` + semantics + `"}`,
		})
	}
	report := NewReport(Input{Package: p, Catalog: "harbor"})
	if !slices.ContainsFunc(report.Notes, func(note string) bool { return strings.Contains(note, "2 different ones: blob channel") }) {
		t.Errorf("got notes %q", report.Notes)
	}
	for _, edge := range report.Edges {
		if edge.Reason != "RulesInvalid" {
			t.Errorf("got reason %q from %s to %s, want RulesInvalid", edge.Reason, edge.From, edge.To)
		}
	}
	if len(report.Edges) == 0 {
		t.Error("got no edges")
	}
}
