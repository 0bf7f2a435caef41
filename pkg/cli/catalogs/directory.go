package catalogs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/cli/exit"
)

// Directory returns the file-based catalog in a directory and its subdirectories. Reading it fails with code exit.Usage if the directory
// does not exist, and with code exit.Invalid if its content is not a catalog.
func Directory(path string) Source {
	return Source{Name: path, read: func(ctx context.Context) ([]catalog.Package, error) {
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			return nil, exit.With(exit.Usage, errors.New("there is no such directory; correct --catalog-dir"))
		}
		return readRoot(ctx, path, "the directory")
	}}
}

// readRoot reads the catalog in a directory, without following symbolic links out of it. place names the directory in errors.
func readRoot(ctx context.Context, path, place string) ([]catalog.Package, error) {
	files, err := openRoot(path)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", place, err)
	}
	defer func() { _ = files.root.Close() }()
	return readFiles(ctx, files, place)
}

// readFiles reads the catalog in a file system. place names the file system in errors. Errors have code exit.Invalid, unless ctx has ended.
func readFiles(ctx context.Context, fsys fs.FS, place string) ([]catalog.Package, error) {
	packages, err := readDirectory(endingFS{fsys, ctx})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, exit.With(exit.Invalid, err)
	case len(packages) == 0:
		return nil, exit.With(exit.Invalid, fmt.Errorf("no file in %s has a package; a file-based catalog consists of .yaml and .json files",
			place))
	}
	return packages, nil
}
