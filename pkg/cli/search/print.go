package search

import (
	"io"
	"slices"
	"strings"

	"github.com/openshift/platform-operators/pkg/cli/printer"
)

// maxShown is the maximum number of versions that the wide table shows for a channel. --versions, JSON and YAML show all of them.
const maxShown = 5

// layout is how a report is printed.
type layout struct {
	printer.Layout
	// versions selects the table with a row for each version.
	versions bool
}

// print writes a report.
func (r Report) print(w io.Writer, l layout) error {
	if written, err := l.WriteForPrograms(w, r, r.names()); written {
		return err
	}
	table := r.packages()
	switch {
	case l.versions:
		table = r.versions()
	case l.IsWide():
		table = r.channels()
	}
	return table.Write(w, l.Width, l.Headers)
}

// names returns the names of the packages, each once.
func (r Report) names() []string {
	var names []string
	for _, p := range r.Packages {
		names = append(names, p.Name)
	}
	return slices.Compact(names)
}

// packages returns a table with a row for each package.
func (r Report) packages() printer.Table {
	table := printer.Table{Columns: []string{"PACKAGE", "VERSION", "CHANNEL", "CATALOG", "NOTE"}}
	for _, p := range r.Packages {
		table.Rows = append(table.Rows, []string{p.Name, p.Version, p.DefaultChannel, p.Catalog, p.note()})
	}
	return table.WithoutEmpty("NOTE")
}

// note returns what an admin has to know before installing the package.
func (p Package) note() string {
	var notes []string
	if !p.Allowed {
		notes = append(notes, "not in allowedPackages")
	}
	if p.Deprecated != "" {
		notes = append(notes, "deprecated: "+p.Deprecated)
	}
	if len(p.Faults) > 0 {
		notes = append(notes, printer.Count(len(p.Faults), "fault"))
	}
	if len(p.Kinds) > 0 {
		kind, _, _ := strings.Cut(p.Kinds[0], ".")
		notes = append(notes, "provides "+kind)
	}
	return strings.Join(notes, "; ")
}

// channels returns a table with a row for each channel.
func (r Report) channels() printer.Table {
	table := printer.Table{Columns: []string{"PACKAGE", "CHANNEL", "DEFAULT", "CATALOG", "NOTE", "VERSIONS"}}
	for _, p := range r.Packages {
		for _, c := range p.Channels {
			isDefault := "No"
			if c.Name == p.DefaultChannel {
				isDefault = "Yes"
			}
			note := p.note()
			if c.Deprecated != "" {
				note = strings.TrimPrefix(note+"; channel deprecated", "; ")
			}
			table.Rows = append(table.Rows, []string{p.Name, c.Name, isDefault, p.Catalog, note, c.shown()})
		}
	}
	return table.WithoutEmpty("NOTE")
}

// shown returns the newest versions of a channel, and the number of the others.
func (c Channel) shown() string {
	var versions []string
	for _, version := range c.Versions {
		versions = append(versions, version.Version)
	}
	return printer.First(maxShown, versions)
}

// versions returns a table with a row for each version of a package. The row lists all channels that have the version.
func (r Report) versions() printer.Table {
	table := printer.Table{Columns: []string{"PACKAGE", "VERSION", "MAX OPENSHIFT", "CATALOG", "NOTE", "CHANNELS"}}
	for _, p := range r.Packages {
		for _, version := range p.versions() {
			note := ""
			if version.Deprecated != "" {
				note = "deprecated: " + version.Deprecated
			}
			table.Rows = append(table.Rows, []string{p.Name, version.Version.Version, version.MaxOpenShift, p.Catalog, note,
				strings.Join(version.channels, ", ")})
		}
	}
	return table.WithoutEmpty("NOTE")
}
