package scenarios

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/plan"
	"github.com/openshift/platform-operators/test/samples"
)

// target is an object of the engine that another client changes. namespace is "" for a cluster-scoped object.
type target struct {
	resource        schema.GroupVersionResource
	namespace, name string
}

// patchTarget merges a patch into an object as its controller would.
func (s *Story) patchTarget(ctx context.Context, p target, patch string, subresource ...string) {
	s.Helper()
	var client dynamic.ResourceInterface = s.Admin.Dynamic.Resource(p.resource)
	if p.namespace != "" {
		client = s.Admin.Dynamic.Resource(p.resource).Namespace(p.namespace)
	}
	_, err := client.Patch(ctx, p.name, types.MergePatchType, []byte(patch), metav1.PatchOptions{FieldManager: "other"}, subresource...)
	s.Expect(err).NotTo(HaveOccurred(), "%s %s", p.resource.Resource, p.name)
}

// bindClaim binds a PersistentVolumeClaim as its controller would.
func (s *Story) bindClaim(ctx context.Context, namespace, name string) {
	s.Helper()
	s.patchTarget(ctx, target{schema.GroupVersionResource{Version: "v1", Resource: "persistentvolumeclaims"}, namespace, name}, `{"status":{"phase":"Bound"}}`, "status")
}

// someAuthority is a CA bundle as an injector writes it. Any PEM in base64 suffices, because no webhook is called.
const someAuthority = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCi0tLS0tRU5EIENFUlRJRklDQVRFLS0tLS0K"

// injectCA writes a CA bundle into the webhook configuration "sick" of a resource, as an injector does.
func (s *Story) injectCA(ctx context.Context, resource string) {
	s.Helper()
	s.patchTarget(ctx, target{schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: resource}, "", "sick"},
		`{"webhooks":[{"name":"sick.example.com","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"caBundle":"`+someAuthority+`","service":{"namespace":"sick","name":"sick"}},
		"rules":[{"apiGroups":["nobody.sick.example.com"],"apiVersions":["v1"],"operations":["CREATE"],"resources":["none"]}]}]}`)
}

// setWorkloadReady makes the Pods of controllers of a kind ready. It fails the story if there are none.
func (s *Story) setWorkloadReady(ctx context.Context, namespace, kind string) {
	s.Helper()
	found, err := s.Admin.Kubernetes.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	pods := slices.DeleteFunc(found.Items, func(pod corev1.Pod) bool {
		controller := metav1.GetControllerOf(&pod)
		return controller == nil || controller.Kind != kind
	})
	s.Expect(pods).NotTo(BeEmpty(), "no Pod of a %s in namespace %q", kind, namespace)
	s.setReady(pods, true)
}

// notifications has the number of changes that an engine's watches reported.
type notifications struct {
	lock  sync.Mutex
	times int
}

func (n *notifications) changed(string) {
	n.lock.Lock()
	defer n.lock.Unlock()
	n.times++
}

func (n *notifications) count() int {
	n.lock.Lock()
	defer n.lock.Unlock()
	return n.times
}

// waitForNotification waits until there is no notification for a second, calls do, and waits for a notification.
func (s *Story) waitForNotification(ctx context.Context, n *notifications, do func()) {
	s.Helper()
	before := 0
	s.Eventually(func(g Gomega) {
		before = n.count()
		g.Consistently(n.count, "1s").Should(Equal(before))
	}).WithContext(ctx).Should(Succeed(), "the notifications do not end")
	do()
	s.Eventually(n.count).WithContext(ctx).Should(BeNumerically(">", before), "no watch reported it")
}

// unreadySet is a set of objects that an engine applies, none of which is ready at first.
type unreadySet struct {
	*Story
	engine  *apply.Engine
	set     *apply.Set
	watches *notifications
}

// report applies the objects, and returns a line for each of the first ten unready objects.
func (s *unreadySet) report(ctx context.Context) ([]string, error) {
	// The engine must not suspend the Job again, which another client resumes.
	options := apply.Options{Drift: corev1alpha2.Drift{Ignore: []corev1alpha2.DriftIgnore{{
		Target: corev1alpha2.DriftTarget{Group: "batch", Kind: "Job"}, JSONPointers: []string{"/spec/suspend"}}}}}
	report, err := s.engine.Apply(ctx, s.set, options)
	return report.Unready, err
}

// waitUntilReady calls do, waits until a watch reports a change, and waits until no line of report begins with what.
func (s *unreadySet) waitUntilReady(ctx context.Context, what string, do func()) {
	s.Helper()
	s.waitForNotification(ctx, s.watches, do)
	s.Eventually(s.report).WithContext(ctx).ShouldNot(ContainElement(HavePrefix(what)))
}

// newUnreadySet returns an engine with the objects of unreadyObjects, which it has not applied yet.
func (s *Story) newUnreadySet(ctx context.Context, name string) *unreadySet {
	s.Helper()
	watches := &notifications{}
	engine := s.newNotifyingEngine(ctx, &recorder{}, watches.changed)
	set, err := apply.NewSet(apply.Owner{Name: name, Package: name}, name, plan.Phases(s.unreadyObjects(name)))
	s.Expect(err).NotTo(HaveOccurred())
	return &unreadySet{Story: s, engine: engine, set: set, watches: watches}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	// Promise ENG-D15: Health of workloads, Jobs, PersistentVolumeClaims, CRDs, APIServices, webhook configurations and custom resources
	// with a Ready condition follows from watches. Status names the first ten unready objects with the cause.
	runStory(t, "[ENG-D15] status names the first ten unready objects of all kinds with health, and follows watches until all are ready", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "sick"
		leave := s.createConflictingCRD(ctx, "sick.example.com", "Nurse")
		sick := s.newUnreadySet(ctx, name)
		s.Eventually(sick.report).WithContext(ctx).Should(HaveLen(10))
		s.Eventually(sick.report).WithContext(ctx).Should(ContainElements(
			HavePrefix(`CustomResourceDefinition nurses.sick.example.com: its names are not accepted: "Nurse" is already in use`),
			HavePrefix("Deployment sick/sick: 0 of 1 updated replicas available"), HavePrefix("StatefulSet sick/sick: 0 of 1 replicas ready"), HavePrefix("DaemonSet sick/sick: available on 0 of "),
			HavePrefix("Job sick/sick: is suspended"), HavePrefix("PersistentVolumeClaim sick/sick: "),
		))

		s.By("making one after the other ready, which a watch reports")
		for i := range 4 {
			s.bindClaim(ctx, name, fmt.Sprintf("sick-%d", i))
		}
		sick.waitUntilReady(ctx, "PersistentVolumeClaim", func() { s.bindClaim(ctx, name, "sick") })
		s.Eventually(sick.report).WithContext(ctx).Should(ContainElements(HavePrefix("ValidatingWebhookConfiguration sick: "), HavePrefix("MutatingWebhookConfiguration sick: ")))

		sick.waitUntilReady(ctx, "CustomResourceDefinition", func() { leave(ctx) })
		s.Eventually(s.runningPods).WithContext(ctx).WithArguments(name).Should(BeNumerically(">=", 3))
		for controller, workload := range map[string]string{"ReplicaSet": "Deployment", "StatefulSet": "StatefulSet", "DaemonSet": "DaemonSet"} {
			sick.waitUntilReady(ctx, workload, func() { s.setWorkloadReady(ctx, name, controller) })
		}
		sick.waitUntilReady(ctx, "Job", func() {
			s.patchTarget(ctx, target{schema.GroupVersionResource{Group: "batch", Version: "v1", Resource: "jobs"}, name, "sick"}, `{"spec":{"suspend":false}}`)
		})

		custom := target{schema.GroupVersionResource{Group: "sick.example.com", Version: "v1", Resource: "patients"}, name, "sick"}
		s.waitForNotification(ctx, sick.watches, func() {
			s.patchTarget(ctx, custom, `{"status":{"observedGeneration":1,"conditions":[{"type":"Ready","status":"False","reason":"Fever","message":"39 degrees"}]}}`, "status")
		})
		s.Eventually(sick.report).WithContext(ctx).Should(ContainElement("Patient sick/sick: 39 degrees"))
		sick.waitUntilReady(ctx, "Patient", func() {
			s.patchTarget(ctx, custom, `{"status":{"observedGeneration":1,"conditions":[{"type":"Ready","status":"True","reason":"Well","message":""}]}}`, "status")
		})
		for kind, resource := range map[string]string{"Validating": "validatingwebhookconfigurations", "Mutating": "mutatingwebhookconfigurations"} {
			sick.waitUntilReady(ctx, kind+"WebhookConfiguration", func() { s.injectCA(ctx, resource) })
		}
		s.Eventually(sick.report).WithContext(ctx).Should(BeEmpty())

		s.By("removing all objects")
		s.Eventually(func(ctx context.Context) (apply.Removal, error) {
			return sick.engine.Remove(ctx, sick.set, apply.RemoveOptions{CRDs: corev1alpha2.CRDsDelete})
		}).WithContext(ctx).Should(HaveField("Done", BeTrue()))
	})

	runStory(t, "[ENG-D15] a lost and regained Deployment is noticed by watches alone", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "moody"
		s.deploy(ctx, name, s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0"}))
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		health := func() AsyncAssertion {
			return s.Eventually(s.conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionHealthy).WithTimeout(5 * time.Second)
		}
		tell := func(status metav1.ConditionStatus) {
			s.Helper()
			s.Expect(s.Admin.Kubernetes.CoreV1().Pods(name).List(ctx, metav1.ListOptions{})).To(HaveField("Items", HaveLen(1)))
			s.setPodsReady(ctx, name, status)
		}
		tell(metav1.ConditionFalse)
		health().Should(HavePrefix("False Unhealthy: Deployment moody/moody: 0 of 1 updated replicas available"))
		s.Expect(s.unreadyOf(ctx, name)).To(HavePrefix("Deployment moody/moody: 0 of 1 updated replicas available"))
		tell(metav1.ConditionTrue)
		health().Should(HavePrefix("True Healthy"))
		s.Expect(s.unreadyOf(ctx, name)).To(BeEmpty())
	})
}
