package list

import (
	"io"
	"time"

	"github.com/openshift/platform-operators/pkg/cli/operators"
	"github.com/openshift/platform-operators/pkg/cli/printer"
)

// layout is how a report is printed.
type layout struct {
	printer.Layout
	now time.Time
}

// print writes a report.
func (r Report) print(w io.Writer, l layout) error {
	if written, err := l.WriteForPrograms(w, r, operators.Names(r.Operators)); written {
		return err
	}
	return r.table(l).Write(w, l.Width, l.Headers)
}

func (r Report) table(l layout) printer.Table {
	table := printer.Table{Columns: []string{"NAME", "PACKAGE", "VERSION", "STATE", "UPDATE", "AGE"}}
	if l.IsWide() {
		table.Columns = append(table.Columns, "TARGET", "CHANNEL", "MAX OPENSHIFT", "CATALOG")
	}
	for _, o := range r.Operators {
		row := []string{o.Name, o.Package, o.Version, o.ShownState(), o.Update, printer.Age(o.Created, l.now)}
		if l.IsWide() {
			row = append(row, o.Target, o.Channel, o.MaxOpenShift, o.Catalog)
		}
		table.Rows = append(table.Rows, row)
	}
	return table
}
