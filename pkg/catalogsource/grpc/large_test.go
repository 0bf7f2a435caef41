package grpc_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/operator-framework/operator-registry/pkg/api"

	"github.com/openshift/platform-operators/pkg/catalogsource"
	"github.com/openshift/platform-operators/pkg/catalogsource/grpc"
)

func TestHRD_B4_OneReadHasLargeMessages(t *testing.T) {
	var lists atomic.Int32
	listing := func(size, parts int) string {
		bundle := &api.Bundle{PackageName: "p", ChannelName: "stable", CsvName: "p.v1.0.0", CsvJson: `{"spec":{"description":"` + strings.Repeat("x", size) + `"}}`, Properties: make([]*api.Property, parts)}
		for i := range parts {
			bundle.Properties[i] = &api.Property{}
		}
		return serve(t, fake{list: func(stream api.Registry_ListBundlesServer) error {
			lists.Add(1)
			return stream.Send(bundle)
		}})
	}
	budget := catalogsource.NewBudget()
	for name, test := range map[string]struct {
		size    int
		parts   int
		taken   bool
		lists   int32
		refused string
	}{
		"usual":                                     {size: 400 << 10, lists: 1},
		"usual, while another has large":            {size: 400 << 10, taken: true, lists: 1},
		"large":                                     {size: 6 << 20, lists: 2},
		"large, while another has large":            {size: 6 << 20, taken: true, lists: 1, refused: "waiting for other catalogs with large messages"},
		"larger than a message may be":              {size: 9 << 20, lists: 2, refused: "vs. 8388608); ask the catalog's publisher to prune it"},
		"of many parts":                             {parts: 2_048, lists: 1},
		"of so many parts that it counts as large":  {parts: 2_049, lists: 2},
		"of so many parts, while another has large": {parts: 2_049, taken: true, lists: 1, refused: "waiting for other catalogs with large messages"},
		"of more parts than a message may have":     {parts: 20_001, lists: 2, refused: "too many parts: at most 20000 are allowed; ask the catalog's publisher to prune it"},
	} {
		t.Run(name, func(t *testing.T) {
			lists.Store(0)
			ctx := t.Context()
			if test.taken {
				release, err := budget.NewReservation().AcquireLarge(ctx)
				if err != nil {
					t.Fatal(err)
				}
				defer release()
				if test.refused != "" {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, 2*time.Second)
					defer cancel()
				}
			}
			memory := budget.NewReservation()
			defer memory.Close()
			packages, _, err := grpc.Client{}.Read(ctx, listing(test.size, test.parts), nil, memory)
			if (err != nil) != (test.refused != "") || err != nil && !strings.Contains(err.Error(), test.refused) || err == nil && len(packages) != 1 {
				t.Errorf("%d packages, %v", len(packages), err)
			}
			if lists.Load() != test.lists {
				t.Errorf("listed %d times, want %d", lists.Load(), test.lists)
			}
		})
	}
}
