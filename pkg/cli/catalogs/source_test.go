package catalogs

import (
	"context"
	"errors"
	"testing"

	"github.com/openshift/platform-operators/pkg/catalog"
)

func TestCLI_18_EveryCatalogIsReadOnce(t *testing.T) {
	broken := errors.New("broken")
	var sources []Source
	for i := range 5 {
		sources = append(sources, Source{read: func(context.Context) ([]catalog.Package, error) {
			if i == 3 {
				return nil, broken
			}
			return make([]catalog.Package, i), nil
		}})
	}
	calls := make([]int, len(sources))
	ReadAll(t.Context(), sources, func(index int, packages []catalog.Package, err error) {
		calls[index]++
		if wantErr := index == 3; errors.Is(err, broken) != wantErr || !wantErr && len(packages) != index {
			t.Errorf("catalog %d: got %d packages and error %v", index, len(packages), err)
		}
	})
	for index, number := range calls {
		if number != 1 {
			t.Errorf("catalog %d was reported %d times", index, number)
		}
	}
}

func TestCLI_12_AReadThatKnowsNoContextDoesNotDelayTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan struct{})
	defer close(release)
	sources := []Source{{read: func(context.Context) ([]catalog.Package, error) {
		cancel()
		<-release
		return nil, nil
	}}}
	ReadAll(ctx, sources, func(int, []catalog.Package, error) { t.Error("a catalog was reported that was not read") })
}

func TestCLI_18_AddressesOfServices(t *testing.T) {
	for address, want := range map[string]*service{
		"https://catalogd-service.olmv1-system.svc/catalogs/harbor": {"olmv1-system", "catalogd-service", "443", "/catalogs/harbor"},
		"https://catalogd.ns.svc.cluster.local:8443/catalogs/x":     {"ns", "catalogd", "8443", "/catalogs/x"},
		"sea.openshift-marketplace.svc:50051":                       {"openshift-marketplace", "sea", "50051", ""},
		"registry.example.com:50051":                                nil,
		"10.0.0.1:50051":                                            nil,
		"[fd00::1]:50051":                                           nil,
		"https://127.0.0.1:8443":                                    nil,
		"https://a.b.c.svc/":                                        nil,
	} {
		got, err := serviceOf(address)
		switch {
		case err != nil:
			t.Errorf("%s: %v", address, err)
		case (got == nil) != (want == nil) || got != nil && *got != *want:
			t.Errorf("%s: got %+v, want %+v", address, got, want)
		}
	}
	for _, invalid := range []string{"", "https://", "https://a b/", "://"} {
		if _, err := serviceOf(invalid); err == nil {
			t.Errorf("%q is accepted", invalid)
		}
	}
}
