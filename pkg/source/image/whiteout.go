package image

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/openshift/platform-operators/pkg/truncate"
)

// The names of entries that delete what lower layers have, as in the OCI image specification: whiteout, a prefix, deletes the entry with the
// rest of the name; opaque deletes all entries of its directory. Neither deletes an entry of its own layer.
const (
	whiteout = ".wh."
	opaque   = whiteout + whiteout + ".opq"
)

// layerNames are the names that a layer has written so far.
type layerNames struct {
	// entries contains the names of the layer's entries. The value is false for a directory, and true for everything else.
	entries map[string]bool
	// parents contains the directories above these entries, without those above whiteouts.
	parents map[string]bool
}

func newLayerNames() *layerNames {
	return &layerNames{entries: map[string]bool{}, parents: map[string]bool{}}
}

// add records a file, a directory or a link. It returns false if the layer already has an entry of that name, unless both are directories.
func (n *layerNames) add(name string, isDirectory bool) bool {
	if before, ok := n.entries[name]; ok && (before || !isDirectory) {
		return false
	}
	n.entries[name] = !isDirectory
	for above := path.Dir(name); above != "." && !n.parents[above]; above = path.Dir(above) {
		n.parents[above] = true
	}
	return true
}

// whiteout deletes what a whiteout of this layer hides. The same whiteout is allowed once, because its cost grows with the directory.
func (u *unpacker) whiteout(entry, target string, names *layerNames) error {
	if names.entries[target] {
		return refuse("entry %s occurs twice", truncate.Quote(entry))
	}
	names.entries[target] = true
	dir, base := path.Dir(target), path.Base(target)
	if base == opaque {
		return u.removeLower(dir, names)
	}
	hidden := path.Join(dir, strings.TrimPrefix(base, whiteout))
	if hidden == "." || hidden == dir {
		return refuse("entry %s is a whiteout of nothing", truncate.Quote(entry))
	}
	return u.hideLower(hidden, names)
}

// hideLower removes a file, directory or link of lower layers. It keeps what this layer wrote there.
func (u *unpacker) hideLower(target string, names *layerNames) error {
	isFile, isEntry := names.entries[target]
	switch {
	case isFile: // it has already replaced the lower one
		return nil
	case isEntry || names.parents[target]:
		return u.removeLower(target, names)
	}
	return u.removeAll(target)
}

// removeLower removes the content of a directory that lower layers wrote. It keeps what this layer wrote.
func (u *unpacker) removeLower(dir string, names *layerNames) error {
	opened, err := u.root.Open(local(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return writing(dir, err)
	}
	children, err := opened.Readdirnames(-1)
	opened.Close()
	if err != nil {
		return writing(dir, err)
	}
	for _, name := range children {
		if err := u.hideLower(path.Join(dir, name), names); err != nil {
			return err
		}
	}
	return nil
}
