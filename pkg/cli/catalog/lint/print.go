package lint

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/openshift/platform-operators/pkg/cli/catalog/severity"
	"github.com/openshift/platform-operators/pkg/cli/printer"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// maxSubjects is the maximum number of subjects in one row of the table. The wide table has a row for each finding.
const maxSubjects = 3

// print writes a report.
func (r Report) print(w io.Writer, l printer.Layout) error {
	if written, err := l.WriteForPrograms(w, r, r.names()); written {
		return err
	}
	var out strings.Builder
	if len(r.Findings) > 0 {
		table := r.table()
		if l.IsWide() {
			table = r.wideTable()
		}
		if err := table.Write(&out, l.Width, l.Headers); err != nil {
			return err
		}
		out.WriteString("\n")
	}
	out.WriteString(printer.Indented(r.Summary.sentence(), "", l.Width))
	_, err := io.WriteString(w, out.String())
	return err
}

// names returns the packages that have an error or a warning.
func (r Report) names() []string {
	var names []string
	for _, finding := range r.Findings {
		if finding.Severity != severity.Info {
			names = append(names, finding.Package)
		}
	}
	return slices.Compact(names)
}

// row is a row of the table: findings that differ only in their subjects.
type row struct {
	Finding
	subjects []string
}

// table returns the table of the findings. Findings of one package with the same problem, such as stranded versions, share a row.
func (r Report) table() printer.Table {
	var rows []*row
	known := map[Finding]*row{}
	for _, finding := range r.Findings {
		problem := finding
		problem.Subject = ""
		if known[problem] == nil {
			known[problem] = &row{Finding: finding}
			rows = append(rows, known[problem])
		}
		known[problem].subjects = append(known[problem].subjects, finding.Subject)
	}
	table := printer.Table{Columns: []string{"PACKAGE", "SEVERITY", "FINDING", "SUBJECT", "PROBLEM"}}
	for _, each := range rows {
		table.Rows = append(table.Rows, []string{each.Package, string(each.Severity), string(each.Kind), each.subject(), each.Problem})
	}
	return table
}

// subject returns the first subjects of a row, and the number of the others. It omits the name of the blob of rules, because a package has
// only one, and the name would take half the width of a terminal.
func (r *row) subject() string {
	return strings.ReplaceAll(printer.First(maxSubjects, r.subjects), " of blob "+upgrade.Schema, "")
}

func (r Report) wideTable() printer.Table {
	table := printer.Table{Columns: []string{"PACKAGE", "SEVERITY", "FINDING", "SEMANTICS", "SUBJECT", "PROBLEM", "REMEDY"}}
	for _, f := range r.Findings {
		table.Rows = append(table.Rows, []string{
			f.Package, string(f.Severity), string(f.Kind), string(f.Semantics), f.Subject, f.Problem, f.Remedy,
		})
	}
	return table
}

func (s Summary) sentence() string {
	return fmt.Sprintf("%s with %s: %s, %s.", printer.Count(s.Packages, "package"), printer.Count(s.Versions, "version"),
		printer.Count(s.Errors, "error"), printer.Count(s.Warnings, "warning"))
}
