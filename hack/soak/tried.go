package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
)

// triedDocument has what the runs so far have tried.
const triedDocument = "docs/soak-tried.txt"

const triedPreamble = `# What the runs of make test-long have tried so far: writes (step.write) and events (step:object#number) of perturbed stories,
# and fields of generated stories. Each line is a group and its items. docs/soak.md has the numbers.
`

// groups are sets of items by group, such as the writes of a story.
type groups map[string]map[string]bool

func (g groups) add(group, item string) {
	if g[group] == nil {
		g[group] = map[string]bool{}
	}
	g[group][item] = true
}

// parseTried parses triedDocument.
func parseTried(text string) (groups, error) {
	tried := groups{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		group, items, found := strings.Cut(line, ": ")
		if !found {
			return nil, fmt.Errorf("line %q has no group: restore %s", line, triedDocument)
		}
		for _, item := range strings.Fields(items) {
			tried.add(group, item)
		}
	}
	return tried, nil
}

// parseRun parses what the tests of one run wrote: lines with "known" or "tried", a group, and an item.
func parseRun(text string) (known, tried groups, err error) {
	known, tried = groups{}, groups{}
	for line := range strings.Lines(text) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		switch {
		case len(fields) == 3 && fields[0] == "known":
			known.add(fields[1], fields[2])
		case len(fields) == 3 && fields[0] == "tried":
			tried.add(fields[1], fields[2])
		default:
			return nil, nil, fmt.Errorf("line %q of the tests is neither known nor tried", line)
		}
	}
	return known, tried, nil
}

// merge returns what was tried now or before and still exists. It keeps groups that are unknown now, because a run does not record all stories.
func merge(known, before, now groups) groups {
	tried := groups{}
	for group, items := range before {
		if known[group] == nil {
			tried[group] = items
		}
	}
	for group, items := range known {
		for item := range items {
			if before[group][item] || now[group][item] {
				tried.add(group, item)
			}
		}
	}
	return tried
}

// writeTried writes the content of triedDocument.
func writeTried(out io.Writer, tried groups) {
	fmt.Fprint(out, triedPreamble)
	for _, group := range slices.Sorted(maps.Keys(tried)) {
		fmt.Fprintf(out, "%s: %s\n", group, strings.Join(slices.Sorted(maps.Keys(tried[group])), " "))
	}
}

// writeTriedTable writes how much was tried: each pattern of perturbations over all stories, and the fields of each kind.
func writeTriedTable(out io.Writer, known, tried groups) {
	type count struct{ tried, known int }
	counts := map[string]count{}
	for group := range known {
		story, what, _ := strings.Cut(group, ", ")
		if what == "valid" || what == "invalid" {
			what = fmt.Sprintf("fields of %s with %s values", story, what)
		}
		counts[what] = count{counts[what].tried + len(tried[group]), counts[what].known + len(known[group])}
	}
	fmt.Fprintf(out, "\n## Tried so far\n\nBy all runs, of what exists today: [soak-tried.txt](soak-tried.txt).\n\n| what | tried | of |\n|---|---|---|\n")
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(out, "| %s | %d | %d |\n", what, counts[what].tried, counts[what].known)
	}
}

// addTried merges what a run has tried into triedDocument, and writes the table of the page.
func addTried(out io.Writer, file string) error {
	run, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("reading what the tests tried: %w", err)
	}
	known, now, err := parseRun(string(run))
	if err != nil {
		return err
	}
	content, err := os.ReadFile(triedDocument)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	before, err := parseTried(string(content))
	if err != nil {
		return err
	}
	tried := merge(known, before, now)
	var text strings.Builder
	writeTried(&text, tried)
	writeTriedTable(out, known, tried)
	return os.WriteFile(triedDocument, []byte(text.String()), 0o644)
}
