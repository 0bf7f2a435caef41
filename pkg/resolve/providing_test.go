package resolve_test

import (
	"slices"
	"testing"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve"
)

func TestProvidingNamesOtherPackages(t *testing.T) {
	id := catalog.ID{Kind: "ClusterCatalog", Name: "c"}
	for name, test := range map[string]struct {
		packages, want []string
	}{
		"another package": {[]string{"nfs"}, []string{"nfs"}},
		"the package of the PlatformOperator itself": {[]string{"quay"}, nil},
		"both": {[]string{"nfs", "quay"}, []string{"nfs"}},
	} {
		request := resolve.Request{Operator: "registry", Package: "quay"}
		if got := request.Providing([]resolve.ProviderHint{{Catalog: id, Packages: test.packages}}); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}
