package bundledeployment

import (
	"k8s.io/client-go/discovery"

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

// certificatesOf asks a cluster who makes certificates; empty when nobody does, or when the cluster cannot be asked.
func certificatesOf(cluster discovery.CachedDiscoveryInterface) func() registryv1.Certificates {
	look := func() registryv1.Certificates {
		for _, each := range certificateMakers {
			if serves(cluster, each.version, each.resources) {
				return each.maker
			}
		}
		return ""
	}
	return func() registryv1.Certificates {
		found := look()
		if found == "" { // what is remembered may be of before it was installed
			cluster.Invalidate()
			found = look()
		}
		return found
	}
}

func serves(cluster discovery.ServerResourcesInterface, version string, wanted []string) bool {
	list, err := cluster.ServerResourcesForGroupVersion(version)
	if err != nil {
		return false
	}
	served := map[string]bool{}
	for _, each := range list.APIResources {
		served[each.Name] = true
	}
	for _, each := range wanted {
		if !served[each] {
			return false
		}
	}
	return true
}
