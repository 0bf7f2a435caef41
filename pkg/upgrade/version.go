package upgrade

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/Masterminds/semver/v3"
	blang "github.com/blang/semver/v4"
)

// Version is a bundle's version. Versions are ordered by the precedence of semantic versioning, then by release, then by build metadata. A
// version without release or metadata precedes a version that has it. Release and metadata are compared identifier by identifier: numbers
// by value, and before words. The zero Version means that there is no version.
type Version struct {
	semantic *semver.Version
	// strict is the same version, in the type of the library that parses skipRange.
	strict  blang.Version
	release string
}

// ParseVersion parses a semantic version with all three numbers, and adds a release, which may be empty.
func ParseVersion(text, release string) (Version, error) {
	semantic, err := semver.StrictNewVersion(text)
	if err != nil {
		return Version{}, fmt.Errorf("%.64q is not a semantic version: %w", text, err)
	}
	strict, err := blang.Parse(text)
	if err != nil {
		return Version{}, fmt.Errorf("%.64q is not a semantic version: %w", text, err)
	}
	return Version{semantic: semantic, strict: strict, release: release}, nil
}

// IsZero reports whether this is the zero Version.
func (v Version) IsZero() bool { return v.semantic == nil }

// Semver returns the version without its release; nil for the zero Version.
func (v Version) Semver() *semver.Version { return v.semantic }

// IsIn reports whether the version is in a range from a catalog. It ignores release and build metadata. The zero Version is in no range.
func (v Version) IsIn(covers blang.Range) bool { return v.semantic != nil && covers(v.strict) }

// IsPrerelease reports whether the version is a pre-release. It returns false for the zero Version.
func (v Version) IsPrerelease() bool { return v.semantic != nil && v.semantic.Prerelease() != "" }

// String returns the original text of the version, and its release if it has one; "none" for the zero Version.
func (v Version) String() string {
	switch {
	case v.semantic == nil:
		return "none"
	case v.release != "":
		return v.semantic.Original() + " (release " + v.release + ")"
	}
	return v.semantic.Original()
}

// Compare orders versions; the zero Version is the lowest.
func (v Version) Compare(other Version) int {
	if v.semantic == nil || other.semantic == nil {
		return cmp.Compare(rank(v), rank(other))
	}
	return cmp.Or(
		v.semantic.Compare(other.semantic),
		compareIdentifiers(v.release, other.release),
		compareIdentifiers(v.semantic.Metadata(), other.semantic.Metadata()),
	)
}

// Equal reports whether two versions are equal, including release and build metadata.
func (v Version) Equal(other Version) bool { return v.Compare(other) == 0 }

func rank(v Version) int {
	if v.semantic == nil {
		return 0
	}
	return 1
}

// released returns the version without pre-release, release and build metadata.
func (v Version) released() *semver.Version {
	return semver.New(v.semantic.Major(), v.semantic.Minor(), v.semantic.Patch(), "", "")
}

// compareIdentifiers orders texts that consist of identifiers separated by dots: fewer identifiers before more, numbers by value and before
// words. Build metadata permits what pre-releases do not, such as leading zeros, so neither library's comparison is correct for both.
func compareIdentifiers(a, b string) int {
	if a == b {
		return 0
	}
	if a == "" || b == "" {
		return cmp.Compare(len(a), len(b))
	}
	left, right := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(left), len(right)) {
		if order := compareIdentifier(left[i], right[i]); order != 0 {
			return order
		}
	}
	return cmp.Or(cmp.Compare(len(left), len(right)), strings.Compare(a, b))
}

func compareIdentifier(a, b string) int {
	aNumber, bNumber := isNumber(a), isNumber(b)
	switch {
	case aNumber && bNumber:
		a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	case aNumber:
		return -1
	case bNumber:
		return 1
	}
	return strings.Compare(a, b)
}

func isNumber(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}
