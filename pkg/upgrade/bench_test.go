package upgrade

import (
	"fmt"
	"strings"
	"testing"
)

// reachability computes every edge of a package and what every version reaches, under each semantics, and returns their numbers.
func reachability(pkg Package) (edges, reached int) {
	graph := New(pkg)
	for _, semantics := range allSemantics {
		g := graph.withSemantics(semantics)
		edges += len(g.Edges())
		for _, bundle := range g.Bundles() {
			for _, visit := range g.From(bundle, nil).best {
				reached += boolToInt(visit != nil)
			}
		}
	}
	return edges, reached
}

func BenchmarkRealCatalogs(b *testing.B) {
	catalogs := realPackages(b)
	const edges = 1893 + 2296 + 14862 + 6334 // without those under both semantics
	for _, times := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("edges and reachability of %d packages", times*96), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				total := 0
				for range times {
					for _, name := range catalogNames {
						for _, pkg := range catalogs[name] {
							edges, _ := reachability(pkg)
							total += edges
						}
					}
				}
				if total < times*edges {
					b.Fatalf("%d edges, want at least %d", total, times*edges)
				}
			}
		})
	}
	for name, do := range map[string]func(Package) int{
		"simulate": func(pkg Package) int { return len(Simulate(pkg).Results) },
		"lint":     func(pkg Package) int { return len(Lint(pkg)) + 1 },
	} {
		b.Run(name+" 96 packages", func(b *testing.B) {
			for b.Loop() {
				for _, name := range catalogNames {
					for _, pkg := range catalogs[name] {
						if do(pkg) == 0 {
							b.Fatal("nothing came of it")
						}
					}
				}
			}
		})
	}
	b.Run("one package, made and asked for every path from one version", func(b *testing.B) {
		for _, pkg := range catalogs["community-v4.20"] {
			if pkg.Name != "project-quay" {
				continue
			}
			b.ReportAllocs()
			for b.Loop() {
				r := New(pkg).From(pkg.Bundles[0], nil)
				for to := range r.graph.bundles {
					if _, ok := r.Path(to); !ok {
						r.Refusal(to)
					}
				}
			}
		}
	})
}

// large returns a package with this number of bundles and every kind of edge. Each major version has fifteen minor versions, and each minor
// version a channel.
func large(tb testing.TB, bundles int) Package {
	tb.Helper()
	var lines strings.Builder
	var before string
	for i := range bundles {
		major, minor, patch := 1+i/300, i%300/20, i%20
		version := fmt.Sprintf("%d.%d.%d", major, minor, patch)
		fmt.Fprintln(&lines, version)
		fmt.Fprintf(&lines, "stable-%d.%d: %s", major, minor, version)
		if before != "" {
			fmt.Fprintf(&lines, " replaces %s", before)
		}
		fmt.Fprintf(&lines, " skipRange >=%d.%d.0 <%s\n", major, max(minor-1, 0), version)
		before = version
	}
	return parsePackage(tb, lines.String())
}

func BenchmarkLargePackage(b *testing.B) {
	for name, pkg := range map[string]Package{
		"without steps": large(b, 1500),
		"with steps":    steps(b, large(b, 1500), Both, "<1.4.0 → 1.4.x → >=1.6.0 latest", "1.x → 1.14.x → >=2.0.0 latest", "<3.0.0 → 2.3.x → >=2.5.0", "4.x → 4.7.x || 4.9.x → >=5.0.0"),
		"impossible":    steps(b, large(b, 1500), Both, "<1.4.0 → 1.4.x → >=1.6.0", "1.x → 7.x → >=2.0.0", "<3.0.0 → 2.3.x → >=2.5.0", "<3.0.0 → 2.5.x → 2.3.x"),
	} {
		b.Run(name+", edges and reachability", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				reachability(pkg)
			}
		})
		b.Run(name+", simulate", func(b *testing.B) {
			for b.Loop() {
				Simulate(pkg)
			}
		})
		b.Run(name+", lint", func(b *testing.B) {
			for b.Loop() {
				Lint(pkg)
			}
		})
		b.Run(name+", one version", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				New(pkg).From(pkg.Bundles[0], nil)
			}
		})
	}
}
