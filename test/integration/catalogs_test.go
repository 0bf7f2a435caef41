package integration

import (
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/operator-framework/operator-registry/pkg/api"
	"google.golang.org/grpc"
	"google.golang.org/grpc/stats"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/samples"
)

var (
	catalogSources  = schema.GroupVersionResource{Group: "operators.coreos.com", Version: "v1alpha1", Resource: "catalogsources"}
	clusterCatalogs = schema.GroupVersionResource{Group: "olm.operatorframework.io", Version: "v1", Resource: "clustercatalogs"}
)

// catalogSource creates a CatalogSource whose status has this connection state, and deletes it after the spec.
func catalogSource(ctx context.Context, namespace, name, address, state string) {
	GinkgoHelper()
	client := admin.Dynamic.Resource(catalogSources).Namespace(namespace)
	created, err := client.Create(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "operators.coreos.com/v1alpha1", "kind": "CatalogSource", "metadata": map[string]any{"name": name},
		"spec": map[string]any{"sourceType": "grpc", "address": address},
	}}, metav1.CreateOptions{})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func(ctx context.Context) {
		Expect(ignoreNotFound(client.Delete(ctx, name, metav1.DeleteOptions{}))).To(Succeed())
	})
	created.Object["status"] = map[string]any{"connectionState": map[string]any{
		"address": address, "lastObservedState": state, "lastConnect": time.Now().UTC().Format(time.RFC3339),
	}}
	_, err = client.UpdateStatus(ctx, created, metav1.UpdateOptions{})
	Expect(err).NotTo(HaveOccurred())
}

// registry is a catalog over gRPC. list is the implementation of ListBundles. connections is the number of open connections, and lists the
// number of ListBundles requests.
type registry struct {
	api.UnimplementedRegistryServer
	list func(stream api.Registry_ListBundlesServer) error

	connections, lists atomic.Int64
}

func (r *registry) ListBundles(_ *api.ListBundlesRequest, stream api.Registry_ListBundlesServer) error {
	r.lists.Add(1)
	return r.list(stream)
}

func (r *registry) GetPackage(_ context.Context, request *api.GetPackageRequest) (*api.Package, error) {
	return &api.Package{Name: request.GetName(), DefaultChannelName: "stable", Channels: []*api.Channel{{Name: "stable"}}}, nil
}

func (r *registry) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context   { return ctx }
func (r *registry) HandleRPC(context.Context, stats.RPCStats)                         {}
func (r *registry) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }
func (r *registry) HandleConn(_ context.Context, event stats.ConnStats) {
	switch event.(type) {
	case *stats.ConnBegin:
		r.connections.Add(1)
	case *stats.ConnEnd:
		r.connections.Add(-1)
	}
}

// serve starts the gRPC server, which runs until the spec ends, and returns its address.
func (r *registry) serve() string {
	GinkgoHelper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	Expect(err).NotTo(HaveOccurred())
	server := grpc.NewServer(grpc.StatsHandler(r), grpc.MaxSendMsgSize(64<<20))
	api.RegisterRegistryServer(server, r)
	go func() { _ = server.Serve(listener) }()
	DeferCleanup(server.Stop)
	return listener.Addr().String()
}

// requestsSince returns a function that returns the number of requests to the local catalog since before. It includes only requests whose
// names have the prefix what.
func requestsSince(before map[string]int, what string) func() int {
	return func() int {
		count := 0
		for each, now := range env.Catalog.RequestCounts() {
			if strings.HasPrefix(each, what) {
				count += now - before[each]
			}
		}
		return count
	}
}

// waitForNoRequests waits until the catalog gets no requests for a second. It returns the numbers of all requests so far, by name.
func waitForNoRequests(ctx context.Context) map[string]int {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		before := env.Catalog.Requests()
		g.Consistently(env.Catalog.Requests, "1s").Should(Equal(before))
	}).WithContext(ctx).Should(Succeed())
	return env.Catalog.RequestCounts()
}

// reconnectCatalog writes the time of a new connection to a CatalogSource's status.
func reconnectCatalog(ctx context.Context, name string) {
	GinkgoHelper()
	patch := fmt.Sprintf(`{"status":{"connectionState":{"lastConnect":%q}}}`, time.Now().UTC().Format(time.RFC3339Nano))
	_, err := admin.Dynamic.Resource(catalogSources).Namespace(environment.CatalogNamespace).Patch(ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}, "status")
	Expect(err).NotTo(HaveOccurred())
}

var _ = Describe("catalogs on the cluster", func() {

	// Promise UPG-C5: The manager reads a catalog again only when its content may have changed, and at most once a minute where nothing
	// identifies the content. Only operators whose package changed are evaluated again.
	It("[UPG-C5] are read again when their content changes, and only operators of a changed package are evaluated again", func(ctx context.Context) {
		install(ctx, "neighbor", "1.0.0")
		Expect(admin.Publish(ctx, samples.Operator{Package: "changing", Version: "1.0.0"})).To(Succeed())
		create(ctx, "changing", "")
		Eventually(admin.Installed).WithContext(ctx).WithArguments("changing", "1.0.0").Should(Succeed())
		before := waitForNoRequests(ctx)
		requests := env.Catalog.Requests()

		By("changing annotations and statuses, but no content")
		for range 20 {
			reconnectCatalog(ctx, environment.CatalogName)
			_, err := admin.Dynamic.Resource(clusterCatalogs).Patch(ctx, environment.CatalogName, types.MergePatchType,
				[]byte(fmt.Sprintf(`{"metadata":{"annotations":{"noise":%q}},"status":{"lastUnpacked":%q}}`, time.Now().String(), time.Now().UTC().Format(time.RFC3339))), metav1.PatchOptions{}, "status")
			Expect(err).NotTo(HaveOccurred())
		}
		Consistently(env.Catalog.Requests, "3s").Should(Equal(requests), "the manager reads a catalog whose content is the same")

		By("reading a catalog whose content nothing identifies at most once a minute")
		nameless := &registry{list: func(api.Registry_ListBundlesServer) error { return nil }}
		catalogSource(ctx, environment.CatalogNamespace, "nameless", nameless.serve(), "READY")
		Eventually(nameless.lists.Load).Should(BeNumerically("==", 1))
		for range 20 {
			reconnectCatalog(ctx, "nameless")
		}
		Consistently(nameless.lists.Load, "3s").Should(BeNumerically("==", 1))

		By("changing the content of one package, which also shows that the manager still reads catalogs")
		info, err := os.Stat(env.Manager.LogFile)
		Expect(err).NotTo(HaveOccurred())
		Expect(admin.Publish(ctx, samples.Operator{Package: "changing", Version: "1.0.0"}, samples.Operator{Package: "changing", Version: "1.1.0"})).To(Succeed())
		Eventually(admin.Installed).WithContext(ctx).WithArguments("changing", "1.1.0").Should(Succeed())
		waitForNoRequests(ctx)
		Expect(requestsSince(before, "ListBundles")()).To(Equal(1), "once over gRPC")
		Expect(requestsSince(before, "all")()).To(BeZero())
		changes := catalogLog(info.Size())
		Expect(changes).To(HaveLen(2), "each catalog is read once")
		for _, line := range changes {
			Expect(line).To(ContainSubstring(`changed: ["changing"]`))
		}
	})
})

// catalogLog returns the lines of the manager's log about catalogs that were read, from an offset in bytes on.
func catalogLog(from int64) (lines []string) {
	GinkgoHelper()
	content, err := os.ReadFile(env.Manager.LogFile)
	Expect(err).NotTo(HaveOccurred())
	for line := range strings.Lines(string(content[from:])) {
		if strings.Contains(line, "wanted packages from catalog") {
			lines = append(lines, line)
		}
	}
	return lines
}
