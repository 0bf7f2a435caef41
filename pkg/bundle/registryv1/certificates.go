package registryv1

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/openshift/platform-operators/pkg/bundle"
)

// What service-ca and cert-manager are asked with.
const (
	serviceCAServingCert = "service.beta.openshift.io/serving-cert-secret-name"
	serviceCAInject      = "service.beta.openshift.io/inject-cabundle"
	certManagerInject    = "cert-manager.io/inject-ca-from"
	certManagerGroup     = "cert-manager.io"
)

// injectAnnotations are all by which the CA of somebody is asked for: two on one object would fight for one field.
var injectAnnotations = [...]string{serviceCAInject, "service.alpha.openshift.io/inject-cabundle", certManagerInject, "cert-manager.io/inject-ca-from-secret", "cert-manager.io/inject-apiserver-ca"}

// checkProvider returns an error unless a bundle with webhooks can be rendered for certificates of a provider.
func checkProvider(provider bundle.CertificateProvider) error {
	switch provider {
	case bundle.ServiceCA, bundle.CertManager:
		return nil
	case "":
		return bundle.ErrNoCertificates
	}
	return fmt.Errorf("certificates by %q are not known; use %q or %q", string(provider), bundle.ServiceCA, bundle.CertManager)
}

// serviceAnnotations returns the annotations of a Service that request its certificate; only service-ca has some.
func serviceAnnotations(provider bundle.CertificateProvider, s server) map[string]any {
	if provider == bundle.ServiceCA {
		return map[string]any{serviceCAServingCert: s.secret}
	}
	return nil
}

// injectCA has the provider write the CA of a server into an object that makes the API server call it. The field itself is never rendered:
// it is the provider's, which also changes it when the CA is renewed.
func injectCA(provider bundle.CertificateProvider, o unstructured.Unstructured, s server) {
	annotations := o.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	for _, key := range injectAnnotations {
		delete(annotations, key)
	}
	if provider == bundle.ServiceCA {
		annotations[serviceCAInject] = "true"
	} else {
		annotations[certManagerInject] = s.namespace + "/" + s.secret
	}
	o.SetAnnotations(annotations)
}

// authorityDuration is how long the CA of a server is good for. cert-manager renews it when two thirds are over.
const authorityDuration = "87600h"

// renderCertificates asks cert-manager for the servers' certificates; service-ca is asked on the Services. Each server has a CA
// of its own, which signs itself and keeps its key: the injector and the kubelet do not bring a renewed certificate at the same
// moment, and with a certificate that signs itself the API server could not call the webhook in between. With these, every
// certificate is trusted by whoever has any of the CA's, before and after a renewal of either.
func renderCertificates(r *rendering) ([]unstructured.Unstructured, error) {
	if r.opts.Certificates != bundle.CertManager {
		return nil, nil
	}
	objects := make([]unstructured.Unstructured, 0, 4*len(r.servers))
	for _, s := range r.servers {
		selfSigned := certManagerObject("Issuer", s.namespace, s.selfSigned, map[string]any{"selfSigned": map[string]any{}})
		authority := certManagerObject("Certificate", s.namespace, s.authority, map[string]any{
			"secretName": s.authority,
			"commonName": s.authority,
			"isCA":       true,
			"duration":   authorityDuration,
			"privateKey": map[string]any{"rotationPolicy": "Never"},
			"issuerRef":  issuerRef(s.selfSigned),
		})
		issuer := certManagerObject("Issuer", s.namespace, s.authority, map[string]any{"ca": map[string]any{"secretName": s.authority}})
		host := s.service + "." + s.namespace + ".svc"
		served := certManagerObject("Certificate", s.namespace, s.secret, map[string]any{
			"secretName": s.secret,
			"dnsNames":   []any{host, host + ".cluster.local"},
			"usages":     []any{"digital signature", "key encipherment", "server auth"},
			"issuerRef":  issuerRef(s.authority),
		})
		objects = append(objects, selfSigned, authority, issuer, served)
	}
	return objects, nil
}

func certManagerObject(kind, namespace, name string, spec map[string]any) unstructured.Unstructured {
	o := object(certManagerGroup+"/v1", kind, namespace, name)
	o.Object["spec"] = spec
	return o
}

func issuerRef(name string) map[string]any {
	return map[string]any{"group": certManagerGroup, "kind": "Issuer", "name": name}
}
