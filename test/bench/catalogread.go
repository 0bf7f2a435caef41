package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/operator-framework/operator-registry/alpha/declcfg"

	"github.com/openshift/platform-operators/pkg/catalog"
)

// measureCatalogRead measures reading catalogs from streams of JSON lines: first all packages, then only those in some. The manager reads
// only the packages that PlatformOperators name.
func measureCatalogRead(streams [][]byte, some []string, n int) (part, error) {
	onlySome := func(pkg string) bool { return slices.Contains(some, pkg) }
	tenth, err := each(streams, firstTenth)
	if err != nil {
		return part{}, err
	}
	tenthPackages, tenthFigures, err := compareReads("first tenth, all packages", tenth, nil, n)
	if err != nil {
		return part{}, err
	}
	packages, all, err := compareReads("all packages", streams, nil, n)
	if err != nil {
		return part{}, err
	}
	_, few, err := compareReads(fmt.Sprintf("%d packages", len(some)), streams, onlySome, n)
	if err != nil {
		return part{}, err
	}
	return part{
		title: "Reading catalogs",
		text:  fmt.Sprintf("Each side reads %d packages of %d catalogs from streams of JSON lines in memory, %s in total. “First tenth” is the first %d packages, %s in total. “Live” is the heap that the result keeps after garbage collection.", packages, len(streams), size.format(float64(length(streams))), tenthPackages, size.format(float64(length(tenth)))),
		ours:  "`pkg/catalog.Read`", baseline: "operator-registry's `declcfg`",
		figures: slices.Concat(tenthFigures, all, few),
		details: growthTable("Growth from the first tenth to all packages:", tenthFigures, all),
		notes: []string{fmt.Sprintf("The %d packages are %s. `declcfg` has no filter. The baseline selects blobs with `WalkMetasReader` and loads those of the packages.",
			len(some), joinCode(some))},
	}, nil
}

// firstTenth returns the first packages of a stream that together have at least a tenth of its bytes.
func firstTenth(stream []byte) ([]byte, error) {
	packages, err := splitPackages(stream)
	if err != nil {
		return nil, err
	}
	return joinUntil(len(stream)/10, packages), nil
}

// growthTable returns a table that shows how each figure grows from one size to another. from and to must contain the same figures in the
// same order.
func growthTable(caption string, from, to []figure) table {
	t := table{caption: caption, head: []string{"figure", "ours", "baseline"}}
	for i := range to {
		_, what, _ := strings.Cut(to[i].name, ": ")
		t.rows = append(t.rows, []string{what, formatRatio(to[i].ours / from[i].ours), formatRatio(to[i].baseline / from[i].baseline)})
	}
	return t
}

// compareReads measures how both sides read packages from the streams, and returns the number of packages and the figures. want selects the
// packages; nil selects all. It returns an error if the two sides do not find the same content.
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
	costs, err := measureAlternately(n,
		subject{"pkg/catalog", func() error { _, err := ours(); return err }},
		subject{"declcfg", func() error { _, err := baseline(); return err }})
	if err != nil {
		return 0, nil, err
	}
	live, err := measureLiveAlternately(n,
		func() (any, error) { return ours() },
		func() (any, error) { return baseline() })
	if err != nil {
		return 0, nil, err
	}
	return packages, append(costFigures(name, costs[0], costs[1], n),
		figure{name: name + ": live", unit: size, ours: live[0], baseline: live[1], n: n}), nil
}

// each calls read for each stream, in order, and returns the results. It stops at the first error.
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

// loadOnly loads the packages of a stream that want selects, as a user of declcfg would; nil selects all.
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

// sameContent returns the number of packages. It returns an error unless both sides find the same number of packages, of channels and of
// bundles.
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
		return 0, fmt.Errorf("comparing the catalogs read: pkg/catalog found %+v, declcfg %+v; their costs cannot be compared", got, want)
	}
	return got.packages, nil
}

// joinCode returns names as Markdown code, separated by commas.
func joinCode(names []string) string {
	return "`" + strings.Join(names, "`, `") + "`"
}
