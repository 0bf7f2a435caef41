package bundledeployment

import (
	"errors"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/discovery"
	discoverycache "k8s.io/client-go/discovery/cached/memory"
	"k8s.io/utils/clock"

	"github.com/openshift/platform-operators/pkg/bundle/registryv1"
)

// certificateMakers are who makes certificates for webhooks, by the resources that tell that they are there; the first one
// counts. OpenShift always has service-ca.
var certificateMakers = []struct {
	maker     registryv1.Certificates
	version   string
	resources []string
}{
	{registryv1.CertificatesByServiceCA, "operator.openshift.io/v1", []string{"servicecas"}},
	{registryv1.CertificatesByCertManager, "cert-manager.io/v1", []string{"certificates", "issuers"}},
}

// certificatesFor is how long it is remembered who makes certificates.
const certificatesFor = 10 * time.Second

// certificatesOf asks a cluster who makes certificates; empty when nobody does. It asks anew each time, because what is rendered
// by the answer is stored. An error says that the cluster could not be asked.
func certificatesOf(cluster discovery.CachedDiscoveryInterface) func() (registryv1.Certificates, error) {
	return func() (registryv1.Certificates, error) { return askForCertificates(cluster) }
}

// recent returns an answer of some seconds ago, too: a hundred deployments that check, at a start, whether something else would be
// rendered now ask once.
func recent(ask func() (registryv1.Certificates, error), clock clock.PassiveClock) func() (registryv1.Certificates, error) {
	var mu sync.Mutex
	var asked time.Time
	var last registryv1.Certificates
	return func() (registryv1.Certificates, error) {
		mu.Lock()
		defer mu.Unlock()
		if !asked.IsZero() && clock.Since(asked) < certificatesFor {
			return last, nil
		}
		found, err := ask()
		if err == nil {
			asked, last = clock.Now(), found
		}
		return found, err
	}
}

func askForCertificates(cluster discovery.CachedDiscoveryInterface) (registryv1.Certificates, error) {
	cluster.Invalidate()
	for _, each := range certificateMakers {
		served, err := serves(cluster, each.version, each.resources)
		if err != nil {
			return "", fmt.Errorf("asking whether the cluster has %s: %w", each.maker, err)
		}
		if served {
			return each.maker, nil
		}
	}
	return "", nil
}

func serves(cluster discovery.ServerResourcesInterface, version string, wanted []string) (bool, error) {
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
	for _, each := range wanted {
		if !served[each] {
			return false, nil
		}
	}
	return true, nil
}
