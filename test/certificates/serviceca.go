package certificates

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// ServiceCAName is the user agent and field manager of the simulated service-ca.
const ServiceCAName = "service-ca-operator"

var serviceCAs = schema.GroupVersionResource{Group: "operator.openshift.io", Version: "v1", Resource: "servicecas"}

const configMapKey = "service-ca.crt"

// stages are the prefixes of service-ca's annotations, in order of preference. The last one is old.
var stages = []string{"service.beta.openshift.io/", "service.alpha.openshift.io/"}

func spelled(name string) []string { return []string{stages[0] + name, stages[1] + name} }

// injected lists the kinds into which CA certificates are injected. annotations are the annotations that request it from service-ca. Like
// the real service-ca, the simulation reads the old prefix only on APIServices and ConfigMaps.
var injected = []struct {
	resource    schema.GroupVersionResource
	annotations []string
	inject      func(object *unstructured.Unstructured, bundle []byte) bool
}{
	{validating, spelled("inject-cabundle")[:1], intoWebhooks},
	{mutating, spelled("inject-cabundle")[:1], intoWebhooks},
	{definitions, spelled("inject-cabundle")[:1], intoDefinition},
	{apiServices, spelled("inject-cabundle"), intoAPIService},
	{configMaps, spelled("inject-cabundle"), intoConfigMap},
}

// ServiceCA is a running simulation of OpenShift's service-ca operator.
type ServiceCA struct {
	*loop
	cancel context.CancelFunc

	lock    sync.Mutex
	current *authority
	bundle  []byte
}

// StartServiceCA creates the CustomResourceDefinition of ServiceCAs, by which clients detect service-ca, and starts a simulated service-ca.
// The simulation runs until Stop is called or ctx ends, and writes its errors to log.
func StartServiceCA(ctx context.Context, config *rest.Config, log io.Writer) (*ServiceCA, error) {
	if err := define(ctx, config, serviceCAs); err != nil {
		return nil, fmt.Errorf("starting %s: %w", ServiceCAName, err)
	}
	ctx, cancel := context.WithCancel(ctx)
	s := &ServiceCA{cancel: cancel}
	if err := s.renew(time.Now()); err != nil {
		cancel()
		return nil, err
	}
	watched := []schema.GroupVersionResource{services, secrets}
	for _, kind := range injected {
		watched = append(watched, kind.resource)
	}
	var err error
	if s.loop, err = startLoop(ctx, config, ServiceCAName, log, watched...); err != nil {
		cancel()
		return nil, err
	}
	s.run(ctx, s.pass)
	return s, nil
}

// Stop stops the simulation and deletes the CustomResourceDefinition of ServiceCAs. After that, the cluster has no service-ca. All other
// objects remain.
func (s *ServiceCA) Stop(ctx context.Context) error {
	s.cancel()
	s.stop()
	return s.undefine(ctx, serviceCAs)
}

// Rotate creates a new authority, and does not wait until the simulation has reissued all certificates. The injected bundle also contains
// the previous authority, so that clients still trust a server that has an old certificate.
func (s *ServiceCA) Rotate() error {
	if err := s.renew(time.Now()); err != nil {
		return err
	}
	s.wake()
	return nil
}

func (s *ServiceCA) renew(now time.Time) error {
	next, err := newAuthority(fmt.Sprintf("openshift-service-serving-signer@%d", now.Unix()), now)
	if err != nil {
		return err
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	s.bundle = slices.Clone(next.pem)
	if s.current != nil {
		s.bundle = append(s.bundle, s.current.pem...)
	}
	s.current = next
	return nil
}

func (s *ServiceCA) pass(ctx context.Context) error {
	s.lock.Lock()
	current, bundle := s.current, s.bundle
	s.lock.Unlock()
	faults := []error{s.each(services, func(service *unstructured.Unstructured) error { return s.serve(ctx, current, service) })}
	for _, kind := range injected {
		faults = append(faults, s.each(kind.resource, func(object *unstructured.Unstructured) error {
			if !asked(object, kind.annotations) || !kind.inject(object, bundle) {
				return nil
			}
			return update(ctx, s.client, kind.resource, object)
		}))
	}
	return errors.Join(faults...)
}

// serve writes a Service's serving certificate to the Secret that the Service's annotation names, with an owner reference to the Service.
// It does nothing if there is no annotation, or if the current authority signed the Secret's certificate. It returns an error if the Secret
// belongs to another Service.
func (s *ServiceCA) serve(ctx context.Context, current *authority, service *unstructured.Unstructured) error {
	name, spelling := "", ""
	for _, stage := range stages {
		if name = service.GetAnnotations()[stage+"serving-cert-secret-name"]; name != "" {
			spelling = stage
			break
		}
	}
	if name == "" {
		return nil
	}
	live, err := s.listers[secrets].ByNamespace(service.GetNamespace()).Get(name)
	if err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	found, _ := live.(*unstructured.Unstructured)
	if found != nil {
		if owner := annotation(found, "originating-service-uid"); owner != string(service.GetUID()) {
			return fmt.Errorf("writing Secret %q: it is of Service UID %q; delete or rename it", name, owner)
		}
		if current.issued(secretData(found, "tls.crt")) {
			return nil
		}
	}
	dnsName := service.GetName() + "." + service.GetNamespace() + ".svc"
	issued, err := current.issue(request{commonName: dnsName, dnsNames: []string{dnsName, dnsName + ".cluster.local"}}, time.Now())
	if err != nil {
		return err
	}
	secret := newSecret(service, name, issued.data())
	secret.SetAnnotations(map[string]string{
		spelling + "originating-service-name": service.GetName(),
		spelling + "originating-service-uid":  string(service.GetUID()),
		spelled("expiry")[0]:                  time.Now().Add(lifetime).UTC().Format(time.RFC3339),
		spelled("expiry")[1]:                  time.Now().Add(lifetime).UTC().Format(time.RFC3339),
	})
	if err := put(ctx, s.client, secret, found); err != nil {
		return err
	}
	annotations := service.GetAnnotations()
	for _, signedBy := range spelled("serving-cert-signed-by") {
		annotations[signedBy] = current.certificate.Subject.CommonName
	}
	service.SetAnnotations(annotations)
	_, err = s.client.Resource(services).Namespace(service.GetNamespace()).Update(ctx, service, metav1.UpdateOptions{})
	return err
}

func annotation(object *unstructured.Unstructured, name string) string {
	for _, spelling := range spelled(name) {
		if value := object.GetAnnotations()[spelling]; value != "" {
			return value
		}
	}
	return ""
}

func secretData(secret *unstructured.Unstructured, key string) []byte {
	text, _, _ := unstructured.NestedString(secret.Object, "data", key)
	value, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil
	}
	return value
}
