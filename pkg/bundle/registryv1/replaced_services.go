package registryv1

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/pkg/bundle"
)

// isReplacedService reports whether a manifest is a Service with the same name as the Service that is rendered for a webhook server, and
// returns that server. Generators write such manifests for installations without OLM. As in OLM v0, the rendered Service takes their place,
// because it has the ports of the webhooks and requests their certificate from service-ca.
func isReplacedService(o bundle.Object, servers []server) (server, bool) {
	if groupKind(o) != (schema.GroupKind{Kind: "Service"}) {
		return server{}, false
	}
	for _, s := range servers {
		if s.service == o.GetName() {
			return s, true
		}
	}
	return server{}, false
}

// warnOfReplacedServices adds a warning for each Service among the manifests that is not installed as written.
func (b *Bundle) warnOfReplacedServices() {
	servers := webhookServers(b, "")
	for _, o := range b.objects {
		if s, replaced := isReplacedService(o, servers); replaced {
			b.meta.Warnings = append(b.meta.Warnings, fmt.Sprintf("%s is replaced by the Service of the webhooks of deployment %q, "+
				"which has this name; rename the Service in the manifest to keep both", o, s.deployment.Name))
		}
	}
}
