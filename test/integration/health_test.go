package integration

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"time"

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
		`{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: nurses.sick.example.com}, spec: {group: sick.example.com,
			scope: Namespaced, names: {kind: Nurse, listKind: NurseList, plural: nurses, singular: nurse},
			versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}`,
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
		`{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingWebhookConfiguration, metadata: {name: sick}, webhooks: [{name: sick.example.com, sideEffects: None,
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
		clusterScoped := []string{"CustomResourceDefinition", "APIService", "ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"}
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

// told counts how often watches told of something.
type told struct {
	lock  sync.Mutex
	times int
}

func (t *told) changed(string) {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.times++
}

func (t *told) count() int {
	t.lock.Lock()
	defer t.lock.Unlock()
	return t.times
}

// after does something when nothing is told any more, and waits until it is told of.
func (t *told) after(ctx context.Context, do func()) {
	GinkgoHelper()
	before := 0
	Eventually(func(g Gomega) {
		before = t.count()
		g.Consistently(t.count, "1s").Should(Equal(before))
	}).WithContext(ctx).Should(Succeed(), "it never gets quiet")
	do()
	Eventually(t.count).WithContext(ctx).Should(BeNumerically(">", before), "no watch told of it")
}

var _ = Describe("health", func() {
	It("[ENG-D15] is told of every kind that has one, of the first ten by name, and follows from watches until all are well", func(ctx context.Context) {
		const name = "sick"
		watches := &told{}
		engine := newEngineThat(ctx, watches.changed)
		leave := squatted(ctx, "sick.example.com", "Nurse")
		set, err := apply.NewSet(apply.Owner{Name: name, Package: name}, name, plan.Phases(sick(name)))
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func(ctx context.Context) {
			Eventually(func(ctx context.Context) (apply.Removal, error) {
				return engine.Remove(ctx, set, apply.RemoveOptions{CRDs: corev1alpha2.CRDsDelete})
			}).WithContext(ctx).Should(HaveField("Done", BeTrue()))
		})
		// Whoever is responsible for a Job lets it go on.
		options := apply.Options{Drift: corev1alpha2.Drift{Ignore: []corev1alpha2.DriftIgnore{{
			Target: corev1alpha2.DriftTarget{Group: "batch", Kind: "Job"}, JSONPointers: []string{"/spec/suspend"}}}}}
		look := func(ctx context.Context) ([]string, error) {
			report, err := engine.Apply(ctx, set, options)
			return report.Unready, err
		}
		Eventually(look).WithContext(ctx).Should(HaveLen(10))
		Eventually(look).WithContext(ctx).Should(ContainElements(
			HavePrefix(`CustomResourceDefinition nurses.sick.example.com: its names are not accepted: "Nurse" is already in use`),
			HavePrefix("Deployment sick/sick: 0 of 1 updated replicas available"), HavePrefix("StatefulSet sick/sick: 0 of 1 replicas ready"), HavePrefix("DaemonSet sick/sick: available on 0 of "),
			HavePrefix("Job sick/sick: is suspended"), HavePrefix("PersistentVolumeClaim sick/sick: "),
		))
		cured := func(what string) {
			GinkgoHelper()
			Eventually(look).WithContext(ctx).ShouldNot(ContainElement(HavePrefix(what)))
		}

		By("curing one after the other, each of which is told by a watch")
		for i := range 4 {
			claimIsBound(ctx, name, fmt.Sprintf("sick-%d", i))
		}
		watches.after(ctx, func() { claimIsBound(ctx, name, "sick") })
		cured("PersistentVolumeClaim")
		Eventually(look).WithContext(ctx).Should(ContainElements(
			HavePrefix("APIService v1.served.sick.example.com: is not available"), HavePrefix("ValidatingWebhookConfiguration sick: "), HavePrefix("MutatingWebhookConfiguration sick: ")))

		watches.after(ctx, func() { leave(ctx) })
		cured("CustomResourceDefinition")
		Eventually(started).WithContext(ctx).WithArguments(name).Should(BeNumerically(">=", 3))
		for controller, workload := range map[string]string{"ReplicaSet": "Deployment", "StatefulSet": "StatefulSet", "DaemonSet": "DaemonSet"} {
			watches.after(ctx, func() { readied(ctx, name, controller) })
			cured(workload)
		}
		watches.after(ctx, func() {
			patient{schema.GroupVersionResource{Group: "batch", Version: "v1", Resource: "jobs"}, name, "sick"}.cure(ctx, `{"spec":{"suspend":false}}`)
		})
		cured("Job")

		custom := patient{schema.GroupVersionResource{Group: "sick.example.com", Version: "v1", Resource: "patients"}, name, "sick"}
		watches.after(ctx, func() {
			custom.cure(ctx, `{"status":{"observedGeneration":1,"conditions":[{"type":"Ready","status":"False","reason":"Fever","message":"39 degrees"}]}}`, "status")
		})
		Eventually(look).WithContext(ctx).Should(ContainElement("Patient sick/sick: 39 degrees"))
		watches.after(ctx, func() {
			custom.cure(ctx, `{"status":{"observedGeneration":1,"conditions":[{"type":"Ready","status":"True","reason":"Well","message":""}]}}`, "status")
		})
		cured("Patient")

		for kind, resource := range map[string]string{"Validating": "validatingwebhookconfigurations", "Mutating": "mutatingwebhookconfigurations"} {
			watches.after(ctx, func() {
				patient{schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: resource}, "", "sick"}.cure(ctx,
					`{"webhooks":[{"name":"sick.example.com","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"caBundle":"`+someAuthority+`","service":{"namespace":"sick","name":"sick"}},
					"rules":[{"apiGroups":["nobody.sick.example.com"],"apiVersions":["v1"],"operations":["CREATE"],"resources":["none"]}]}]}`)
			})
			cured(kind + "WebhookConfiguration")
		}
		watches.after(ctx, func() { answerForAPIService(ctx, name) })
		cured("APIService")
		Eventually(look).WithContext(ctx).Should(BeEmpty())
	})

	It("[ENG-D15] of a deployment follows from watches: it is lost and found again without anything else that happens", func(ctx context.Context) {
		const name = "moody"
		deployed(ctx, name, published(ctx, samples.Operator{Package: name, Version: "1.0.0"}))
		says(ctx, name, corev1alpha2.ConditionProgressing, "AsExpected")
		tell := func(status string) {
			pods, err := admin.Kubernetes.CoreV1().Pods(name).List(ctx, metav1.ListOptions{})
			Expect(err).NotTo(HaveOccurred())
			Expect(pods.Items).To(HaveLen(1))
			_, err = admin.Kubernetes.CoreV1().Pods(name).Patch(ctx, pods.Items[0].Name, types.StrategicMergePatchType,
				[]byte(`{"status":{"conditions":[{"type":"Ready","status":"`+status+`"}]}}`), metav1.PatchOptions{}, "status")
			Expect(err).NotTo(HaveOccurred())
		}
		health := func() AsyncAssertion {
			return Eventually(conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionHealthy).WithTimeout(5 * time.Second)
		}
		tell("False")
		health().Should(HavePrefix("False Unhealthy: Deployment moody/moody: 0 of 1 updated replicas available"))
		Expect(unready(ctx, name)).To(HavePrefix("Deployment moody/moody: 0 of 1 updated replicas available"))
		tell("True")
		health().Should(HavePrefix("True Healthy"))
		Expect(unready(ctx, name)).To(BeEmpty())
	})
})

// someAuthority stands for what an injector writes: any PEM in base64 will do where nothing is called.
const someAuthority = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCi0tLS0tRU5EIENFUlRJRklDQVRFLS0tLS0K"

// claimIsBound does what a volume's controller does.
func claimIsBound(ctx context.Context, namespace, name string) {
	GinkgoHelper()
	patient{schema.GroupVersionResource{Version: "v1", Resource: "persistentvolumeclaims"}, namespace, name}.cure(ctx, `{"status":{"phase":"Bound"}}`, "status")
}

// answerForAPIService serves the namespace's Service as an extension API server would whose group is empty.
func answerForAPIService(ctx context.Context, namespace string) {
	GinkgoHelper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"served.sick.example.com/v1","resources":[]}`)
	}))
	DeferCleanup(server.Close)
	answerForService(ctx, services.Service{Namespace: namespace, Name: "sick", Port: 443}, server.Listener.Addr().String())
}

// answerForService has the API server reach an address, until the spec ends, when it calls a Service. The aggregation layer wants
// an endpoint to be there before it tries; what it then dials is the Service.
func answerForService(ctx context.Context, service services.Service, address string) *services.Proxy {
	GinkgoHelper()
	namespace, name := service.Namespace, service.Name
	slices := admin.Kubernetes.DiscoveryV1().EndpointSlices(namespace)
	_, err := slices.Create(ctx, &discoveryv1.EndpointSlice{
		ObjectMeta:  metav1.ObjectMeta{Name: name, Labels: map[string]string{discoveryv1.LabelServiceName: name}},
		AddressType: discoveryv1.AddressTypeIPv4,
		Endpoints:   []discoveryv1.Endpoint{{Addresses: []string{"192.0.2.1"}, Conditions: discoveryv1.EndpointConditions{Ready: ptr.To(true)}}},
		Ports:       []discoveryv1.EndpointPort{{Port: ptr.To(service.Port), Name: ptr.To("")}},
	}, metav1.CreateOptions{})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func(ctx context.Context) { Expect(slices.Delete(ctx, name, metav1.DeleteOptions{})).To(Succeed()) })
	proxy, err := services.Start(env.ServicesSocket, admin.Kubernetes)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(proxy.Close()).To(Succeed()) })
	Expect(proxy.Answer(service, address)).To(Succeed())
	return proxy
}
