package catalogs

import (
	"cmp"
	"io/fs"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/openshift/platform-operators/pkg/catalog"
)

// readDirectory reads the catalog in a file system, with the same result as catalog.ReadFS. Nearly all of the time is spent on parsing
// YAML, so it reads the entries of the root concurrently: a catalog usually has one directory for each package. Entries that share a
// package are read again together, because their contents can be merged only if they are read in one go.
func readDirectory(fsys fs.FS) ([]catalog.Package, error) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil || len(entries) < 2 {
		return catalog.ReadFS(fsys, nil)
	}
	parts := make([]part, len(entries))
	for i, entry := range entries {
		parts[i].entries = []fs.DirEntry{entry}
	}
	if err := readParts(fsys, parts); err != nil {
		return nil, err
	}
	if merged := mergeParts(parts); len(merged) < len(parts) {
		parts = merged
		if err := readParts(fsys, parts); err != nil {
			return nil, err
		}
	}
	var packages []catalog.Package
	for _, p := range parts {
		packages = append(packages, p.packages...)
	}
	slices.SortFunc(packages, func(a, b catalog.Package) int { return cmp.Compare(a.Name, b.Name) })
	return packages, nil
}

// part is a part of a file system: some entries of its root, and the packages in them. isRead is false until packages is known.
type part struct {
	entries  []fs.DirEntry
	packages []catalog.Package
	isRead   bool
}

// readParts reads the parts that have not been read yet. If several reads fail, it returns the error of the first of these parts.
func readParts(fsys fs.FS, parts []part) error {
	failed := make([]error, len(parts))
	var reading errgroup.Group
	reading.SetLimit(runtime.GOMAXPROCS(0))
	for i := range parts {
		if p := &parts[i]; !p.isRead {
			reading.Go(func() error {
				p.packages, failed[i] = catalog.ReadFS(rootSubset{fsys, p.entries}, nil)
				p.isRead = true
				return nil
			})
		}
	}
	_ = reading.Wait() // the errors are in failed
	for _, err := range failed {
		if err != nil {
			return err
		}
	}
	return nil
}

// mergeParts merges the parts that share a package, and marks merged parts as not read.
func mergeParts(parts []part) []part {
	// into[i] is i if part i is the first of its group, or else the index of an earlier part of the group. Parts that share a package are
	// in the same group.
	into := make([]int, len(parts))
	first := func(i int) int {
		for into[i] != i {
			i = into[i]
		}
		return i
	}
	owners := map[string]int{} // the index of the first part with a package, keyed by the package's name
	for i := range parts {
		into[i] = i
		for _, p := range parts[i].packages {
			owner, isKnown := owners[p.Name]
			if !isKnown {
				owners[p.Name] = i
				continue
			}
			a, b := first(owner), first(i)
			into[max(a, b)] = min(a, b)
		}
	}
	var merged []part
	position := map[int]int{} // the index in merged, keyed by the index of the group's first part
	for i, p := range parts {
		group := first(i)
		if group == i {
			position[i] = len(merged)
			merged = append(merged, p)
			continue
		}
		at := position[group]
		merged[at] = part{entries: slices.Concat(merged[at].entries, p.entries)}
	}
	return merged
}

// rootSubset is a file system that lists only some of the entries of its root.
type rootSubset struct {
	fs.FS
	entries []fs.DirEntry
}

// ReadDir implements fs.ReadDirFS.
func (s rootSubset) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == "." {
		return s.entries, nil
	}
	return fs.ReadDir(s.FS, name)
}

// Stat implements fs.StatFS.
func (s rootSubset) Stat(name string) (fs.FileInfo, error) { return fs.Stat(s.FS, name) }
