package catalog

import (
	"bytes"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/operator-framework/operator-registry/alpha/declcfg"
	"github.com/operator-framework/operator-registry/alpha/property"

	"github.com/openshift/platform-operators/test/realdata"
)

// realYAML returns the content of every file of one real catalog. It skips the test if the data is not available.
func realYAML(tb testing.TB, catalog string) [][]byte {
	tb.Helper()
	files := realdata.Glob(tb, filepath.Join("catalogs", catalog, "*", "catalog.yaml"))
	contents := make([][]byte, 0, len(files))
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		contents = append(contents, content)
	}
	return contents
}

// jsonLinesOf converts YAML documents to JSON, one on each line, as catalogd does.
func jsonLinesOf(tb testing.TB, contents [][]byte) []byte {
	tb.Helper()
	var out bytes.Buffer
	documents, err := newStream(bytes.NewReader(bytes.Join(contents, []byte("\n---\n"))), nil)
	if err != nil {
		tb.Fatal(err)
	}
	documents.yaml = true
	for {
		document, err := documents.next()
		if err == io.EOF {
			return out.Bytes()
		}
		if err != nil {
			tb.Fatal(err)
		}
		out.Write(document)
		out.WriteByte('\n')
	}
}

func TestReadOfRealCatalogs(t *testing.T) {
	type counts struct{ packages, channels, bundles, limits, kinds, needy, dated, provided int }
	for catalog, want := range map[string]counts{
		"community-v4.20": {packages: 37, channels: 85, bundles: 803, limits: 0, kinds: 6845, needy: 18, dated: 737, provided: 266},
		"certified-v4.20": {packages: 59, channels: 180, bundles: 676, limits: 4, kinds: 2893, needy: 47, dated: 617, provided: 258},
	} {
		t.Run(catalog, func(t *testing.T) {
			lines := jsonLinesOf(t, realYAML(t, catalog))
			packages, err := Read(bytes.NewReader(lines), nil)
			if err != nil {
				t.Fatal(err)
			}
			got := counts{packages: len(packages)}
			for _, p := range packages {
				got.channels += len(p.Channels)
				got.bundles += len(p.Bundles)
				if p.DefaultChannel == "" || p.Faults != nil {
					t.Errorf("package %q: default channel %q, faults %q", p.Name, p.DefaultChannel, p.Faults)
				}
				for _, b := range p.Bundles {
					got.limits += len(b.MaxOpenShiftVersions)
					got.kinds += len(b.ProvidedGVKs)
					if len(b.Requirements) > 0 {
						got.needy++
					}
					if b.CreatedAt != "" {
						got.dated++
					}
					if b.Version == "" || b.Image == "" || b.InstallModes == nil {
						t.Errorf("package %q: bundle %+v lacks something", p.Name, b)
					}
				}
			}
			got.provided = compareProviders(t, packages, lines)
			if got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
			compareWithDeclcfg(t, packages, lines)
		})
	}
}

// compareProviders reads lines with no package wanted, and checks that the provided kinds are those of packages. It returns their number.
func compareProviders(t *testing.T, packages []Package, lines []byte) int {
	t.Helper()
	var builder ProvidersBuilder
	for _, p := range packages {
		for _, b := range p.Bundles {
			for _, gvk := range b.ProvidedGVKs {
				builder.Add(p.Name, gvk)
			}
		}
	}
	_, got, err := ReadServed(bytes.NewReader(lines), func(string) bool { return false }, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !got.IsComplete() || !got.Equal(builder.Build()) {
		t.Error("the index of provided kinds differs from the packages")
	}
	return len(got.packages)
}

// compareWithDeclcfg checks that got has the content that operator-registry reads from the same bytes.
func compareWithDeclcfg(t *testing.T, got []Package, lines []byte) {
	t.Helper()
	cfg, err := declcfg.LoadReader(bytes.NewReader(lines))
	if err != nil {
		t.Fatal(err)
	}
	var builder Builder
	for _, p := range cfg.Packages {
		builder.AddPackage(p.Name, p.DefaultChannel)
	}
	for _, c := range cfg.Channels {
		for _, e := range c.Entries {
			builder.AddChannel(c.Package, c.Name, Entry{Name: e.Name, Replaces: e.Replaces, Skips: e.Skips, SkipRange: e.SkipRange})
		}
	}
	for _, b := range cfg.Bundles {
		bundle := Bundle{Name: b.Name, Image: b.Image}
		for _, p := range b.Properties {
			if err := bundle.AddProperty(p.Type, p.Value); err != nil {
				t.Fatal(err)
			}
		}
		builder.AddBundle(b.Package, bundle)
	}
	if diff := cmp.Diff(builder.Build(), got); diff != "" {
		t.Errorf("declcfg reads it differently (-declcfg +ours):\n%s", diff)
	}
	byName := map[string]Bundle{}
	for _, p := range got {
		for _, b := range p.Bundles {
			byName[p.Name+"/"+b.Name] = b
		}
	}
	for _, b := range cfg.Bundles {
		compareProperties(t, b, byName[b.Package+"/"+b.Name])
	}
}

// compareProperties checks a bundle's fields against the properties that operator-registry parses.
func compareProperties(t *testing.T, theirs declcfg.Bundle, ours Bundle) {
	t.Helper()
	properties, err := property.Parse(theirs.Properties)
	if err != nil {
		t.Fatal(err)
	}
	want := Bundle{Name: theirs.Name, Version: properties.Packages[0].Version, Release: properties.Packages[0].Release}
	for _, csv := range properties.CSVMetadatas {
		want.CreatedAt, want.APIServices = csv.Annotations["createdAt"], len(csv.APIServiceDefinitions.Owned) > 0
	}
	if len(want.CreatedAt) > maxCreatedAt {
		want.CreatedAt = ""
	}
	kinds := map[GVK]bool{}
	for _, gvk := range properties.GVKs {
		kinds[GVK{gvk.Group, gvk.Version, gvk.Kind}] = true
	}
	want.ProvidedGVKs = slices.SortedFunc(maps.Keys(kinds), GVK.Compare)
	needs := map[string]bool{}
	for _, gvk := range properties.GVKsRequired {
		needs[Requirement{GVK: &GVK{gvk.Group, gvk.Version, gvk.Kind}}.String()] = true
	}
	for _, pkg := range properties.PackagesRequired {
		needs[Requirement{Package: &PackageRange{pkg.PackageName, pkg.VersionRange}}.String()] = true
	}
	got := Bundle{
		Name: ours.Name, Version: ours.Version, Release: ours.Release, CreatedAt: ours.CreatedAt, APIServices: ours.APIServices,
		ProvidedGVKs: ours.ProvidedGVKs,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("bundle %q (-declcfg +ours):\n%s", theirs.Name, cmp.Diff(want, got))
	}
	var said []string
	for _, r := range ours.Requirements {
		said = append(said, r.String())
	}
	if !slices.Equal(said, slices.Sorted(maps.Keys(needs))) {
		t.Errorf("bundle %q requires %q, declcfg has %v", theirs.Name, said, needs)
	}
}

// TestRealPackagesTakeATenthOfDeclcfgsHeap checks that complete catalogs take at most a tenth of the heap that declcfg takes for them.
func TestRealPackagesTakeATenthOfDeclcfgsHeap(t *testing.T) {
	var catalogs [][]byte
	for _, catalog := range []string{"community-v4.20", "certified-v4.20"} {
		catalogs = append(catalogs, jsonLinesOf(t, realYAML(t, catalog)))
	}
	ours := keptHeap(t, catalogs, func(lines []byte) (any, error) { return Read(bytes.NewReader(lines), nil) })
	theirs := keptHeap(t, catalogs, func(lines []byte) (any, error) { return declcfg.LoadReader(bytes.NewReader(lines)) })
	t.Logf("kept of the heap: %.2f MB; declcfg: %.2f MB", float64(ours)/1e6, float64(theirs)/1e6)
	if ours*10 > theirs {
		t.Errorf("%d bytes are kept of the heap, more than a tenth of declcfg's %d", ours, theirs)
	}
}

// peakMemory is an unlimited MemoryBudget that records the maximum number of bytes that were reserved at once.
type peakMemory struct{ reserved, peak int }

func (m *peakMemory) Reserve(n int) error {
	m.reserved += n
	m.peak = max(m.peak, m.reserved)
	return nil
}

func (m *peakMemory) Release(n int) { m.reserved -= n }

// TestHRD_B4_RealCatalogsTakeLittleOfTheBudget checks how much memory a read of a catalog reserves at once, with every package wanted. One
// read may reserve 15.5 MiB.
func TestHRD_B4_RealCatalogsTakeLittleOfTheBudget(t *testing.T) {
	const atMost = 4 << 20
	for _, catalog := range []string{"community-v4.20", "certified-v4.20"} {
		memory := &peakMemory{}
		packages, _, err := ReadServed(bytes.NewReader(jsonLinesOf(t, realYAML(t, catalog))), nil, memory)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d KiB taken at most for %d packages", catalog, memory.peak>>10, len(packages))
		if memory.peak > atMost {
			t.Errorf("%s takes %d KiB, more than %d", catalog, memory.peak>>10, atMost>>10)
		}
	}
}

// keptHeap returns the number of bytes of heap that the results of read retain.
func keptHeap(tb testing.TB, catalogs [][]byte, read func(lines []byte) (any, error)) int64 {
	tb.Helper()
	heap := func() int64 {
		var stats runtime.MemStats
		runtime.GC()
		runtime.GC() // the first call runs finalizers, the second one frees
		runtime.ReadMemStats(&stats)
		return int64(stats.HeapAlloc)
	}
	before := heap()
	results := make([]any, 0, len(catalogs))
	for _, lines := range catalogs {
		result, err := read(lines)
		if err != nil {
			tb.Fatal(err)
		}
		results = append(results, result)
	}
	kept := heap() - before
	runtime.KeepAlive(results)
	runtime.KeepAlive(catalogs)
	return kept
}

func BenchmarkReadRealCatalogs(b *testing.B) {
	var catalogs [][]byte
	size := 0
	for _, catalog := range []string{"community-v4.20", "certified-v4.20"} {
		lines := jsonLinesOf(b, realYAML(b, catalog))
		catalogs = append(catalogs, lines)
		size += len(lines)
	}
	measure := func(name string, bundles int, read func(lines []byte) (int, any, error)) {
		b.Run(name, func(b *testing.B) {
			kept := keptHeap(b, catalogs, func(lines []byte) (any, error) {
				_, result, err := read(lines)
				return result, err
			})
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				total := 0
				for _, lines := range catalogs {
					n, _, err := read(lines)
					if err != nil {
						b.Fatal(err)
					}
					total += n
				}
				if total != bundles {
					b.Fatalf("%d bundles, want %d", total, bundles)
				}
			}
			b.ReportMetric(float64(kept)/1e6, "keptMB")
		})
	}
	ours := func(want func(string) bool) func(lines []byte) (int, any, error) {
		return func(lines []byte) (n int, kept any, err error) {
			packages, err := Read(bytes.NewReader(lines), want)
			for _, p := range packages {
				n += len(p.Bundles)
			}
			return n, packages, err
		}
	}
	measure("every package wanted", 1479, ours(nil))
	measure("one package wanted", 152, ours(only("project-quay")))
	measure("declcfg", 1479, func(lines []byte) (int, any, error) {
		cfg, err := declcfg.LoadReader(bytes.NewReader(lines))
		if err != nil {
			return 0, nil, err
		}
		return len(cfg.Bundles), cfg, nil
	})
}
