package registryv1

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/openshift/platform-operators/pkg/bundle"
)

// Annotations and API versions for requests to service-ca and cert-manager.
const (
	serviceCAServingCert = "service.beta.openshift.io/serving-cert-secret-name"
	serviceCAInject      = "service.beta.openshift.io/inject-cabundle"
	certManagerInject    = "cert-manager.io/inject-ca-from"
	certManagerGroup     = "cert-manager.io"
)

// injectAnnotations are all annotations that request the injection of a CA. Two of them on one object would conflict over one field.
var injectAnnotations = [...]string{serviceCAInject, "service.alpha.openshift.io/inject-cabundle", certManagerInject, "cert-manager.io/inject-ca-from-secret", "cert-manager.io/inject-apiserver-ca"}

// checkProvider returns an error if a bundle with webhooks cannot be rendered with a certificate provider: bundle.ErrNoCertificates if
// provider is empty, and another error if it is unknown.
func checkProvider(provider bundle.CertificateProvider) error {
	switch provider {
	case bundle.ServiceCA, bundle.CertManager:
		return nil
	case "":
		return bundle.ErrNoCertificates
	}
	return fmt.Errorf("certificates by %q are not known; use %q or %q", string(provider), bundle.ServiceCA, bundle.CertManager)
}

// serviceAnnotations returns the annotations with which a Service requests its certificate from service-ca. It returns nil for other
// providers.
func serviceAnnotations(provider bundle.CertificateProvider, s server) map[string]any {
	if provider == bundle.ServiceCA {
		return map[string]any{serviceCAServingCert: s.secret}
	}
	return nil
}

// injectCA annotates a webhook configuration or a CRD so that the provider injects the CA of a server, and removes all other injection
// annotations. No rendered object has a caBundle, because the provider owns that field and changes it when it renews the CA.
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

// authorityDuration is the lifetime of a server's CA. cert-manager renews the CA after two thirds of it.
const authorityDuration = "87600h"

// renderCertificates renders cert-manager objects for the servers' certificates. It returns nil for service-ca, for which the Services have
// annotations instead. Each server has its own self-signed CA, whose key does not change when the CA is renewed, so that every certificate
// is valid under every version of the CA certificate. A self-signed server certificate would not be enough: cainjector and the kubelet do
// not propagate a renewed certificate at the same time, and the API server could not call the webhook in between.
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
	o := newObject(certManagerGroup+"/v1", kind, namespace, name)
	o.Object["spec"] = spec
	return o
}

func issuerRef(name string) map[string]any {
	return map[string]any{"group": certManagerGroup, "kind": "Issuer", "name": name}
}
