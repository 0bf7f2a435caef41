package image

import (
	"context"
	"crypto/x509"

	"github.com/openshift/platform-operators/pkg/imagepolicy"
	"github.com/openshift/platform-operators/pkg/mirrors"
)

// RegistryConfiguration is the configuration of a cluster for registries, which may change at any time.
type RegistryConfiguration interface {
	// Rules returns the rules for the locations of images. Its error is transient.
	Rules(ctx context.Context) (*mirrors.Rules, error)
	// Authorities returns the certificate authorities for a registry ("host" or "host:port"); nil for those of the system. Its error has the
	// object that must be corrected, or that cannot be read.
	Authorities(ctx context.Context, registry string) (*x509.CertPool, error)
	// Policies returns the image policies of the cluster. Its error is transient.
	Policies(ctx context.Context) (*imagepolicy.Policies, error)
}

// noRegistryConfig is the RegistryConfiguration of a Fetcher outside of a cluster.
type noRegistryConfig struct{}

func (noRegistryConfig) Rules(context.Context) (*mirrors.Rules, error) { return nil, nil }

func (noRegistryConfig) Policies(context.Context) (*imagepolicy.Policies, error) { return nil, nil }

func (noRegistryConfig) Authorities(context.Context, string) (*x509.CertPool, error) { return nil, nil }
