package compat

import (
	"slices"
	"strings"
	"testing"
	"testing/quick"

	"github.com/google/go-cmp/cmp"
)

// unread is the entry of tableA for an unreadable value, which blocks.
const unread = "unreadable"

// tableA has raw values and the results of two existing gates: of OLM v0, which has validated catalogs for years and whose results ReadMax
// must return, and of cluster-olm-operator for OLM v1.
var tableA = []struct{ raw, v0, v1 string }{
	{`"4.18"`, "4.18", "4.18"},
	{`4.18`, "4.18", "4.18"},
	{`4.10`, "4.10", "4.10"},
	{`"4.18.0"`, "4.18", unread},
	{`"4.18.1"`, unread, unread},
	{`"4.18.0+b"`, "4.18", unread},
	{`"4.18.0-rc1"`, unread, unread},
	{`"4.18-rc1"`, unread, unread},
	{`""`, unread, unread},
	{`"4.18,4.19"`, unread, unread},
	{`"4.*"`, unread, unread},
	{`">=4.18"`, unread, unread},
	{`"-4.18"`, unread, unread},
	{`"v4.18"`, "4.18", unread},
	{`" 4.18 "`, "4.18", "4.18"},
	{`"4"`, "4.0", unread},
	{`4`, "4.0", unread},
	{`"4.018"`, "4.18", "4.18"},
	{`"04.18"`, "4.18", "4.18"},
	{`5.00`, "5.0", unread},
	{`0.1`, "0.1", unread},
	{`"0.1"`, "0.1", "0.1"},
	{`4.19e1`, unread, unread},
	{`null`, unread, unread},
	{`true`, unread, unread},
	{`{}`, unread, unread},
	{`["4.18"]`, unread, unread},
	{`"4.18446744073709551616"`, unread, unread},
}

// Promise CLU-G1: The manager reads each value of the maximum OpenShift version as a table records it of OLM v0. The test lists every
// value that OLM v1 reads otherwise.
func TestCLU_G1_ReadMaxReadsWhatOLMv0Reads(t *testing.T) {
	var differences []string
	for _, row := range tableA {
		t.Run(row.raw, func(t *testing.T) {
			got, err := ReadMax([]string{row.raw})
			switch {
			case row.v0 == unread && err == nil:
				t.Errorf("read as %v, want an error", got)
			case row.v0 == unread && !strings.Contains(err.Error(), row.raw):
				t.Errorf("error %q does not show the value", err)
			case row.v0 != unread && err != nil:
				t.Errorf("%v, want %s", err, row.v0)
			case row.v0 != unread && got.String() != row.v0:
				t.Errorf("read as %v, want %s", got, row.v0)
			}
		})
		if row.v0 != row.v1 {
			differences = append(differences, row.raw)
		}
	}

	t.Run("nothing declared", func(t *testing.T) {
		if got, err := ReadMax(nil); got != nil || err != nil {
			t.Errorf("got %v, %v", got, err)
		}
	})
	t.Run("two equal values", func(t *testing.T) {
		if got, err := ReadMax([]string{`"4.18"`, `"4.18"`}); err == nil {
			t.Errorf("read as %v, want an error", got)
		}
	})
	t.Run("every difference from OLM v1", func(t *testing.T) {
		want := []string{`"4.18.0"`, `"4.18.0+b"`, `"v4.18"`, `"4"`, `4`, `5.00`, `0.1`}
		if diff := cmp.Diff(want, differences); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		for _, raw := range want {
			if _, err := ReadMax([]string{raw}); err != nil {
				t.Errorf("%s blocks here, which would turn operators that were fine into blockers: %v", raw, err)
			}
		}
	})
}

func TestReadMaxRejectsOtherForms(t *testing.T) {
	for _, raw := range []string{``, ` `, `"`, `v4.18`, `04.18`, `4.18 4.19`, `"4."`, `".18"`, `"4.18+b"`, `"vv4.18"`, `"4.18.0.0"`, `"4.18.0+"`, `"٤.18"`, `"4 .18"`, "\"4.18\n\""} {
		if got, err := ReadMax([]string{raw}); err == nil {
			t.Errorf("%q is read as %v, want an error", raw, got)
		}
	}
}

func TestParseClusterVersionKeepsTheMinorOnly(t *testing.T) {
	for version, want := range map[string]Minor{
		"4.20.0":                               {4, 20},
		"4.16.0-rc1":                           {4, 16},
		"5.0.0-ec.2":                           {5, 0},
		"4.21.0-0.nightly-2026-01-02-030405":   {4, 21},
		"4.20.0-0.ci.test-2026-01-02-ci-ln-x1": {4, 20},
		"0.0.1-snapshot":                       {0, 0},
		"v4.20":                                {4, 20},
		"18446744073709551615.18446744073709551615.0": {1<<64 - 1, 1<<64 - 1},
	} {
		got, err := ParseClusterVersion(version)
		if err != nil || got != want {
			t.Errorf("%s: got %v, %v; want %v", version, got, err, want)
		}
	}
	for _, version := range []string{"", " ", "latest", "4.20.0.1", strings.Repeat("4", 1000)} {
		if got, err := ParseClusterVersion(version); err == nil {
			t.Errorf("%.40q is read as %v, want an error", version, got)
		} else if len(err.Error()) > 200 {
			t.Errorf("error has %d characters", len(err.Error()))
		}
	}
}

func TestNextMinor(t *testing.T) {
	for version, want := range map[string]string{
		"4.16.0": "4.17", "4.16.0-rc1": "4.17", "1.0.1": "1.1", "1.1.0-pre": "1.2", "0.0.1-snapshot": "0.1",
		"4.22.0": "4.23", "4.23.0": "5.1", "5.0.0": "5.1", "5.1.0": "5.2",
	} {
		current, err := ParseClusterVersion(version)
		if err != nil {
			t.Fatal(err)
		}
		if got := current.Next().String(); got != want {
			t.Errorf("after %s comes %s, want %s", version, got, want)
		}
	}
	highest := Minor{1<<64 - 1, 1<<64 - 1}
	if got := highest.Next(); got != highest {
		t.Errorf("after the highest minor comes %s", got)
	}
}

func TestCompareIsATotalOrder(t *testing.T) {
	property := func(a, b, c uint8) bool {
		minors := []Minor{{4, uint64(a) % 30}, {4 + uint64(b)%2, uint64(b) % 30}, {5, uint64(c) % 3}, {4, 23}, {5, 0}}
		slices.SortFunc(minors, Minor.Compare)
		for i := range minors {
			for j := i; j < len(minors); j++ {
				if minors[i].Compare(minors[j]) > 0 || minors[i].Compare(minors[j]) != -minors[j].Compare(minors[i]) {
					return false
				}
			}
		}
		return minors[0].Compare(minors[0].Next()) < 0
	}
	if err := quick.Check(property, nil); err != nil {
		t.Error(err)
	}
}

func FuzzReadMax(f *testing.F) {
	for _, row := range tableA {
		f.Add(row.raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		got, err := ReadMax([]string{raw})
		if err != nil {
			if len(err.Error()) > 300 || strings.ContainsAny(err.Error(), "\n\r") {
				t.Errorf("error is not one short line: %q", err)
			}
			return
		}
		again, err := ReadMax([]string{`"` + got.String() + `"`})
		if err != nil || *again != *got {
			t.Errorf("%q is read as %v, which is read as %v, %v", raw, got, again, err)
		}
	})
}

func TestNextMinorOfClusterVersions(t *testing.T) {
	for version, want := range map[string]string{
		"4.20.3":                               "4.21",
		"4.21.0-rc.1":                          "4.22",
		"4.21.0-ec.2":                          "4.22",
		"4.21.0-0.nightly-2026-01-31-123456":   "4.22",
		"4.21.0-0.ci-2026-01-31-123456":        "4.22",
		"4.21.0-0.okd-scos-2026-01-31-123456":  "4.22",
		"4.21.0-0-2026-01-31-123456-test-ci-x": "4.22",
		"4.22.0+build":                         "4.23",
		"4.23.0-0.nightly-2026-01-31-123456":   "5.1",
		"5.0.0-rc.0":                           "5.1",
		"0.0.1-snapshot":                       "0.1",
		"0.0.1-snapshot-2":                     "0.1",
		" 4.20.3\n":                            "4.21",
		"4.18446744073709551615.0":             "4.18446744073709551615",
		"":                                     unread,
		"latest":                               unread,
		"4.18446744073709551616.0":             unread,
		"-4.20.0":                              unread,
	} {
		cluster, err := ParseClusterVersion(version)
		got := cluster.Next().String()
		if err != nil {
			got = unread
		}
		if got != want {
			t.Errorf("after %q comes %s, want %s", version, got, want)
		}
	}
}
