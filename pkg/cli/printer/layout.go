package printer

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// maxPath is the maximum number of versions that Path shows when it shortens a path.
const maxPath = 4

// Layout is how a report is printed.
type Layout struct {
	Format Format
	// Headers means that tables have headings.
	Headers bool
	// Width is the number of columns of the terminal; 0 for a pipe.
	Width int
}

// Layout returns the layout that the flags select, for a terminal of width columns; 0 for a pipe.
func (f *Flags) Layout(width int) Layout {
	return Layout{Format: f.Format(), Headers: !f.NoHeaders, Width: width}
}

// IsWide reports whether the format is the table with more columns.
func (l Layout) IsWide() bool { return l.Format == FormatWide }

// WriteForPrograms writes a report as JSON, as YAML or as names, and returns true. If the format is one for people, it writes nothing and
// returns false.
func (l Layout) WriteForPrograms(w io.Writer, report any, names []string) (bool, error) {
	switch l.Format {
	case FormatJSON, FormatYAML:
		return true, Report(w, l.Format, report)
	case FormatName:
		return true, Names(w, names)
	}
	return false, nil
}

// First returns the first names of a list, separated by commas, and the number of the others.
func First(number int, names []string) string {
	text := strings.Join(names[:min(len(names), number)], ", ")
	if more := len(names) - number; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Path returns the versions of an upgrade path: all of them, or only the first and the last ones, with the number of those in between.
func Path(versions []string, all bool) string {
	if hidden := len(versions) - maxPath; !all && hidden > 0 {
		first, last := versions[:maxPath/2], versions[len(versions)-maxPath/2:]
		versions = slices.Concat(first, []string{fmt.Sprintf("(%d more)", hidden)}, last)
	}
	return strings.Join(versions, " -> ")
}
