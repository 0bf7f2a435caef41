package integration

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/plan"
	"github.com/openshift/platform-operators/test/services"
)

// changeCounter counts the events of watches. Its methods can be called concurrently.
type changeCounter struct {
	lock  sync.Mutex
	times int
}

func (t *changeCounter) changed(string) {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.times++
}

func (t *changeCounter) count() int {
	t.lock.Lock()
	defer t.lock.Unlock()
	return t.times
}

// after waits until there are no events for a second, calls do, and waits for the next event.
func (t *changeCounter) after(ctx context.Context, do func()) {
	GinkgoHelper()
	before := 0
	Eventually(func(g Gomega) {
		before = t.count()
		g.Consistently(t.count, "1s").Should(Equal(before))
	}).WithContext(ctx).Should(Succeed(), "events do not end")
	do()
	Eventually(t.count).WithContext(ctx).Should(BeNumerically(">", before), "no watch reported the change")
}

var _ = Describe("health", func() {
	It("[ENG-D15] of an APIService follows from watches", func(ctx context.Context) {
		const name = "sick"
		objects := []unstructured.Unstructured{
			{Object: map[string]any{"apiVersion": "v1", "kind": "Service", "metadata": map[string]any{"name": name, "namespace": name},
				"spec": map[string]any{"ports": []any{map[string]any{"port": int64(443)}}}}},
			{Object: map[string]any{"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": map[string]any{"name": "v1.served.sick.example.com"},
				"spec": map[string]any{"group": "served.sick.example.com", "version": "v1", "groupPriorityMinimum": int64(1000), "versionPriority": int64(10),
					"insecureSkipTLSVerify": true, "service": map[string]any{"namespace": name, "name": name, "port": int64(443)}}}},
		}
		watches := &changeCounter{}
		engine := newEngineThat(ctx, watches.changed)
		set, err := apply.NewSet(apply.Owner{Name: name, Package: name}, name, plan.Phases(objects))
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func(ctx context.Context) {
			Eventually(func(ctx context.Context) (apply.Removal, error) {
				return engine.Remove(ctx, set, apply.RemoveOptions{CRDs: corev1alpha2.CRDsDelete})
			}).WithContext(ctx).Should(HaveField("Done", BeTrue()))
		})
		unready := func(ctx context.Context) ([]string, error) {
			report, err := engine.Apply(ctx, set, apply.Options{})
			return report.Unready, err
		}
		Eventually(unready).WithContext(ctx).Should(ConsistOf(HavePrefix("APIService v1.served.sick.example.com: is not available")))
		watches.after(ctx, func() { serveAPIService(ctx, name) })
		Eventually(unready).WithContext(ctx).Should(BeEmpty())
	})
})

// serveAPIService serves the Service "sick" of a namespace by an extension API server whose group has no resources.
func serveAPIService(ctx context.Context, namespace string) {
	GinkgoHelper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"served.sick.example.com/v1","resources":[]}`)
	}))
	DeferCleanup(server.Close)
	serveService(ctx, services.Service{Namespace: namespace, Name: "sick", Port: 443}, server.Listener.Addr().String())
}

// serveService sends the API server's requests to a Service to an address until the spec ends. It creates an EndpointSlice, because the
// aggregation layer dials a Service only if it has an endpoint.
func serveService(ctx context.Context, service services.Service, address string) *services.Proxy {
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
