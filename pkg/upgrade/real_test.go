package upgrade

import (
	_ "embed"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"

	"github.com/google/go-cmp/cmp"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/test/realdata"
)

var update = flag.Bool("update", false, "write the golden file anew")

const goldenFile = "testdata/catalogs-v4.20.golden"

// golden is the expected summary. The file is embedded, because the go command's cache key contains the paths of opened files: it can reuse
// a cached result in every checkout.
//
//go:embed testdata/catalogs-v4.20.golden
var golden string

var catalogNames = []string{"community-v4.20", "certified-v4.20"}

// read returns the packages of the real catalogs. It reads them once, because that takes longer than all other tests here.
var read = sync.OnceValues(func() (map[string][]catalog.Package, error) {
	all := map[string][]catalog.Package{}
	for _, name := range catalogNames {
		files, err := realdata.Find(filepath.Join("catalogs", name, "*", "catalog.yaml"))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			in, err := os.Open(file)
			if err != nil {
				return nil, err
			}
			packages, err := catalog.Read(in, nil)
			in.Close()
			if err != nil {
				return nil, fmt.Errorf("reading %q: %w", file, err)
			}
			all[name] = append(all[name], packages...)
		}
	}
	return all, nil
})

// realPackages returns the packages of the public catalogs, by catalog, with the entries of all their channels. It skips the test if the
// data is not available.
func realPackages(tb testing.TB) map[string][]Package {
	tb.Helper()
	realdata.Path(tb, "catalogs")
	catalogs, err := read()
	if err != nil {
		tb.Fatal(err)
	}
	all := map[string][]Package{}
	for name, packages := range catalogs {
		for _, pkg := range packages {
			all[name] = append(all[name], ofCatalog(tb, pkg))
		}
	}
	return all
}

// ofCatalog returns a catalog's package as a Package, with the entries of all its channels.
func ofCatalog(tb testing.TB, from catalog.Package) Package {
	tb.Helper()
	pkg := Package{Name: from.Name}
	for _, bundle := range from.Bundles {
		version, err := ParseVersion(bundle.Version, "")
		if err != nil {
			tb.Fatalf("bundle %q: %v", bundle.Name, err)
		}
		pkg.Bundles = append(pkg.Bundles, Bundle{Name: bundle.Name, Version: version})
	}
	for _, channel := range from.Channels {
		for _, entry := range channel.Entries {
			pkg.Entries = append(pkg.Entries, Entry{Channel: channel.Name, Entry: entry})
		}
	}
	return pkg
}

// Promise UPG-V13: Edges and reachability of every package of the two real catalogs equal a golden file on each run, with 1,893 and 2,296
// channel edges and 14,862 and 6,334 semver edges.
func TestUPG_V13_EveryPackageOfTheRealCatalogs(t *testing.T) {
	catalogs := realPackages(t)
	got, totals := summary(catalogs)
	if again, _ := summary(catalogs); again != got {
		t.Errorf("the second run gives something else (-first +second):\n%s", cmp.Diff(got, again))
	}
	for name, want := range map[string]counts{
		"community-v4.20": {packages: 37, bundles: 803, channel: 1893, down: 2, semver: 14862},
		"certified-v4.20": {packages: 59, bundles: 676, channel: 2296, down: 4, semver: 6334},
	} {
		has := totals[name]
		if has := (counts{packages: has.packages, bundles: has.bundles, channel: has.channel, down: has.down, semver: has.semver}); has != want {
			t.Errorf("%s: %+v, want %+v", name, has, want)
		}
	}
	if *update {
		if err := os.WriteFile(goldenFile, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(golden, got); diff != "" {
		t.Errorf("it differs from %s; if that is meant, run the test with -update (-want +got):\n%s", goldenFile, diff)
	}
}

// prereleasesOnly has the packages whose default channel has only pre-releases; clife is in the directory isovalent-networking.
var prereleasesOnly = []string{"couchbase-enterprise-certified", "habana-ai-operator", "clife", "hive-operator", "rsct-operator"}

func TestUPG_V2_RealChannelsOfPrereleasesOnly(t *testing.T) {
	realPackages(t)
	catalogs, err := read()
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, from := range slices.Concat(catalogs["certified-v4.20"], catalogs["community-v4.20"]) {
		pkg := inDefaultChannel(t, from)
		if slices.ContainsFunc(pkg.Bundles, func(b Bundle) bool { return !b.Version.IsPrerelease() }) {
			continue
		}
		found = append(found, from.Name)
		pkg.OnlyPrereleases = true
		graph := New(pkg)
		for _, semantics := range []Semantics{Channel, Semver} {
			g := graph.withSemantics(semantics)
			last := len(g.bundles) - 1
			for at, bundle := range g.bundles[:last] {
				r := g.From(bundle, nil)
				if ranks, _ := g.successors().take(at, g.successors().newVisited(), nil); len(ranks) == 0 {
					t.Errorf("%s: from %s nothing follows under %s semantics", from.Name, bundle.Version, semantics)
				}
				if path, ok := r.Path(last); at == last-1 && !ok {
					t.Errorf("%s: %s is not reached from %s under %s semantics: %v %s", from.Name, g.bundles[last].Version, bundle.Version, semantics, path, r.Refusal(last).Message)
				}
			}
		}
	}
	slices.Sort(found)
	want := slices.Sorted(slices.Values(prereleasesOnly))
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("packages whose default channel has pre-releases only (-want +got):\n%s", diff)
	}
}

// inDefaultChannel returns a package with only the content of its default channel.
func inDefaultChannel(tb testing.TB, from catalog.Package) Package {
	tb.Helper()
	pkg := ofCatalog(tb, from)
	pkg.Entries = slices.DeleteFunc(pkg.Entries, func(e Entry) bool { return e.Channel != from.DefaultChannel })
	pkg.Bundles = slices.DeleteFunc(pkg.Bundles, func(b Bundle) bool {
		return !slices.ContainsFunc(pkg.Entries, func(e Entry) bool { return e.Name == b.Name })
	})
	return pkg
}

// counts has the numbers of one line of the summary.
type counts struct {
	packages, bundles                         int
	replaces, skips, skipRange, channel, down int
	semver, both                              int
	stranded, cutOff                          [len(allSemantics)]int
}

func (c *counts) add(more counts) {
	c.packages += more.packages
	c.bundles += more.bundles
	c.replaces += more.replaces
	c.skips += more.skips
	c.skipRange += more.skipRange
	c.channel += more.channel
	c.down += more.down
	c.semver += more.semver
	c.both += more.both
	for i := range allSemantics {
		c.stranded[i] += more.stranded[i]
		c.cutOff[i] += more.cutOff[i]
	}
}

func (c *counts) line(name, head string) string {
	return fmt.Sprintf("%s\t%d\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t", name, c.bundles, head, c.replaces, c.skips, c.skipRange, c.channel, c.down, c.semver, c.both,
		c.stranded[0], c.stranded[1], c.stranded[2], c.cutOff[0], c.cutOff[1], c.cutOff[2])
}

const legend = `Every package of the public catalogs of OpenShift 4.20, with the entries of all its channels.
head: the newest version that is no pre-release, else the newest.
replaces, skips, skipRange: channel edges by what gives them; some are given by several. channel: all of them. down: those
that would lead down, which are no edges. semver, both: edges under these semantics.
stranded: versions that are not the head and have no successor. cut-off: those whose successors do not lead to the head.
Each under the semantics channel (-c), semver (-s) and both (-b).
Refreshed by: go test ./pkg/upgrade -run UPG_V13 -update
`

// summary returns the text of the golden file, and each catalog's totals.
func summary(catalogs map[string][]Package) (string, map[string]counts) {
	var out strings.Builder
	totals := map[string]counts{}
	out.WriteString(legend)
	for _, name := range catalogNames {
		fmt.Fprintf(&out, "\n%s\n", name)
		table := tabwriter.NewWriter(&out, 0, 0, 1, ' ', tabwriter.AlignRight)
		fmt.Fprintln(table, "package\tbundles\thead\treplaces\tskips\tskipRange\tchannel\tdown\tsemver\tboth\tstranded-c\t-s\t-b\tcut-off-c\t-s\t-b\t")
		total := counts{}
		for _, pkg := range catalogs[name] {
			line, head := count(pkg)
			total.add(line)
			fmt.Fprintln(table, line.line(pkg.Name, head))
		}
		fmt.Fprintln(table, total.line("total", ""))
		table.Flush()
		totals[name] = total
	}
	return out.String(), totals
}

func count(pkg Package) (line counts, head string) {
	line = counts{packages: 1, bundles: len(pkg.Bundles)}
	graph := New(pkg)
	for i, semantics := range allSemantics {
		g := graph.withSemantics(semantics)
		for _, edge := range g.Edges() {
			kinds := map[SourceKind]bool{}
			for _, source := range edge.Sources {
				kinds[source.Kind] = true
			}
			switch semantics {
			case Channel:
				line.channel++
				line.replaces += boolToInt(kinds[FromReplaces])
				line.skips += boolToInt(kinds[FromSkips])
				line.skipRange += boolToInt(kinds[FromSkipRange])
			case Semver:
				line.semver++
			case Both:
				line.both++
			}
		}
		stranded, cutOff := g.strandedAndCutOff(g.Head())
		for at := range g.bundles {
			line.stranded[i] += boolToInt(stranded.has(at))
			line.cutOff[i] += boolToInt(cutOff.has(at))
		}
	}
	line.down = len(graph.Downgrades())
	return line, graph.bundles[graph.Head()].Version.String()
}

func boolToInt(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
