package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/cli/catalogs"
	"github.com/openshift/platform-operators/pkg/cli/cluster"
	"github.com/openshift/platform-operators/pkg/cli/exit"
	"github.com/openshift/platform-operators/pkg/cli/invocation"
	"github.com/openshift/platform-operators/pkg/cli/printer"
	"github.com/openshift/platform-operators/pkg/cli/similar"
)

// maxFaults is the maximum number of faults of one package that the command prints along with a table. JSON and YAML contain all faults.
const maxFaults = 5

// Options are the argument and flags of the command "search".
type Options struct {
	Output *printer.Flags
	// Catalogs select what to search.
	Catalogs catalogs.Flags
	// Versions selects the table with a row for each version.
	Versions bool
	// Text is what to search for; empty for everything.
	Text string

	invocation *invocation.Invocation
	connection *cluster.Connection
}

// NewOptions returns the options with their defaults.
func NewOptions(i *invocation.Invocation) *Options {
	return &Options{Output: printer.NewFlags(), invocation: i}
}

// NewCommand returns the command "search".
func NewCommand(i *invocation.Invocation) *cobra.Command {
	o := NewOptions(i)
	command := &cobra.Command{
		Use:   "search [TEXT]",
		Short: "Find packages, channels and versions in the trusted catalogs",
		Long: `Find packages, channels and versions in all catalogs that the manager trusts, before anything is installed. TEXT is a part of
the name of a package or of a kind that it provides, in any case.

The table has a row for each package, with the newest version of its default channel. With -o wide it has a row for each channel, and with
--versions a row for each version.

The catalogs are Services inside the cluster. The command reads a ClusterCatalog through the API server's proxy of catalogd's Service, and a
CatalogSource through a port-forward to its Pod. It needs these permissions, which a cluster admin has:
  get platformoperatormanagers.operator.openshift.io (without it: the default of the trusted catalogs)
  list clustercatalogs.olm.operatorframework.io and catalogsources.operators.coreos.com
  get services/proxy in the namespace of catalogd
  get services, list pods and create pods/portforward in the namespaces of CatalogSources

With --catalog-dir, it searches file-based catalogs in directories, and needs no cluster.

If a catalog cannot be read, the command shows what the others have. The exit code is then that of the first catalog that
cannot be read: 1 in general, 2 for a directory that does not exist, 4 if the catalog is not read in time, and 5 for a directory whose
content is not a catalog.`,
		Example: i.Examples(`
# Everything that can be installed
{{name}} search

# Packages whose name or provided kinds contain "kafka", with their channels
{{name}} search kafka -o wide

# All versions of one package, newest first
{{name}} search project-quay --versions

# A file-based catalog on disk, without a cluster
{{name}} search --catalog-dir ./catalog`),
		Args:              invocation.MaximumArgs(1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(command *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.Text = args[0]
			}
			return i.Run(command.Context(), o)
		},
	}
	o.Catalogs.AddFlags(command.Flags())
	command.Flags().BoolVar(&o.Versions, "versions", false, "show a row for each version; JSON and YAML have all versions without it")
	o.Output.AddFlags(command)
	return command
}

// Validate checks the flags.
func (o *Options) Validate() error { return cmp.Or(o.Catalogs.Validate(), o.Output.Validate()) }

// Complete connects to the cluster, unless directories are searched.
func (o *Options) Complete() (err error) {
	if !o.Catalogs.AreDirectories() {
		o.connection, err = cluster.Connect(o.invocation)
	}
	return err
}

// Run reads the catalogs and prints the report. If a catalog could not be read, Run prints the report about the others and then returns an
// error.
func (o *Options) Run(ctx context.Context) error {
	sources, manager, err := o.Catalogs.Find(ctx, o.connection, o.invocation.Warn)
	if err != nil {
		return err
	}
	report, failed := o.search(ctx, sources, manager.AllowedPackages)
	if err := ctx.Err(); errors.Is(err, context.Canceled) {
		return err
	}
	for _, c := range report.Catalogs {
		if c.Error != "" {
			o.invocation.Warn(c.Error)
		}
	}
	if o.Output.IsForPeople() {
		o.warnOfFaults(report)
	}
	switch {
	case len(report.Packages) == 0 && o.Output.IsForPeople():
		o.explainNothing(report)
	default:
		err = report.print(o.invocation.Streams.Out, layout{o.Output.Layout(o.invocation.Width), o.Versions})
	}
	if unread := report.Unread(); err == nil && unread > 0 {
		return exit.With(exit.CodeOf(failed), fmt.Errorf("%d of %s could not be read, so the result is incomplete", unread,
			printer.Count(len(report.Catalogs), "catalog")))
	}
	return err
}

// warnOfFaults prints the first faults of the packages found; the table shows only their number.
func (o *Options) warnOfFaults(report Report) {
	omitted := 0
	for _, p := range report.Packages {
		for i, fault := range p.Faults {
			if i >= maxFaults {
				omitted += len(p.Faults) - maxFaults
				break
			}
			o.invocation.Warn(fmt.Sprintf("package %s of catalog %s: %s", p.Name, p.Catalog, fault))
		}
	}
	if omitted > 0 {
		o.invocation.Warn(fmt.Sprintf("%s more; -o json shows all", printer.Count(omitted, "fault")))
	}
}

// search reads the catalogs and returns the report, and the error of the first catalog that cannot be read.
func (o *Options) search(ctx context.Context, sources []catalogs.Source, allowed []string) (Report, error) {
	query := Query{Text: o.Text, Allowed: allowed}
	read := make([]Catalog, len(sources))
	var found []Package
	failed := make([]error, len(sources))
	finder, names := similar.NewFinder(o.Text), map[string]bool{}
	catalogs.ReadAll(ctx, sources, func(index int, packages []catalog.Package, err error) {
		name := sources[index].Name
		read[index] = Catalog{Name: name, Packages: len(packages)}
		if err != nil {
			failed[index] = err
			read[index].Error = fmt.Sprintf("catalog %s: %v", name, err)
			return
		}
		found = append(found, query.Find(name, packages)...)
		for i := range packages {
			names[packages[i].Name] = true
			finder.Add(packages[i].Name)
		}
	})
	report := NewReport(o.Text, read, found)
	report.packageNames = len(names)
	if len(found) == 0 {
		report.Similar = finder.Names()
	}
	return report, cmp.Or(failed...)
}

// explainNothing prints why the report contains no packages.
func (o *Options) explainNothing(report Report) {
	switch {
	case len(report.Catalogs) == 0:
		fmt.Fprintln(o.invocation.Streams.ErrOut, catalogs.NoneTrusted)
	case report.Unread() < len(report.Catalogs):
		fmt.Fprintf(o.invocation.Streams.ErrOut, "No package matches %q among %s in %s.\n", o.Text, printer.Count(report.packageNames, "package"),
			printer.Count(len(report.Catalogs)-report.Unread(), "catalog"))
		if len(report.Similar) > 0 {
			fmt.Fprintf(o.invocation.Streams.ErrOut, "Similar names: %s.\n", printer.OneLine(strings.Join(report.Similar, ", ")))
		}
	}
}
