package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/test/memorybudget"
)

// somePeaks returns peaks in which each kind of memory has its largest value in a different phase.
func somePeaks() memoryPeaks {
	phase := func(name string, anonymous, total, live float64) memoryPhase {
		return memoryPhase{name: name, resident: residentMemory{anonymous: anonymous * (1 << 20), total: total * (1 << 20)}, live: live * (1 << 20)}
	}
	return memoryPeaks{
		catalogs: 3, catalogBytes: 116 << 20,
		idle: phase("idle", 20, 90, 5), installing: phase("installing", 60, 150, 20), installed: phase("installed", 50, 140, 18),
		reading: phase("read", 90, 160, 30), rereading: phase("read again", 80, 180, 25), restarted: phase("restarted", 85, 155, 40),
	}
}

func TestMemoryPart(t *testing.T) {
	p := memoryPart(somePeaks())
	want := []figure{
		{name: "read: peak anonymous RSS", unit: size, ours: 90 << 20, baseline: 50 << 20, n: 1},
		{name: "read: peak total RSS", unit: size, ours: 160 << 20, baseline: 140 << 20, n: 1},
		{name: "read: live heap", unit: size, ours: 30 << 20, baseline: 18 << 20, n: 1},
		{name: "read again: peak anonymous RSS", unit: size, ours: 80 << 20, baseline: 50 << 20, n: 1},
		{name: "read again: peak total RSS", unit: size, ours: 180 << 20, baseline: 140 << 20, n: 1},
		{name: "read again: live heap", unit: size, ours: 25 << 20, baseline: 18 << 20, n: 1},
		{name: "restarted: peak anonymous RSS", unit: size, ours: 85 << 20, baseline: 50 << 20, n: 1},
		{name: "restarted: peak total RSS", unit: size, ours: 155 << 20, baseline: 140 << 20, n: 1},
		{name: "restarted: live heap", unit: size, ours: 40 << 20, baseline: 18 << 20, n: 1},
	}
	if diff := cmp.Diff(want, p.figures, cmp.AllowUnexported(figure{})); diff != "" {
		t.Errorf("figures (-want +got):\n%s", diff)
	}
	if len(p.details.rows) != 6 {
		t.Errorf("got %d phases, want 6: %q", len(p.details.rows), p.details.rows)
	}
}

func TestFiguresArePeaksOfAllPhases(t *testing.T) {
	want := memorybudget.Figures{Operators: memoryOperators, Catalogs: 3, CatalogBytes: 116 << 20, PeakRSS: 180 << 20, PeakAnonymousRSS: 90 << 20, LiveHeap: 40 << 20}
	if diff := cmp.Diff(want, somePeaks().figures()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestResetPeak(t *testing.T) {
	held := bytes.Repeat([]byte{1}, 64<<20)
	before, err := readPeak(os.Getpid())
	if err != nil || before < float64(len(held)) {
		t.Fatalf("while %d bytes are held, the peak is %v, %v", len(held), before, err)
	}
	if err := resetPeak(os.Getpid()); err != nil {
		t.Fatal(err)
	}
	now, err := readResidentMemory(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	after, err := readPeak(os.Getpid())
	if err != nil || after > max(before, now.total+16<<20) {
		t.Errorf("after it was reset, the peak is %v of %v resident, %v", after, now.total, err)
	}
	held[0] = 2
}

func TestFullSizeCatalogsRenameTheLargestPackages(t *testing.T) {
	lines, err := readCatalog(t.Context(), filepath.Join(writeSamples(t), "catalog"))
	if err != nil {
		t.Fatal(err)
	}
	packages, err := splitPackages(lines)
	if err != nil {
		t.Fatal(err)
	}
	streams, err := fullSizeCatalogs(packages, []int{2 * len(lines), len(lines)})
	if err != nil {
		t.Fatal(err)
	}
	for i, stream := range streams {
		got, err := catalog.Read(bytes.NewReader(stream), func(pkg string) bool { return pkg == "memory-0" || pkg == "memory-1" })
		if err != nil {
			t.Fatal(err)
		}
		bundles := map[string]int{}
		for _, pkg := range got {
			bundles[pkg.Name] = len(pkg.Bundles)
		}
		if diff := cmp.Diff(map[string]int{"memory-0": 2, "memory-1": 1}, bundles); diff != "" {
			t.Errorf("catalog %d: bundles of packages (-want +got):\n%s", i, diff)
		}
	}
}

func TestUnreadSeries(t *testing.T) {
	for name, tc := range map[string]struct {
		series map[string]float64
		want   []string
	}{
		"read since":           {map[string]float64{"a": 1.5, "b": 0}, nil},
		"one was read before":  {map[string]float64{"a": 3, "b": 0}, []string{"a"}},
		"one was never read":   {map[string]float64{"a": 1}, []string{"b"}},
		"nothing is known yet": {nil, []string{"a", "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, unreadSeries([]string{"a", "b"}, tc.series, 2*time.Second)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestMaxDuring(t *testing.T) {
	answers := make(chan string)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		answer, more := <-answers
		if !more {
			answer = "5"
		}
		if answer == "" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_, _ = w.Write([]byte("# HELP heap what is live\nheap " + answer + "\nother{name=\"heap 9\"} 99\n"))
	}))
	defer server.Close()
	s := &scraper{url: server.URL, client: server.Client()}
	most, err := s.maxDuring(t.Context(), "heap", func() error {
		// The scraper may request the third answer while run returns, and then the request is canceled.
		for _, answer := range []string{"", "7e+06", "3"} {
			answers <- answer
		}
		close(answers)
		return nil
	})
	if err != nil || most != 7e6 {
		t.Errorf("got %v, %v; want the value of the scrape in between", most, err)
	}
	if _, err := s.maxDuring(t.Context(), "stack", func() error { return nil }); err == nil || !strings.Contains(err.Error(), "stack is missing") {
		t.Errorf("got %v for a missing series", err)
	}
}
