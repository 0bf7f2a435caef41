package graph

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/cli/catalogs"
	"github.com/openshift/platform-operators/pkg/cli/cluster"
	"github.com/openshift/platform-operators/pkg/cli/exit"
	"github.com/openshift/platform-operators/pkg/cli/printer"
	"github.com/openshift/platform-operators/pkg/shell"
)

// Run reads the operator and the catalogs, and prints the report.
func (o *Options) Run(ctx context.Context) error {
	in, err := o.read(ctx)
	if err != nil {
		return err
	}
	for _, name := range o.Channels {
		if _, exists := in.Package.Channel(name); !exists {
			return exit.With(exit.Usage, fmt.Errorf("package %s of %s has no channel %q: use one of %s", in.Package.Name, in.Catalog, name,
				strings.Join(Input{Package: in.Package}.channels(), ", ")))
		}
	}
	in.Done = ctx.Done()
	report := NewReport(in)
	if ctx.Err() != nil {
		return fmt.Errorf("building the graph of package %s: %w", in.Package.Name, ctx.Err())
	}
	return o.print(endingWriter{ctx, o.invocation.Streams.Out}, &report)
}

// endingWriter is a writer that fails once ctx has ended, so that the writing of a graph with millions of edges can be stopped.
type endingWriter struct {
	ctx context.Context
	out io.Writer
}

// Write implements io.Writer.
func (w endingWriter) Write(content []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, fmt.Errorf("writing the graph: %w", err)
	}
	return w.out.Write(content)
}

// print writes a report in the selected format.
func (o *Options) print(w io.Writer, report *Report) error {
	if sentence := report.omission(); sentence != "" && o.Output.Format() != printer.FormatText {
		o.invocation.Warn(sentence)
	}
	switch o.Output.Format() {
	case printer.FormatJSON:
		return report.writeJSON(w)
	case formatDOT:
		return report.writeDOT(w)
	case formatMermaid:
		if len(report.Edges) > maxMermaidEdges {
			o.invocation.Warn(fmt.Sprintf("the graph has %d edges, and Mermaid draws at most %d by default: raise maxEdges in its "+
				"configuration, or "+
				"use -o dot", len(report.Edges), maxMermaidEdges))
		}
		return report.writeMermaid(w)
	}
	return report.writeText(w, o.invocation.Width)
}

// read reads the operator, the catalog and the version of the cluster, and returns them as the input of a report.
func (o *Options) read(ctx context.Context) (in Input, err error) {
	in.Channels = o.Channels
	name := o.Package
	if o.Operator != "" {
		if in.Operator, err = o.connection.Operator(ctx, o.Operator); err != nil {
			return in, err
		}
		name = in.Operator.Spec.Package.Name
	}
	sources, manager, err := o.Catalogs.Find(ctx, o.connection, o.invocation.Warn)
	if err != nil {
		return in, err
	}
	if len(sources) == 0 {
		return in, o.withoutPackage(fmt.Errorf("package %q cannot be found: %s", name, catalogs.NoneTrusted))
	}
	in.DefaultEdges = manager.DefaultEdges
	if sources, err = o.choose(sources, in.Operator); err != nil {
		return in, err
	}
	if in.Catalog, in.Package, err = o.find(ctx, sources, name); err != nil {
		return in, err
	}
	in.ClusterVersion, err = o.clusterVersion(ctx)
	return in, err
}

// choose returns the catalog that the flag names, or else the one that the installed version is from, or else all catalogs.
func (o *Options) choose(sources []catalogs.Source, operator *platformv1alpha1.PlatformOperator) ([]catalogs.Source, error) {
	name := o.Catalog
	if name == "" && operator != nil && operator.Status.Installed != nil {
		name = operator.Status.Installed.Catalog
	}
	index := slices.IndexFunc(sources, func(s catalogs.Source) bool { return s.Name == name })
	switch {
	case index >= 0:
		return sources[index : index+1], nil
	case o.Catalog == "":
		return sources, nil
	}
	var names []string
	for _, source := range sources {
		names = append(names, source.Name)
	}
	return nil, exit.With(exit.Usage, fmt.Errorf("there is no catalog %q that the manager trusts: use one of %s", o.Catalog,
		strings.Join(names, ", ")))
}

// find returns the first catalog that contains a package. It warns about other catalogs that contain the package, and about catalogs that
// cannot be read. If no catalog contains the package, the error has the exit code of the first catalog that cannot be read. If all can be
// read, the code is exit.Usage for a package from the flag --package, and exit.Failure otherwise.
func (o *Options) find(ctx context.Context, sources []catalogs.Source, name string) (string, *catalog.Package, error) {
	packages := make([]*catalog.Package, len(sources))
	failed := make([]error, len(sources))
	catalogs.ReadAll(ctx, sources, func(index int, all []catalog.Package, err error) {
		if err != nil {
			failed[index] = fmt.Errorf("catalog %s: %w", sources[index].Name, err)
			return
		}
		if at := slices.IndexFunc(all, func(p catalog.Package) bool { return p.Name == name }); at >= 0 {
			found := all[at] // a copy, so that the other packages can be freed
			packages[index] = &found
		}
	})
	for _, err := range failed {
		if err != nil {
			o.invocation.Warn(err.Error())
		}
	}
	if ctx.Err() != nil {
		return "", nil, ctx.Err()
	}
	first := slices.IndexFunc(packages, func(p *catalog.Package) bool { return p != nil })
	switch err := cmp.Or(failed...); {
	case first < 0 && err != nil:
		return "", nil, exit.With(exit.CodeOf(err), fmt.Errorf("no catalog that can be read has package %q", name))
	case first < 0:
		return "", nil, o.withoutPackage(fmt.Errorf("none of %s has package %q; find packages with: %s search",
			printer.Count(len(sources), "catalog"), name, o.invocation.Name))
	}
	for i := first + 1; i < len(packages); i++ {
		if packages[i] != nil {
			o.invocation.Warn(fmt.Sprintf("%s has package %s, too; show its graph with --catalog %s", sources[i].Name, name,
				shell.Quote(sources[i].Name)))
		}
	}
	return sources[first].Name, packages[first], nil
}

// withoutPackage returns the error for a package that no catalog has: with code exit.Usage if the flag --package names the package.
func (o *Options) withoutPackage(err error) error {
	if o.Package != "" {
		return exit.With(exit.Usage, err)
	}
	return err
}

// clusterVersion returns the version of OpenShift; empty without a cluster or without OpenShift. If the user lacks the permission to read
// the version, clusterVersion warns and returns an empty version.
func (o *Options) clusterVersion(ctx context.Context) (string, error) {
	if o.connection == nil {
		return "", nil
	}
	version, err := o.connection.ClusterVersion(ctx)
	switch {
	case cluster.IsAbsent(err):
		return "", nil
	case cluster.IsForbidden(err):
		o.invocation.Warn(err.Error() + "; versions that do not support the cluster are not marked")
		return "", nil
	case err != nil:
		return "", err
	}
	return version.Status.Desired.Version, nil
}
