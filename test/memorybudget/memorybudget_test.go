package memorybudget

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// measured are example figures: 80 MiB of the binary's pages, and at most 100 MiB of anonymous memory with a live heap of 40 MiB.
var measured = Figures{PeakRSS: 180 * mebibyte, PeakAnonymousRSS: 100 * mebibyte, LiveHeap: 40 * mebibyte}

func TestRequestAndGoLimit(t *testing.T) {
	for name, tc := range map[string]struct {
		figures        Figures
		request, limit int64 // MiB
	}{
		"the peak and a tenth, in whole steps":   {measured, 200, 120},
		"a live heap that twice is most of it":   {Figures{PeakRSS: 180 * mebibyte, PeakAnonymousRSS: 100 * mebibyte, LiveHeap: 70 * mebibyte}, 220, 140},
		"file pages that are no step themselves": {Figures{PeakRSS: 185 * mebibyte, PeakAnonymousRSS: 100 * mebibyte, LiveHeap: 40 * mebibyte}, 210, 120},
	} {
		t.Run(name, func(t *testing.T) {
			request := tc.figures.Request()
			limit := tc.figures.GoLimit(request)
			if request != tc.request*mebibyte || limit != tc.limit*mebibyte {
				t.Errorf("got %s and %s, want %d and %d MiB", mebibytes(request), mebibytes(limit), tc.request, tc.limit)
			}
			if faults := tc.figures.Check(request, limit); len(faults) > 0 {
				t.Errorf("Check rejects the proposed values: %q", faults)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	for name, tc := range map[string]struct {
		request, limit int64  // MiB
		want           string // part of the only fault; empty for none
	}{
		"a request of exactly the peak":     {180, 100, ""},
		"a request below the peak":          {179, 90, "179Mi is requested, and 180Mi were taken"},
		"a request far above the peak":      {240, 120, "no more than 180Mi were taken"},
		"a limit beyond the request":        {200, 121, "more than the 200Mi requested"},
		"a limit below twice the live heap": {200, 79, "less than 2 times the live heap, 40Mi"},
	} {
		t.Run(name, func(t *testing.T) {
			faults := measured.Check(tc.request*mebibyte, tc.limit*mebibyte)
			if tc.want == "" && len(faults) > 0 || tc.want != "" && (len(faults) != 1 || !strings.Contains(faults[0], tc.want) || !strings.Contains(faults[0], "request 200Mi and set GOMEMLIMIT to 120MiB")) {
				t.Errorf("got %q, want %q", faults, tc.want)
			}
		})
	}
}

func TestWriteAndRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.json")
	want := measured
	want.Commit, want.Machine, want.Operators, want.CatalogBytes = "abc", "some machine", 100, 117*mebibyte
	if err := want.Write(path); err != nil {
		t.Fatal(err)
	}
	got, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-written +read):\n%s", diff)
	}
}

func TestParseGoLimit(t *testing.T) {
	for text, want := range map[string]int64{"200MiB": 200 * mebibyte, "1GiB": 1 << 30} {
		if got, err := ParseGoLimit(text); err != nil || got != want {
			t.Errorf("%q: got %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "off", "200", "200MB", "200Mi", "xMiB"} {
		if got, err := ParseGoLimit(text); err == nil {
			t.Errorf("%q: got %d, want an error", text, got)
		}
	}
}
