package mustgather

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Limits on what is read. While a file is decoded, it takes about thirty times its size in memory.
const (
	// MaxFileBytes is the maximum size of one file, in bytes.
	MaxFileBytes = 64 << 20
	// MaxBytes is the maximum size of all files that are read, in bytes.
	MaxBytes = 1 << 30
)

// ResourceFunc returns the resource of a kind, such as "configmaps", and whether it is known.
type ResourceFunc func(schema.GroupVersionKind) (resource string, isKnown bool)

// limits are the maximum sizes of one file and of all files, in bytes.
type limits struct{ file, all int64 }

// reader collects what Read finds.
type reader struct {
	fsys       fs.FS
	resourceOf ResourceFunc
	limits     limits

	input *Input
	// bytes is the size of all files read so far.
	bytes int64
	// byKey has the indexes of Input.Objects.
	byKey  map[key]int
	faults faults
}

// Read reads all objects in a directory with the layout of oc adm inspect. The layout begins at the root, or in the only folder of the root
// that has it. Integers are int64. resourceOf may be nil; for kinds without a known resource, only the group in the path is compared.
//
// Read returns no Input if any file in the layout is damaged or contradicts its path, or if two files have the same object. The error has
// one line for each of the first ten such files, with the path and what to do.
//
// Read accepts one kind of duplicate, because oc adm inspect writes it: an object in a List and in a file of its own. Both must have the same
// uid, and resourceVersions that can be compared. Read returns the newer copy.
func Read(fsys fs.FS, resourceOf ResourceFunc) (*Input, error) {
	return read(fsys, resourceOf, limits{file: MaxFileBytes, all: MaxBytes})
}

func read(fsys fs.FS, resourceOf ResourceFunc, limits limits) (*Input, error) {
	r := &reader{fsys: fsys, resourceOf: resourceOf, limits: limits, input: &Input{}, byKey: map[key]int{}}
	root, err := r.findRoot()
	if err != nil {
		return nil, err
	}
	r.input.root = root.path
	r.readRoot(root)
	if err := r.faults.err(); err != nil {
		return nil, err
	}
	slices.Sort(r.input.ignored)
	slices.SortFunc(r.input.Objects, Compare)
	slices.SortFunc(r.input.superseded, Compare)
	return r.input, nil
}

// findRoot returns the folder that has the layout.
func (r *reader) findRoot() (entry, error) {
	top := entry{path: ".", target: ".", isFolder: true}
	entries, err := r.entries(top)
	if err != nil {
		return entry{}, fmt.Errorf("reading the directory: %w", shorten(err))
	}
	if hasLayout(entries) {
		return top, nil
	}
	var found []entry
	for _, each := range entries {
		if !each.isFolder {
			continue
		}
		// A folder that cannot be read is no candidate: nothing shows that it belongs to the must-gather.
		if inner, err := r.entries(each); err == nil && hasLayout(inner) {
			found = append(found, each)
		}
	}
	switch len(found) {
	case 0:
		return entry{}, fmt.Errorf("neither the directory nor a folder in it has %q or %q; "+
			"give the directory that oc adm must-gather or oc adm inspect wrote", clusterScopedFolder, namespacesFolder)
	case 1:
		r.ignoreBeside(found[0], entries)
		return found[0], nil
	}
	paths := make([]string, 0, len(found))
	for _, each := range found[:min(len(found), maxErrors)] {
		paths = append(paths, quotePath(each.path))
	}
	return entry{}, fmt.Errorf("%d folders have %q or %q: %s; give the one to read",
		len(found), clusterScopedFolder, namespacesFolder, strings.Join(paths, ", "))
}

// ignoreBeside ignores the entries beside the folder that has the layout.
func (r *reader) ignoreBeside(root entry, entries []entry) {
	for _, each := range entries {
		switch each.name {
		case root.name, contentFolder:
		case notCollectedFile:
			r.fault(each.path, fmt.Errorf("it is not read here; move it to folder %s", quotePath(root.path)))
		default:
			r.ignore(each)
		}
	}
}

func hasLayout(entries []entry) bool {
	return slices.ContainsFunc(entries, func(e entry) bool {
		return e.isFolder && (e.name == clusterScopedFolder || e.name == namespacesFolder)
	})
}

var errNotRegular = errors.New("it is not a regular file; delete it")
