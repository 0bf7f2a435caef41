package generate_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/openshift/platform-operators/pkg/scenario/generate"
)

func TestParseSeedReadsWhatStringWrites(t *testing.T) {
	for _, seed := range []generate.Seed{0, 4711, math.MaxUint64} {
		if read, err := generate.ParseSeed(seed.String()); err != nil || read != seed {
			t.Errorf("%s was read as %s, %v", seed, read, err)
		}
	}
	if text := generate.Seed(4711).String(); text != "3-4711" {
		t.Errorf("seed 4711 is written as %s", text)
	}
}

func TestParseSeedRejectsInvalidSeeds(t *testing.T) {
	other := fmt.Sprintf("%d-4711", generate.Version+1)
	for name, c := range map[string]struct{ text, want string }{
		"nothing":                    {"", `seed "" is not VERSION-NUMBER, such as 3-4711`},
		"a number without a version": {"4711", "is not VERSION-NUMBER"},
		"a negative number":          {"1--1", "is not VERSION-NUMBER"},
		"a number that is too large": {"3-99999999999999999999", "is not VERSION-NUMBER"},
		"a text":                     {"1-a", "is not VERSION-NUMBER"},
		"another version":            {other, fmt.Sprintf("is of generator version %d, and this is version %d: check out the commit", generate.Version+1, generate.Version)},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := generate.ParseSeed(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func FuzzParseSeed(f *testing.F) {
	for _, each := range []string{"3-4711", "1-1", "-", "3-0x1", "+3-1", "3-18446744073709551616"} {
		f.Add(each)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if seed, err := generate.ParseSeed(text); err == nil {
			if again, err := generate.ParseSeed(seed.String()); err != nil || again != seed {
				t.Errorf("%q became %s, and that %v, %v", text, seed, again, err)
			}
		}
	})
}
