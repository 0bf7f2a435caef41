package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/openshift/platform-operators/test/provenance"
)

// document is the content of docs/benchmarks.md.
type document struct {
	facts []provenance.Fact
	parts []part
}

const preamble = `# Benchmarks

` + "`make bench`" + ` writes this page; do not edit it.

Lower is better in every row. The ratio is baseline ÷ ours: with 3× the baseline needs three times as much as
platform-operators, and below 1× it needs less. Both sides of a row were measured in the same run, alternately. A figure is the
median of n samples, after one run of each side that does not count. Installations count from the first run on.
`

// write writes the document as Markdown.
func (d document) write(w io.Writer) error {
	var out strings.Builder
	out.WriteString(preamble)
	out.WriteString("\n")
	facts := table{head: []string{"", ""}}
	for _, f := range d.facts {
		facts.rows = append(facts.rows, []string{f[0], f[1]})
	}
	facts.write(&out)
	for _, p := range d.parts {
		p.write(&out)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func (p part) write(out *strings.Builder) {
	fmt.Fprintf(out, "\n## %s\n\n%s\n\n", p.title, strings.TrimSpace(p.text))
	figures := table{head: []string{"figure", "ours: " + p.ours, "baseline: " + p.baseline, "ratio", "n"}}
	for _, f := range p.figures {
		baseline, ratio := "—", "—"
		if f.baseline > 0 {
			baseline = f.unit.format(f.baseline)
		}
		if r, ok := f.ratio(); ok {
			ratio = formatRatio(r)
		}
		figures.rows = append(figures.rows, []string{f.name, f.unit.format(f.ours), baseline, ratio, fmt.Sprint(f.n)})
	}
	figures.write(out)
	for _, note := range p.notes {
		fmt.Fprintf(out, "\n%s\n", note)
	}
	if len(p.details.rows) > 0 {
		fmt.Fprintf(out, "\n%s\n\n", p.details.caption)
		p.details.write(out)
	}
}

func (t table) write(out *strings.Builder) {
	row := func(cells []string) {
		for i, cell := range cells {
			if i > 0 {
				out.WriteString(" ")
			}
			out.WriteString("| " + strings.ReplaceAll(cell, "|", `\|`))
		}
		out.WriteString(" |\n")
	}
	row(t.head)
	out.WriteString(strings.Repeat("|---", len(t.head)) + "|\n")
	for _, cells := range t.rows {
		row(cells)
	}
}

func formatRatio(r float64) string {
	if r >= 9.95 {
		return fmt.Sprintf("%.0f×", r)
	}
	if r >= 0.995 {
		return fmt.Sprintf("%.1f×", r)
	}
	return fmt.Sprintf("%.2g×", r)
}
