package main

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const header = "<!-- Code generated from the tests by `make update`. DO NOT EDIT. -->\n" + `
# Promises

This page says what platform-operators does, and which tests check it. A test carries the id of its promise in its name: search this page
for the id. [testing.md](testing.md#promises) says where to change a promise. Numbers have gaps: only what a test checks is promised here.
`

// area is a chapter of the page, with all ids that begin with prefix. part is a section of an area, with the ids that have letter before
// the number. The ids of an area without parts have no letter.
type area struct {
	prefix, title string
	parts         []part
}

type part struct{ letter, title string }

var areas = []area{
	{"ENG", "Engine", []part{
		{"A", "API and admission"}, {"S", "Sources"}, {"F", "Bundle formats"}, {"P", "Plan and ownership"}, {"D", "Rollout, drift, health and removal"},
	}},
	{"UPG", "Upgrades", []part{
		{"C", "Catalogs"}, {"V", "Versions and edges"}, {"R", "Choice of versions"}, {"M", "Upgrades of an operator"},
	}},
	{"CLU", "Cluster", []part{
		{"G", "Upgrade gate"}, {"O", "ClusterOperator"}, {"P", "Payload"},
	}},
	{"HRD", "Hardening", []part{
		{"B", "Bounds of work and memory"}, {"S", "Security"}, {"G", "What counts at the upgrade gate"}, {"T", "Messages for admins"},
		{"F", "Bundles that OLM installs"}, {"U", "Mistakes of users"}, {"M", "Migration"}, {"C", "Conventions and compatibility"},
	}},
	{"OM", "Portability", nil},
	{"CLI", "Command line", nil},
}

var idParts = regexp.MustCompile(`^([A-Z]+)-([A-Z]?)([0-9]+)$`)

// place is the position of an id on the page: the indexes of its area and part, and its number.
type place struct{ area, part, number int }

func placeOf(id string) (place, error) {
	parts := idParts.FindStringSubmatch(id)
	if parts == nil {
		return place{}, fmt.Errorf("%q is no id", id)
	}
	number, err := strconv.Atoi(parts[3])
	if err != nil {
		return place{}, fmt.Errorf("%s: %w", id, err)
	}
	in := slices.IndexFunc(areas, func(a area) bool { return a.prefix == parts[1] })
	if in < 0 {
		return place{}, fmt.Errorf("%s has an unknown area; add it in hack/promises/page.go", id)
	}
	section := slices.IndexFunc(areas[in].parts, func(p part) bool { return p.letter == parts[2] })
	if section < 0 && (parts[2] != "" || areas[in].parts != nil) {
		return place{}, fmt.Errorf("%s has an unknown part; add it in hack/promises/page.go", id)
	}
	return place{in, max(section, 0), number}, nil
}

func (p place) compare(other place) int {
	return cmp.Or(cmp.Compare(p.area, other.area), cmp.Compare(p.part, other.part), cmp.Compare(p.number, other.number))
}

// page renders the page. The collection must have no problems.
func (c *collection) page() string {
	type placed struct {
		promise
		at place
	}
	var all []placed
	for _, each := range c.promises {
		at, _ := placeOf(each.id)
		all = append(all, placed{each, at})
	}
	slices.SortFunc(all, func(a, b placed) int { return a.at.compare(b.at) })
	var text strings.Builder
	text.WriteString(header)
	before := place{area: -1}
	for _, each := range all {
		in := areas[each.at.area]
		if each.at.area != before.area {
			fmt.Fprintf(&text, "\n## %s\n", in.title)
		}
		if each.at.area != before.area || each.at.part != before.part {
			if in.parts != nil {
				fmt.Fprintf(&text, "\n### %s (%s-%s)\n", in.parts[each.at.part].title, in.prefix, in.parts[each.at.part].letter)
			}
			text.WriteString("\n")
		}
		before = each.at
		fmt.Fprintf(&text, "- **%s** %s<br>%s\n", each.id, each.text, c.links(each.promise))
	}
	return text.String()
}

// links returns Markdown links to the files with tests for the id. The file with the promise is first.
func (c *collection) links(p promise) string {
	files := slices.Clone(c.carriers[p.id])
	slices.SortFunc(files, func(a, b string) int {
		switch {
		case a == p.file:
			return -1
		case b == p.file:
			return 1
		}
		return strings.Compare(a, b)
	})
	for i, file := range files {
		files[i] = fmt.Sprintf("[%s](../%s)", file, file)
	}
	return strings.Join(files, ", ")
}
