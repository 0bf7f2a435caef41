// Package similar finds the names that are similar to a misspelled one, for suggestions. It is pure.
package similar

import (
	"cmp"
	"slices"
	"strings"
)

// maxNames is the maximum number of names that Names returns.
const maxNames = 3

// Finder collects the names that are similar to a text.
type Finder struct {
	text string
	// distances maps each similar name to its edit distance.
	distances map[string]int
}

// NewFinder returns a Finder for the names that are similar to a text, in upper or lower case.
func NewFinder(text string) *Finder {
	return &Finder{text: strings.ToLower(text), distances: map[string]int{}}
}

// Add adds a name if it is similar: if at most a third of the text's characters, and at least one, has to be changed.
func (f *Finder) Add(name string) {
	most := max(1, len(f.text)/3)
	if distance := editDistance(f.text, name, most); distance <= most {
		f.distances[name] = distance
	}
}

// Names returns the most similar names, at most three, the most similar first.
func (f *Finder) Names() []string {
	var names []string
	for name := range f.distances {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(f.distances[a], f.distances[b]), cmp.Compare(a, b)) })
	return names[:min(len(names), maxNames)]
}

// editDistance returns the Levenshtein distance of two texts, in bytes. If it is above most, the result is any number above most.
func editDistance(a, b string, most int) int {
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	row := make([]int, len(b)+1) // row[j] is the distance between the read part of a and b[:j]
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
