package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestHRD_C1_TheAPIHasNoFindings(t *testing.T) {
	found, err := run("../..", "settings.yaml", "./pkg/apis/...")
	if err != nil {
		t.Fatal(err)
	}
	for _, each := range found {
		t.Error(each)
	}
}

func TestHRD_C1_EachLinterReportsItsViolation(t *testing.T) {
	s, err := readSettings("settings.yaml")
	if err != nil {
		t.Fatal(err)
	}
	found, err := lint(".", s, "./testdata/things")
	if err != nil {
		t.Fatal(err)
	}
	for linter, field := range map[string]string{
		"commentstart":       "Thing.Color",
		"minlength":          "Thing.Color",
		"optionalfields":     "Thing.Color",
		"maxlength":          "Thing.Size",
		"preferredmarkers":   "Thing.Size",
		"optionalorrequired": "Thing.Size",
		"nobools":            "Thing.Broken",
	} {
		if !slices.ContainsFunc(found, func(f finding) bool { return f.linter == linter && strings.Contains(f.message, field) }) {
			t.Errorf("%s does not report %s; findings: %v", linter, field, found)
		}
	}
	for i, each := range found {
		if each.file != "testdata/things/thing.go" || each.line < 5 || i > 0 && each.line < found[i-1].line {
			t.Errorf("the position or the order of the finding is wrong: %s", each)
		}
	}
}

func TestExceptions(t *testing.T) {
	found := []finding{
		{"nobools", "a.go", 1, "field Thing.Broken should not use a bool"},
		{"nobools", "a.go", 2, "field Thing.BrokenToo should not use a bool"},
		{"namingconventions", "a.go", 3, `naming convention "nokind": field Thing.Kind: a field names a resource`},
	}
	left := except(found, []exception{
		{Fields: []string{"Thing.Broken"}, Linters: []string{"nobools", "nophase"}, Reason: "why"},
		{Fields: []string{"Thing.Kind"}, Linters: []string{"namingconventions"}, Reason: "why"},
	})
	if len(left) != 2 || !strings.Contains(left[0], "a.go:2: field Thing.BrokenToo") || !strings.Contains(left[1], "exception of Thing.Broken from nophase") {
		t.Errorf("got %q", left)
	}
}

func TestSettingsAreChecked(t *testing.T) {
	for want, content := range map[string]string{
		"needs fields, linters and a reason": "exceptions: [{fields: [Thing.Broken], linters: [nobools]}]",
		"unknown field":                      "linter: {}",
	} {
		path := filepath.Join(t.TempDir(), "settings.yaml")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readSettings(path); err == nil || !regexp.MustCompile(want).MatchString(err.Error()) {
			t.Errorf("the error is %v, want %q", err, want)
		}
	}
	if _, err := lint(".", settings{Linters: map[string]any{"enable": []any{"no-such-linter"}}}, "./testdata/things"); err == nil {
		t.Error("a linter that does not exist is accepted")
	}
	if _, err := lint(".", settings{}, "./testdata/no-such-package"); err == nil {
		t.Error("a package that does not exist is accepted")
	}
}
