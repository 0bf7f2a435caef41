// Package catalogs finds and reads the catalogs for the commands: the trusted catalogs of a cluster, directories of file-based catalogs, and
// catalog images.
//
// The catalogs of a cluster are Services, which a workstation cannot reach. A ClusterCatalog is read through the API server's proxy of its
// Service, so that the API server checks the user's permission and no port is opened. The API of a CatalogSource is gRPC, which that proxy
// does not transfer; it is read through a port-forward to a Pod behind its Service, over the connection itself, without a local port. An
// address that is not a Service is dialed directly.
//
// The package does not search and does not print. pkg/cli/search and pkg/cli/catalog/content call it.
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

// concurrentReads is the maximum number of catalogs that are read at once. More would need more memory, and would not be faster than the
// connection.
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

// ReadAll reads catalogs concurrently. It calls each with the index of a source, and its packages or the error, in any order and never
// concurrently. It keeps no packages, so that only those of a few catalogs are in memory. It returns when ctx ends, and does not wait for
// the reads to end. If the time is up, it first calls each with an error for every source that is not read.
func ReadAll(ctx context.Context, sources []Source, each func(index int, packages []catalog.Package, err error)) {
	type outcome struct {
		index    int
		packages []catalog.Package
		err      error
	}
	outcomes := make(chan outcome, len(sources)) // nobody receives after ctx has ended
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
