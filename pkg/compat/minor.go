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

// Minor is one minor version of OpenShift. 4.23 and 5.0 are the same release under two names: Compare and Next treat
// them as one, String keeps the name that was read.
type Minor struct {
	Major, Minor uint64
}

// ParseClusterVersion reads the minor version of a cluster version such as "4.20.3", "4.21.0-rc.1" or a nightly's.
// Patch, pre-release and build do not matter.
func ParseClusterVersion(version string) (Minor, error) {
	v, err := semver.NewVersion(strings.TrimSpace(version))
	if err != nil {
		return Minor{}, fmt.Errorf("reading cluster version %.64q: %w", version, err)
	}
	return Minor{Major: v.Major(), Minor: v.Minor()}, nil
}

// String is "X.Y".
func (m Minor) String() string {
	return fmt.Sprintf("%d.%d", m.Major, m.Minor)
}

// Next is the minor version that the cluster's upgrades lead to: 4.22 to 4.23, 4.23 and 5.0 to 5.1.
func (m Minor) Next() Minor {
	if m.Compare(last4) == 0 {
		m = first5
	}
	if m.Minor < math.MaxUint64 {
		m.Minor++
	}
	return m
}

// Beyond is the minor version so many steps of Next after this one; 0 is itself.
func (m Minor) Beyond(steps int) Minor {
	for range steps {
		m = m.Next()
	}
	return m
}

// Permits says whether a bundle whose maximum this is runs on another minor version. A maximum of 4.24 or above permits 4.23, which
// has a name in the 4.x series, and not 5.1, which has none; 4.23 and 5.0 permit the same.
func (m Minor) Permits(other Minor) bool { return m.Compare(other) >= 0 }

// Compare orders minor versions; 4.23 equals 5.0, 4.24 comes after both, and every 4.y before 5.1.
func (m Minor) Compare(other Minor) int {
	a, b := m.canonical(), other.canonical()
	return cmp.Or(cmp.Compare(a.Major, b.Major), cmp.Compare(a.Minor, b.Minor))
}

// last4 and first5 are the two names of one release.
var last4, first5 = Minor{4, 23}, Minor{5, 0}

// canonical gives the release that has two names its 4.x one, which the maxima of the 4.x series are compared with.
func (m Minor) canonical() Minor {
	if m == first5 {
		return last4
	}
	return m
}

// Names is the version as messages name it: with its other name where the release has two.
func (m Minor) Names() string {
	switch m {
	case last4:
		return fmt.Sprintf("%s (the same release as %s)", last4, first5)
	case first5:
		return fmt.Sprintf("%s (the same release as %s)", first5, last4)
	}
	return m.String()
}

// minorForm is what OLM has accepted in catalogs for years: X, X.Y or X.Y.0, a "v" before and build metadata after
// the three numbers, leading zeros. A patch or a pre-release would say something that a maximum minor cannot mean.
var minorForm = regexp.MustCompile(`^v?([0-9]+)(?:\.([0-9]+)(?:\.0+(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?)?)?$`)

// ReadMax reads the values of a bundle's olm.maxOpenShiftVersion properties, each as raw JSON text: a string or a
// number, whose digits are taken as written (4.10 is not 4.1). It returns nil when nothing is declared. More than one
// value is an error even if they are equal, as it has always been.
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

// parseMinor reads what minorForm accepts.
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

// decode returns the text of a JSON string or number.
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

// cut bounds text that others wrote to so many bytes, on one line, for a message.
func cut(text string, most int) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " ")
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most-len("…")], "") + "…"
}
