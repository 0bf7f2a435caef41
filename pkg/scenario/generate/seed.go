package generate

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
)

// Version is the version of the generator. It changes whenever a seed would make a different story from the same Kinds.
const Version = 4

// Seed determines a story of a Generator.
type Seed uint64

// String returns the seed as VERSION-NUMBER, such as "4-4711".
func (s Seed) String() string { return fmt.Sprintf("%d-%d", Version, uint64(s)) }

// ParseSeed parses VERSION-NUMBER or VERSION-NUMBER-FINGERPRINT. It returns an error for a seed of a different Version, because this
// generator would make a different story from it. It does not compare the fingerprint; Generator.ParseSeed does.
func ParseSeed(text string) (Seed, error) {
	seed, _, err := parseSeed(text)
	return seed, err
}

// ParseSeed is like the function ParseSeed. If the text has a fingerprint, ParseSeed also returns an error if the Generator makes a
// different story from the seed than the one that the fingerprint identifies.
func (g Generator) ParseSeed(text string) (Seed, error) {
	seed, fingerprint, err := parseSeed(text)
	if err != nil || fingerprint == "" {
		return seed, err
	}
	made, err := g.Story(seed)
	if err == nil && made.Seed != text {
		err = fmt.Errorf("seed %q now makes another story, %s: check out the commit that printed the seed, or replay the story from its file",
			text, made.Seed)
	}
	return seed, err
}

var seedFormat = regexp.MustCompile(`^([0-9]+)-([0-9]+)(?:-([0-9a-f]{4}))?$`)

func parseSeed(text string) (seed Seed, fingerprint string, err error) {
	invalid := fmt.Errorf("seed %q is not VERSION-NUMBER or VERSION-NUMBER-FINGERPRINT, such as %s or %s-ab12", text, Seed(4711), Seed(4711))
	parts := seedFormat.FindStringSubmatch(text)
	if parts == nil {
		return 0, "", invalid
	}
	version, versionErr := strconv.ParseUint(parts[1], 10, 32)
	number, numberErr := strconv.ParseUint(parts[2], 10, 64)
	if versionErr != nil || numberErr != nil {
		return 0, "", invalid
	}
	if version != Version {
		return 0, "", fmt.Errorf("seed %q is of generator version %d, and this is version %d: check out the commit that printed the seed, "+
			"or replay the story from its file", text, version, Version)
	}
	return Seed(number), parts[3], nil
}

// fingerprinted returns the seed with a fingerprint of its story's YAML, such as "4-4711-ab12". The story also depends on the values of the
// Kinds, their schemas and the Proposers, so that the same seed can make another story at another commit.
func (s Seed) fingerprinted(content []byte) string {
	sum := sha256.Sum256(content)
	return fmt.Sprintf("%s-%x", s, sum[:2])
}

// random returns a source of random numbers for all choices of a Generator.
func (s Seed) random() *rand.Rand { return rand.New(rand.NewPCG(uint64(s), Version)) }
