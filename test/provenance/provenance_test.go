package provenance

import (
	"strings"
	"testing"
	"time"
)

func TestFieldOfAProcFile(t *testing.T) {
	content := []byte("processor\t: 0\nmodel name\t: A CPU: fast\n\nVmRSS:\t   12345 kB\n")
	for name, tc := range map[string]struct {
		field, want string
		found       bool
	}{
		"tabs before the colon are no part of the name": {"model name", "A CPU: fast", true},
		"blanks around the value are no part of it":     {"VmRSS", "12345 kB", true},
		"a name that is not there is not found":         {"VmSwap", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got, found := field(content, tc.field); got != tc.want || found != tc.found {
				t.Errorf("got %q, %t; want %q, %t", got, found, tc.want, tc.found)
			}
		})
	}
}

func TestKiB(t *testing.T) {
	for text, want := range map[string]float64{"12 kB": 12 * 1024, "0 kB": 0} {
		if got, err := ParseKiB(text); err != nil || got != want {
			t.Errorf("%q: got %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "12", "12 MB", "-1 kB", "x kB"} {
		if got, err := ParseKiB(text); err == nil {
			t.Errorf("%q: got %v, want an error", text, got)
		}
	}
}

func TestDescribeHasTheCommitAndTheMachine(t *testing.T) {
	facts, err := Describe("docs/none.md", "make something", time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{}
	for _, fact := range facts {
		values[fact[0]] = fact[1]
	}
	for name, want := range map[string]string{"command": "`make something`", "date": "2026-01-02 03:04 UTC"} {
		if values[name] != want {
			t.Errorf("got %s %q, want %q", name, values[name], want)
		}
	}
	if !strings.Contains(values["machine"], " cores, ") {
		t.Errorf("the machine %q does not name its cores", values["machine"])
	}
	if values["commit"] == "" {
		t.Error("the commit is missing")
	}
}
