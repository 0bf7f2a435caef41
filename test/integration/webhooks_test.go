package integration

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/test/certificates"
	"github.com/openshift/platform-operators/test/samples"
	"github.com/openshift/platform-operators/test/services"
)

// tooLarge is the size above which the sample operators' validating webhook refuses an object. defaultSize is the size that the mutating
// webhook sets.
const (
	tooLarge    = 10
	defaultSize = 3
)

// webhookServer serves the webhooks of samples.AddWebhooks in place of a sample operator's Pod. It reads the certificate from the
// operator's Secret in each handshake.
type webhookServer struct {
	proxy             *services.Proxy
	namespace, secret string

	lock   sync.Mutex
	served []byte         // the certificate of the last handshake
	calls  map[string]int // by path
}

// serveWebhooks serves port 443 of a Service in the namespace until the spec ends, with the certificate in a Secret of the namespace.
func serveWebhooks(namespace, service, secret string) *webhookServer {
	GinkgoHelper()
	proxy, err := services.Start(env.ServicesSocket, admin.Kubernetes)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(proxy.Close()).To(Succeed()) })
	s := &webhookServer{proxy: proxy, namespace: namespace, secret: secret, calls: map[string]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc(samples.ValidatePath, s.reviewed(validate))
	mux.HandleFunc(samples.MutatePath, s.reviewed(mutate))
	mux.HandleFunc(samples.ConvertPath, s.convert)
	server := httptest.NewUnstartedServer(mux)
	// StartTLS would use a certificate of httptest.
	server.Listener = tls.NewListener(server.Listener, &tls.Config{GetCertificate: s.certificate, MinVersion: tls.VersionTLS12})
	server.Config.ErrorLog = log.New(GinkgoWriter, "", 0)
	server.Start()
	DeferCleanup(server.Close)
	Expect(proxy.Answer(services.Service{Namespace: namespace, Name: service, Port: 443}, server.Listener.Addr().String())).To(Succeed())
	return s
}

func (s *webhookServer) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	secret, err := admin.Kubernetes.CoreV1().Secrets(s.namespace).Get(hello.Context(), s.secret, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(secret.Data[corev1.TLSCertKey], secret.Data[corev1.TLSPrivateKeyKey])
	if err != nil {
		return nil, err
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	s.served = secret.Data[corev1.TLSCertKey]
	return &pair, nil
}

func (s *webhookServer) called(path string) int {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.calls[path]
}

// lastServed returns the certificate of the last handshake, or "" before the first.
func (s *webhookServer) lastServed() string {
	s.lock.Lock()
	defer s.lock.Unlock()
	return string(s.served)
}

func (s *webhookServer) count(path string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.calls[path]++
}

func (s *webhookServer) reviewed(decide func(size int64, given bool) *admissionv1.AdmissionResponse) http.HandlerFunc {
	return func(w http.ResponseWriter, request *http.Request) {
		var review admissionv1.AdmissionReview
		object := &unstructured.Unstructured{}
		if json.NewDecoder(request.Body).Decode(&review) != nil || review.Request == nil {
			http.Error(w, "no review", http.StatusBadRequest)
			return
		}
		reviewed := review.Request.Object
		if review.Request.Operation == admissionv1.Delete {
			reviewed = review.Request.OldObject
		}
		if object.UnmarshalJSON(reviewed.Raw) != nil {
			http.Error(w, "no object", http.StatusBadRequest)
			return
		}
		s.count(request.URL.Path)
		size, given, _ := unstructured.NestedInt64(object.Object, "spec", "size")
		review.Response = decide(size, given)
		review.Response.UID = review.Request.UID
		if err := json.NewEncoder(w).Encode(review); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	}
}

func validate(size int64, _ bool) *admissionv1.AdmissionResponse {
	if size > tooLarge {
		return &admissionv1.AdmissionResponse{Result: &metav1.Status{Message: fmt.Sprintf("a size of %d is too large for this sample", size)}}
	}
	return &admissionv1.AdmissionResponse{Allowed: true}
}

func mutate(_ int64, given bool) *admissionv1.AdmissionResponse {
	response := &admissionv1.AdmissionResponse{Allowed: true}
	if !given {
		response.PatchType = ptr.To(admissionv1.PatchTypeJSONPatch)
		response.Patch = fmt.Appendf(nil, `[{"op":"add","path":"/spec/size","value":%d}]`, defaultSize)
	}
	return response
}

// convert renames the only field that differs between the versions of a sample operator's kind.
func (s *webhookServer) convert(w http.ResponseWriter, request *http.Request) {
	var review apiextensionsv1.ConversionReview
	if json.NewDecoder(request.Body).Decode(&review) != nil || review.Request == nil {
		http.Error(w, "no review", http.StatusBadRequest)
		return
	}
	s.count(request.URL.Path)
	review.Response = &apiextensionsv1.ConversionResponse{UID: review.Request.UID, Result: metav1.Status{Status: metav1.StatusSuccess}}
	names := map[string]string{samples.Group + "/v1": "size", samples.Group + "/v2": "replicas"}
	for _, each := range review.Request.Objects {
		object := &unstructured.Unstructured{}
		if object.UnmarshalJSON(each.Raw) != nil {
			http.Error(w, "no object", http.StatusBadRequest)
			return
		}
		if value, found, _ := unstructured.NestedInt64(object.Object, "spec", names[object.GetAPIVersion()]); found {
			object.Object["spec"] = map[string]any{names[review.Request.DesiredAPIVersion]: value}
		}
		object.SetAPIVersion(review.Request.DesiredAPIVersion)
		review.Response.ConvertedObjects = append(review.Response.ConvertedObjects, runtime.RawExtension{Object: object})
	}
	if err := json.NewEncoder(w).Encode(review); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

// withWebhooks publishes a sample operator and returns its image reference. The operator has the webhooks of samples.AddWebhooks and those
// in more, which are in the format of a ClusterServiceVersion.
func withWebhooks(ctx context.Context, operator samples.Operator, more ...map[string]any) string {
	GinkgoHelper()
	Expect(samples.Write(env.SamplesDir, operator)).To(Succeed())
	Expect(samples.AddWebhooks(env.SamplesDir, operator)).To(Succeed())
	file := filepath.Join(env.SamplesDir, "bundles", operator.Package, operator.Version, "manifests", operator.Package+".clusterserviceversion.yaml")
	for _, each := range more {
		definition, err := json.Marshal(each) // JSON is YAML
		Expect(err).NotTo(HaveOccurred())
		replaceIn(file, "  webhookdefinitions:\n", "  webhookdefinitions:\n  - "+string(definition)+"\n")
	}
	Expect(env.Publish(ctx)).To(Succeed())
	ref, found := env.Catalog.Bundle(operator.Package, operator.Version)
	Expect(found).To(BeTrue())
	return ref
}

func versionOf(operator samples.Operator, version string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: samples.Group, Version: version, Resource: operator.Plural()}
}

// tryWebhooks asserts that the API server calls all three webhooks of an operator and applies their responses. It creates an object of this
// name, and deletes the object after the spec.
func tryWebhooks(ctx context.Context, operator samples.Operator, server *webhookServer, name string) {
	GinkgoHelper()
	v1, v2 := versionOf(operator, "v1"), versionOf(operator, "v2")
	client := admin.Dynamic.Resource(v1).Namespace("default")
	refused := parse(v1, operator.Kind(), fmt.Sprintf("{metadata: {name: %s-large}, spec: {size: %d}}", name, tooLarge+1))
	// The API server uses a new webhook configuration after a moment, which differs by type.
	Eventually(func(ctx context.Context) error {
		_, err := client.Create(ctx, refused, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err
	}).WithContext(ctx).Should(MatchError(ContainSubstring("a size of 11 is too large for this sample")))

	created, err := client.Create(ctx, parse(v1, operator.Kind(), fmt.Sprintf("{metadata: {name: %s}, spec: {}}", name)), metav1.CreateOptions{})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func(ctx context.Context) {
		Expect(ignoreNotFound(client.Delete(ctx, name, metav1.DeleteOptions{}))).To(Succeed())
	})
	size, _, _ := unstructured.NestedInt64(created.Object, "spec", "size")
	Expect(size).To(BeEquivalentTo(defaultSize), "the default of the mutating webhook")

	converted, err := admin.Dynamic.Resource(v2).Namespace("default").Get(ctx, name, metav1.GetOptions{})
	Expect(err).NotTo(HaveOccurred())
	replicas, _, _ := unstructured.NestedInt64(converted.Object, "spec", "replicas")
	Expect(replicas).To(BeEquivalentTo(defaultSize), "the field as the conversion webhook renames it")
	for _, path := range []string{samples.ValidatePath, samples.MutatePath, samples.ConvertPath} {
		Expect(server.called(path)).To(BeNumerically(">", 0), path)
	}
}

// waitForWebhookCall waits until a request that calls the webhook succeeds, so that the API server trusts the served certificate, and the
// certificate differs from before.
func waitForWebhookCall(ctx context.Context, operator samples.Operator, server *webhookServer, before string) {
	GinkgoHelper()
	v1 := versionOf(operator, "v1")
	Eventually(func(ctx context.Context) (string, error) {
		server.proxy.Disconnect() // otherwise the API server uses its open connection
		_, err := admin.Dynamic.Resource(v1).Namespace("default").Create(ctx, parse(v1, operator.Kind(), "{metadata: {name: probe}, spec: {}}"),
			metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return server.lastServed(), err
	}).WithContext(ctx).ShouldNot(Equal(before))
}

var _ = Describe("webhooks", func() {
	It("are called through their Service on the local cluster, with a certificate of the simulated service-ca, also after its rotation", func(ctx context.Context) {
		const name = "handwritten"
		serviceCA, err := certificates.StartServiceCA(context.WithoutCancel(ctx), env.Admin, GinkgoWriter)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func(ctx context.Context) { Expect(serviceCA.Stop(ctx)).To(Succeed()) })
		_, err = admin.Kubernetes.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func(ctx context.Context) {
			Expect(admin.Kubernetes.CoreV1().Namespaces().Delete(ctx, name, metav1.DeleteOptions{})).To(Succeed())
		})
		_, err = admin.Kubernetes.CoreV1().Services(name).Create(ctx, &corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Name: "hook", Annotations: map[string]string{"service.beta.openshift.io/serving-cert-secret-name": "hook-cert"}},
			Spec:       corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 443}}},
		}, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		server := serveWebhooks(name, "hook", "hook-cert")
		webhooks := admin.Kubernetes.AdmissionregistrationV1().ValidatingWebhookConfigurations()
		_, err = webhooks.Create(ctx, &admissionregistrationv1.ValidatingWebhookConfiguration{
			ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{"service.beta.openshift.io/inject-cabundle": "true"}},
			Webhooks: []admissionregistrationv1.ValidatingWebhook{{
				Name: name + ".example.com", AdmissionReviewVersions: []string{"v1"}, SideEffects: ptr.To(admissionregistrationv1.SideEffectClassNone),
				ClientConfig: admissionregistrationv1.WebhookClientConfig{Service: &admissionregistrationv1.ServiceReference{
					Namespace: name, Name: "hook", Path: ptr.To(samples.ValidatePath)}},
				NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: name}},
				Rules: []admissionregistrationv1.RuleWithOperations{{
					Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
					Rule:       admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}},
				}},
			}},
		}, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func(ctx context.Context) { Expect(webhooks.Delete(ctx, name, metav1.DeleteOptions{})).To(Succeed()) })

		called := func(ctx context.Context) (string, error) {
			server.proxy.Disconnect()
			_, err := admin.Kubernetes.CoreV1().ConfigMaps(name).Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "any"}},
				metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
			return server.lastServed(), err
		}
		Eventually(called).WithContext(ctx).ShouldNot(BeEmpty())
		before := server.lastServed()
		Expect(serviceCA.Rotate()).To(Succeed())
		Eventually(called).WithContext(ctx).ShouldNot(Equal(before))
		Expect(server.called(samples.ValidatePath)).To(BeNumerically(">=", 2))
	})

	// Promise ENG-F6: The API server calls the webhooks of a bundle with certificates of service-ca or cert-manager, and after a renewal
	// without a restart. Without either, nothing is applied and a condition names both; contradictory webhooks are refused.
	DescribeTable("ENG-F6 of a bundle are called with certificates of service-ca or cert-manager, also after a renewal",
		func(ctx context.Context, name string, start func(context.Context) (rotate func() error, stop func(context.Context) error, err error)) {
			rotate, stop, err := start(context.WithoutCancel(ctx))
			Expect(err).NotTo(HaveOccurred())
			DeferCleanup(func(ctx context.Context) { Expect(stop(ctx)).To(Succeed()) })
			operator := samples.Operator{Package: name, Version: "1.0.0"}
			createDeployment(ctx, name, withWebhooks(ctx, operator))
			server := serveWebhooks(name, name+"-service", name+"-service-cert")
			Eventually(conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionProgressing).Should(ContainSubstring("AsExpected"))
			waitForWebhookCall(ctx, operator, server, "")
			tryWebhooks(ctx, operator, server, "first")

			By("renewing the certificates without a restart of the manager or the operator")
			before, process := server.lastServed(), env.Manager.PID()
			Expect(rotate()).To(Succeed())
			waitForWebhookCall(ctx, operator, server, before)
			tryWebhooks(ctx, operator, server, "second")
			Expect(env.Manager.PID()).To(Equal(process))
			Consistently(conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionDrifted).Should(HavePrefix("False"),
				"an injected certificate is no drift")
			Expect(conditionOf(ctx, name, corev1alpha2.ConditionProgressing)).To(ContainSubstring("AsExpected"))
			expectRepair(ctx, name) // a manager that hangs would report no drift either
		},
		Entry("service-ca", "hooked-by-service-ca", func(ctx context.Context) (func() error, func(context.Context) error, error) {
			s, err := certificates.StartServiceCA(ctx, env.Admin, GinkgoWriter)
			if err != nil {
				return nil, nil, err
			}
			return s.Rotate, s.Stop, nil
		}),
		Entry("cert-manager", "hooked-by-cert-manager", func(ctx context.Context) (func() error, func(context.Context) error, error) {
			c, err := certificates.StartCertManager(ctx, env.Admin, GinkgoWriter)
			if err != nil {
				return nil, nil, err
			}
			return func() error { c.Rotate(); return nil }, c.Stop, nil
		}),
	)

	It("ENG-F6 of a bundle wait, and report for what, while the cluster has neither service-ca nor cert-manager", func(ctx context.Context) {
		const name = "hooked-by-nobody"
		operator := samples.Operator{Package: name, Version: "1.0.0"}
		createDeployment(ctx, name, withWebhooks(ctx, operator))
		Eventually(conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionHasValidBundle).Should(
			And(ContainSubstring("BundleLoadFailed"), ContainSubstring("service-ca"), ContainSubstring("cert-manager")))
		_, err := admin.Dynamic.Resource(definitions).Get(ctx, operator.Plural()+"."+samples.Group, metav1.GetOptions{})
		Expect(err).To(beNotFound(), "an object of the bundle was applied")

		By("installing cert-manager")
		c, err := certificates.StartCertManager(context.WithoutCancel(ctx), env.Admin, GinkgoWriter)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func(ctx context.Context) {
			deleteDeploymentAndWait(ctx, name)
			Expect(c.Stop(ctx)).To(Succeed())
		})
		server := serveWebhooks(name, name+"-service", name+"-service-cert")
		Eventually(conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionProgressing).Should(ContainSubstring("AsExpected"))
		waitForWebhookCall(ctx, operator, server, "")
	})

	It("[ENG-D12] of a removed operator are deleted before their server, so that they block no deletion", func(ctx context.Context) {
		const name = "hooked-and-gone"
		serviceCA, err := certificates.StartServiceCA(context.WithoutCancel(ctx), env.Admin, GinkgoWriter)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func(ctx context.Context) { Expect(serviceCA.Stop(ctx)).To(Succeed()) })
		operator := samples.Operator{Package: name, Version: "1.0.0", ExtraConfigMap: name + "-settings"}
		// One more webhook, which the API server calls before it deletes any of the operator's objects.
		createDeployment(ctx, name, withWebhooks(ctx, operator, map[string]any{
			"type": "ValidatingAdmissionWebhook", "generateName": "guard." + name + ".example.com", "webhookPath": samples.ValidatePath,
			"deploymentName": name, "containerPort": 443, "targetPort": 9443, "admissionReviewVersions": []string{"v1"}, "sideEffects": "None",
			"failurePolicy": "Fail", "objectSelector": metav1.LabelSelector{MatchLabels: map[string]string{corev1alpha2.LabelOwnerName: name}},
			"rules": []map[string]any{{"apiGroups": []string{""}, "apiVersions": []string{"v1"}, "operations": []string{"DELETE"},
				"resources": []string{"configmaps", "secrets", "services", "serviceaccounts"}}},
		}))
		server := serveWebhooks(name, name+"-service", name+"-service-cert")
		Eventually(conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionProgressing).Should(ContainSubstring("AsExpected"))
		waitForWebhookCall(ctx, operator, server, "")
		tryWebhooks(ctx, operator, server, "seen-off")
		settings := admin.Kubernetes.CoreV1().ConfigMaps(name)
		tryDelete := func(ctx context.Context) error {
			return settings.Delete(ctx, operator.ExtraConfigMap, metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}})
		}
		Eventually(tryDelete).WithContext(ctx).Should(Succeed(), "the webhook allows it")

		By("stopping the server of the webhooks")
		Expect(server.proxy.Answer(services.Service{Namespace: name, Name: name + "-service", Port: 443}, "")).To(Succeed())
		server.proxy.Disconnect()
		Eventually(tryDelete).WithContext(ctx).Should(MatchError(ContainSubstring(`failed calling webhook "guard.` + name)))

		By("removing the operator, whose Deployment has a finalizer")
		hold := func(ctx context.Context, finalizers string) {
			_, err := admin.Kubernetes.AppsV1().Deployments(name).Patch(ctx, name, types.MergePatchType, []byte(`{"metadata":{"finalizers":`+finalizers+`}}`), metav1.PatchOptions{})
			Expect(ignoreNotFound(err)).To(Succeed())
		}
		hold(ctx, `["example.com/mine"]`)
		DeferCleanup(hold, "null")
		_, end := writesBy("platform-operators", 0)
		deleteDeployment(ctx, name)
		expectDeploymentCondition(ctx, name, corev1alpha2.ConditionProgressing, "True Removing", `is held by its finalizers "example.com/mine"`)
		owned := metav1.ListOptions{LabelSelector: corev1alpha2.LabelOwnerName + "=" + name}
		validating, err := admin.Kubernetes.AdmissionregistrationV1().ValidatingWebhookConfigurations().List(ctx, owned)
		Expect(err).NotTo(HaveOccurred())
		Expect(validating.Items).To(BeEmpty())
		mutating, err := admin.Kubernetes.AdmissionregistrationV1().MutatingWebhookConfigurations().List(ctx, owned)
		Expect(err).NotTo(HaveOccurred())
		Expect(mutating.Items).To(BeEmpty())
		Consistently(func(g Gomega, ctx context.Context) {
			live, err := settings.Get(ctx, operator.ExtraConfigMap, metav1.GetOptions{})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(live.DeletionTimestamp).To(BeNil())
			account, err := admin.Kubernetes.CoreV1().ServiceAccounts(name).Get(ctx, name, metav1.GetOptions{})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(account.DeletionTimestamp).To(BeNil())
		}).WithContext(ctx).WithTimeout(2*time.Second).Should(Succeed(), "an object that the Deployment needs is deleted before the Deployment")

		hold(ctx, "null")
		deleteDeploymentAndWait(ctx, name)
		writes, _ := writesBy("platform-operators", end)
		for _, kind := range []string{"/validatingwebhookconfigurations/", "/mutatingwebhookconfigurations/"} {
			expectDeletedInOrder(writes, kind, "/deployments/"+name, "/configmaps/"+operator.ExtraConfigMap, "/serviceaccounts/"+name, "/namespaces/"+name)
		}
		Eventually(getNamespace).WithContext(ctx).WithArguments(name).Should(beNotFound())
	})
})
