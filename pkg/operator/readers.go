package operator

import (
	"context"
	"slices"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/catalogsource/grpc"
	"github.com/openshift/platform-operators/pkg/catalogsource/http"
	"github.com/openshift/platform-operators/pkg/controllers/catalogs"
)

// readGRPC reads a CatalogSource.
func readGRPC(ctx context.Context, endpoint string, names []string) ([]catalog.Package, error) {
	return grpc.Read(ctx, endpoint, func(pkg string) bool { return slices.Contains(names, pkg) })
}

// newHTTPReader makes the function that reads ClusterCatalogs, trusting the authorities in the file.
func newHTTPReader(caFile string) catalogs.ReadFunc {
	client := http.New(http.Options{CAFile: caFile})
	return func(ctx context.Context, endpoint string, names []string) ([]catalog.Package, error) {
		reading, err := client.ReadPackages(ctx, endpoint, names, "")
		return reading.Packages, err
	}
}
