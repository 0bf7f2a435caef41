package operator

import (
	"context"
	"slices"

	"github.com/openshift/platform-operators/pkg/catalogsource"
	"github.com/openshift/platform-operators/pkg/catalogsource/grpc"
	"github.com/openshift/platform-operators/pkg/catalogsource/http"
	"github.com/openshift/platform-operators/pkg/controllers/catalogs"
)

// newGRPCReader returns the function that reads CatalogSources. Their protocol has no conditional reads.
func newGRPCReader(input *Input, budget *catalogsource.Budget) catalogs.ReadFunc {
	client := grpc.Client{Dial: input.DialCatalogs}
	return func(ctx context.Context, request catalogs.Request) (catalogs.Result, error) {
		memory := budget.NewReservation()
		defer memory.Close()
		packages, providers, err := client.Read(ctx, request.Endpoint, func(pkg string) bool {
			_, wanted := slices.BinarySearch(request.Names, pkg)
			return wanted
		}, memory)
		return catalogs.Result{Packages: packages, Providers: providers}, err
	}
}

// newHTTPReader returns the function that reads ClusterCatalogs. It trusts the authorities in Options.CatalogCAFile, or the system's
// authorities if that option is empty.
func newHTTPReader(input *Input, budget *catalogsource.Budget) catalogs.ReadFunc {
	client := http.New(http.Options{CAFile: input.Options.CatalogCAFile, Dial: input.DialCatalogs})
	return func(ctx context.Context, request catalogs.Request) (catalogs.Result, error) {
		memory := budget.NewReservation()
		defer memory.Close()
		read := func() (http.Result, error) {
			if request.OnlyProviders {
				return client.ReadProviders(ctx, request.Endpoint, memory)
			}
			return client.ReadPackages(ctx, request.Endpoint, request.Names, request.Since, memory)
		}
		reading, err := read()
		return catalogs.Result{Packages: reading.Packages, Providers: reading.Providers, Modified: reading.LastModified, NotModified: reading.NotModified}, err
	}
}
