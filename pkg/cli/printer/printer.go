// Package printer writes reports: tables for people, JSON and YAML for programs, and names for pipes. It does not depend on any particular
// report; each command builds its tables. It writes no colors and no hidden characters, so NO_COLOR, a dumb terminal and a pipe need no
// special case.
package printer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openshift/platform-operators/pkg/cli/exit"
)

// Format is a value of -o.
type Format string

// The formats.
const (
	// FormatTable is a table for people, which may change between releases.
	FormatTable Format = "table"
	// FormatWide is a table with more columns.
	FormatWide Format = "wide"
	// FormatJSON is the whole report as JSON. A release may add fields, but does not change or remove any.
	FormatJSON Format = "json"
	// FormatYAML is the same report as YAML.
	FormatYAML Format = "yaml"
	// FormatName is one name on each line.
	FormatName Format = "name"
	// FormatText is prose for people, for a report that is not a table. It may change between releases.
	FormatText Format = "text"
)

// tableFormats are the formats of a report that is a table.
func tableFormats() []Format {
	return []Format{FormatTable, FormatWide, FormatJSON, FormatYAML, FormatName}
}

// Flags are the flags that select the output of a report.
type Flags struct {
	// Output is the format.
	Output string
	// NoHeaders omits the headings of tables.
	NoHeaders bool

	// formats are the valid values of Output; the first one is the default.
	formats []Format
}

// NewFlags returns the flags for a report that is a table, with their defaults.
func NewFlags() *Flags { return NewFlagsFor(tableFormats()...) }

// NewFlagsFor returns the flags for a report with these formats. The first format is the default.
func NewFlagsFor(formats ...Format) *Flags {
	return &Flags{Output: string(formats[0]), formats: formats}
}

// AddFlags adds the flags to a command, with the completion of the formats.
func (f *Flags) AddFlags(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVarP(&f.Output, "output", "o", f.Output, "format of the output: "+f.list())
	// This fails only for a flag that does not exist, or that already has a completion.
	_ = command.RegisterFlagCompletionFunc("output", f.complete)
	if slices.Contains(f.formats, FormatTable) {
		flags.BoolVar(&f.NoHeaders, "no-headers", f.NoHeaders, "omit the headings of tables")
	}
}

// Validate returns an error with code Usage for an unknown format.
func (f *Flags) Validate() error {
	if slices.Contains(f.formats, f.Format()) {
		return nil
	}
	return exit.With(exit.Usage, fmt.Errorf("unknown format %q of --output: use one of %s", f.Output, f.list()))
}

// list returns the valid formats, separated by commas.
func (f *Flags) list() string {
	var names []string
	for _, format := range f.formats {
		names = append(names, string(format))
	}
	return strings.Join(names, ", ")
}

// Format returns the selected format.
func (f *Flags) Format() Format { return Format(f.Output) }

// complete completes the values of -o.
func (f *Flags) complete(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	var matching []string
	for _, format := range f.formats {
		if strings.HasPrefix(string(format), begun) {
			matching = append(matching, string(format))
		}
	}
	return matching, cobra.ShellCompDirectiveNoFileComp
}

// Report writes a report as JSON or YAML.
func Report(w io.Writer, format Format, report any) error {
	if format == FormatYAML {
		content, err := json.Marshal(report)
		if err == nil {
			content, err = toYAML(content)
		}
		if err != nil {
			return fmt.Errorf("writing the report as YAML: %w", err)
		}
		_, err = w.Write(content)
		return err
	}
	var content bytes.Buffer
	encoder := json.NewEncoder(&content)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(report); err != nil {
		return fmt.Errorf("writing the report as JSON: %w", err)
	}
	_, err := w.Write(EscapeHidden(content.Bytes()))
	return err
}

// Names writes each name on a line of its own, without hidden characters.
func Names(w io.Writer, names []string) error {
	if len(names) == 0 {
		return nil
	}
	var out strings.Builder
	for _, name := range names {
		out.WriteString(OneLine(name) + "\n")
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// Type identifies the kind of a report in JSON and YAML.
type Type struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

// TypeOf returns the type of a report of a kind. The API group exists only in reports: no cluster serves it.
func TypeOf(kind string) Type {
	return Type{APIVersion: "cli.platform.openshift.io/v1alpha1", Kind: kind}
}

// IsForPeople reports whether the format is a table.
func (f *Flags) IsForPeople() bool { return f.Format() == FormatTable || f.Format() == FormatWide }
