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
	if text := generate.Seed(4711).String(); text != "4-4711" {
		t.Errorf("seed 4711 is written as %s", text)
	}
}

func TestParseSeedRejectsInvalidSeeds(t *testing.T) {
	other := fmt.Sprintf("%d-4711", generate.Version+1)
	for name, c := range map[string]struct{ text, want string }{
		"nothing":                    {"", `seed "" is not VERSION-NUMBER or VERSION-NUMBER-FINGERPRINT, such as 4-4711 or 4-4711-ab12`},
		"a number without a version": {"4711", "is not VERSION-NUMBER"},
		"a negative number":          {"1--1", "is not VERSION-NUMBER"},
		"a number that is too large": {"4-99999999999999999999", "is not VERSION-NUMBER"},
		"a short fingerprint":        {"4-1-abc", "is not VERSION-NUMBER"},
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

func TestAGeneratorComparesTheFingerprintOfASeed(t *testing.T) {
	g := generator(t)
	made, err := g.Story(4711)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"4-4711", made.Seed} {
		if seed, err := g.ParseSeed(text); err != nil || seed != 4711 {
			t.Errorf("%s was read as %s, %v", text, seed, err)
		}
	}
	g.Proposers = nil
	other, err := g.Story(4711)
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("seed %q now makes another story, %s: check out the commit that printed the seed, or replay", made.Seed, other.Seed)
	if _, err := g.ParseSeed(made.Seed); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func FuzzParseSeed(f *testing.F) {
	for _, each := range []string{"4-4711", "4-4711-ab12", "1-1", "-", "4-0x1", "+4-1", "4-18446744073709551616"} {
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
