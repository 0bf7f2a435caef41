package approve

import (
	"strings"

	"github.com/pmezard/go-difflib/difflib"
)

// differenceOf returns the lines in which two texts of plans differ, as a unified diff without context: each line of a plan names its object.
func differenceOf(before, after string) (string, error) {
	return difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
		A: linesOf(before), B: linesOf(after), FromFile: "the plan that was shown", ToFile: "the present plan",
	})
}

// linesOf returns the lines of a text, each with a line feed.
func linesOf(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, strings.TrimSuffix(line, "\n")+"\n")
	}
	return lines
}
