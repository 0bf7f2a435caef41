package updates

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/openshift/platform-operators/pkg/cli/printer"
)

// maxSteps is the maximum number of versions of a path in a table. JSON and YAML have all of the status.
const maxSteps = 4

// layout is how a report is printed.
type layout struct {
	format  printer.Format
	headers bool
	width   int
	// name is the command in remedies, such as "oc platform".
	name string
}

// print writes a report.
func (r Report) print(w io.Writer, l layout) error {
	switch l.format {
	case printer.FormatJSON, printer.FormatYAML:
		return printer.Report(w, l.format, r)
	case printer.FormatName:
		var versions []string
		for _, update := range r.Updates {
			versions = append(versions, update.Version)
		}
		return printer.Names(w, versions)
	}
	var out strings.Builder
	for _, sentence := range r.sentences(l.name) {
		out.WriteString(printer.Indented(sentence, "", l.width))
	}
	if len(r.Updates) > 0 {
		out.WriteString("\n")
		if err := r.table(l).Write(&out, l.width, l.headers); err != nil {
			return err
		}
		r.writeBlocked(&out, l)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// sentences returns what is installed, and how many updates there are.
func (r Report) sentences(plugin string) []string {
	var found []string
	switch {
	case r.Installed == "" && r.Total == 0:
		return []string{fmt.Sprintf("%s: the status names no installed version, so that no updates are known. See why with: %s explain %s",
			r.Operator, plugin, r.Operator)}
	case r.Total == 0:
		found = []string{fmt.Sprintf("%s: the catalogs have no version of package %s above the installed "+
			"%s.", r.Operator, r.Package, r.Installed)}
	default:
		found = []string{fmt.Sprintf("%s: %s of package %s above the installed %s%s", r.Operator, printer.Count(r.Total, "version"), r.Package,
			cmp.Or(r.Installed, "one"), r.from())}
	}
	if more := r.Total - len(r.Updates); more > 0 {
		found = append(found, fmt.Sprintf("The status lists the newest %d. See all with: %s graph %s", len(r.Updates), plugin, r.Operator))
	}
	if r.Outdated {
		found = append(found, "The status is older than the last change of the spec, so that this can change.")
	}
	return found
}

// from returns a clause with the channel and the catalog of the installed version; empty if the status has none.
func (r Report) from() string {
	if r.Channel == "" || r.Catalog == "" {
		return ""
	}
	return fmt.Sprintf(" (channel %s of %s)", r.Channel, r.Catalog)
}

func (r Report) table(l layout) printer.Table {
	table := printer.Table{Columns: []string{"VERSION", "CHANNELS", "BLOCKED", "PATH"}}
	if l.format == printer.FormatWide {
		table.Columns = []string{"VERSION", "CHANNELS", "STEPS", "BLOCKED", "PATH"}
	}
	for _, update := range r.Updates {
		row := []string{update.Version, strings.Join(update.Channels, ", ")}
		if l.format == printer.FormatWide {
			row = append(row, update.steps())
		}
		table.Rows = append(table.Rows, append(row, cmp.Or(update.Reason, "No"), update.shownPath(l.format == printer.FormatWide)))
	}
	return table
}

// steps returns the number of upgrade steps to a version; empty if there is no path.
func (u Update) steps() string {
	switch {
	case len(u.Path) == 0:
		return ""
	case u.PathIsCut:
		return fmt.Sprintf(">%d", len(u.Path))
	}
	return fmt.Sprint(len(u.Path))
}

// shownPath returns the versions of the path: all of them, or the first and the last ones.
func (u Update) shownPath(all bool) string {
	path := u.Path
	if u.PathIsCut {
		path = append(append([]string{}, path...), "...", u.Version)
	}
	if hidden := len(path) - maxSteps; !all && hidden > 0 {
		path = append(append([]string{}, path[:maxSteps/2]...), fmt.Sprintf("(%d more)", hidden), path[len(path)-2], path[len(path)-1])
	}
	return strings.Join(path, " -> ")
}

// writeBlocked writes what blocks updates, and what permits them: of the newest update with each reason, or of each in the wide format.
func (r Report) writeBlocked(out *strings.Builder, l layout) {
	shown, omitted := map[string]bool{}, 0
	for _, update := range r.Updates {
		switch {
		case update.Reason == "":
			continue
		case shown[update.Reason] && l.format != printer.FormatWide:
			omitted++
			continue
		}
		shown[update.Reason] = true
		out.WriteString("\n" + printer.Indented(fmt.Sprintf("%s is blocked: %s", update.Version, update.Reason), "", l.width))
		out.WriteString(printer.Indented(update.Message, "  ", l.width))
		out.WriteString(printer.Indented(update.Remedy.Text, "  ", l.width))
		out.WriteString(printer.Indented(update.Remedy.Command, "    ", l.width))
	}
	if omitted > 0 {
		out.WriteString("\n" + printer.Indented(fmt.Sprintf("%d more for the same reasons; -o wide has the command for each.", omitted), "",
			l.width))
	}
}
