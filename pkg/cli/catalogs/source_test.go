package catalogs

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/rest"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/cli/cluster"
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

func TestCLI_7_ACatalogThatIsNotReadInTimeIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		release := make(chan struct{})
		defer synctest.Wait()
		defer close(release)
		sources := []Source{
			{read: func(context.Context) ([]catalog.Package, error) { <-release; return nil, nil }},
			{read: func(context.Context) ([]catalog.Package, error) { return make([]catalog.Package, 2), nil }},
		}
		late, read := 0, 0
		ReadAll(ctx, sources, func(index int, packages []catalog.Package, err error) {
			read += len(packages)
			if index == 0 && errors.Is(err, context.DeadlineExceeded) {
				late++
			}
		})
		if late != 1 || read != 2 {
			t.Errorf("%d late catalogs, and %d packages of the other", late, read)
		}
	})
}

func TestCLI_12_AReadOfACatalogEndsAfterTheRequestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hanging := func(ctx context.Context) ([]catalog.Package, error) { <-ctx.Done(); return nil, ctx.Err() }
		finder := &Finder{Connection: &cluster.Connection{Config: &rest.Config{Timeout: 2 * time.Second}}}
		began := time.Now()
		if _, err := finder.limited(hanging)(t.Context()); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != 2*time.Second {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
	})
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
