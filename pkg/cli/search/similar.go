package search

import (
	"cmp"
	"slices"
	"strings"

	"github.com/openshift/platform-operators/pkg/catalog"
)

// maxSimilar is the maximum number of similar names that a report has.
const maxSimilar = 3

// similarNames collects the names of packages that are similar to a text, for a search that finds nothing.
type similarNames struct {
	text string
	// distances maps each similar name to its edit distance.
	distances map[string]int
}

// add adds the similar names of a catalog's packages. A name is similar if at most a third of the text's characters, and at least one, has
// to be changed.
func (s *similarNames) add(packages []catalog.Package) {
	most := max(1, len(s.text)/3)
	for i := range packages {
		if distance := editDistance(strings.ToLower(s.text), packages[i].Name, most); distance <= most {
			if s.distances == nil {
				s.distances = map[string]int{}
			}
			s.distances[packages[i].Name] = distance
		}
	}
}

// names returns the most similar names, at most maxSimilar.
func (s *similarNames) names() []string {
	var names []string
	for name := range s.distances {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(s.distances[a], s.distances[b]), cmp.Compare(a, b)) })
	return names[:min(len(names), maxSimilar)]
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
