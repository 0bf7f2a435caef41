package catalog

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/openshift/platform-operators/pkg/truncate"
)

// ReadFS reads all file-based catalogs in a directory and its subdirectories as one catalog: every file whose name ends in .json, .yaml or
// .yml and does not begin with a dot. Its limits, errors and result are the same as those of Read. In addition, errors and faults about the
// shape of a blob name the file.
//
// It follows symbolic links to files. A catalog file that is not regular, such as a pipe or a device, is an error. A file system whose Open
// waits for pipes has to implement fs.StatFS.
//
// It ignores .indexignore files, and all files with other names.
func ReadFS(fsys fs.FS, want func(pkg string) bool) ([]Package, error) {
	var builder Builder
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() || !isCatalogFile(entry.Name()) {
			return nil
		}
		if info, err := fs.Stat(fsys, name); err != nil {
			return err
		} else if !info.Mode().IsRegular() { // opening a pipe or reading a device might never end
			return fmt.Errorf("file %s is not a regular file; remove it from the catalog", truncate.Quote(name))
		}
		content, err := fsys.Open(name)
		if err != nil {
			return err
		}
		defer content.Close()
		if err := builder.read(content, file{name: name, yaml: true}, want); err != nil {
			return fmt.Errorf("file %s: %w", truncate.Quote(name), err)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading catalog files: %w", err)
	}
	return builder.Build(), nil
}

func isCatalogFile(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".json", ".yaml", ".yml":
		return !strings.HasPrefix(name, ".")
	}
	return false
}
