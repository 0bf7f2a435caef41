package printer

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// hostile has a character of each class that a terminal interprets or does not show: controls, bidi overrides and isolates, zero width, a
// line separator, a language tag, and a byte order mark.
const hostile = "a\x1b[31m\u009b\u202eb\u2066c\u200bd\u200de\u2028f\U000e0041g\ufeffh\u00adi"

func hasHidden(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return r != '\n' && unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
	})
}

// TestCLI_12_NoFormatPrintsHiddenCharacters checks that text of a catalog cannot change how a terminal shows the rest of the output.
func TestCLI_12_NoFormatPrintsHiddenCharacters(t *testing.T) {
	report := struct {
		First string `json:"first"`
		Text  string `json:"text"`
		Plain string `json:"plain"`
		List  []any  `json:"list"`
	}{"true", hostile, "x: y", []any{"no", 1, true, nil, map[string]any{"\u202e": "\u200b\n"}}}
	for format, write := range map[string]func(*strings.Builder) error{
		"table": func(out *strings.Builder) error {
			return Table{Columns: []string{"A", "B"}, Rows: [][]string{{hostile, hostile}}}.Write(out, 0, true)
		},
		"text": func(out *strings.Builder) error { _, err := out.WriteString(Indented(hostile, "", 0)); return err },
		"name": func(out *strings.Builder) error { return Names(out, []string{hostile}) },
		"json": func(out *strings.Builder) error { return Report(out, FormatJSON, report) },
		"yaml": func(out *strings.Builder) error { return Report(out, FormatYAML, report) },
	} {
		var out strings.Builder
		if err := write(&out); err != nil {
			t.Fatal(err)
		}
		if hasHidden(out.String()) {
			t.Errorf("%s has a hidden character: %+q", format, out.String())
		}
		if format == "json" || format == "yaml" {
			compareContent(t, format, out.String(), report)
		}
	}
}

// compareContent checks that a report as JSON or YAML has the values of the report.
func compareContent(t *testing.T, format, printed string, report any) {
	t.Helper()
	parse := func(content []byte, into any) error { return yaml.Unmarshal(content, into) }
	if format == "json" {
		parse = json.Unmarshal
	}
	content, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	var got, want any
	if err := errors.Join(json.Unmarshal(content, &want), parse([]byte(printed), &got)); err != nil {
		t.Fatalf("%v:\n%s", err, printed)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the content differs (-want +got):\n%s\n%s", diff, printed)
	}
}
