package operator

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"github.com/openshift/platform-operators/pkg/catalogsource/proxy"
)

// Options are the manager's settings. Most of them are flags. All other settings are in the cluster.
type Options struct {
	// ContentDir is the directory that stores the content of bundles, by digest. Its files may be deleted at any time, because repairs need
	// only the cluster.
	ContentDir string
	// ContentBudget is the maximum size of ContentDir, in bytes.
	ContentBudget int64
	// CatalogCAFile is a PEM file with the certificate authorities that the manager trusts for the servers of ClusterCatalogs; empty for
	// the system's authorities. The manager reads the file again when it changes.
	CatalogCAFile string
	// TrustedCAFile is a PEM file with certificate authorities for registries, in addition to those of the system; empty for only those of the
	// system. The manager reads the file again when it changes.
	TrustedCAFile string
	// OperatorVersion is the version that the ClusterOperator reports for operand "operator". The start command reads it from
	// OPERATOR_IMAGE_VERSION. No flag sets it.
	OperatorVersion string
	// DegradedAfter is the time for which an installed operator may be unhealthy before the ClusterOperator is Degraded.
	DegradedAfter time.Duration
	// VersionWithin is the maximum duration of a rollout of the manager's version. After that time, the ClusterOperator reports the new
	// version even if this manager has not reconciled every object yet.
	VersionWithin time.Duration
	// CatalogProxy is the proxy through which catalogs are read. The start command reads it from GRPC_PROXY and NO_PROXY. No flag sets it.
	CatalogProxy proxy.Config
	// TakenOverBy is the identity of this process if it took over the lease of an ended process in its Pod; empty otherwise. No flag sets
	// it.
	TakenOverBy string
	// StallLimit is the maximum time for which this process may stall and afterwards still write; zero without leader election. No flag
	// sets it.
	StallLimit time.Duration
}

// NewOptions returns the settings that the manager has in the payload, except OperatorVersion, which is a development version.
func NewOptions() *Options {
	return &Options{
		ContentDir: "/var/cache/platform-operators/content",
		// The volume holds 4 GiB (manifests/…50-deployment.yaml), and the kubelet evicts a Pod that exceeds this. The rest is for the
		// overhead of the file system. The largest known bundle takes a few MiB, and an image may take 512 MiB.
		ContentBudget:   3 << 30,
		OperatorVersion: "0.0.1-snapshot",
		DegradedAfter:   10 * time.Minute,
		// The CVO reports a component as slow after 30 minutes, and OpenShift's tests do so after 20.
		VersionWithin: 10 * time.Minute,
	}
}

// AddFlags registers the flags. Their default values are the current values of the settings.
func (o *Options) AddFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.ContentDir, "content-dir", o.ContentDir,
		"Folder for the content of bundles, by digest. It may be emptied at any time; what is missing is fetched again when it is needed.")
	flags.Int64Var(&o.ContentBudget, "content-budget", o.ContentBudget,
		"How many bytes the content of bundles may take in --content-dir. What was not used for the longest time makes room for what is needed.")
	flags.StringVar(&o.CatalogCAFile, "catalog-ca-file", o.CatalogCAFile,
		"PEM file with the certificate authorities that ClusterCatalogs' servers are trusted by. It is read again when it changes. Empty means the system's.")
	flags.StringVar(&o.TrustedCAFile, "trusted-ca-file", o.TrustedCAFile,
		"PEM file with certificate authorities for registries, in addition to those of the system. The manager reads it again when it changes. If it is missing or empty, the manager trusts only those of the system.")
	flags.DurationVar(&o.DegradedAfter, "degraded-after", o.DegradedAfter,
		"How long an installed operator may be unhealthy before the ClusterOperator says Degraded.")
	flags.DurationVar(&o.VersionWithin, "version-within", o.VersionWithin,
		"How long after its start a manager of a new version has the ClusterOperator report that version in any case; before that, when everything that there is was tried once.")
}

// Validate returns one error that lists all invalid settings, or nil if all are valid.
func (o *Options) Validate() error {
	var faults []error
	if !filepath.IsAbs(o.ContentDir) {
		faults = append(faults, fmt.Errorf("--content-dir is %q, which is not an absolute path", o.ContentDir))
	}
	if o.ContentBudget <= 0 {
		faults = append(faults, fmt.Errorf("--content-budget is %d, which is not a number of bytes above zero", o.ContentBudget))
	}
	if o.OperatorVersion == "" {
		faults = append(faults, errors.New("OPERATOR_IMAGE_VERSION is empty; the payload sets it to the release's version"))
	}
	if o.DegradedAfter <= 0 {
		faults = append(faults, fmt.Errorf("--degraded-after is %s, which is not a duration above zero", o.DegradedAfter))
	}
	if o.VersionWithin <= 0 {
		faults = append(faults, fmt.Errorf("--version-within is %s, which is not a duration above zero", o.VersionWithin))
	}
	if _, err := o.CatalogProxy.Dialer(); err != nil {
		faults = append(faults, fmt.Errorf("GRPC_PROXY: %w", err))
	}
	return errors.Join(faults...)
}
