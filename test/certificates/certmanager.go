package certificates

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// CertManagerName is the user agent and field manager of the simulated cert-manager.
const CertManagerName = "cert-manager"

const (
	injectFrom  = "cert-manager.io/inject-ca-from"
	revisionKey = "localcluster.test/certificate-revision" // the number of the rotation in which a Secret was written
)

var (
	issuers      = schema.GroupVersionResource{Group: "cert-manager.io", Version: "v1", Resource: "issuers"}
	certificates = schema.GroupVersionResource{Group: "cert-manager.io", Version: "v1", Resource: "certificates"}
)

// CertManager is a running simulation of cert-manager and of its CA injector.
type CertManager struct {
	*loop
	cancel context.CancelFunc

	lock     sync.Mutex
	rotation int
}

// StartCertManager creates the CustomResourceDefinitions of Issuers and Certificates, and starts a simulated cert-manager. The simulation
// runs until Stop is called or ctx ends, and writes its errors to log.
func StartCertManager(ctx context.Context, config *rest.Config, log io.Writer) (*CertManager, error) {
	if err := define(ctx, config, issuers, certificates); err != nil {
		return nil, fmt.Errorf("starting %s: %w", CertManagerName, err)
	}
	ctx, cancel := context.WithCancel(ctx)
	c := &CertManager{cancel: cancel}
	var err error
	if c.loop, err = startLoop(ctx, config, CertManagerName, log, issuers, certificates, secrets, validating, mutating, definitions, apiServices); err != nil {
		cancel()
		return nil, err
	}
	c.run(ctx, c.pass)
	return c, nil
}

// Stop stops the simulation and deletes its CustomResourceDefinitions with all their objects. After that, the cluster has no cert-manager.
// Secrets remain.
func (c *CertManager) Stop(ctx context.Context) error {
	c.cancel()
	c.stop()
	return c.undefine(ctx, issuers, certificates)
}

// Rotate makes the simulation reissue every certificate, and returns before that is done. A Certificate with rotationPolicy Never keeps its
// key.
func (c *CertManager) Rotate() {
	c.lock.Lock()
	c.rotation++
	c.lock.Unlock()
	c.wake()
}

func (c *CertManager) pass(ctx context.Context) error {
	c.lock.Lock()
	rotation := fmt.Sprint(c.rotation)
	c.lock.Unlock()
	faults := []error{
		c.each(issuers, func(issuer *unstructured.Unstructured) error { return c.ready(ctx, issuers, issuer, "is there") }),
		c.each(certificates, func(certificate *unstructured.Unstructured) error { return c.issue(ctx, certificate, rotation) }),
	}
	for _, kind := range injected {
		if kind.resource == configMaps {
			continue // only service-ca injects into ConfigMaps
		}
		faults = append(faults, c.each(kind.resource, func(object *unstructured.Unstructured) error {
			authority := c.authorityOf(object.GetAnnotations()[injectFrom])
			if authority == nil || !kind.inject(object, authority) {
				return nil
			}
			return update(ctx, c.client, kind.resource, object)
		}))
	}
	return errors.Join(faults...)
}

// authorityOf returns the PEM certificate of the authority that signed the Certificate "<namespace>/<name>". It returns nil if the
// Certificate does not exist or has no Secret yet.
func (c *CertManager) authorityOf(name string) []byte {
	namespace, name, _ := strings.Cut(name, "/")
	live, err := c.listers[certificates].ByNamespace(namespace).Get(name)
	if err != nil {
		return nil
	}
	certificate, ok := live.(*unstructured.Unstructured)
	if !ok {
		return nil
	}
	secretName, _, _ := unstructured.NestedString(certificate.Object, "spec", "secretName")
	secret := c.secret(namespace, secretName)
	if secret == nil {
		return nil
	}
	return secretData(secret, "ca.crt")
}

func (c *CertManager) secret(namespace, name string) *unstructured.Unstructured {
	live, err := c.listers[secrets].ByNamespace(namespace).Get(name)
	if err != nil {
		return nil
	}
	found, _ := live.(*unstructured.Unstructured)
	return found
}

// issue writes a Certificate's Secret, unless the Secret already belongs to this rotation, and sets the Certificate's condition Ready.
func (c *CertManager) issue(ctx context.Context, certificate *unstructured.Unstructured, rotation string) error {
	spec := func(fields ...string) string {
		value, _, _ := unstructured.NestedString(certificate.Object, append([]string{"spec"}, fields...)...)
		return value
	}
	namespace := certificate.GetNamespace()
	found := c.secret(namespace, spec("secretName"))
	if found == nil || found.GetAnnotations()[revisionKey] != rotation {
		signer, err := c.signer(namespace, spec("issuerRef", "name"))
		if err != nil {
			return err
		}
		wanted := request{commonName: spec("commonName")}
		wanted.dnsNames, _, _ = unstructured.NestedStringSlice(certificate.Object, "spec", "dnsNames")
		wanted.isCA, _, _ = unstructured.NestedBool(certificate.Object, "spec", "isCA")
		if found != nil && spec("privateKey", "rotationPolicy") == "Never" {
			wanted.key = secretData(found, "tls.key")
		}
		issued, err := signer.issue(wanted, time.Now())
		if err != nil {
			return err
		}
		data := issued.data()
		data["ca.crt"] = issued.certificate
		if signer != nil {
			data["ca.crt"] = signer.pem
		}
		secret := newSecret(certificate, spec("secretName"), data)
		secret.SetOwnerReferences(nil) // the real cert-manager sets owner references only if a flag enables them
		secret.SetAnnotations(map[string]string{
			"cert-manager.io/certificate-name": certificate.GetName(), "cert-manager.io/issuer-name": spec("issuerRef", "name"),
			revisionKey: rotation,
		})
		if err := put(ctx, c.client, secret, found); err != nil {
			return err
		}
	}
	return c.ready(ctx, certificates, certificate, "is up to date")
}

// signer returns the authority of an Issuer, or nil if the Issuer is self-signing. It returns an error while the Issuer or its Secret does
// not exist.
func (c *CertManager) signer(namespace, name string) (*authority, error) {
	live, err := c.listers[issuers].ByNamespace(namespace).Get(name)
	if err != nil {
		return nil, err
	}
	issuer, _ := live.(*unstructured.Unstructured)
	secretName, signs, _ := unstructured.NestedString(issuer.Object, "spec", "ca", "secretName")
	if !signs {
		return nil, nil
	}
	secret := c.secret(namespace, secretName)
	if secret == nil {
		return nil, fmt.Errorf("waiting for Secret %q of Issuer %q", secretName, name)
	}
	return readAuthority(pair{certificate: secretData(secret, "tls.crt"), key: secretData(secret, "tls.key")})
}

// ready sets the condition Ready=True on an object. It does nothing if the object already has conditions.
func (c *CertManager) ready(ctx context.Context, resource schema.GroupVersionResource, object *unstructured.Unstructured, message string) error {
	if conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions"); len(conditions) > 0 {
		return nil
	}
	condition := map[string]any{
		"type": "Ready", "status": "True", "reason": "Ready", "message": object.GetKind() + " " + message,
		"observedGeneration": object.GetGeneration(), "lastTransitionTime": time.Now().UTC().Format(time.RFC3339),
	}
	if err := unstructured.SetNestedSlice(object.Object, []any{condition}, "status", "conditions"); err != nil {
		return err
	}
	_, err := c.client.Resource(resource).Namespace(object.GetNamespace()).UpdateStatus(ctx, object, metav1.UpdateOptions{})
	return err
}
