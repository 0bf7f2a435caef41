// Package content reads the packages of one catalog for the commands "catalog lint" and "catalog simulate". The argument DIR|IMAGE names
// the catalog, and the flag --package selects one of its packages. pkg/cli/catalogs reads the catalog; package content prints nothing.
package content

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/cli/catalogs"
	"github.com/openshift/platform-operators/pkg/cli/exit"
	"github.com/openshift/platform-operators/pkg/cli/printer"
)

// maxListed is the maximum number of names that an error lists.
const maxListed = 5

// gcPercent is the target percentage of the garbage collector (GOGC) while a catalog is read.
const gcPercent = 400

// Selection is a catalog and the packages to read from it.
type Selection struct {
	// Argument is the directory, or the reference of the image.
	Argument string
	// Package is the only package to read; empty for all.
	Package string
}

// AddFlags adds the flag --package to flags.
func (s *Selection) AddFlags(flags *pflag.FlagSet) {
	flags.StringVar(&s.Package, "package", "", "only this package of the catalog")
}

// Read returns the selected packages, sorted by name. Its errors name the catalog.
func (s *Selection) Read(ctx context.Context) (packages []catalog.Package, err error) {
	source, err := catalogs.Argument(s.Argument)
	if err != nil {
		return nil, err
	}
	// Parsing YAML allocates far more memory than the packages retain. Collecting garbage less often saves a fifth of the time.
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	if packages, err = source.Read(ctx); err != nil {
		return nil, exit.With(exit.CodeOf(err), fmt.Errorf("catalog %s: %w", s.Argument, err))
	}
	if s.Package == "" {
		return packages, nil
	}
	at := slices.IndexFunc(packages, func(p catalog.Package) bool { return p.Name == s.Package })
	if at < 0 {
		return nil, exit.With(exit.Usage, fmt.Errorf("catalog %s has no package %q: correct --package; it has %s", s.Argument, s.Package,
			Names(packages)))
	}
	return packages[at : at+1], nil
}

// Names lists packages for an error: the names of the first ones, and the number of the others.
func Names(packages []catalog.Package) string {
	var names []string
	for _, p := range packages {
		names = append(names, p.Name)
	}
	return printer.First(maxListed, names)
}

// CompleteDirectories completes the argument with directories. Images cannot be listed.
func CompleteDirectories(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveFilterDirs
}
