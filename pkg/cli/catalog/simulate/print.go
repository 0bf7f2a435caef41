package simulate

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/openshift/platform-operators/pkg/cli/printer"
	"github.com/openshift/platform-operators/pkg/upgrade"
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

// names returns the bundles of the versions that do not reach the head, each once. If there are planned rules, the outcome under these
// rules counts.
func (r Report) names() []string {
	var names []string
	for _, p := range r.Packages {
		listed := map[string]bool{}
		for _, version := range p.Versions {
			if version.last().Blocked != nil && !listed[version.Bundle] {
				listed[version.Bundle] = true
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

// table returns the table of the outcomes. The narrow table has the semantics only if they differ.
func (r Report) table(wide bool) printer.Table {
	table := printer.Table{Columns: []string{"PACKAGE", "VERSION"}}
	withSemantics := wide || len(r.semanticsNow()) > 1
	if wide {
		table.Columns = append(table.Columns, "BUNDLE")
	}
	if withSemantics {
		table.Columns = append(table.Columns, "SEMANTICS")
	}
	table.Columns = append(table.Columns, "TARGET", "PATH", "BLOCKED")
	for _, p := range r.Packages {
		for _, v := range p.Versions {
			row := []string{p.Name, v.Version}
			if wide {
				row = append(row, v.Bundle)
			}
			if withSemantics {
				row = append(row, string(v.Outcome.Semantics))
			}
			table.Rows = append(table.Rows, append(row, v.Outcome.Target, printer.Path(v.Outcome.Path, wide), v.Outcome.blocked()))
		}
	}
	return table
}

// comparison returns the table that compares the outcomes without and with the planned rules. The narrow table has the semantics only if
// they differ, in one column if the planned rules do not change them.
func (r Report) comparison(wide bool) printer.Table {
	const version, change, pathNow, plannedPath, blocked = "VERSION", "CHANGE", "PATH NOW", "PLANNED PATH", "BLOCKED"
	const semantics, semanticsNow, plannedSemantics = "SEMANTICS", "SEMANTICS NOW", "PLANNED SEMANTICS"
	columns := []string{"PACKAGE", version, change, pathNow, plannedPath, blocked}
	switch {
	case wide:
		columns = []string{"PACKAGE", version, "BUNDLE", change, semanticsNow, pathNow, plannedSemantics, plannedPath, blocked}
	case r.changesSemantics():
		columns = []string{"PACKAGE", version, change, semanticsNow, pathNow, plannedSemantics, plannedPath, blocked}
	case len(r.semanticsNow()) > 1:
		columns = []string{"PACKAGE", version, semantics, change, pathNow, plannedPath, blocked}
	}
	table := printer.Table{Columns: columns}
	for _, p := range r.Packages {
		for _, v := range p.Versions {
			cells := map[string]string{
				"PACKAGE": p.Name, version: v.Version, "BUNDLE": v.Bundle, change: string(v.Change), blocked: v.Planned.blocked(),
				semantics: string(v.Outcome.Semantics), semanticsNow: string(v.Outcome.Semantics), plannedSemantics: string(v.Planned.Semantics),
				pathNow: printer.Path(v.Outcome.Path, wide), plannedPath: printer.Path(v.Planned.Path, wide),
			}
			var row []string
			for _, column := range columns {
				row = append(row, cells[column])
			}
			table.Rows = append(table.Rows, row)
		}
	}
	return table
}

// semanticsNow returns the semantics of the current outcomes, without duplicates.
func (r Report) semanticsNow() (all []upgrade.Semantics) {
	for _, p := range r.Packages {
		for _, v := range p.Versions {
			if !slices.Contains(all, v.Outcome.Semantics) {
				all = append(all, v.Outcome.Semantics)
			}
		}
	}
	return all
}

// changesSemantics reports whether the planned rules of a package select other semantics.
func (r Report) changesSemantics() bool {
	return slices.ContainsFunc(r.Packages, func(p Package) bool {
		return slices.ContainsFunc(p.Versions, func(v Version) bool { return v.Planned.Semantics != v.Outcome.Semantics })
	})
}

// blocked returns why the operator does not reach the head; empty if it does.
func (o Outcome) blocked() string {
	if o.Blocked == nil {
		return ""
	}
	return fmt.Sprintf("%s: %s %s", o.Blocked.Reason, o.Blocked.Version, o.Blocked.Message)
}

func (s Summary) sentence() string {
	text := fmt.Sprintf("%s with %s", printer.Count(s.Packages, "package"), printer.Count(s.Versions, "version"))
	if len(s.BySemantics) == 0 {
		text += ": " + reach(s.Blocked, s.Planned)
	}
	for _, each := range s.BySemantics {
		text += fmt.Sprintf(". Under %s semantics, %s", each.Semantics, reach(each.Blocked, each.Planned))
	}
	if s.Planned == nil {
		return text + "."
	}
	return text + fmt.Sprintf(". The rules change the outcome of %s.", printer.Count(s.Planned.Changed, "version"))
}

// reach returns how many versions do not reach the head, as a clause. planned is nil without planned rules.
func reach(blocked int, planned *PlannedSummary) string {
	if planned == nil {
		return doNotReach(blocked)
	}
	return fmt.Sprintf("%s now, %s with the planned rules", doNotReach(blocked), doNotReach(planned.Blocked))
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
