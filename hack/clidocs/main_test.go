package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAStalePageIsNoticed(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "cli")
	if err := run(folder, true); err == nil {
		t.Error("missing pages are accepted")
	}
	if err := run(folder, false); err != nil {
		t.Fatal(err)
	}
	if err := run(folder, true); err != nil {
		t.Errorf("pages that were just written are refused: %v", err)
	}
	for _, name := range []string{"kubectl_platform_status.md", "kubectl_platform_nothing.md"} {
		path := filepath.Join(folder, name)
		before, _ := os.ReadFile(path)
		if err := os.WriteFile(path, []byte("# edited"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := run(folder, true); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s was edited, and the error is %v", name, err)
		}
		if err := os.WriteFile(path, before, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestIndentedLinesAreACodeBlock(t *testing.T) {
	got := fenced("Codes:\n  0  good\n  1  bad\n\nMore.")
	if want := "Codes:\n\n```text\n  0  good\n  1  bad\n```\n\nMore."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
