package catalogs

import (
	"context"
	"errors"
	"os"
	"slices"

	"github.com/spf13/pflag"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	"github.com/openshift/platform-operators/pkg/cli/cluster"
	"github.com/openshift/platform-operators/pkg/cli/exit"
)

// Flags select the catalogs that a command reads: the catalogs in the cluster that the manager trusts, or directories.
type Flags struct {
	// Directories are file-based catalogs to read instead of those of the cluster.
	Directories []string
	// CAFile is a PEM file with the certificate authorities for ClusterCatalogs whose address is not a Service of the cluster.
	CAFile string
}

// AddFlags adds --catalog-dir and --catalog-ca-file to flags.
func (f *Flags) AddFlags(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.Directories, "catalog-dir", nil, "directory with a file-based catalog to read instead of the cluster's "+
		"catalogs; can be repeated")
	flags.StringVar(&f.CAFile, "catalog-ca-file", "", "PEM file with the authorities for ClusterCatalogs whose address is not a Service of "+
		"the cluster")
}

// Validate returns an error with code exit.Usage if mutually exclusive flags are set.
func (f *Flags) Validate() error {
	if f.AreDirectories() && f.CAFile != "" {
		return exit.With(exit.Usage, errors.New("directories need no authorities: omit --catalog-ca-file, or --catalog-dir"))
	}
	return nil
}

// AreDirectories reports whether directories are read, so that no cluster is needed for the catalogs.
func (f *Flags) AreDirectories() bool { return len(f.Directories) > 0 }

// Find returns the catalogs to read, and the spec of the PlatformOperatorManager, which is empty for directories. connection may be nil
// only for directories. Find calls warn with a sentence if the manager's spec is unknown.
func (f *Flags) Find(ctx context.Context, connection *cluster.Connection, warn func(string)) ([]Source,
	operatorv1alpha1.PlatformOperatorManagerSpec, error) {
	var spec operatorv1alpha1.PlatformOperatorManagerSpec
	if f.AreDirectories() {
		var sources []Source
		for _, directory := range distinct(f.Directories) {
			sources = append(sources, Directory(directory))
		}
		return sources, spec, nil
	}
	spec, err := managerSpec(ctx, connection, warn)
	if err != nil {
		return nil, spec, err
	}
	trust, err := TrustOf(spec)
	if err != nil {
		return nil, spec, err
	}
	finder := Finder{Connection: connection, Trust: trust, CAFile: f.CAFile}
	sources, err := finder.Find(ctx)
	return sources, spec, err
}

// distinct returns paths without those that name the same directory as an earlier path.
func distinct(paths []string) (all []string) {
	var known []os.FileInfo
	for _, path := range paths {
		info, err := os.Stat(path)
		isKnown := slices.ContainsFunc(known, func(other os.FileInfo) bool { return os.SameFile(info, other) })
		if err != nil {
			isKnown = slices.Contains(all, path) // reading the directory reports the error
		}
		if isKnown {
			continue
		}
		if err == nil {
			known = append(known, info)
		}
		all = append(all, path)
	}
	return all
}

// managerSpec returns the spec of the PlatformOperatorManager. If the object does not exist, or the user may not read it, managerSpec warns
// and returns an empty spec, so that packages can be searched before the manager is installed.
func managerSpec(ctx context.Context, connection *cluster.Connection, warn func(string)) (operatorv1alpha1.PlatformOperatorManagerSpec,
	error) {
	manager, err := connection.Manager(ctx)
	switch {
	case err == nil:
		return manager.Spec, nil
	case cluster.IsAbsent(err), cluster.IsForbidden(err):
		warn(err.Error() + "; the default of the trusted catalogs applies")
		return operatorv1alpha1.PlatformOperatorManagerSpec{}, nil
	}
	return operatorv1alpha1.PlatformOperatorManagerSpec{}, err
}
