package imageconfig

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// configNamespace is the namespace of the ConfigMap of additionalTrustedCA.
const configNamespace = "openshift-config"

// Authorities returns the certificate authorities for a registry ("host" or "host:port"): those that the cluster trusts, and those of
// additionalTrustedCA. It returns nil if they are those of the system. Its error has the object that must be corrected, or that cannot be
// read.
//
// A missing ConfigMap is no error, because most registries need none of its authorities.
func (c *Cluster) Authorities(ctx context.Context, registry string) (*x509.CertPool, error) {
	trusted, err := c.trustedCA.read()
	if err != nil {
		return nil, err
	}
	image := c.image()
	if image == nil || image.Spec.AdditionalTrustedCA.Name == "" {
		return trusted, nil
	}
	name := image.Spec.AdditionalTrustedCA.Name
	found, err := c.config.ConfigMaps.ConfigMaps(configNamespace).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return trusted, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading ConfigMap %q, which additionalTrustedCA of Image \"cluster\" names: %w", configNamespace+"/"+name, err)
	}
	key := strings.ReplaceAll(registry, ":", "..") // a key of a ConfigMap has no colon
	data, ok := found.Data[key]
	if !ok {
		return trusted, nil
	}
	if trusted == nil {
		if trusted, err = x509.SystemCertPool(); err != nil {
			return nil, fmt.Errorf("reading the certificate authorities of the system: %w", err)
		}
	} else {
		trusted = trusted.Clone()
	}
	if !trusted.AppendCertsFromPEM([]byte(data)) {
		return nil, fmt.Errorf("key %q of ConfigMap %q, which additionalTrustedCA of Image \"cluster\" names, has no certificate in PEM format", key, configNamespace+"/"+name)
	}
	return trusted, nil
}

// caFile is a file with certificate authorities, which may change at any time.
type caFile struct {
	path string

	lock sync.Mutex
	// info describes the file at the time when pool was read from it.
	info fs.FileInfo
	pool *x509.CertPool
}

// read returns the certificate authorities in the file and those of the system. It returns nil if no path is set, or if the file does not exist or
// is empty.
func (c *caFile) read() (*x509.CertPool, error) {
	if c.path == "" {
		return nil, nil
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	info, err := os.Stat(c.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the certificate authorities that the cluster trusts: %w", err)
	}
	if c.info != nil && os.SameFile(c.info, info) && c.info.ModTime().Equal(info.ModTime()) && c.info.Size() == info.Size() {
		return c.pool, nil
	}
	content, err := os.ReadFile(c.path)
	if err != nil {
		return nil, fmt.Errorf("reading the certificate authorities that the cluster trusts: %w", err)
	}
	var found *x509.CertPool
	if len(content) > 0 { // it is empty until the network operator has written it
		if found, err = x509.SystemCertPool(); err != nil {
			return nil, fmt.Errorf("reading the certificate authorities of the system: %w", err)
		}
		if !found.AppendCertsFromPEM(content) {
			return nil, fmt.Errorf("file %q has no certificate in PEM format; correct the ConfigMap that spec.trustedCA of Proxy \"cluster\" names (on a hosted cluster: spec.additionalTrustBundle of the HostedCluster)", c.path)
		}
	}
	c.info, c.pool = info, found
	return found, nil
}
