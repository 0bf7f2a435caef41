package operator

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"
)

// Options are the settings of the manager that flags give. Everything else it knows comes from the cluster.
type Options struct {
	// ContentDir is where the content of bundles is kept, by digest. It may be lost at any time: what is installed is
	// repaired from the cluster.
	ContentDir string
	// CatalogCAFile holds the certificate authorities, in PEM, that ClusterCatalogs' servers are trusted by; it is read
	// again when it changes. Empty means the system's.
	CatalogCAFile string
	// OperatorVersion is what the ClusterOperator reports as the version "operator".
	OperatorVersion string
	// DegradedAfter is how long an installed operator may be unhealthy before the ClusterOperator says Degraded.
	DegradedAfter time.Duration
}

// NewOptions returns the settings that a manager in the payload has.
func NewOptions() *Options {
	return &Options{
		ContentDir:      "/var/cache/platform-operators/content",
		OperatorVersion: "0.0.1-snapshot",
		DegradedAfter:   10 * time.Minute,
	}
}

// AddFlags registers a flag for each setting.
func (o *Options) AddFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.ContentDir, "content-dir", o.ContentDir,
		"Folder for the content of bundles, by digest. It may be emptied at any time; what is missing is fetched again when it is needed.")
	flags.StringVar(&o.CatalogCAFile, "catalog-ca-file", o.CatalogCAFile,
		"PEM file with the certificate authorities that ClusterCatalogs' servers are trusted by. It is read again when it changes. Empty means the system's.")
	flags.DurationVar(&o.DegradedAfter, "degraded-after", o.DegradedAfter,
		"How long an installed operator may be unhealthy before the ClusterOperator says Degraded.")
}

// Validate says what is wrong with the settings, all at once.
func (o *Options) Validate() error {
	var faults []error
	if !filepath.IsAbs(o.ContentDir) {
		faults = append(faults, fmt.Errorf("--content-dir is %q, which is not an absolute path", o.ContentDir))
	}
	if o.OperatorVersion == "" {
		faults = append(faults, errors.New("OPERATOR_IMAGE_VERSION is empty; the payload sets it to the release's version"))
	}
	if o.DegradedAfter <= 0 {
		faults = append(faults, fmt.Errorf("--degraded-after is %s, which is not a duration above zero", o.DegradedAfter))
	}
	return errors.Join(faults...)
}
