package generate

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Version is the version of the generator. It changes whenever a seed would make a different story from the same Kinds.
const Version = 3

// Seed determines a story of a Generator.
type Seed uint64

// String returns the seed as VERSION-NUMBER, such as "3-4711".
func (s Seed) String() string { return fmt.Sprintf("%d-%d", Version, uint64(s)) }

// ParseSeed parses a seed. It returns an error for a seed of a different Version, because this generator would make a different story from
// it.
func ParseSeed(text string) (Seed, error) {
	versionText, numberText, found := strings.Cut(text, "-")
	version, versionErr := strconv.ParseUint(versionText, 10, 32)
	number, numberErr := strconv.ParseUint(numberText, 10, 64)
	if !found || versionErr != nil || numberErr != nil {
		return 0, fmt.Errorf("seed %q is not VERSION-NUMBER, such as %s", text, Seed(4711))
	}
	if version != Version {
		return 0, fmt.Errorf("seed %q is of generator version %d, and this is version %d: check out the commit that printed the seed, "+
			"or replay the story from its file", text, version, Version)
	}
	return Seed(number), nil
}

// random returns a source of random numbers for all choices of a Generator.
func (s Seed) random() *rand.Rand { return rand.New(rand.NewPCG(uint64(s), Version)) }
