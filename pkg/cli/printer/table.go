package printer

import (
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// gap separates columns, as in kubectl.
	gap = "   "
	// minLastColumn is the minimum width of a last column whose cells are wrapped. In a terminal too narrow for it, each row is written as
	// a block of lines.
	minLastColumn = 24
	// none is the text of an empty cell, as in kubectl.
	none = "<none>"
)

// Table is a table with a heading for each column. Its rows have one cell for each column.
type Table struct {
	Columns []string
	Rows    [][]string
}

// Write writes the table within width columns; 0 means no limit. If the table is wider, the cells of its last column are wrapped. If that
// leaves too little space for the last column, each row is written as a block of lines with a heading and a value.
func (t Table) Write(w io.Writer, width int, headers bool) error {
	rows := t.rows(headers)
	widths := columnWidths(rows, len(t.Columns))
	last := len(t.Columns) - 1
	rest := width - total(widths[:last])
	var out strings.Builder
	switch {
	case width <= 0 || widths[last] <= rest:
		writeRows(&out, rows, widths, 0)
	case rest >= minLastColumn:
		writeRows(&out, rows, widths, rest)
	default:
		t.writeBlocks(&out, width)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// WithoutEmpty returns the table without the named column if every cell of that column is empty, or else the table itself.
func (t Table) WithoutEmpty(column string) Table {
	at := slices.Index(t.Columns, column)
	if at < 0 || slices.ContainsFunc(t.Rows, func(row []string) bool { return row[at] != "" }) {
		return t
	}
	without := Table{Columns: slices.Delete(slices.Clone(t.Columns), at, at+1)}
	for _, row := range t.Rows {
		without.Rows = append(without.Rows, slices.Delete(slices.Clone(row), at, at+1))
	}
	return without
}

// rows returns the rows with the text to write, after a row of headings if headers is true. An empty cell becomes "<none>". Line breaks and
// hidden characters become spaces.
func (t Table) rows(headers bool) [][]string {
	var rows [][]string
	if headers {
		rows = append(rows, t.Columns)
	}
	for _, row := range t.Rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			if cells[i] = OneLine(cell); cells[i] == "" {
				cells[i] = none
			}
		}
		rows = append(rows, cells)
	}
	return rows
}

func columnWidths(rows [][]string, columns int) []int {
	widths := make([]int, columns)
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

// total returns the width of columns, each with a gap after it.
func total(widths []int) int {
	sum := 0
	for _, width := range widths {
		sum += width + len(gap)
	}
	return sum
}

// writeRows writes rows in columns. It wraps the last column at the width wrap; 0 means that it does not wrap.
func writeRows(out *strings.Builder, rows [][]string, widths []int, wrap int) {
	last := len(widths) - 1
	for _, row := range rows {
		indent := 0
		for i, cell := range row[:last] {
			out.WriteString(cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)) + gap)
			indent += widths[i] + len(gap)
		}
		for i, line := range Wrap(row[last], wrap) {
			if i > 0 {
				out.WriteString(strings.Repeat(" ", indent))
			}
			out.WriteString(line + "\n")
		}
	}
}

// writeBlocks writes each row as lines "HEADING: value", with an empty line between rows.
func (t Table) writeBlocks(out *strings.Builder, width int) {
	for i, row := range t.rows(false) {
		if i > 0 {
			out.WriteString("\n")
		}
		for column, cell := range row {
			lines := Wrap(t.Columns[column]+": "+cell, width)
			out.WriteString(strings.Join(lines, "\n  ") + "\n")
		}
	}
}
