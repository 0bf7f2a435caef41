// Package catalogs finds and reads the catalogs for the commands: the trusted catalogs of a cluster, directories of file-based catalogs,
// and catalog images.
//
// The catalogs of a cluster are Services, which cannot be reached from a workstation. A ClusterCatalog is read through the API server's
// proxy for its Service, so that the API server checks the user's permission and no port is opened. That proxy does not support gRPC, the
// API of a CatalogSource. A CatalogSource is therefore read through a port-forward to a Pod behind its Service, without opening a local
// port. An address that is not a Service is dialed directly.
//
// The package does not search and does not print. pkg/cli/search, pkg/cli/graph and pkg/cli/catalog/content call it.
package catalogs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/openshift/platform-operators/pkg/catalog"
)

// concurrentReads is the maximum number of catalogs that are read at once. More would need more memory without being faster, because the
// connection is the limit.
const concurrentReads = 2

// Source is one catalog and how to read it.
type Source struct {
	// Name identifies the catalog in reports: "ClusterCatalog/<name>", "CatalogSource/<namespace>/<name>", the path of a
	// directory or the reference of an image.
	Name string

	read func(ctx context.Context) ([]catalog.Package, error)
}

// Read returns the packages of the catalog. After ctx has ended, it returns as soon as it has removed its temporary files.
func (s Source) Read(ctx context.Context) ([]catalog.Package, error) { return s.read(ctx) }

// ReadAll reads catalogs concurrently. For each source, it calls the function each with the index of the source and either the packages or
// the error. The calls are in any order, but never concurrent. ReadAll does not keep the packages, so that only those of a few catalogs are
// in memory at a time.
//
// ReadAll returns when ctx ends, without waiting for the reads to end. If the deadline of ctx has passed, it first calls each with an error
// for every source that has not been read.
func ReadAll(ctx context.Context, sources []Source, each func(index int, packages []catalog.Package, err error)) {
	type outcome struct {
		index    int
		packages []catalog.Package
		err      error
	}
	outcomes := make(chan outcome, len(sources)) // buffered, because nothing is received after ctx has ended
	var reading errgroup.Group
	reading.SetLimit(concurrentReads)
	go func() {
		for i, source := range sources {
			if ctx.Err() != nil {
				return
			}
			reading.Go(func() error {
				packages, err := source.read(ctx)
				outcomes <- outcome{i, packages, err}
				return nil
			})
		}
	}()
	unread := make(map[int]bool, len(sources))
	for i := range sources {
		unread[i] = true
	}
	for len(unread) > 0 {
		select {
		case o := <-outcomes:
			delete(unread, o.index)
			each(o.index, o.packages, o.err)
		case <-ctx.Done():
			if err := ctx.Err(); errors.Is(err, context.DeadlineExceeded) {
				for _, i := range slices.Sorted(maps.Keys(unread)) {
					each(i, nil, fmt.Errorf("it was not read within the time of --timeout: %w", err))
				}
			}
			return
		}
	}
}
