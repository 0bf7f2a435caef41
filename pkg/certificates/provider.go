// Package certificates finds out which component of a cluster issues certificates for webhooks. It does not depend on the objects that are
// rendered for that component. The bundledeployment controller calls it.
package certificates

import (
	"errors"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/discovery"
	discoverycache "k8s.io/client-go/discovery/cached/memory"
	"k8s.io/utils/clock"

	"github.com/openshift/platform-operators/pkg/bundle"
)

// providers are the components that issue certificates, in order of preference: Current returns the first one that the cluster has. A
// cluster has a component if it serves the component's resources. OpenShift always has service-ca.
var providers = []struct {
	provider  bundle.CertificateProvider
	version   string
	resources []string
}{
	{bundle.ServiceCA, "operator.openshift.io/v1", []string{"servicecas"}},
	{bundle.CertManager, "cert-manager.io/v1", []string{"certificates", "issuers"}},
}

// recentPeriod is how long Recent returns the same provider without reading the cluster again.
const recentPeriod = 10 * time.Second

// Finder finds the certificate provider of a cluster. It is safe for concurrent use.
type Finder struct {
	cluster discovery.CachedDiscoveryInterface
	clock   clock.PassiveClock

	mu       sync.Mutex
	found    time.Time
	provider bundle.CertificateProvider
}

// NewFinder returns a Finder for a cluster. The Finder invalidates the discovery cache each time that it reads the cluster.
func NewFinder(cluster discovery.CachedDiscoveryInterface, clock clock.PassiveClock) *Finder {
	return &Finder{cluster: cluster, clock: clock}
}

// Current returns the certificate provider of the cluster; empty if it has none. It reads the cluster on every call, because what is
// rendered for the provider is then stored. It returns an error if the cluster cannot be read.
func (f *Finder) Current() (bundle.CertificateProvider, error) {
	f.cluster.Invalidate()
	for _, each := range providers {
		served, err := serves(f.cluster, each.version, each.resources)
		if err != nil {
			return "", fmt.Errorf("asking whether the cluster has %s: %w", each.provider, err)
		}
		if served {
			return each.provider, nil
		}
	}
	return "", nil
}

// Recent is like Current, but may return a result that is up to recentPeriod old. When the manager starts, hundreds of BundleDeployments
// check whether they would be rendered for a different provider. With Recent, they share one request.
func (f *Finder) Recent() (bundle.CertificateProvider, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.found.IsZero() && f.clock.Since(f.found) < recentPeriod {
		return f.provider, nil
	}
	current, err := f.Current()
	if err == nil {
		f.found, f.provider = f.clock.Now(), current
	}
	return current, err
}

func serves(cluster discovery.ServerResourcesInterface, version string, resources []string) (bool, error) {
	list, err := cluster.ServerResourcesForGroupVersion(version)
	if apierrors.IsNotFound(err) || errors.Is(err, discoverycache.ErrCacheNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	served := map[string]bool{}
	for _, each := range list.APIResources {
		served[each.Name] = true
	}
	for _, each := range resources {
		if !served[each] {
			return false, nil
		}
	}
	return true, nil
}
