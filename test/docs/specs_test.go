package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var specFile = regexp.MustCompile("`([a-z_]+)`")

// TestEachSpecOnTheRealAPIServerHasAReason checks that docs/testing.md gives a reason why each file of specs needs an API server.
func TestEachSpecOnTheRealAPIServerHasAReason(t *testing.T) {
	content, err := os.ReadFile("../../docs/testing.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(content), "\n| what only real processes show | specs |\n|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var listed []string
	for line := range strings.Lines(table) {
		cells := strings.Split(line, " | ")
		for _, name := range specFile.FindAllStringSubmatch(cells[len(cells)-1], -1) {
			listed = append(listed, name[1])
		}
	}
	files, err := filepath.Glob("../integration/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if text := string(source); strings.Contains(text, "= Describe(") || strings.Contains(text, "= DescribeTable(") {
			found = append(found, strings.TrimSuffix(filepath.Base(file), "_test.go"))
		}
	}
	slices.Sort(listed)
	if !slices.Equal(listed, found) {
		t.Errorf("docs/testing.md lists\n%q, and test/integration has\n%q", listed, found)
	}
}
