package catalogsource_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/operator-framework/operator-registry/pkg/api"

	"github.com/openshift/platform-operators/pkg/catalogsource/grpc"
)

const (
	sentCSVs, sizeOfCSV = 400, 1 << 20
	csvsAtMost          = 64 << 20
)

// csvRegistry lists bundles of one package, each with a ClusterServiceVersion of a megabyte, and records the maximum of the heap meanwhile.
type csvRegistry struct {
	bigRegistry
	before, most int64
}

func (r *csvRegistry) ListBundles(_ *api.ListBundlesRequest, stream api.Registry_ListBundlesServer) error {
	csv := `{"kind":"ClusterServiceVersion","spec":{"minKubeVersion":"1.30.0","description":"` + strings.Repeat("x", sizeOfCSV) + `"}}`
	for n := range sentCSVs {
		if err := stream.Send(&api.Bundle{PackageName: "p", ChannelName: "stable", CsvName: fmt.Sprintf("p.v1.%d.0", n), CsvJson: csv}); err != nil {
			return err
		}
		if n%20 == 0 {
			r.most = max(r.most, heap(true)-r.before)
		}
	}
	return nil
}

// TestHRD_B4_RealHeapOfCSVsOverGRPC checks that a read of 400 MiB of ClusterServiceVersions never has many of them in memory.
func TestHRD_B4_RealHeapOfCSVsOverGRPC(t *testing.T) {
	registry := &csvRegistry{before: heap(true)}
	packages, _, err := grpc.Client{}.Read(t.Context(), serveRegistry(t, registry), func(string) bool { return true }, nil)
	if err != nil || len(packages) != 1 || len(packages[0].Bundles) != sentCSVs || packages[0].Bundles[0].MinKubeVersion != "1.30.0" {
		t.Fatalf("%d packages, %v", len(packages), err)
	}
	t.Logf("%d KiB at most", registry.most>>10)
	if registry.most > csvsAtMost {
		t.Errorf("%d MiB were kept at once, more than %d", registry.most>>20, csvsAtMost>>20)
	}
}
