package catalogs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/openshift/platform-operators/pkg/truncate"
)

// rootFS is the file system of a directory. Symbolic links to anything outside the directory do not work in it: errors quote parts of
// files, and a catalog that somebody else wrote must not reveal other files on this machine.
type rootFS struct {
	fs.FS
	root *os.Root
}

// openRoot returns the file system of a directory. The caller must close its root.
func openRoot(path string) (rootFS, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return rootFS{}, err
	}
	return rootFS{root.FS(), root}, nil
}

// ReadDir implements fs.ReadDirFS.
func (r rootFS) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(r.FS, name) }

// Stat implements fs.StatFS. Without it, fs.Stat would open the file, and opening a pipe can block forever.
func (r rootFS) Stat(name string) (fs.FileInfo, error) {
	info, err := fs.Stat(r.FS, name)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return info, err
	}
	if link, linkErr := r.root.Lstat(name); linkErr == nil && link.Mode()&fs.ModeSymlink != 0 {
		return nil, fmt.Errorf("file %s is a symbolic link out of the directory, or an absolute one; copy the file into the catalog",
			truncate.Quote(name))
	}
	return nil, err
}
