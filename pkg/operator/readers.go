package operator

import (
	"context"
	"slices"

	"github.com/openshift/platform-operators/pkg/catalogsource/grpc"
	"github.com/openshift/platform-operators/pkg/catalogsource/http"
	"github.com/openshift/platform-operators/pkg/controllers/catalogs"
)

// readGRPC reads a CatalogSource. The protocol has no conditions.
func readGRPC(ctx context.Context, request catalogs.Request) (catalogs.Answer, error) {
	packages, providers, err := grpc.Read(ctx, request.Endpoint, func(pkg string) bool {
		_, wanted := slices.BinarySearch(request.Names, pkg)
		return wanted
	})
	return catalogs.Answer{Packages: packages, Providers: providers}, err
}

// newHTTPReader makes the function that reads ClusterCatalogs, trusting the authorities in the file.
func newHTTPReader(caFile string) catalogs.ReadFunc {
	client := http.New(http.Options{CAFile: caFile})
	return func(ctx context.Context, request catalogs.Request) (catalogs.Answer, error) {
		read := func() (http.Reading, error) {
			if request.OnlyProviders {
				return client.ReadProviders(ctx, request.Endpoint)
			}
			return client.ReadPackages(ctx, request.Endpoint, request.Names, request.Since)
		}
		reading, err := read()
		return catalogs.Answer{Packages: reading.Packages, Providers: reading.Providers, Modified: reading.LastModified, NotModified: reading.NotModified}, err
	}
}
