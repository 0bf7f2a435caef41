package scenarios

import (
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/openshift/platform-operators/pkg/scenario/generate"
)

// maxGenerated is the maximum of -generated. All stories are subtests that wait for their turn in memory.
const maxGenerated = 10_000

// checkFlags returns an error if the value of a flag cannot be right, or would run no test of what the flag is for.
func checkFlags() error {
	var errs []error
	for _, each := range []struct {
		name    string
		value   int
		atLeast int
		atMost  int // 0 if there is no limit, because larger values mean all
	}{
		{"generated", *generated, 1, maxGenerated},
		{"perturbations", *perturbations, 1, 0},
		{"fixed-stories", *fixed, 1, 0},
		{"other-stories", *otherStories, 0, 0},
		{"kill-points", *killPoints, len(operations), 0},
		{"sample", *sample, 0, 0},
		{"hosted", *hostedStories, -1, 0},
	} {
		switch {
		case each.value < each.atLeast:
			errs = append(errs, fmt.Errorf("-%s=%d is too small: it must be at least %d", each.name, each.value, each.atLeast))
		case each.atMost > 0 && each.value > each.atMost:
			errs = append(errs, fmt.Errorf("-%s=%d is too large: it must be at most %d; run the test several times, each with another -seed",
				each.name, each.value, each.atMost))
		}
	}
	if *generatedSeed != "" {
		if _, err := generate.ParseSeed(*generatedSeed); err != nil {
			errs = append(errs, fmt.Errorf("-generated-seed: %w", err))
		}
	}
	return errors.Join(errs...)
}

// TestFlagsAreChecked is not parallel, because it changes flags.
func TestFlagsAreChecked(t *testing.T) {
	for _, test := range []struct{ name, value, want string }{
		{"generated", "1", ""},
		{"generated", "10000", ""},
		{"generated", "0", "-generated=0 is too small: it must be at least 1"},
		{"generated", "-1", "-generated=-1 is too small"},
		{"generated", "1000000", "-generated=1000000 is too large: it must be at most 10000"},
		{"generated-seed", "3", `-generated-seed: seed "3" is not VERSION-NUMBER`},
		{"perturbations", "100000", ""},
		{"perturbations", "0", "-perturbations=0 is too small: it must be at least 1"},
		{"perturbations", "-1", "-perturbations=-1 is too small"},
		{"fixed-stories", "13", ""},
		{"fixed-stories", "0", "-fixed-stories=0 is too small: it must be at least 1"},
		{"other-stories", "0", ""},
		{"kill-points", "6", ""},
		{"kill-points", "5", "-kill-points=5 is too small: it must be at least 6"},
		{"other-stories", "-1", "-other-stories=-1 is too small: it must be at least 0"},
		{"sample", "-1", "-sample=-1 is too small"},
		{"hosted", "-1", ""},
		{"hosted", "-2", "-hosted=-2 is too small: it must be at least -1"},
	} {
		before := flag.Lookup(test.name).Value.String()
		if err := flag.Set(test.name, test.value); err != nil {
			t.Fatal(err)
		}
		err := checkFlags()
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("-%s=%s: got error %v, want one with %q", test.name, test.value, err, test.want)
		}
		if err := flag.Set(test.name, before); err != nil {
			t.Fatal(err)
		}
	}
}
