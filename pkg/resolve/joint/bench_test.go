package joint

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/upgrade"
	"github.com/openshift/platform-operators/test/realdata"
)

// hundred returns operators for all real packages, half of them installed at their oldest version, and synthetic operators that require one
// another and conflict.
func hundred(tb testing.TB) ([]resolve.Request, resolve.ClusterState) {
	tb.Helper()
	made := newFleet(
		[]string{"made-a@1.0.0", "1.0.0", "1.1.0 requires=made-b:>=1.0.0", "2.0.0 requires=C"},
		[]string{"made-b", "1.0.0 provides=B", "2.0.0 provides=B requires=made-a:>=1.1.0"},
		[]string{"made-c", "1.0.0 provides=C requires=B", "2.0.0 provides=B"},
		[]string{"made-d", "1.0.0 provides=C"},
		[]string{"made-e@1.0.0", "1.0.0 provides=E", "2.0.0 provides=E,F"},
		[]string{"made-f", "1.0.0 requires=E,F"},
		[]string{"made-g", "1.0.0 requires=F provides=C"},
	)
	requests, bundles := made.requests, 0
	catalogs := map[string][]resolve.Catalog{}
	for _, source := range []struct {
		id  catalog.ID
		dir string
	}{{community, "community-v4.20"}, {cluster, "certified-v4.20"}} {
		for _, file := range realdata.Glob(tb, filepath.Join("catalogs", source.dir, "*", "catalog.yaml")) {
			for _, pkg := range readFile(tb, file) {
				bundles += len(pkg.Bundles)
				if len(catalogs[pkg.Name]) == 0 {
					requests = append(requests, requestOf(pkg, len(requests)%2 == 0))
				}
				catalogs[pkg.Name] = append(catalogs[pkg.Name], resolve.Catalog{ID: source.id, Package: &pkg})
			}
		}
	}
	if len(requests) != 100 || bundles != 1_479 {
		tb.Fatalf("%d operators with %d bundles are too few", len(requests), bundles)
	}
	return requests, resolve.ClusterState{
		Kinds: []resolve.Kind{{GVK: catalog.GVK{Group: "cert-manager.io", Version: "v1", Kind: "Certificate"}}},
		Catalogs: func(pkg string) []resolve.Catalog {
			if catalogs[pkg] == nil {
				return made.state.Catalogs(pkg)
			}
			return catalogs[pkg]
		},
	}
}

// requestOf returns a request for a real package. If installed is true, the oldest version of the default channel is installed.
func requestOf(pkg catalog.Package, installed bool) resolve.Request {
	req := resolve.Request{Operator: pkg.Name, Package: pkg.Name, ClusterVersion: "4.20.0", KubeVersion: "v1.33.0"}
	channel, _ := pkg.Channel(pkg.DefaultChannel)
	var oldest upgrade.Version
	for _, entry := range channel.Entries {
		bundle, _ := pkg.Bundle(entry.Name)
		version, err := upgrade.ParseVersion(bundle.Version, bundle.Release)
		if installed && err == nil && (oldest.IsZero() || version.Compare(oldest) < 0) {
			oldest, req.InstalledVersion, req.InstalledBundle = version, bundle.Version, bundle.Name
		}
	}
	return req
}

// readFile returns the packages of a catalog file.
func readFile(tb testing.TB, file string) []catalog.Package {
	tb.Helper()
	in, err := os.Open(file)
	if err != nil {
		tb.Fatal(err)
	}
	defer in.Close()
	packages, err := catalog.Read(in, nil)
	if err != nil {
		tb.Fatalf("%s: %v", file, err)
	}
	return packages
}

func BenchmarkResolveAll(b *testing.B) {
	requests, state := hundred(b)
	b.ReportAllocs()
	for b.Loop() {
		if got := ResolveAll(requests, state); len(got) != len(requests) {
			b.Fatal(len(got))
		}
	}
}

// BenchmarkOneChanged decides after a change of the content of one package of a hundred.
func BenchmarkOneChanged(b *testing.B) {
	requests, state := hundred(b)
	variants, catalogs := twoContents(b, state, "project-quay")
	at := 0
	state.Catalogs = func(pkg string) []resolve.Catalog {
		if pkg == "project-quay" {
			return variants[at]
		}
		return catalogs(pkg)
	}
	for name, decide := range map[string]func(*Cache) int{
		"all":  func(c *Cache) int { return len(c.ResolveAll(requests, state)) },
		"it":   func(c *Cache) int { return 99 + c.Resolve("project-quay", requests, state).Decided },
		"none": func(c *Cache) int { return 100 + c.Resolve(requests[3].Operator, requests, state).Decided },
	} {
		b.Run(name, func(b *testing.B) {
			var cache Cache
			cache.ResolveAll(requests, state)
			b.ReportAllocs()
			for b.Loop() {
				if name != "none" {
					at = 1 - at
				}
				if got := decide(&cache); got != 100 {
					b.Fatal(got)
				}
			}
		})
	}
}

// twoContents returns two contents of a package, the original and one without the first bundle of each catalog, and the original function
// Catalogs.
func twoContents(tb testing.TB, state resolve.ClusterState, pkg string) (variants [2][]resolve.Catalog, others func(string) []resolve.Catalog) {
	tb.Helper()
	for i := range variants {
		for _, c := range state.Catalogs(pkg) {
			own := *c.Package
			own.Bundles = append([]catalog.Bundle(nil), own.Bundles[i:]...)
			c.Package = &own
			variants[i] = append(variants[i], c)
		}
	}
	return variants, state.Catalogs
}
