package mustgather

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// entry is a file or folder.
type entry struct {
	name string
	// path is the path in the layout, and target the same path without symbolic links.
	path, target string
	isFolder     bool
	// err is the reason why the entry must not be read.
	err error
}

// entries returns what is in a folder, sorted by name.
func (r *reader) entries(folder entry) ([]entry, error) {
	listed, err := fs.ReadDir(r.fsys, folder.target)
	if err != nil {
		return nil, err
	}
	entries := make([]entry, 0, len(listed))
	for _, each := range listed {
		e := entry{name: each.Name(), path: path.Join(folder.path, each.Name()), target: path.Join(folder.target, each.Name())}
		mode := each.Type()
		if mode&fs.ModeSymlink != 0 {
			e.target, mode, e.err = follow(r.fsys, e.target)
		}
		e.isFolder = e.err == nil && mode.IsDir()
		if e.err == nil && !e.isFolder && !mode.IsRegular() {
			e.err = errNotRegular
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// visit calls read for each entry of a folder. If read returns false, the entry is not part of the layout, and visit ignores it.
func (r *reader) visit(folder entry, read func(entry) (isPart bool)) {
	entries, err := r.entries(folder)
	if err != nil {
		r.fault(folder.path, fmt.Errorf("%w; check its permissions", shorten(err)))
		return
	}
	for _, each := range entries {
		if !read(each) {
			r.ignore(each)
		}
	}
}

func (r *reader) ignore(e entry) {
	if e.isFolder {
		e.path += "/"
	}
	r.input.ignored = append(r.input.ignored, e.path)
}

func (r *reader) readRoot(root entry) {
	r.visit(root, func(e entry) bool {
		switch e.name {
		case contentFolder, storyFile, goldenFile, capturedFile:
			return true
		case clusterScopedFolder, namespacesFolder, notCollectedFile:
			if e.err != nil {
				r.fault(e.path, e.err)
				return true
			}
		}
		switch {
		case e.name == clusterScopedFolder && e.isFolder:
			r.visit(e, func(group entry) bool { return r.readGroup(group, "") })
		case e.name == namespacesFolder && e.isFolder:
			r.visit(e, r.readNamespace)
		case e.name == notCollectedFile && !e.isFolder:
			r.readNotCollected(e)
		default:
			return false
		}
		return true
	})
}

// readNamespace reads the folder of a namespace.
func (r *reader) readNamespace(folder entry) bool {
	if folder.err != nil {
		r.fault(folder.path, folder.err)
		return true
	}
	if !folder.isFolder {
		return false
	}
	r.visit(folder, func(e entry) bool {
		if e.name == folder.name+extension && !e.isFolder {
			r.readObject(e, location{resource: namespaces, fileName: folder.name})
			return true
		}
		return r.readGroup(e, folder.name)
	})
	return true
}

// readGroup reads the folder of an API group, in that of a namespace unless namespace is empty.
func (r *reader) readGroup(folder entry, namespace string) bool {
	if !isGroupFolder(folder.name) || !folder.isFolder && folder.err == nil {
		return false
	}
	if folder.err != nil {
		r.fault(folder.path, folder.err)
		return true
	}
	r.visit(folder, func(e entry) bool {
		at := location{resource: schema.GroupResource{Group: groupOf(folder.name), Resource: e.name}, namespace: namespace}
		if e.isFolder {
			r.visit(e, func(file entry) bool { return r.readObjectFile(file, at) })
			return true
		}
		resource, isYAML := strings.CutSuffix(e.name, extension)
		if isYAML || e.err != nil {
			at.resource.Resource = resource
			r.readList(e, at)
			return true
		}
		return false
	})
	return true
}

// readObjectFile reads a file in the folder of a resource.
func (r *reader) readObjectFile(e entry, at location) bool {
	name, isYAML := strings.CutSuffix(e.name, extension)
	if !isYAML || e.isFolder {
		return false
	}
	at.fileName = name
	r.readObject(e, at)
	return true
}
