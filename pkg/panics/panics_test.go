package panics_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/openshift/platform-operators/pkg/panics"
)

func TestAPanicBecomesAnError(t *testing.T) {
	fault := errors.New("registry down")
	var nothing map[string]int
	cases := map[string]struct {
		work     func() error
		want     string
		panicked bool
	}{
		"work that succeeds":            {work: func() error { return nil }},
		"work that fails":               {work: func() error { return fault }, want: "registry down"},
		"a fault of the program":        {work: func() error { nothing["x"] = 1; return nil }, want: "assignment to entry in nil map", panicked: true},
		"a panic with a page of text":   {work: func() error { panic(strings.Repeat("é", 10_000)) }, want: "…", panicked: true},
		"a panic with an error":         {work: func() error { panic(fault) }, want: "registry down", panicked: true},
		"a panic with nothing, as such": {work: func() error { panic(nil) }, want: "panic called with nil", panicked: true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			err := panics.ToError(`rendering "memo"`, c.work)
			if c.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 500 {
				t.Fatalf("got %v, want %q in it", err, c.want)
			}
			if fault := (*panics.Error)(nil); c.panicked != errors.As(err, &fault) {
				t.Errorf("%v; it is a *panics.Error: %v, want %v", err, !c.panicked, c.panicked)
			}
			if c.panicked && !strings.HasSuffix(err.Error(), "; report it with the stack trace in the manager's log") {
				t.Errorf("%v has no remedy", err)
			}
			if c.panicked != strings.Contains(err.Error(), `rendering "memo"`) {
				t.Errorf("%v; the action is named: %v, want %v", err, !c.panicked, c.panicked)
			}
		})
	}
}
