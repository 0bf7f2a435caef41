package upgrade

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Promise UPG-V1: A semver edge leads to a later patch version of the same 0.y or x.y, and to a later minor version of the same major
// version from 1 on. None leads from 0.0.z, across 0.y or major versions, or down.
func TestUPG_V1_SemverEdges(t *testing.T) {
	for name, test := range map[string]struct {
		from, to string
		want     bool
	}{
		"0.0.z to a later 0.0.z":        {"0.0.1", "0.0.2", false},
		"0.0.z to 0.1":                  {"0.0.1", "0.1.0", false},
		"0.y.z to a later patch":        {"0.3.1", "0.3.7", true},
		"0.y to 0.y+1":                  {"0.3.1", "0.4.0", false},
		"0.y to 1":                      {"0.3.1", "1.0.0", false},
		"x.y.z to a later patch":        {"1.2.3", "1.2.9", true},
		"x.y to a later minor, lower z": {"1.2.5", "1.3.0", true},
		"x.y to a much later minor":     {"1.2.5", "1.11.4", true},
		"x to x+1":                      {"1.2.5", "2.0.0", false},
		"down a patch":                  {"1.2.5", "1.2.4", false},
		"down a minor":                  {"1.2.5", "1.1.9", false},
	} {
		t.Run(name, func(t *testing.T) {
			g := New(Package{Default: Semver, Bundles: parsePackage(t, test.from+"\n"+test.to).Bundles})
			got := len(edgesFrom(g, test.from)) == 1
			if got != test.want {
				t.Errorf("%s → %s is an edge: %v, want %v", test.from, test.to, got, test.want)
			}
		})
	}
}

// Promise UPG-V2: A semver edge leads from a prerelease to its release, a later release or a later prerelease of its version, and none
// from a release to a prerelease. In a channel of prereleases only, they lead to one another.
func TestUPG_V2_SemverEdgesAndPrereleases(t *testing.T) {
	for name, test := range map[string]struct {
		from, to        string
		onlyPrereleases bool
		want            bool
	}{
		"a release to a pre-release":                                    {from: "1.2.0", to: "1.3.0-rc.1"},
		"a pre-release to its release":                                  {from: "1.3.0-rc.1", to: "1.3.0", want: true},
		"a pre-release to a later one of the same version":              {from: "1.3.0-rc.1", to: "1.3.0-rc.2", want: true},
		"a pre-release to an earlier one":                               {from: "1.3.0-rc.2", to: "1.3.0-rc.1"},
		"a pre-release to a later release":                              {from: "1.3.0-rc.1", to: "1.4.2", want: true},
		"a pre-release to one of another version":                       {from: "1.3.0-rc.1", to: "1.4.0-rc.1"},
		"the same where there are pre-releases only":                    {from: "1.3.0-rc.1", to: "1.4.0-rc.1", onlyPrereleases: true, want: true},
		"across majors where there are pre-releases only":               {from: "1.3.0-rc.1", to: "2.0.0-rc.1", onlyPrereleases: true},
		"a 0.0.z pre-release to its release":                            {from: "0.0.3-rc.1", to: "0.0.3", want: true},
		"a 0.0.z pre-release to a later release":                        {from: "0.0.3-rc.1", to: "0.0.4"},
		"a release to a pre-release where there are pre-releases only ": {from: "1.3.0", to: "1.4.0-rc.1", onlyPrereleases: true},
	} {
		t.Run(name, func(t *testing.T) {
			g := New(Package{Default: Semver, OnlyPrereleases: test.onlyPrereleases, Bundles: parsePackage(t, test.from+"\n"+test.to).Bundles})
			if got := len(edgesFrom(g, test.from)) == 1; got != test.want {
				t.Errorf("%s → %s is an edge: %v, want %v", test.from, test.to, got, test.want)
			}
		})
	}
}

const channels = `
1.0.0
1.1.0
1.2.0
1.3.0
2.0.0
stable: 1.0.0
stable: 1.1.0 replaces 1.0.0
stable: 1.2.0 replaces 1.1.0 skips 1.0.0
stable: 2.0.0 skipRange >=1.1.0 <1.3.0
edge: 1.3.0 replaces 1.2.0
`

// Promise UPG-V3: A channel edge leads from any bundle of the package to a channel entry that replaces or skips it or whose skipRange
// covers it, and never down. A skipRange that leads down or cannot be read is named.
func TestUPG_V3_ChannelEdges(t *testing.T) {
	for name, test := range map[string]struct {
		lines string
		want  []string
	}{
		"replaces, skips and skipRange, across channels and majors": {channels, []string{
			`1.0.0 → 1.1.0: replaces in channel "stable"`,
			`1.0.0 → 1.2.0: skips in channel "stable"`,
			`1.1.0 → 1.2.0: replaces in channel "stable"`,
			`1.1.0 → 2.0.0: skipRange in channel "stable"`,
			`1.2.0 → 1.3.0: replaces in channel "edge"`,
			`1.2.0 → 2.0.0: skipRange in channel "stable"`,
		}},
		"from a bundle that is in no channel": {"1.0.0\n1.1.0\nstable: 1.1.0 skipRange <1.1.0", []string{
			`1.0.0 → 1.1.0: skipRange in channel "stable"`,
		}},
		"what would lead down is no edge":                                                  {"1.0.0\n1.1.0\nstable: 1.0.0 replaces 1.1.0 skipRange >=1.0.0 <2.0.0", nil},
		"an entry without a bundle leads nowhere, one with an absent predecessor is there": {"1.1.0\nstable: 1.1.0 replaces 1.0.0\nstable: 1.2.0 replaces 1.1.0", nil},
		"an edge that several say is one": {"1.0.0\n1.1.0\na: 1.1.0 replaces 1.0.0\nb: 1.1.0 replaces 1.0.0 skips 1.0.0", []string{
			`1.0.0 → 1.1.0: replaces in channel "a", replaces in channel "b", skips in channel "b"`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, drawn(New(parsePackage(t, test.lines)))); diff != "" {
				t.Errorf("edges (-want +got):\n%s", diff)
			}
		})
	}

	t.Run("a skipRange that would lead down is named to who asks", func(t *testing.T) {
		g := New(parsePackage(t, "1.0.0\n1.1.0\nstable: 1.0.0 skipRange >=1.0.0 <2.0.0"))
		if down := g.Downgrades(); len(down) != 1 || down[0].Sources[0].Kind != FromSkipRange {
			t.Errorf("got %v", down)
		}
	})
	t.Run("a skipRange that cannot be read is named", func(t *testing.T) {
		g := New(parsePackage(t, "1.0.0\n1.1.0\nstable: 1.1.0 skipRange about 1"))
		if notes := strings.Join(g.Notes(), "\n"); !strings.Contains(notes, `"about 1"`) || !strings.Contains(notes, `"p.v1.1.0" in channel "stable"`) {
			t.Errorf("got %q", notes)
		}
	})
	t.Run("what is installed need not be in any catalog", func(t *testing.T) {
		r := New(parsePackage(t, channels)).From(installedAt(t, "1.2.4"), nil)
		if got := way(t, r, "2.0.0"); got != "2.0.0" {
			t.Errorf("got %s", got)
		}
	})
}

// Promise UPG-V4: With the semantics "both", the edges are the union of channel edges and semver edges, and each edge names its sources.
func TestUPG_V4_BothSemantics(t *testing.T) {
	pkg := parsePackage(t, channels)
	edges := map[Semantics][]string{}
	for _, semantics := range []Semantics{Channel, Semver, Both} {
		pkg.Default = semantics
		edges[semantics] = drawn(New(pkg))
	}
	if !slices.Contains(edges[Both], `1.0.0 → 1.1.0: replaces in channel "stable", semver`) {
		t.Errorf("an edge does not say that it comes from both: %q", edges[Both])
	}
	ends := func(edges ...string) []string {
		var all []string
		for _, edge := range edges {
			end, _, _ := strings.Cut(edge, ":")
			all = append(all, end)
		}
		slices.Sort(all)
		return slices.Compact(all)
	}
	if diff := cmp.Diff(ends(append(edges[Channel], edges[Semver]...)...), ends(edges[Both]...)); diff != "" {
		t.Errorf("both are not the union (-want +got):\n%s", diff)
	}
}

// Promise UPG-V12: Versions that differ in build metadata or release only have one order, whatever the order of the input. An edge leads
// to the later one.
func TestUPG_V12_OrderOfEqualVersions(t *testing.T) {
	want := []string{"1.0.0-rc.1", "1.0.0", "1.0.0+2", "1.0.0+10", "1.0.0+b", "1.0.0+b.1", "1.0.0 (release 2)", "1.0.0 (release 10)", "1.0.0 (release rc)", "1.0.1"}
	lines := strings.NewReplacer("(", "", ")", "").Replace(strings.Join(want, "\n"))
	for i := range 20 {
		pkg := parsePackage(t, lines)
		rotated := append(slices.Clone(pkg.Bundles[i%len(want):]), pkg.Bundles[:i%len(want)]...)
		if i%2 == 1 {
			slices.Reverse(rotated)
		}
		pkg.Bundles = rotated
		var got []string
		for _, bundle := range New(pkg).Bundles() {
			got = append(got, bundle.Version.String())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("order (-want +got):\n%s", diff)
		}
	}
	t.Run("what was built anew follows what it was built from", func(t *testing.T) {
		pkg := parsePackage(t, "0.0.1\n0.0.1 release 1\n1.0.0+1\n1.0.0+2")
		pkg.Default = Semver
		want := []string{"0.0.1 → 0.0.1 (release 1): semver", "1.0.0+1 → 1.0.0+2: semver"}
		if diff := cmp.Diff(want, drawn(New(pkg))); diff != "" {
			t.Errorf("edges (-want +got):\n%s", diff)
		}
	})
}

// edgesFrom returns the edges that leave a version.
func edgesFrom(g *Graph, version string) (edges []Edge) {
	for _, edge := range g.Edges() {
		if g.Bundles()[edge.From].Version.String() == version {
			edges = append(edges, edge)
		}
	}
	return edges
}

// drawn returns all edges as lines of text.
func drawn(g *Graph) (lines []string) {
	for _, edge := range g.Edges() {
		var sources []string
		for _, source := range edge.Sources {
			sources = append(sources, source.String())
		}
		lines = append(lines, fmt.Sprintf("%s → %s: %s", g.Bundles()[edge.From].Version, g.Bundles()[edge.To].Version, strings.Join(sources, ", ")))
	}
	return lines
}
