package compat

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// Minor is one minor version of OpenShift. 4.23 and 5.0 are two names of one release: Compare and Next treat them as equal, and String
// returns the name that was parsed.
type Minor struct {
	Major, Minor uint64
}

// ParseClusterVersion returns the minor version of a cluster version such as "4.20.3", "4.21.0-rc.1" or that of a nightly build. It ignores
// the patch, pre-release and build parts. It returns an error if the text is not a semantic version.
func ParseClusterVersion(version string) (Minor, error) {
	v, err := semver.NewVersion(strings.TrimSpace(version))
	if err != nil {
		return Minor{}, fmt.Errorf("reading cluster version %.64q: %w", version, err)
	}
	return Minor{Major: v.Major(), Minor: v.Minor()}, nil
}

// String returns "X.Y".
func (m Minor) String() string {
	return fmt.Sprintf("%d.%d", m.Major, m.Minor)
}

// Next returns the next minor version: 4.23 after 4.22, 5.1 after 4.23 and 5.0.
func (m Minor) Next() Minor {
	if m.Compare(last4) == 0 {
		m = first5
	}
	if m.Minor < math.MaxUint64 {
		m.Minor++
	}
	return m
}

// Beyond returns the minor version that is the given number of steps after this one; 0 steps return this one.
func (m Minor) Beyond(steps int) Minor {
	for range steps {
		m = m.Next()
	}
	return m
}

// Permits reports whether a bundle with this maximum may run on the minor version other. The maxima 4.23 and 5.0 permit the same versions.
// A maximum of 4.24 or above permits the versions 4.23 and 5.0 too, but not 5.1, which has no name in the 4.x series.
func (m Minor) Permits(other Minor) bool { return m.Compare(other) >= 0 }

// Compare orders minor versions. 4.23 equals 5.0, 4.24 follows both, and every 4.y precedes 5.1.
func (m Minor) Compare(other Minor) int {
	a, b := m.canonical(), other.canonical()
	return cmp.Or(cmp.Compare(a.Major, b.Major), cmp.Compare(a.Minor, b.Minor))
}

// last4 and first5 are the two names of one release.
var last4, first5 = Minor{4, 23}, Minor{5, 0}

// canonical returns 4.23 for 5.0, and every other version unchanged. The result can be compared with maxima in the 4.x series.
func (m Minor) canonical() Minor {
	if m == first5 {
		return last4
	}
	return m
}

// Names returns the version for messages, with both names if the release has two.
func (m Minor) Names() string {
	switch m {
	case last4:
		return fmt.Sprintf("%s (the same release as %s)", last4, first5)
	case first5:
		return fmt.Sprintf("%s (the same release as %s)", first5, last4)
	}
	return m.String()
}

// minorForm matches the values that OLM accepts in catalogs: X, X.Y or X.Y.0, with an optional "v", leading zeros, and, after three
// numbers, build metadata. A patch version or a pre-release is an error, because a maximum minor version cannot express it.
var minorForm = regexp.MustCompile(`^v?([0-9]+)(?:\.([0-9]+)(?:\.0+(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?)?)?$`)

// ReadMax returns the maximum that a bundle's olm.maxOpenShiftVersion values, which are raw JSON, declare; nil if there is no value. A
// value is a string or a number, of which every digit counts: 4.10 is not 4.1. More than one value is an error even if the values are
// equal, as in OLM.
func ReadMax(raw []string) (*Minor, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	if len(raw) > 1 {
		return nil, fmt.Errorf("olm.maxOpenShiftVersion is declared %d times (%s, %s), once is allowed", len(raw), cut(raw[0], 40), cut(raw[1], 40))
	}
	value, err := decode(raw[0])
	if err != nil {
		return nil, err
	}
	m, readable := parseMinor(value)
	if !readable {
		return nil, unreadable(raw[0])
	}
	return &m, nil
}

// parseMinor returns the minor version in a value. readable is false if the value does not match minorForm or a number is too large.
func parseMinor(value string) (m Minor, readable bool) {
	parts := minorForm.FindStringSubmatch(value)
	if parts == nil {
		return Minor{}, false
	}
	var err error
	if m.Major, err = strconv.ParseUint(parts[1], 10, 64); err != nil {
		return Minor{}, false
	}
	if parts[2] != "" {
		if m.Minor, err = strconv.ParseUint(parts[2], 10, 64); err != nil {
			return Minor{}, false
		}
	}
	return m, true
}

// decode returns the text of a JSON string, without surrounding white space, or the digits of a JSON number. Any other value is an error.
func decode(raw string) (string, error) {
	decoder := json.NewDecoder(strings.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil || decoder.More() {
		return "", unreadable(raw)
	}
	switch value := value.(type) {
	case string:
		return strings.TrimSpace(value), nil
	case json.Number:
		return value.String(), nil
	}
	return "", unreadable(raw)
}

func unreadable(raw string) error {
	return fmt.Errorf("olm.maxOpenShiftVersion %s cannot be read, a minor version such as \"4.20\" is expected", cut(raw, 40))
}

// cut returns a text on one line for a message, truncated to the given number of bytes (most).
func cut(text string, most int) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " ")
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most-len("…")], "") + "…"
}
