package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openshift/platform-operators/test/provenance"
)

// documentOf returns a document with a part for each title and text.
func documentOf(t *testing.T, parts ...part) string {
	t.Helper()
	var out bytes.Buffer
	if err := (document{facts: []provenance.Fact{{"commit", "0123abc"}}, parts: parts}).write(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestMergeReplacesSectionsAndAddsNewOnes(t *testing.T) {
	first, second, third := part{title: "Frying", text: "Eggs."}, part{title: "Boiling", text: "Eggs."}, part{title: "Peeling", text: "Eggs."}
	later := []provenance.Fact{{"commit", "4567def"}, {"Go", "go1.26.8"}}
	withFacts := func(p part) part {
		p.text = "Measured in a run of its own: commit 4567def; Go go1.26.8.\n\n" + p.text
		return p
	}
	for name, test := range map[string]struct{ measured, want []part }{
		"the first":     {[]part{first}, []part{withFacts(first), second}},
		"the last":      {[]part{second}, []part{first, withFacts(second)}},
		"a new one":     {[]part{third}, []part{first, second, withFacts(third)}},
		"all, and more": {[]part{third, second, first}, []part{withFacts(first), withFacts(second), withFacts(third)}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := merge(documentOf(t, first, second), later, test.measured)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(documentOf(t, test.want...), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestMergeRefusesWhatIsNoDocument(t *testing.T) {
	for _, text := range []string{"", "# Benchmarks\n", strings.TrimSuffix(preamble, "\n"), documentOf(t)} {
		if _, err := merge(text, nil, []part{{title: "Frying"}}); err == nil {
			t.Errorf("merged into %q", text)
		}
	}
}
