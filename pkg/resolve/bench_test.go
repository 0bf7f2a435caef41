package resolve

import (
	"path/filepath"
	"testing"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// hundred are all real packages as operators, every other one installed at its oldest version, and made-up ones beside them
// that need one another and quarrel.
func hundred(tb testing.TB) ([]Request, World) {
	tb.Helper()
	made := live(
		[]string{"made-a@1.0.0", "1.0.0", "1.1.0 needs=made-b:>=1.0.0", "2.0.0 needs=C"},
		[]string{"made-b", "1.0.0 brings=B", "2.0.0 brings=B needs=made-a:>=1.1.0"},
		[]string{"made-c", "1.0.0 brings=C needs=B", "2.0.0 brings=B"},
		[]string{"made-d", "1.0.0 brings=C"},
		[]string{"made-e@1.0.0", "1.0.0 brings=E", "2.0.0 brings=E,F"},
		[]string{"made-f", "1.0.0 needs=E,F"},
		[]string{"made-g", "1.0.0 needs=F brings=C"},
	)
	requests, bundles := made.requests, 0
	catalogs := map[string][]Catalog{}
	for _, source := range []struct {
		id  catalog.ID
		dir string
	}{{community, "community-v4.20"}, {cluster, "certified-v4.20"}} {
		files, err := filepath.Glob(filepath.Join(realCatalogs, source.dir, "*", "catalog.yaml"))
		if err != nil || len(files) == 0 {
			tb.Skipf("no catalogs in %s: the real data is not beside this checkout", realCatalogs)
		}
		for _, file := range files {
			for _, pkg := range readFile(tb, file) {
				bundles += len(pkg.Bundles)
				if len(catalogs[pkg.Name]) == 0 {
					requests = append(requests, requestOf(pkg, len(requests)%2 == 0))
				}
				catalogs[pkg.Name] = append(catalogs[pkg.Name], Catalog{ID: source.id, Package: &pkg})
			}
		}
	}
	if len(requests) != 100 || bundles != 1_479 {
		tb.Fatalf("%d operators, %d bundles", len(requests), bundles)
	}
	return requests, World{
		Kinds: []Kind{{GVK: catalog.GVK{Group: "cert-manager.io", Version: "v1", Kind: "Certificate"}}},
		Catalogs: func(pkg string) []Catalog {
			if catalogs[pkg] == nil {
				return made.world.Catalogs(pkg)
			}
			return catalogs[pkg]
		},
	}
}

// requestOf asks for a real package, perhaps with its oldest version installed.
func requestOf(pkg catalog.Package, installed bool) Request {
	req := Request{Operator: pkg.Name, Package: pkg.Name, ClusterVersion: "4.20.0", KubeVersion: "v1.33.0"}
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

func BenchmarkTogether(b *testing.B) {
	requests, world := hundred(b)
	b.ReportAllocs()
	for b.Loop() {
		if got := Together(requests, world); len(got) != len(requests) {
			b.Fatal(len(got))
		}
	}
}
