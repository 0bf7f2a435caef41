package integration

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/operator-framework/operator-registry/pkg/api"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	configv1 "github.com/openshift/api/config/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/localcatalog"
	"github.com/openshift/platform-operators/test/samples"
)

var (
	catalogSources  = schema.GroupVersionResource{Group: "operators.coreos.com", Version: "v1alpha1", Resource: "catalogsources"}
	clusterCatalogs = schema.GroupVersionResource{Group: "olm.operatorframework.io", Version: "v1", Resource: "clustercatalogs"}
)

// catalogSource makes a CatalogSource that OLM is connected to in this state, and removes it after the spec.
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

// clusterCatalog makes a ClusterCatalog that is served below base, and removes it after the spec.
func clusterCatalog(ctx context.Context, name, base string) {
	GinkgoHelper()
	client := admin.Dynamic.Resource(clusterCatalogs)
	created, err := client.Create(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterCatalog", "metadata": map[string]any{"name": name},
		"spec": map[string]any{"source": map[string]any{"type": "Image", "image": map[string]any{"ref": "local.invalid/" + name + ":latest"}}},
	}}, metav1.CreateOptions{})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func(ctx context.Context) {
		Expect(ignoreNotFound(client.Delete(ctx, name, metav1.DeleteOptions{}))).To(Succeed())
	})
	created.Object["status"] = map[string]any{
		"urls":           map[string]any{"base": base},
		"resolvedSource": map[string]any{"type": "Image", "image": map[string]any{"ref": "local.invalid/" + name + "@sha256:" + strings.Repeat("0a", 32)}},
		"conditions":     []any{servingIs("True")},
	}
	_, err = client.UpdateStatus(ctx, created, metav1.UpdateOptions{})
	Expect(err).NotTo(HaveOccurred())
}

func servingIs(status string) map[string]any {
	return map[string]any{"type": "Serving", "status": status, "reason": "Available", "message": "Serving desired content",
		"lastTransitionTime": time.Now().UTC().Format(time.RFC3339)}
}

// otherCatalog serves these operators from a server of its own, with an authority of its own.
func otherCatalog(operators ...samples.Operator) *localcatalog.Server {
	GinkgoHelper()
	dir := GinkgoT().TempDir()
	Expect(samples.Write(dir, operators...)).To(Succeed())
	server, err := localcatalog.Start(context.Background(), localcatalog.Options{
		Catalogs: []string{filepath.Join(dir, "catalog")}, Bundles: []string{filepath.Join(dir, "bundles")},
	})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(server.Close)
	return server
}

// registry answers over gRPC as it is told, and counts its connections.
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

// serve serves it until the spec ends and returns the address.
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

// bundleOf is a bundle as a list of bundles has it, with so many bytes in its manifest.
func bundleOf(pkg, version string, bytes int) *api.Bundle {
	return &api.Bundle{
		PackageName: pkg, ChannelName: "stable", CsvName: pkg + ".v" + version, Version: version, BundlePath: "local.invalid/" + pkg + ":" + version,
		CsvJson: `{"kind":"ClusterServiceVersion","metadata":{"name":"x","annotations":{"description":"` + strings.Repeat("x", bytes) + `"}},"spec":{"installModes":[{"type":"AllNamespaces","supported":true}]}}`,
	}
}

// asked says how often the local catalog was asked since something that begins so.
func asked(before map[string]int, what string) func() int {
	return func() int {
		count := 0
		for each, now := range env.Catalog.Seen() {
			if strings.HasPrefix(each, what) {
				count += now - before[each]
			}
		}
		return count
	}
}

// quietly waits until the catalog is asked no more and returns what it was asked so far.
func quietly(ctx context.Context) map[string]int {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		before := env.Catalog.Requests()
		g.Consistently(env.Catalog.Requests, "1s").Should(Equal(before))
	}).WithContext(ctx).Should(Succeed())
	return env.Catalog.Seen()
}

// flap writes a CatalogSource's status with a new connection.
func flap(ctx context.Context, name string) {
	GinkgoHelper()
	patch := fmt.Sprintf(`{"status":{"connectionState":{"lastConnect":%q}}}`, time.Now().UTC().Format(time.RFC3339Nano))
	_, err := admin.Dynamic.Resource(catalogSources).Namespace(environment.CatalogNamespace).Patch(ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}, "status")
	Expect(err).NotTo(HaveOccurred())
}

var _ = Describe("catalogs on the cluster", func() {
	It("[UPG-C1] CatalogSources of trusted namespaces are read in one pass, and others never", func(ctx context.Context) {
		By("one elsewhere that has what an operator asks for")
		elsewhere := otherCatalog(samples.Operator{Package: "smuggled", Version: "1.0.0"})
		createNamespace(ctx, "not-trusted")
		catalogSource(ctx, "not-trusted", "elsewhere", elsewhere.GRPCAddress(), "READY")
		create(ctx, "smuggled", "")
		refusedWith(ctx, "smuggled", platformv1alpha1.ReasonSourceFailed, "smuggled")
		Consistently(elsewhere.Requests, "2s").Should(BeZero())

		By("one pass for each content, whatever number of packages is wanted")
		installed(ctx, "neighbour", "1.0.0")
		before := quietly(ctx)
		Expect(admin.Publish(ctx, samples.Operator{Package: "passer", Version: "1.0.0"})).To(Succeed())
		Eventually(asked(before, "ListBundles")).Should(Equal(1))
		Consistently(asked(before, "ListBundles"), "2s").Should(Equal(1))
		Expect(asked(before, "GetPackage")()).To(Equal(1), "one package that the catalog has is wanted")
		Expect(asked(before, "GetBundle")()).To(Equal(1), "of the wanted package only")

		By("another pass for a package that nobody asked for before, and no other for it")
		create(ctx, "passer", "")
		Eventually(admin.Installed).WithContext(ctx).WithArguments("passer", "1.0.0").Should(Succeed())
		Expect(asked(before, "ListBundles")()).To(Equal(2))
		Expect(asked(before, "GetBundle")()).To(Equal(2), "what is known already is not asked for again")

		By("a message of more than 4 MiB, and connections that end")
		big := &registry{list: func(stream api.Registry_ListBundlesServer) error {
			return stream.Send(bundleOf("big-message", "1.0.0", 5<<20))
		}}
		catalogSource(ctx, environment.CatalogNamespace, "big", big.serve(), "READY")
		create(ctx, "big-message", "")
		Eventually(func(ctx context.Context) (bool, error) {
			operator, err := admin.Operator(ctx, "big-message")
			return err == nil && operator.Status.Target != nil, err
		}).WithContext(ctx).Should(BeTrue(), "it is chosen; its image is nowhere")
		Eventually(big.connections.Load).Should(BeZero())

		By("a stream that breaks off after an older version")
		broken := &registry{list: func(stream api.Registry_ListBundlesServer) error {
			if err := stream.Send(bundleOf("half-told", "1.0.0", 10)); err != nil {
				return err
			}
			return status.Error(codes.Internal, "the list broke off")
		}}
		catalogSource(ctx, environment.CatalogNamespace, "half", broken.serve(), "READY")
		create(ctx, "half-told", "")
		refusedWith(ctx, "half-told", platformv1alpha1.ReasonSourceFailed, "CatalogSource/"+environment.CatalogNamespace+"/half", "the list broke off")
		Expect(broken.lists.Load()).To(BeNumerically(">=", 1))
	})

	It("[UPG-C2] ClusterCatalogs are read over HTTPS as their server can, conditionally, and skipped with the reason", func(ctx context.Context) {
		client := admin.Dynamic.Resource(clusterCatalogs)
		installed(ctx, "neighbour", "1.0.0")
		before := quietly(ctx)

		By("package by package")
		Expect(admin.Publish(ctx, samples.Operator{Package: "webbed", Version: "1.0.0"})).To(Succeed())
		Eventually(asked(before, "metas 200")).Should(BeNumerically(">=", 2))
		quietly(ctx)
		Expect(asked(before, "all")()).To(BeZero())

		By("unavailable by its spec")
		available := func(ctx context.Context, mode, serves string) {
			GinkgoHelper()
			_, err := client.Patch(ctx, environment.CatalogName, types.MergePatchType, []byte(`{"spec":{"availabilityMode":"`+mode+`"}}`), metav1.PatchOptions{})
			Expect(err).NotTo(HaveOccurred())
			live, err := client.Get(ctx, environment.CatalogName, metav1.GetOptions{})
			Expect(err).NotTo(HaveOccurred())
			Expect(unstructured.SetNestedSlice(live.Object, []any{servingIs(serves)}, "status", "conditions")).To(Succeed())
			_, err = client.UpdateStatus(ctx, live, metav1.UpdateOptions{})
			Expect(err).NotTo(HaveOccurred())
		}
		DeferCleanup(available, "Available", "True")
		available(ctx, "Unavailable", "False")
		create(ctx, "nowhere-at-all", "")
		refusedWith(ctx, "nowhere-at-all", platformv1alpha1.ReasonSourceFailed, "ClusterCatalog/"+environment.CatalogName, "availabilityMode is Unavailable")
		remove(ctx, "nowhere-at-all")

		By("available again with the same content")
		before = quietly(ctx)
		available(ctx, "Available", "True")
		Eventually(asked(before, "metas 304")).Should(Equal(1))
		Consistently(asked(before, "metas 200"), "1s").Should(BeZero())

		By("as a whole and compressed, where the server has no queries")
		env.Catalog.WithoutMetas(true)
		DeferCleanup(func() { env.Catalog.WithoutMetas(false) })
		before = quietly(ctx)
		create(ctx, "webbed", "")
		Eventually(asked(before, "all 200 gzip")).Should(Equal(1))
		Eventually(admin.Installed).WithContext(ctx).WithArguments("webbed", "1.0.0").Should(Succeed())

		By("not of a server that the cluster's authority does not know")
		stranger := otherCatalog(samples.Operator{Package: "strange", Version: "1.0.0"})
		clusterCatalog(ctx, "stranger", stranger.HTTPSBaseURL())
		create(ctx, "strange", "")
		refusedWith(ctx, "strange", platformv1alpha1.ReasonSourceFailed, "ClusterCatalog/stranger", "certificate")
		Expect(stranger.Requests()).To(BeZero())
	})

	It("[UPG-C3] catalogs in trouble: the others serve, who may miss something is told why, and every operator says which were left out", startEarly, func(ctx context.Context) {
		installed(ctx, "neighbour", "1.0.0")
		warnings := func(ctx context.Context) ([]string, error) {
			operator, err := admin.Operator(ctx, "neighbour")
			if err != nil {
				return nil, err
			}
			return operator.Status.Warnings, nil
		}
		Eventually(warnings).WithContext(ctx).ShouldNot(ContainElement(ContainSubstring("cannot be read")), "all is well")

		By("one that has served until now and is down: it has an older version")
		older := &registry{list: func(stream api.Registry_ListBundlesServer) error {
			return stream.Send(bundleOf("neighbour", "0.9.0", 10))
		}}
		catalogSource(ctx, environment.CatalogNamespace, "gone", older.serve(), "READY")
		Eventually(older.lists.Load).Should(BeNumerically(">=", 1))
		Eventually(older.connections.Load).Should(BeZero())

		By("one that is down, one that is not ready, one that is malformed, and five that are slow")
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		Expect(err).NotTo(HaveOccurred())
		Expect(listener.Close()).To(Succeed())
		catalogSource(ctx, environment.CatalogNamespace, "down", listener.Addr().String(), "READY")
		catalogSource(ctx, environment.CatalogNamespace, "starting", "127.0.0.1:1", "CONNECTING")
		clusterCatalog(ctx, "garbled", env.Catalog.HandleCatalog("garbled", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"schema": "olm.package", "name": "neigh`)
		})))
		slow := &registry{list: func(stream api.Registry_ListBundlesServer) error { <-stream.Context().Done(); return nil }}
		catalogSource(ctx, environment.CatalogNamespace, "slow", slow.serve(), "READY")
		for i := range 4 { // which with the other makes more than there are workers
			name := fmt.Sprintf("trickle-%d", i)
			clusterCatalog(ctx, name, env.Catalog.HandleCatalog(name, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(http.StatusOK)
				_ = http.NewResponseController(w).Flush()
				<-r.Context().Done()
			})))
		}
		state := []byte(`{"status":{"connectionState":{"lastObservedState":"TRANSIENT_FAILURE"}}}`)
		_, err = admin.Dynamic.Resource(catalogSources).Namespace(environment.CatalogNamespace).Patch(ctx, "gone", types.MergePatchType, state, metav1.PatchOptions{}, "status")
		Expect(err).NotTo(HaveOccurred())

		By("asking for a package of another catalog, which is read all the same")
		Expect(admin.Publish(ctx, samples.Operator{Package: "undaunted", Version: "1.0.0"})).To(Succeed())
		create(ctx, "undaunted", "")
		Eventually(admin.Installed).WithContext(ctx).WithArguments("undaunted", "1.0.0").Should(Succeed())

		By("asking for what only one of them might have: the reason is told")
		for id, words := range map[catalog.ID][]string{
			{Kind: catalog.KindCatalogSource, Namespace: environment.CatalogNamespace, Name: "down"}:     {"connection refused"},
			{Kind: catalog.KindCatalogSource, Namespace: environment.CatalogNamespace, Name: "starting"}: {`not "READY"`},
			{Kind: catalog.KindCatalogSource, Namespace: environment.CatalogNamespace, Name: "slow"}:     {"still being read"},
			{Kind: catalog.KindClusterCatalog, Name: "garbled"}:                                          {"getting"},
			{Kind: catalog.KindClusterCatalog, Name: "trickle-0"}:                                        {"still being read"},
		} {
			choosy := &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: "misses-" + id.Name}}
			choosy.Spec.Package = platformv1alpha1.Package{Name: choosy.Name, CatalogSelector: &metav1.LabelSelector{
				MatchLabels: map[string]string{platformv1alpha1.LabelCatalogName: id.Name}}}
			_, err := admin.Platform.PlatformV1alpha1().PlatformOperators().Create(ctx, choosy, metav1.CreateOptions{})
			Expect(err).NotTo(HaveOccurred())
			DeferCleanup(remove, choosy.Name)
			refusedWith(ctx, choosy.Name, platformv1alpha1.ReasonSourceFailed, append(words, id.String()+" was left out")...)
		}

		By("every operator saying which were left out, and of which the last content is used")
		source := "CatalogSource/" + environment.CatalogNamespace
		told := ContainElements(HavePrefix("catalog " + source + "/gone cannot be read, and its last content is used: look at its status and its pod"))
		for _, left := range []string{source + "/down", source + "/starting", source + "/slow", "ClusterCatalog/garbled",
			"ClusterCatalog/trickle-0", "ClusterCatalog/trickle-1", "ClusterCatalog/trickle-2", "ClusterCatalog/trickle-3"} {
			told = And(told, ContainElement(HavePrefix("catalog "+left+" is left out, because it cannot be read: look at its status")))
		}
		Eventually(warnings).WithContext(ctx).WithTimeout(2 * soon).Should(told)
		Eventually(warnings).WithContext(ctx).Should(HaveEach(Not(ContainSubstring("/"+environment.CatalogName+" "))), "of the catalogs that serve nothing is said")

		By("nothing else failing, and nothing being written at each attempt to read them")
		before, err := admin.Operator(ctx, "neighbour")
		Expect(err).NotTo(HaveOccurred())
		Consistently(func(ctx context.Context) error {
			live, err := admin.Operator(ctx, "neighbour")
			if err != nil {
				return err
			}
			if live.ResourceVersion != before.ResourceVersion {
				return fmt.Errorf("written meanwhile: %+v", live.Status)
			}
			if err := admin.Installed(ctx, "neighbour", "1.0.0"); err != nil {
				return err
			}
			_, err = admin.ClusterOperatorHas(ctx, configv1.OperatorDegraded, configv1.ConditionFalse)
			return err
		}).WithContext(ctx).WithTimeout(15 * time.Second).Should(Succeed())

		By("one of them coming back, and the others going: nothing is said any more")
		state = []byte(`{"status":{"connectionState":{"lastObservedState":"READY"}}}`)
		_, err = admin.Dynamic.Resource(catalogSources).Namespace(environment.CatalogNamespace).Patch(ctx, "gone", types.MergePatchType, state, metav1.PatchOptions{}, "status")
		Expect(err).NotTo(HaveOccurred())
		for _, name := range []string{"down", "starting", "slow"} {
			Expect(admin.Dynamic.Resource(catalogSources).Namespace(environment.CatalogNamespace).Delete(ctx, name, metav1.DeleteOptions{})).To(Succeed())
		}
		for _, name := range []string{"garbled", "trickle-0", "trickle-1", "trickle-2", "trickle-3"} {
			Expect(admin.Dynamic.Resource(clusterCatalogs).Delete(ctx, name, metav1.DeleteOptions{})).To(Succeed())
		}
		Eventually(warnings).WithContext(ctx).ShouldNot(ContainElement(ContainSubstring("cannot be read")))
	})

	It("[UPG-C5] content is read again when it changes; what else changes costs nothing, and only who uses it looks again", func(ctx context.Context) {
		installed(ctx, "neighbour", "1.0.0")
		Expect(admin.Publish(ctx, samples.Operator{Package: "changing", Version: "1.0.0"})).To(Succeed())
		create(ctx, "changing", "")
		Eventually(admin.Installed).WithContext(ctx).WithArguments("changing", "1.0.0").Should(Succeed())
		before := quietly(ctx)
		requests := env.Catalog.Requests()

		By("noise in the status of both")
		for range 20 {
			flap(ctx, environment.CatalogName)
			_, err := admin.Dynamic.Resource(clusterCatalogs).Patch(ctx, environment.CatalogName, types.MergePatchType,
				[]byte(fmt.Sprintf(`{"metadata":{"annotations":{"noise":%q}},"status":{"lastUnpacked":%q}}`, time.Now().String(), time.Now().UTC().Format(time.RFC3339))), metav1.PatchOptions{}, "status")
			Expect(err).NotTo(HaveOccurred())
		}
		Consistently(env.Catalog.Requests, "3s").Should(Equal(requests), "nothing was asked")

		By("one where nothing names the content: not more often than once a minute")
		nameless := &registry{list: func(api.Registry_ListBundlesServer) error { return nil }}
		catalogSource(ctx, environment.CatalogNamespace, "nameless", nameless.serve(), "READY")
		Eventually(nameless.lists.Load).Should(BeNumerically("==", 1))
		for range 20 {
			flap(ctx, "nameless")
		}
		Consistently(nameless.lists.Load, "3s").Should(BeNumerically("==", 1))

		By("content that changes of one package")
		info, err := os.Stat(env.Manager.LogFile)
		Expect(err).NotTo(HaveOccurred())
		Expect(admin.Publish(ctx, samples.Operator{Package: "changing", Version: "1.0.0"}, samples.Operator{Package: "changing", Version: "1.1.0"})).To(Succeed())
		Eventually(admin.Installed).WithContext(ctx).WithArguments("changing", "1.1.0").Should(Succeed())
		quietly(ctx)
		Expect(asked(before, "ListBundles")()).To(Equal(1), "once over gRPC")
		Expect(asked(before, "all")()).To(BeZero())
		changes := catalogLog(info.Size())
		Expect(changes).To(HaveLen(2), "each catalog is read once")
		for _, line := range changes {
			Expect(line).To(ContainSubstring(`changed: ["changing"]`))
		}
	})
})

// catalogLog returns the manager's lines about catalogs that were read, from an offset of its log on.
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
