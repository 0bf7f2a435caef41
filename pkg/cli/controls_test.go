package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/openshift/platform-operators/pkg/cli/exit"
)

// controls are control characters, of which most terminals interpret some, and characters of Unicode that change the direction of writing
// or have no width.
const controls = "\x1b[31m\x07\b\r\x7f\u0085\u009b2J\u202e\u2066\u200b\u2028\ufeff\U000e0041"

// addControls adds control characters to all texts in a value of an object, except those that a client parses.
func addControls(key string, value any) any {
	switch typed := value.(type) {
	case map[string]any:
		for name := range typed {
			typed[name] = addControls(name, typed[name])
		}
	case []any:
		for i := range typed {
			typed[i] = addControls(key, typed[i])
		}
	case string:
		isParsed := key == "type" || key == "status" || key == "name" || strings.HasSuffix(strings.ToLower(key), "time")
		if !isParsed && !strings.HasPrefix(typed, "http") {
			return typed + controls
		}
	}
	return value
}

// TestCLI_12_NoOutputHasControlCharacters runs each command in each format with API objects and catalogs whose texts have control characters.
func TestCLI_12_NoOutputHasControlCharacters(t *testing.T) {
	server := newAPIServer(t, "mixed.yaml")
	addObjects(t, server, "updates.yaml")
	for _, objects := range server.objects {
		for _, object := range objects {
			addControls("status", object["status"])
		}
	}
	arguments := server.start(t)
	catalog := catalogWithControls(t)
	formats := map[string][]string{
		"list": nil, "status": nil, "status drifter": nil, "updates rigger": nil, "explain upgrade": {"text", "json", "yaml"},
		"explain compass": {"text", "json", "yaml"}, "search --catalog-dir " + catalog: nil, "search --versions --catalog-dir " + catalog: nil,
		"graph --package evil --catalog-dir " + catalog: {"text", "mermaid", "dot", "json"},
		"graph --package none --catalog-dir " + catalog: {"text"},
		"catalog lint " + catalog:                       nil, "catalog simulate " + catalog: nil,
	}
	for verb, all := range formats {
		if all == nil {
			all = []string{"table", "wide", "json", "yaml", "name"}
		}
		for _, format := range all {
			got := run(t, 0, append(append(slices.Clone(arguments), strings.Fields(verb)...), "-o", format)...)
			if at := strings.IndexFunc(got.out+got.errOut, isHidden); at >= 0 || got.code == exit.Failure && !strings.Contains(verb, "none") {
				t.Errorf("%s -o %s: exit code %d, control character at %d: %q", verb, format, got.code, at, got.out+got.errOut)
			}
		}
	}
	if got := run(t, 0, "search", "--catalog-dir", "evil"+controls); strings.ContainsFunc(got.errOut, isHidden) {
		t.Errorf("a warning has control characters: %q", got.errOut)
	}
	if got := run(t, 0, "search", "memory-operator", "--catalog-dir", catalog); strings.ContainsFunc(got.errOut, isHidden) || !strings.Contains(got.errOut, "memory-oper [31m") {
		t.Errorf("a similar name has control characters, or is missing: %q", got.errOut)
	}
	if got := run(t, 0, "list", "--evil"+controls); strings.ContainsFunc(got.errOut, isHidden) {
		t.Errorf("an error has control characters: %q", got.errOut)
	}
}

// isHidden reports whether a character of an output is not shown as such by a terminal.
func isHidden(r rune) bool {
	return r != '\n' && unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}

// catalogWithControls writes a catalog with control characters in its texts.
func catalogWithControls(t *testing.T) string {
	t.Helper()
	evil, directory := controls, t.TempDir()
	bundle := func(name, version string) map[string]any {
		return map[string]any{"schema": "olm.bundle", "package": "evil", "name": name + evil, "image": "registry.example.com/evil:1",
			"properties": []any{map[string]any{"type": "olm.package", "value": map[string]any{"packageName": "evil", "version": version}},
				map[string]any{"type": "olm.gvk", "value": map[string]any{"group": "g" + evil, "version": "v1", "kind": "K" + evil}},
				map[string]any{"type": "olm.maxOpenShiftVersion", "value": "4" + evil}}}
	}
	var content bytes.Buffer
	for _, blob := range []map[string]any{
		{"schema": "olm.package", "name": "evil", "defaultChannel": "stable" + evil},
		{"schema": "olm.package", "name": "evil2" + evil, "defaultChannel": "stable"},
		{"schema": "olm.package", "name": "memory-oper" + evil[:5], "defaultChannel": "stable"},
		bundle("a", "1.0.0"), bundle("b", "1.1.0"), bundle("c", "1"+evil),
		{"schema": "olm.channel", "package": "evil", "name": "stable" + evil, "entries": []any{map[string]any{"name": "a" + evil},
			map[string]any{"name": "b" + evil, "replaces": "a" + evil}, map[string]any{"name": "c" + evil, "skips": []any{"x" + evil}}}},
		{"schema": "olm.deprecations", "package": "evil", "entries": []any{
			map[string]any{"reference": map[string]any{"schema": "olm.package"}, "message": "gone" + evil}}},
		{"schema": "io.openshift.operators.upgrades.v1alpha1", "package": "evil", "semantics": "channel", "steps": []any{
			map[string]any{"from": "<1.1.0", "to": ">=1.1.0", "through": "1.0.x", "reason": "because" + evil}}},
	} {
		if err := json.NewEncoder(&content).Encode(blob); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(directory, "catalog.json"), content.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return directory
}
