package catalogs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/cli/cluster"
	"github.com/openshift/platform-operators/pkg/pager"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/shell"
)

var (
	catalogSources  = schema.GroupVersionResource{Group: "operators.coreos.com", Version: "v1alpha1", Resource: "catalogsources"}
	clusterCatalogs = schema.GroupVersionResource{Group: "olm.operatorframework.io", Version: "v1", Resource: "clustercatalogs"}
)

// errNoKinds is the error for a cluster that serves neither kind of catalog.
var errNoKinds = errors.New("the cluster serves neither CatalogSources nor ClusterCatalogs, so it has no catalogs: install OLM, or " +
	"search a file-based catalog with --catalog-dir")

// NoneTrusted is the sentence about a cluster without a catalog that the manager trusts.
const NoneTrusted = "The cluster has no catalogs that the manager trusts. See spec.catalogNamespaces and spec.catalogSelector of " +
	"PlatformOperatorManager \"" + operatorv1alpha1.PlatformOperatorManagerName + "\"."

// Trust selects the catalogs that the manager trusts.
type Trust struct {
	namespaces []string
	selector   resolve.Request
}

// TrustOf returns the selection of catalogs in the spec of the PlatformOperatorManager. For an empty spec, it is the manager's default.
func TrustOf(spec operatorv1alpha1.PlatformOperatorManagerSpec) (Trust, error) {
	trust := Trust{namespaces: spec.CatalogNamespaces}
	if spec.CatalogNamespaces == nil { // an empty list is not the default: it trusts no namespace
		trust.namespaces = []string{operatorv1alpha1.DefaultCatalogNamespace}
	}
	if spec.CatalogSelector != nil {
		selector, err := metav1.LabelSelectorAsSelector(spec.CatalogSelector)
		if err != nil {
			return Trust{}, fmt.Errorf("reading spec.catalogSelector of PlatformOperatorManager %q: %w; correct it there",
				operatorv1alpha1.PlatformOperatorManagerName, err)
		}
		trust.selector.ManagerSelector = selector
	}
	return trust, nil
}

// Finder finds the catalogs of a cluster.
type Finder struct {
	Connection *cluster.Connection
	Trust      Trust
	// CAFile is a PEM file with the certificate authorities for ClusterCatalogs whose address is not a Service; empty for those of the
	// system.
	CAFile string
}

// Find returns the trusted catalogs, sorted by name. A catalog that does not serve its content is included; reading it fails later. Find
// sends one list request for all ClusterCatalogs and one for each trusted namespace, and more only for further pages of a long list.
func (f *Finder) Find(ctx context.Context) ([]Source, error) {
	var sources []Source
	served := false
	for _, list := range f.lists() {
		err := pager.Each(ctx, list.client.List, metav1.ListOptions{}, func(page *unstructured.UnstructuredList) (bool, error) {
			for i := range page.Items {
				if id := idOf(list.kind, &page.Items[i]); f.Trust.selector.Selects(resolve.Catalog{ID: id, Labels: page.Items[i].GetLabels()}) {
					sources = append(sources, Source{Name: id.String(), read: f.limited(list.read(&page.Items[i]))})
				}
			}
			return true, nil
		})
		err = f.Connection.Explain(err, list.text, "list", list.resource)
		switch {
		case errors.Is(err, cluster.ErrNotServed):
			continue
		case err != nil:
			return nil, err
		}
		served = true
	}
	if !served && len(f.Trust.namespaces) > 0 {
		return nil, errNoKinds
	}
	slices.SortFunc(sources, func(a, b Source) int { return strings.Compare(a.Name, b.Name) })
	return sources, nil
}

// limited returns read with the time limit of --request-timeout. By itself, that flag limits requests to the API server, but not the
// streams of a read. A catalog that does not answer delays the other catalogs by at most that time.
func (f *Finder) limited(read func(context.Context) ([]catalog.Package, error)) func(context.Context) ([]catalog.Package, error) {
	limit := f.Connection.Config.Timeout
	if limit <= 0 {
		return read
	}
	return func(ctx context.Context) ([]catalog.Package, error) {
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		return read(ctx)
	}
}

// catalogList is one list of catalogs, such as the CatalogSources of a namespace. read returns the function that reads the catalog of an
// object in the list.
type catalogList struct {
	kind, text, resource string
	client               dynamic.ResourceInterface
	read                 func(*unstructured.Unstructured) func(context.Context) ([]catalog.Package, error)
}

func (f *Finder) lists() []catalogList {
	lists := []catalogList{{
		catalog.KindClusterCatalog, "ClusterCatalogs", "clustercatalogs.olm.operatorframework.io",
		f.Connection.Dynamic.Resource(clusterCatalogs), f.clusterCatalog,
	}}
	for _, namespace := range f.Trust.namespaces {
		lists = append(lists, catalogList{
			catalog.KindCatalogSource, fmt.Sprintf("CatalogSources of namespace %q", namespace),
			"catalogsources.operators.coreos.com -n " + shell.Quote(namespace),
			f.Connection.Dynamic.Resource(catalogSources).Namespace(namespace), f.catalogSource,
		})
	}
	return lists
}

func idOf(kind string, object *unstructured.Unstructured) catalog.ID {
	return catalog.ID{Kind: kind, Namespace: object.GetNamespace(), Name: object.GetName()}
}

// text returns a string field of an object; empty if the field is absent or not a string.
func text(object *unstructured.Unstructured, path ...string) string {
	value, _, err := unstructured.NestedString(object.Object, path...)
	if err != nil {
		return ""
	}
	return value
}
