package catalog

import (
	"strings"
	"testing"
)

func TestAnchorsAreFound(t *testing.T) {
	for document, want := range map[string]bool{
		"a: 1":                        false,
		"url: https://x.org/?a=1&b=2": false,
		"text: this & that":           false,
		"text: ends with &":           false,
		"a: &x 1":                     true,
		"a:\n- &x 1":                  true,
		"{a: [&x 1]}":                 true,
		`{"a":&x 1}`:                  true,
		"&x a: 1":                     true,
		"a: !t &x 1":                  true,
		"a:\u2028&x 1":                true,
		"text: &amp; counts as one":   true,
	} {
		if got := mayHaveAnchor([]byte(document)); got != want {
			t.Errorf("%q: got %v, want %v", document, got, want)
		}
	}
}

func TestNesting(t *testing.T) {
	for blob, want := range map[string]int{
		`1`: 0, `{}`: 1, `{"a":[{}],"b":{}}`: 3, `{"a":"[[["}`: 1, `["\"[[", "\\", [1]]`: 2,
	} {
		if got := nesting([]byte(blob)); got != want {
			t.Errorf("%s: got %d, want %d", blob, got, want)
		}
	}
}

// TestLimitsHoldWithAndWithoutAnchors checks that the limits do not depend on whether the document is parsed twice.
func TestLimitsHoldWithAndWithoutAnchors(t *testing.T) {
	nested := func(depth int) string {
		return "schema: a\nx: " + strings.Repeat("[", depth) + "1" + strings.Repeat("]", depth)
	}
	for name, test := range map[string]struct {
		document string
		want     string
	}{
		"Deepest":         {nested(maxYAMLDepth - 2), ""},
		"TooDeep":         {nested(maxYAMLDepth - 1), "nested deeper than"},
		"ManyValues":      {"schema: a\nx: [" + strings.Repeat("1,", maxYAMLValues/2-5) + "1]", ""},
		"ManyNulls":       {"schema: a\nx: {" + manyKeys(maxYAMLValues/2+1) + "}", "more than"},
		"TooManyDashes":   {"schema: a\nx: [" + strings.Repeat("1,", maxYAMLValues) + "1]", "at most 300000 are allowed; write it as JSON"},
		"ExpandedAliases": {"schema: a\na: &a [1,1,1,1,1,1,1,1,1,1]\n" + bomb(), "once aliases are expanded"},
	} {
		for _, suffix := range []string{"", "\nanchor: &anchor 1"} {
			_, err := toJSON([]byte(test.document + suffix))
			switch {
			case test.want == "" && err != nil:
				t.Errorf("%s%q: got error %v", name, suffix, err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("%s%q: got error %v, want %q", name, suffix, err, test.want)
			}
		}
	}
}

// manyKeys returns keys without values of a flow mapping.
func manyKeys(number int) string {
	var keys strings.Builder
	for i := range number {
		if i > 0 {
			keys.WriteByte(',')
		}
		for rest := i; ; rest /= 26 {
			keys.WriteByte(byte('a' + rest%26))
			if rest < 26 {
				break
			}
		}
	}
	return keys.String()
}

// bomb returns lists of aliases, each ten times as large as the one before.
func bomb() string {
	var out strings.Builder
	for i := 'b'; i < 'h'; i++ {
		alias := "*" + string(i-1)
		out.WriteString(string(i) + ": &" + string(i) + " [" + strings.Repeat(alias+",", 9) + alias + "]\n")
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// TestAnUnquotedRangeIsExplained checks the remedy in the error for a value that YAML reads as the beginning of a block scalar.
func TestAnUnquotedRangeIsExplained(t *testing.T) {
	for _, document := range []string{"a: >=1.4.0", "a: >1.4.0\nb: &x 1", "- a: |1.4.0"} {
		_, err := Read(strings.NewReader("schema: olm.package\nname: p\nvalue:\n- "+strings.ReplaceAll(document, "\n", "\n  ")), nil)
		if err == nil || !strings.Contains(err.Error(), "a value that begins with > or | must be quoted") {
			t.Errorf("%q: got error %v", document, err)
		}
	}
	for _, document := range []string{"a: [", "a: b: c", "a: >-\n  text\nb: [", "a: |2+ # text\n  text\nb: ["} {
		if _, err := Read(strings.NewReader(document), nil); err == nil || strings.Contains(err.Error(), "must be quoted") {
			t.Errorf("%q: got error %v", document, err)
		}
	}
}
