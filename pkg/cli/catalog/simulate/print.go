package simulate

import (
	"fmt"
	"io"
	"strings"

	"github.com/openshift/platform-operators/pkg/cli/printer"
)

// print writes a report.
func (r Report) print(w io.Writer, l printer.Layout) error {
	if written, err := l.WriteForPrograms(w, r, r.names()); written {
		return err
	}
	table := r.table(l.IsWide())
	if r.Summary.Planned != nil {
		table = r.comparison(l.IsWide())
	}
	var out strings.Builder
	if err := table.WithoutEmpty("BLOCKED").Write(&out, l.Width, l.Headers); err != nil {
		return err
	}
	out.WriteString("\n" + printer.Indented(r.Summary.sentence(), "", l.Width))
	_, err := io.WriteString(w, out.String())
	return err
}

// names returns the bundles of the versions that do not reach the head. If there are planned rules, the outcome under these rules counts.
func (r Report) names() []string {
	var names []string
	for _, p := range r.Packages {
		for _, version := range p.Versions {
			if version.last().Blocked != nil {
				names = append(names, version.Bundle)
			}
		}
	}
	return names
}

// last returns the outcome under the planned rules if there are any, or else the current outcome.
func (v Version) last() Outcome {
	if v.Planned != nil {
		return *v.Planned
	}
	return v.Outcome
}

func (r Report) table(wide bool) printer.Table {
	table := printer.Table{Columns: []string{"PACKAGE", "VERSION", "TARGET", "PATH", "BLOCKED"}}
	if wide {
		table.Columns = []string{"PACKAGE", "VERSION", "BUNDLE", "SEMANTICS", "TARGET", "PATH", "BLOCKED"}
	}
	for _, p := range r.Packages {
		for _, v := range p.Versions {
			row := []string{p.Name, v.Version}
			if wide {
				row = append(row, v.Bundle, string(v.Outcome.Semantics))
			}
			table.Rows = append(table.Rows, append(row, v.Outcome.Target, printer.Path(v.Outcome.Path, wide), v.Outcome.blocked()))
		}
	}
	return table
}

// comparison returns the table that compares the outcomes without and with the planned rules.
func (r Report) comparison(wide bool) printer.Table {
	table := printer.Table{Columns: []string{"PACKAGE", "VERSION", "CHANGE", "PATH NOW", "PLANNED PATH", "BLOCKED"}}
	if wide {
		table.Columns = []string{
			"PACKAGE", "VERSION", "BUNDLE", "CHANGE", "SEMANTICS NOW", "PATH NOW", "PLANNED SEMANTICS", "PLANNED PATH", "BLOCKED",
		}
	}
	for _, p := range r.Packages {
		for _, v := range p.Versions {
			row := []string{p.Name, v.Version, string(v.Change), printer.Path(v.Outcome.Path, false), printer.Path(v.Planned.Path, false), v.Planned.blocked()}
			if wide {
				row = []string{
					p.Name, v.Version, v.Bundle, string(v.Change), string(v.Outcome.Semantics), printer.Path(v.Outcome.Path, true),
					string(v.Planned.Semantics), printer.Path(v.Planned.Path, true), v.Planned.blocked(),
				}
			}
			table.Rows = append(table.Rows, row)
		}
	}
	return table
}

// blocked returns why the operator does not reach the head; empty if it does.
func (o Outcome) blocked() string {
	if o.Blocked == nil {
		return ""
	}
	return fmt.Sprintf("%s: %s %s", o.Blocked.Reason, o.Blocked.Version, o.Blocked.Message)
}

func (s Summary) sentence() string {
	text := fmt.Sprintf("%s with %s: ", printer.Count(s.Packages, "package"), printer.Count(s.Versions, "version"))
	if s.Planned == nil {
		return text + doNotReach(s.Blocked) + "."
	}
	return text + fmt.Sprintf("%s now, %s with the planned rules. The rules change the outcome of %s.", doNotReach(s.Blocked),
		doNotReach(s.Planned.Blocked), printer.Count(s.Planned.Changed, "version"))
}

func doNotReach(versions int) string {
	switch versions {
	case 0:
		return "all reach the head"
	case 1:
		return "1 does not reach the head"
	}
	return fmt.Sprintf("%d do not reach the head", versions)
}
