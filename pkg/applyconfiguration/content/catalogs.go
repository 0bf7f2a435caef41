// Package content reads catalogs and images from the folder "content" of an input directory, so that a manager without a network can
// resolve and install:
//
//	content/catalogs/ClusterCatalog/NAME/             a file-based catalog
//	content/catalogs/CatalogSource/NAMESPACE/NAME/    a file-based catalog
//	content/images/                                   an OCI layout
//
// The types record the content that a manager requests and the directory lacks.
package content

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"sync"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/catalogsource"
	"github.com/openshift/platform-operators/pkg/controllers/catalogs"
)

// catalogFolder is the folder with the catalogs.
const catalogFolder = "content/catalogs"

// Catalogs reads the catalogs of an input directory. It is safe for concurrent use.
type Catalogs struct {
	files fs.FS

	mu      sync.Mutex
	missing map[catalog.ID][]string
	damaged map[catalog.ID]error
}

// NewCatalogs returns the catalogs in an input directory.
func NewCatalogs(input fs.FS) *Catalogs {
	return &Catalogs{files: input, missing: map[catalog.ID][]string{}, damaged: map[catalog.ID]error{}}
}

// MissingCatalog is a catalog that the input directory does not have, with the packages that the controllers requested.
type MissingCatalog struct {
	catalog.ID
	// Folder is the path in the input directory at which the catalog is expected.
	Folder   string
	Packages []string
}

// Missing returns the catalogs that Read was called for and the directory lacks, sorted.
func (c *Catalogs) Missing() []MissingCatalog {
	c.mu.Lock()
	defer c.mu.Unlock()
	var missing []MissingCatalog
	for id, packages := range c.missing {
		missing = append(missing, MissingCatalog{id, folderOf(id), packages})
	}
	slices.SortFunc(missing, func(a, b MissingCatalog) int { return a.Compare(b.ID) })
	return missing
}

// Err returns an error that names each catalog whose files Read could not read, or nil.
func (c *Catalogs) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var errs []error
	for _, id := range slices.SortedFunc(maps.Keys(c.damaged), catalog.ID.Compare) {
		errs = append(errs, c.damaged[id])
	}
	return errors.Join(errs...)
}

// Read reads a catalog. It is a catalogs.ReadFunc for catalogs of each kind. Its error wraps catalogsource.ErrNotRead if the folder of the
// catalog is missing or damaged: the error is in the input directory, so that no status reports it.
func (c *Catalogs) Read(ctx context.Context, request catalogs.Request) (catalogs.Result, error) {
	packages, err := c.packages(request)
	if err != nil {
		return catalogs.Result{}, err
	}
	result := catalogs.Result{Providers: providersOf(packages)}
	if request.OnlyProviders {
		return result, ctx.Err()
	}
	for _, pkg := range packages {
		if _, isWanted := slices.BinarySearch(request.Names, pkg.Name); isWanted {
			result.Packages = append(result.Packages, pkg)
		}
	}
	return result, ctx.Err()
}

// packages returns all packages of a catalog.
func (c *Catalogs) packages(request catalogs.Request) ([]catalog.Package, error) {
	folder := folderOf(request.Catalog)
	files, err := c.open(folder)
	if errors.Is(err, fs.ErrNotExist) {
		c.mu.Lock()
		defer c.mu.Unlock()
		names := slices.Sorted(slices.Values(slices.Concat(c.missing[request.Catalog], request.Names)))
		c.missing[request.Catalog] = slices.Compact(names)
		return nil, fmt.Errorf("%w: the input directory has no folder %s", catalogsource.ErrNotRead, folder)
	}
	var packages []catalog.Package
	if err == nil {
		packages, err = catalog.ReadFS(files, nil)
	}
	if err != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		err = fmt.Errorf("reading %s: %w", folder, err)
		c.damaged[request.Catalog] = err
		return nil, fmt.Errorf("%w: %w", catalogsource.ErrNotRead, err)
	}
	return packages, nil
}

// open returns the files in a folder. The error is fs.ErrNotExist if there is no folder, or nothing in it.
func (c *Catalogs) open(folder string) (fs.FS, error) {
	entries, err := fs.ReadDir(c.files, folder)
	if err == nil && len(entries) == 0 {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, err
	}
	return fs.Sub(c.files, folder)
}

func providersOf(packages []catalog.Package) *catalog.Providers {
	providers := &catalog.ProvidersBuilder{}
	for _, pkg := range packages {
		for _, bundle := range pkg.Bundles {
			for _, kind := range bundle.ProvidedGVKs {
				providers.Add(pkg.Name, kind)
			}
		}
	}
	return providers.Build()
}

func folderOf(id catalog.ID) string {
	return path.Join(catalogFolder, id.Kind, id.Namespace, id.Name)
}
