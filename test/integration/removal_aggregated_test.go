package integration

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/test/aggregatedapi"
	"github.com/openshift/platform-operators/test/samples"
	"github.com/openshift/platform-operators/test/services"
)

var apiServices = schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}

var _ = Describe("a removal where an aggregated API is served", func() {
	const (
		server  = "image-apiserver"
		service = "v1.image.openshift.io"
	)
	available := func(ctx context.Context) (bool, error) {
		_, err := admin.Dynamic.Resource(aggregatedapi.Resource).List(ctx, metav1.ListOptions{})
		return err == nil, nil
	}

	// Promise HRD-S4: A removal keeps the install namespace when it holds objects of an aggregated API, or may hold some while that API
	// is not available. An Event says why.
	It("HRD-S4 keeps a namespace that holds objects of the API, or may hold some while it is not available", func(ctx context.Context) {
		By("installing three operators in namespaces without other objects")
		names := []string{"streaming", "streamless", "streamed-in-the-dark"}
		for _, name := range names {
			createDeployment(ctx, name, publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0"}))
			DeferCleanup(func(ctx context.Context) {
				Expect(ignoreNotFound(admin.Kubernetes.CoreV1().Namespaces().Delete(ctx, name, metav1.DeleteOptions{}))).To(Succeed())
			})
		}
		for _, name := range names {
			expectDeploymentCondition(ctx, name, corev1alpha2.ConditionProgressing, "AsExpected")
		}

		By("registering the API server of OpenShift's images")
		images, err := aggregatedapi.Start()
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(images.Close)
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: server}}
		_, err = admin.Kubernetes.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func(ctx context.Context) {
			Expect(admin.Kubernetes.CoreV1().Namespaces().Delete(ctx, server, metav1.DeleteOptions{})).To(Succeed())
		})
		_, err = admin.Kubernetes.CoreV1().Services(server).Create(ctx, &corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Name: server}, Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 443}}},
		}, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		at := services.Service{Namespace: server, Name: server, Port: 443}
		proxy := serveService(ctx, at, images.Listener.Addr().String())
		_, err = admin.Dynamic.Resource(apiServices).Create(ctx, parse(apiServices, "APIService", `{metadata: {name: `+service+`}, spec: {group: image.openshift.io, version: v1,
			groupPriorityMinimum: 1000, versionPriority: 10, insecureSkipTLSVerify: true, service: {namespace: `+server+`, name: `+server+`, port: 443}}}`), metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func(ctx context.Context) {
			Expect(admin.Dynamic.Resource(apiServices).Delete(ctx, service, metav1.DeleteOptions{})).To(Succeed())
		})
		Eventually(available).WithContext(ctx).Should(BeTrue())
		images.Add("streaming", "app")

		By("removing one operator with an ImageStream in its namespace, and one without")
		deleteDeploymentAndWait(ctx, "streaming")
		Eventually(eventsOf).WithContext(ctx).WithArguments("streaming").Should(ContainElement(And(
			HavePrefix("Normal "+corev1alpha2.EventRemoved), ContainSubstring(`Namespace streaming: it still holds imagestreams.image.openshift.io "app"`))))
		expectNamespaceKept(ctx, "streaming")
		deleteDeploymentAndWait(ctx, "streamless")
		Eventually(getNamespace).WithContext(ctx).WithArguments("streamless").Should(beNotFound())

		By("removing one while the API is not available")
		Expect(proxy.Answer(at, "")).To(Succeed())
		proxy.Disconnect()
		Eventually(available).WithContext(ctx).Should(BeFalse())
		deleteDeployment(ctx, "streamed-in-the-dark")
		Eventually(eventsOf).WithContext(ctx).WithArguments("streamed-in-the-dark").WithTimeout(2 * time.Minute).Should(ContainElement(And(
			HavePrefix("Normal "+corev1alpha2.EventRemoved), ContainSubstring("Namespace streamed-in-the-dark: "), ContainSubstring("image.openshift.io"))))
		expectNamespaceKept(ctx, "streamed-in-the-dark")
	})
})

// expectNamespaceKept asserts that a removal has kept a namespace and removed the owner's label from it.
func expectNamespaceKept(ctx context.Context, name string) {
	GinkgoHelper()
	live, err := admin.Kubernetes.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{})
	Expect(err).NotTo(HaveOccurred())
	Expect(live.DeletionTimestamp).To(BeNil())
	Expect(live.Labels).NotTo(HaveKey(corev1alpha2.LabelOwnerName))
}
