package integration

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/plan"
	"github.com/openshift/platform-operators/test/samples"
	"github.com/openshift/platform-operators/test/services"
)

// sick is one object of every kind that has a health of its own, none of which is ready.
func sick(namespace string) []unstructured.Unstructured {
	GinkgoHelper()
	pods := fmt.Sprintf("{metadata: {labels: {app: sick, %s: 'true'}}, spec: {containers: [{name: main, image: samples.invalid/sick}]}}", samples.NeverReadyLabel)
	claim := "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: sick}, spec: {accessModes: [ReadWriteOnce], storageClassName: none, resources: {requests: {storage: 1Gi}}}}"
	texts := []string{
		`{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: patients.sick.example.com}, spec: {group: sick.example.com,
			scope: Namespaced, names: {kind: Patient, listKind: PatientList, plural: patients, singular: patient},
			versions: [{name: v1, served: true, storage: true, subresources: {status: {}}, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}`,
		"{apiVersion: v1, kind: Service, metadata: {name: sick}, spec: {ports: [{port: 443}]}}",
		"{apiVersion: apps/v1, kind: Deployment, metadata: {name: sick}, spec: {selector: {matchLabels: {app: sick}}, template: " + pods + "}}",
		"{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: sick}, spec: {serviceName: sick, selector: {matchLabels: {app: sick}}, template: " + pods + "}}",
		"{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: sick}, spec: {selector: {matchLabels: {app: sick}}, template: " + pods + "}}",
		"{apiVersion: batch/v1, kind: Job, metadata: {name: sick}, spec: {suspend: true, template: {spec: {restartPolicy: Never, containers: [{name: main, image: samples.invalid/sick}]}}}}",
		claim,
		`{apiVersion: apiregistration.k8s.io/v1, kind: APIService, metadata: {name: v1.served.sick.example.com}, spec: {group: served.sick.example.com, version: v1,
			groupPriorityMinimum: 1000, versionPriority: 10, insecureSkipTLSVerify: true, service: {namespace: ` + namespace + `, name: sick, port: 443}}}`,
		`{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: sick}, webhooks: [{name: sick.example.com, sideEffects: None,
			admissionReviewVersions: [v1], clientConfig: {service: {namespace: ` + namespace + `, name: sick}},
			rules: [{apiGroups: [nobody.sick.example.com], apiVersions: [v1], operations: [CREATE], resources: [none]}]}]}`,
		"{apiVersion: sick.example.com/v1, kind: Patient, metadata: {name: sick}, spec: {}}",
	}
	for i := range 4 { // more than are named
		texts = append(texts, strings.Replace(claim, "name: sick", fmt.Sprintf("name: sick-%d", i), 1))
	}
	var objects []unstructured.Unstructured
	for _, text := range texts {
		var object unstructured.Unstructured
		Expect(yaml.Unmarshal([]byte(text), &object.Object)).To(Succeed())
		clusterScoped := []string{"CustomResourceDefinition", "APIService", "ValidatingWebhookConfiguration"}
		if !slices.Contains(clusterScoped, object.GetKind()) {
			object.SetNamespace(namespace)
		}
		objects = append(objects, object)
	}
	return objects
}

// patient is an object that somebody else looks after.
type patient struct {
	resource        schema.GroupVersionResource
	namespace, name string
}

// cure changes an object as whoever is responsible for it would.
func (p patient) cure(ctx context.Context, patch string, subresource ...string) {
	GinkgoHelper()
	var client dynamic.ResourceInterface = admin.Dynamic.Resource(p.resource)
	if p.namespace != "" {
		client = admin.Dynamic.Resource(p.resource).Namespace(p.namespace)
	}
	_, err := client.Patch(ctx, p.name, types.MergePatchType, []byte(patch), metav1.PatchOptions{FieldManager: "doctor"}, subresource...)
	Expect(err).NotTo(HaveOccurred(), "%s %s", p.resource.Resource, p.name)
}

var _ = Describe("health", func() {
	It("[ENG-D15] is told of every kind that has one, of the first ten by name, and follows from watches", func(ctx context.Context) {
		const name = "sick"
		var lock sync.Mutex
		told := 0
		engine := newEngineThat(ctx, &recorder{}, func(string) {
			lock.Lock()
			defer lock.Unlock()
			told++
		})
		set, err := apply.NewSet(apply.Owner{Name: name, Package: name}, name, plan.Phases(sick(name)))
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func(ctx context.Context) {
			Eventually(func(ctx context.Context) (apply.Removal, error) {
				return engine.Remove(ctx, set, apply.RemoveOptions{CRDs: corev1alpha2.CRDsDelete})
			}).WithContext(ctx).Should(HaveField("Done", BeTrue()))
		})
		look := func(ctx context.Context) ([]string, error) {
			report, err := engine.Apply(ctx, set, apply.Options{})
			return report.Unready, err
		}
		Eventually(look).WithContext(ctx).Should(HaveLen(10))
		Eventually(look).WithContext(ctx).Should(ContainElements(
			HavePrefix("Deployment sick/sick: 0 of 1 updated replicas available"), HavePrefix("StatefulSet sick/sick: "), HavePrefix("DaemonSet sick/sick: "),
			HavePrefix("Job sick/sick: "), HavePrefix("PersistentVolumeClaim sick/sick: "),
		))

		custom := patient{schema.GroupVersionResource{Group: "sick.example.com", Version: "v1", Resource: "patients"}, name, "sick"}
		By("curing one after the other, each of which is told by a watch")
		for i := range 4 {
			claimIsBound(ctx, name, fmt.Sprintf("sick-%d", i))
		}
		claimIsBound(ctx, name, "sick")
		Eventually(look).WithContext(ctx).Should(And(
			ContainElements(HavePrefix("APIService v1.served.sick.example.com: is not available"), HavePrefix("ValidatingWebhookConfiguration sick: ")),
			Not(ContainElement(HavePrefix("PersistentVolumeClaim")))))
		custom.cure(ctx, `{"status":{"observedGeneration":1,"conditions":[{"type":"Ready","status":"False","reason":"Fever","message":"39 degrees"}]}}`, "status")
		Eventually(look).WithContext(ctx).Should(ContainElement("Patient sick/sick: 39 degrees"))
		lock.Lock()
		before := told
		lock.Unlock()
		custom.cure(ctx, `{"status":{"observedGeneration":1,"conditions":[{"type":"Ready","status":"True","reason":"Well","message":""}]}}`, "status")
		Eventually(func() int {
			lock.Lock()
			defer lock.Unlock()
			return told
		}).Should(BeNumerically(">", before), "no watch told of it")
		Eventually(look).WithContext(ctx).ShouldNot(ContainElement(HavePrefix("Patient")))

		patient{schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingwebhookconfigurations"}, "", "sick"}.cure(ctx,
			`{"webhooks":[{"name":"sick.example.com","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"caBundle":"`+someAuthority+`","service":{"namespace":"sick","name":"sick"}},
			"rules":[{"apiGroups":["nobody.sick.example.com"],"apiVersions":["v1"],"operations":["CREATE"],"resources":["none"]}]}]}`)
		Eventually(look).WithContext(ctx).ShouldNot(ContainElement(HavePrefix("ValidatingWebhookConfiguration")))
		answerForAPIService(ctx, name)
		Eventually(look).WithContext(ctx).ShouldNot(ContainElement(HavePrefix("APIService")))
	})
})

// someAuthority stands for what an injector writes: any PEM in base64 will do where nothing is called.
const someAuthority = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCi0tLS0tRU5EIENFUlRJRklDQVRFLS0tLS0K"

// claimIsBound does what a volume's controller does.
func claimIsBound(ctx context.Context, namespace, name string) {
	GinkgoHelper()
	patient{schema.GroupVersionResource{Version: "v1", Resource: "persistentvolumeclaims"}, namespace, name}.cure(ctx, `{"status":{"phase":"Bound"}}`, "status")
}

// answerForAPIService serves the namespace's Service as an extension API server would whose group is empty. The aggregator
// wants to see an endpoint before it tries; what it then dials is the Service.
func answerForAPIService(ctx context.Context, namespace string) {
	GinkgoHelper()
	slices := admin.Kubernetes.DiscoveryV1().EndpointSlices(namespace)
	_, err := slices.Create(ctx, &discoveryv1.EndpointSlice{
		ObjectMeta:  metav1.ObjectMeta{Name: "sick", Labels: map[string]string{discoveryv1.LabelServiceName: "sick"}},
		AddressType: discoveryv1.AddressTypeIPv4,
		Endpoints:   []discoveryv1.Endpoint{{Addresses: []string{"192.0.2.1"}, Conditions: discoveryv1.EndpointConditions{Ready: ptr.To(true)}}},
		Ports:       []discoveryv1.EndpointPort{{Port: ptr.To[int32](443), Name: ptr.To("")}},
	}, metav1.CreateOptions{})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func(ctx context.Context) { Expect(slices.Delete(ctx, "sick", metav1.DeleteOptions{})).To(Succeed()) })
	proxy, err := services.Start(env.ServicesSocket, admin.Kubernetes)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(proxy.Close()).To(Succeed()) })
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"served.sick.example.com/v1","resources":[]}`)
	}))
	DeferCleanup(server.Close)
	Expect(proxy.Answer(services.Service{Namespace: namespace, Name: "sick", Port: 443}, server.Listener.Addr().String())).To(Succeed())
}
