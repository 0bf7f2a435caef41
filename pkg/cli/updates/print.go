package updates

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/openshift/platform-operators/pkg/cli/printer"
	"github.com/openshift/platform-operators/pkg/cli/remedy"
)

// layout is how a report is printed.
type layout struct {
	printer.Layout
	// name is the command in remedies, such as "oc platform".
	name string
}

// print writes a report.
func (r Report) print(w io.Writer, l layout) error {
	if written, err := l.WriteForPrograms(w, r, r.versions()); written {
		return err
	}
	var out strings.Builder
	for _, sentence := range r.sentences(l.name) {
		out.WriteString(printer.Indented(sentence, "", l.Width))
	}
	if len(r.Updates) > 0 {
		out.WriteString("\n")
		if err := r.table(l).Write(&out, l.Width, l.Headers); err != nil {
			return err
		}
		r.writeBlocked(&out, l)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func (r Report) versions() []string {
	var versions []string
	for _, update := range r.Updates {
		versions = append(versions, update.Version)
	}
	return versions
}

// sentences returns sentences that say what is installed, how many updates there are, and how to see those that the status omits.
func (r Report) sentences(plugin string) []string {
	var found []string
	tools := remedy.Tools{Plugin: plugin}
	switch {
	case r.Installed == "" && r.Total == 0:
		return []string{fmt.Sprintf("%s: the status names no installed version, so no updates are known. See why with: %s",
			r.Operator, tools.Explain(r.Operator))}
	case r.Total == 0 && r.CatalogUnavailable:
		found = []string{fmt.Sprintf("%s: versions of package %s above the installed %s are not known, because no selected catalog that can be "+
			"read has the package. See why with: %s", r.Operator, r.Package, r.Installed, tools.Explain(r.Operator))}
	case r.Total == 0:
		found = []string{fmt.Sprintf("%s: the catalogs have no version of package %s above the installed "+
			"%s.", r.Operator, r.Package, r.Installed)}
	default:
		found = []string{fmt.Sprintf("%s: %s of package %s above the installed %s%s", r.Operator, printer.Count(r.Total, "version"), r.Package,
			cmp.Or(r.Installed, "one"), r.from())}
	}
	if more := r.Total - len(r.Updates); more > 0 {
		found = append(found, fmt.Sprintf("The status lists the newest %d. See all with: %s", len(r.Updates), tools.Graph(r.Operator)))
	}
	if r.Outdated {
		found = append(found, "The status is older than the last change of the spec, so this can change.")
	}
	return found
}

// from returns a clause with the channel and the catalog of the installed version; empty if the status does not contain them.
func (r Report) from() string {
	if r.Channel == "" || r.Catalog == "" {
		return ""
	}
	return fmt.Sprintf(" (channel %s of %s)", r.Channel, r.Catalog)
}

func (r Report) table(l layout) printer.Table {
	table := printer.Table{Columns: []string{"VERSION", "CHANNELS", "BLOCKED", "PATH"}}
	if l.IsWide() {
		table.Columns = []string{"VERSION", "CHANNELS", "STEPS", "BLOCKED", "PATH"}
	}
	for _, update := range r.Updates {
		row := []string{update.Version, strings.Join(update.Channels, ", ")}
		if l.IsWide() {
			row = append(row, update.steps())
		}
		table.Rows = append(table.Rows, append(row, cmp.Or(update.Reason, "No"), update.shownPath(l.IsWide())))
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
	return printer.Path(path, all)
}

// writeBlocked writes what blocks updates, and what permits them. It does so for the newest update with each reason or, in the wide format,
// for every update.
func (r Report) writeBlocked(out *strings.Builder, l layout) {
	shown, omitted := map[string]bool{}, 0
	for _, update := range r.Updates {
		switch {
		case update.Reason == "":
			continue
		case shown[update.Reason] && !l.IsWide():
			omitted++
			continue
		}
		shown[update.Reason] = true
		out.WriteString("\n" + printer.Indented(fmt.Sprintf("%s is blocked: %s", update.Version, update.Reason), "", l.Width))
		out.WriteString(printer.Indented(update.Message, "  ", l.Width))
		out.WriteString(printer.Indented(update.Remedy.Text, "  ", l.Width))
		out.WriteString(printer.Indented(update.Remedy.Command, "    ", l.Width))
	}
	if omitted > 0 {
		out.WriteString("\n" + printer.Indented(fmt.Sprintf("%d more blocked for the same reasons; -o wide has the command for each.", omitted), "",
			l.Width))
	}
}
