// Package certificates finds the component of a cluster that makes certificates for webhooks. It does not know what is rendered for that
// component; the bundledeployment controller calls it.
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

// providers are the components that make certificates, each with the resources that a cluster serves if it has the component. The first
// that is there is used. OpenShift always has service-ca.
var providers = []struct {
	provider  bundle.CertificateProvider
	version   string
	resources []string
}{
	{bundle.ServiceCA, "operator.openshift.io/v1", []string{"servicecas"}},
	{bundle.CertManager, "cert-manager.io/v1", []string{"certificates", "issuers"}},
}

// recentPeriod is how long Recent returns the same provider.
const recentPeriod = 10 * time.Second

// Finder finds the provider of certificates. It is safe for concurrent use.
type Finder struct {
	cluster discovery.CachedDiscoveryInterface
	clock   clock.PassiveClock

	mu       sync.Mutex
	found    time.Time
	provider bundle.CertificateProvider
}

// NewFinder returns a Finder for a cluster. It invalidates the discovery cache.
func NewFinder(cluster discovery.CachedDiscoveryInterface, clock clock.PassiveClock) *Finder {
	return &Finder{cluster: cluster, clock: clock}
}

// Current returns the provider that the cluster has now; empty if it has none. It reads the cluster each time, because the result of
// rendering for a provider is stored. An error means that the cluster could not be read.
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

// Recent returns the provider that the cluster had some seconds ago, or now: a hundred deployments that check at a start of the manager
// whether something else would be rendered are one request.
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
