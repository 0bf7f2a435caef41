package similar

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCLI_18_SimilarNames(t *testing.T) {
	names := []string{"memo", "memos", "nemo", "quay", "project-quay", "metering", "demolition"}
	for text, want := range map[string][]string{
		"mamo":         {"memo"},
		"MEMO":         {"memo", "memos", "nemo"},
		"memoo":        {"memo", "memos"},
		"projcet-quay": {"project-quay"},
		"q":            nil,
		"x":            nil,
		"submarine":    nil,
	} {
		similar := NewFinder(text)
		for _, name := range append(names[:3:3], names...) { // some names twice
			similar.Add(name)
		}
		if diff := cmp.Diff(want, similar.Names()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestEditDistance(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "", 1}, {"", "ab", 2}, {"memo", "memo", 0}, {"memo", "mem", 1}, {"memo", "nemo", 1}, {"kitten", "sitting", 3},
	} {
		if got := editDistance(test.a, test.b, 9); got != test.want {
			t.Errorf("%q and %q: got %d, want %d", test.a, test.b, got, test.want)
		}
	}
	if got := editDistance("memo", "memorandum", 2); got <= 2 {
		t.Errorf("got %d for texts of very different lengths", got)
	}
}
