package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/operator-framework/operator-registry/alpha/declcfg"

	"github.com/openshift/platform-operators/pkg/catalog"
)

// measureCatalogRead measures reading catalogs as streams of JSON lines, first with every package wanted and then with some,
// as the manager does: it wants those that a PlatformOperator names.
func measureCatalogRead(streams [][]byte, some []string, n int) (part, error) {
	onlySome := func(pkg string) bool { return slices.Contains(some, pkg) }
	tenth, err := each(streams, firstTenth)
	if err != nil {
		return part{}, err
	}
	tenthPackages, tenthFigures, err := compareReads("a tenth, all wanted", tenth, nil, n)
	if err != nil {
		return part{}, err
	}
	packages, all, err := compareReads("all wanted", streams, nil, n)
	if err != nil {
		return part{}, err
	}
	_, few, err := compareReads(fmt.Sprintf("%d wanted", len(some)), streams, onlySome, n)
	if err != nil {
		return part{}, err
	}
	return part{
		title: "Reading catalogs",
		text: fmt.Sprintf("%d packages of %d catalogs, each a stream of JSON lines in memory, together %s. A tenth are the first %d of the packages, together %s. “Live” is what the results keep of the heap after garbage collection.",
			packages, len(streams), size.format(float64(length(streams))), tenthPackages, size.format(float64(length(tenth)))),
		ours: "`pkg/catalog.Read`", baseline: "operator-registry's `declcfg`",
		figures: slices.Concat(tenthFigures, all, few),
		details: grown("Growth from a tenth to all, all of them wanted:", tenthFigures, all),
		notes: []string{fmt.Sprintf("The %d wanted: %s. `declcfg` has no filter; its side walks the stream's blobs with `WalkMetasReader` and loads those of the wanted packages.",
			len(some), joinCode(some))},
	}, nil
}

// firstTenth are the first packages of a stream, until they are a tenth of its bytes.
func firstTenth(stream []byte) ([]byte, error) {
	packages, err := splitPackages(stream)
	if err != nil {
		return nil, err
	}
	return atLeast(len(stream)/10, packages), nil
}

// grown is a table of how figures of one size have grown from the same figures of another.
func grown(caption string, from, to []figure) table {
	t := table{caption: caption, head: []string{"figure", "ours", "baseline"}}
	for i := range to {
		_, what, _ := strings.Cut(to[i].name, ": ")
		t.rows = append(t.rows, []string{what, formatRatio(to[i].ours / from[i].ours), formatRatio(to[i].baseline / from[i].baseline)})
	}
	return t
}

// compareReads compares reading the streams with a nil want for every package, or with one for some. It returns the number of
// packages too.
func compareReads(name string, streams [][]byte, want func(string) bool, n int) (packages int, figures []figure, err error) {
	ours := func() ([][]catalog.Package, error) {
		return each(streams, func(lines []byte) ([]catalog.Package, error) { return catalog.Read(bytes.NewReader(lines), want) })
	}
	baseline := func() ([]*declcfg.DeclarativeConfig, error) {
		return each(streams, func(lines []byte) (*declcfg.DeclarativeConfig, error) { return loadOnly(lines, want) })
	}
	if packages, err = sameContent(ours, baseline); err != nil {
		return 0, nil, err
	}
	costs, err := inTurns(n,
		subject{"pkg/catalog", func() error { _, err := ours(); return err }},
		subject{"declcfg", func() error { _, err := baseline(); return err }})
	if err != nil {
		return 0, nil, err
	}
	live, err := liveInTurns(n,
		func() (any, error) { return ours() },
		func() (any, error) { return baseline() })
	if err != nil {
		return 0, nil, err
	}
	return packages, append(costFigures(name, costs[0], costs[1], n),
		figure{name: name + ": live", unit: size, ours: live[0], baseline: live[1], n: n}), nil
}

// each reads, or makes, one after the other.
func each[S, T any](streams []S, read func(S) (T, error)) ([]T, error) {
	results := make([]T, len(streams))
	for i, stream := range streams {
		var err error
		if results[i], err = read(stream); err != nil {
			return nil, err
		}
	}
	return results, nil
}

// loadOnly is what a user of declcfg would write to keep some packages of a stream, or with a nil want all of them.
func loadOnly(lines []byte, want func(string) bool) (*declcfg.DeclarativeConfig, error) {
	if want == nil {
		return declcfg.LoadReader(bytes.NewReader(lines))
	}
	var wanted bytes.Buffer
	err := declcfg.WalkMetasReader(bytes.NewReader(lines), func(meta *declcfg.Meta, err error) error {
		if err != nil {
			return err
		}
		if pkg := meta.Package; pkg != "" && want(pkg) || meta.Schema == declcfg.SchemaPackage && want(meta.Name) {
			wanted.Write(meta.Blob)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return declcfg.LoadReader(&wanted)
}

// sameContent makes sure that both sides do the same work: it compares the numbers of packages, channels and bundles that
// they find, and returns that of the packages.
func sameContent(ours func() ([][]catalog.Package, error), baseline func() ([]*declcfg.DeclarativeConfig, error)) (int, error) {
	catalogs, err := ours()
	if err != nil {
		return 0, fmt.Errorf("reading the catalogs: %w", err)
	}
	configs, err := baseline()
	if err != nil {
		return 0, fmt.Errorf("reading the catalogs with declcfg: %w", err)
	}
	type counts struct{ packages, channels, bundles int }
	var got, want counts
	for _, p := range slices.Concat(catalogs...) {
		got.packages++
		got.channels += len(p.Channels)
		got.bundles += len(p.Bundles)
	}
	for _, c := range configs {
		want.packages += len(c.Packages)
		want.channels += len(c.Channels)
		want.bundles += len(c.Bundles)
	}
	if got != want {
		return 0, fmt.Errorf("comparing the catalogs read: pkg/catalog found %+v, declcfg %+v; a comparison of their costs would mean nothing", got, want)
	}
	return got.packages, nil
}

// joinCode writes names as a list of Markdown code.
func joinCode(names []string) string {
	return "`" + strings.Join(names, "`, `") + "`"
}
