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

// triedDocument is the file that lists the perturbations and fields that all runs so far have tried.
const triedDocument = "docs/soak-tried.txt"

const triedPreamble = `# The perturbations and the fields that all runs of make test-long have tried. hack/soak adds to this file; docs/soak.md has the totals. Each
# line has a group and its items.
#
# - STORY, PATTERN: the step, then the write, or the object of the event. #N is the number of the write among equal writes, or of the event
#   among the events of the object. ~LAG says how stale the lists of a stale restart are.
# - KIND, valid: fields that a story set to a valid value.
# - KIND, invalid: fields that a story set to a value that the API server refused, or that it accepted and the manager must report.
`

// groups holds the items of each group, such as the perturbed writes of a story and pattern.
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
			return nil, fmt.Errorf("%s: line %q has no group; restore the file from git", triedDocument, line)
		}
		for _, item := range strings.Fields(items) {
			tried.add(group, item)
		}
	}
	return tried, nil
}

// parseRun parses the file that the tests of one run wrote. A line consists of "known" or "tried", a group, and an item, separated by tabs.
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
			return nil, nil, fmt.Errorf("line %q of the file of -tried must have three fields, separated by tabs: known or tried, "+
				"a group, and an item; delete the file and run the tests again", line)
		}
	}
	return known, tried, nil
}

// merge returns the items that were tried in this run (now) or in earlier runs (before). It drops items that are not known, because their
// perturbation or field does not exist in the tests. It keeps all items of a group that this run did not record, because a run does not
// play all stories.
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

// writeTriedTable writes a table with the numbers of tried and known items: for each pattern of perturbations across all stories, and for
// the fields of each kind. It omits groups without known items.
func writeTriedTable(out io.Writer, known, tried groups) {
	type count struct{ tried, known int }
	counts := map[string]count{}
	all := maps.Clone(known)
	maps.Copy(all, tried) // add the groups that this run did not record
	for group := range all {
		subject, row, _ := strings.Cut(group, ", ")
		if row == "valid" || row == "invalid" {
			row = fmt.Sprintf("fields of %s with %s values", subject, row)
		}
		counts[row] = count{counts[row].tried + len(tried[group]), counts[row].known + max(len(known[group]), len(tried[group]))}
	}
	fmt.Fprint(out, "\n## Coverage of all runs\n\n[soak-tried.txt](soak-tried.txt) lists the items.\n\n"+
		"| pattern, or fields | tried | total |\n|---|---|---|\n")
	for _, row := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(out, "| %s | %d | %d |\n", row, counts[row].tried, counts[row].known)
	}
}

// addTried merges the items that a run has tried into triedDocument, and writes the table for the page to out. file is the value of -tried.
func addTried(out io.Writer, file string) error {
	run, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("reading the file of -tried: %w", err)
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
