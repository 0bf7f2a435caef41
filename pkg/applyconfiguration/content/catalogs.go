// Package content reads catalogs and images from the folder "content" of an input directory, so that a manager without a network can
// resolve and install:
//
//	content/catalogs/ClusterCatalog/NAME/             a file-based catalog
//	content/catalogs/CatalogSource/NAMESPACE/NAME/    a file-based catalog
//	content/images/                                   an OCI layout
//
// It records what it lacks.
package content

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sync"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/controllers/catalogs"
)

// catalogFolder is the folder with the catalogs.
const catalogFolder = "content/catalogs"

// Catalogs reads the catalogs of an input directory. It is safe for concurrent use.
type Catalogs struct {
	files fs.FS

	mu      sync.Mutex
	missing map[catalog.ID][]string
}

// NewCatalogs returns the catalogs in an input directory.
func NewCatalogs(input fs.FS) *Catalogs {
	return &Catalogs{files: input, missing: map[catalog.ID][]string{}}
}

// MissingCatalog is a catalog that the input directory does not have, with the packages that the controllers wanted from it.
type MissingCatalog struct {
	catalog.ID
	// Folder is the path in the input directory at which the catalog is expected.
	Folder   string
	Packages []string
}

// Missing returns the catalogs that were read and are missing, sorted.
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

// Read reads a catalog. It is a catalogs.ReadFunc for catalogs of each kind.
func (c *Catalogs) Read(ctx context.Context, request catalogs.Request) (catalogs.Result, error) {
	folder := folderOf(request.Catalog)
	if info, err := fs.Stat(c.files, folder); errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		c.mu.Lock()
		defer c.mu.Unlock()
		names := slices.Sorted(slices.Values(slices.Concat(c.missing[request.Catalog], request.Names)))
		c.missing[request.Catalog] = slices.Compact(names)
		return catalogs.Result{}, fmt.Errorf("the input directory has no folder %s; add the content of the catalog", folder)
	}
	files, err := fs.Sub(c.files, folder)
	if err != nil {
		return catalogs.Result{}, fmt.Errorf("reading %s: %w", folder, err)
	}
	packages, err := catalog.ReadFS(files, nil)
	if err != nil {
		return catalogs.Result{}, fmt.Errorf("reading %s: %w", folder, err)
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
