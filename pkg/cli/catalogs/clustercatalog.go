package catalogs

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"github.com/openshift/platform-operators/pkg/catalog"
	cataloghttp "github.com/openshift/platform-operators/pkg/catalogsource/http"
)

// clusterCatalog returns the function that reads a ClusterCatalog.
func (f *Finder) clusterCatalog(object *unstructured.Unstructured) func(context.Context) ([]catalog.Package, error) {
	base, mode := text(object, "status", "urls", "base"), text(object, "spec", "availabilityMode")
	return func(ctx context.Context) ([]catalog.Package, error) {
		switch {
		case mode == "Unavailable":
			return nil, errors.New("its spec.availabilityMode is Unavailable")
		case base == "":
			return nil, errors.New("its status.urls.base is empty, so catalogd does not serve it yet; look at its conditions")
		}
		service, err := serviceOf(base)
		if err != nil {
			return nil, err
		}
		if service == nil {
			client := cataloghttp.New(cataloghttp.Options{CAFile: f.CAFile})
			defer client.Close()
			return client.Read(ctx, base, nil)
		}
		proxied, err := f.proxyURL(service)
		if err != nil {
			return nil, err
		}
		packages, err := cataloghttp.New(cataloghttp.Options{Transport: f.Connection.HTTP.Transport}).Read(ctx, proxied, nil)
		if err != nil {
			return nil, fmt.Errorf("%w; reading it from outside the cluster needs the permission to get services/proxy in namespace %q", err,
				service.namespace)
		}
		return packages, nil
	}
}

// proxyURL returns the URL of the API server's proxy for a Service that serves HTTPS.
func (f *Finder) proxyURL(service *service) (string, error) {
	base, _, err := rest.DefaultServerUrlFor(f.Connection.Config)
	if err != nil {
		return "", fmt.Errorf("reading the address of the API server: %w", err)
	}
	name := fmt.Sprintf("https:%s:%s", service.name, service.port)
	return base.JoinPath("api", "v1", "namespaces", service.namespace, "services", url.PathEscape(name), "proxy", service.path).String(), nil
}
