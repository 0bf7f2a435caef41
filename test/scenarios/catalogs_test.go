package scenarios

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

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

// catalogSource creates a CatalogSource whose last observed connection state is state, such as "READY".
func (s *Story) catalogSource(ctx context.Context, namespace, name, address, state string) {
	s.Helper()
	client := s.Admin.Dynamic.Resource(catalogSources).Namespace(namespace)
	created, err := client.Create(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "operators.coreos.com/v1alpha1", "kind": "CatalogSource", "metadata": map[string]any{"name": name},
		"spec": map[string]any{"sourceType": "grpc", "address": address},
	}}, metav1.CreateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	created.Object["status"] = map[string]any{"connectionState": map[string]any{
		"address": address, "lastObservedState": state, "lastConnect": time.Now().UTC().Format(time.RFC3339),
	}}
	_, err = client.UpdateStatus(ctx, created, metav1.UpdateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
}

// clusterCatalog creates a ClusterCatalog that serves its content at the URL base.
func (s *Story) clusterCatalog(ctx context.Context, name, base string) {
	s.Helper()
	client := s.Admin.Dynamic.Resource(clusterCatalogs)
	created, err := client.Create(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterCatalog", "metadata": map[string]any{"name": name},
		"spec": map[string]any{"source": map[string]any{"type": "Image", "image": map[string]any{"ref": "local.invalid/" + name + ":latest"}}},
	}}, metav1.CreateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	created.Object["status"] = map[string]any{
		"urls":           map[string]any{"base": base},
		"resolvedSource": map[string]any{"type": "Image", "image": map[string]any{"ref": "local.invalid/" + name + "@sha256:" + strings.Repeat("0a", 32)}},
		"conditions":     []any{servingIs("True")},
	}
	_, err = client.UpdateStatus(ctx, created, metav1.UpdateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
}

func servingIs(status string) map[string]any {
	return map[string]any{"type": "Serving", "status": status, "reason": "Available", "message": "Serving desired content",
		"lastTransitionTime": time.Now().UTC().Format(time.RFC3339)}
}

// otherCatalog serves these operators from another server with another CA until the story ends.
func (s *Story) otherCatalog(operators ...samples.Operator) *localcatalog.Server {
	s.Helper()
	dir := s.T.TempDir()
	s.Expect(samples.Write(dir, operators...)).To(Succeed())
	server, err := localcatalog.Start(context.Background(), localcatalog.Options{
		Catalogs: []string{filepath.Join(dir, "catalog")}, Bundles: []string{filepath.Join(dir, "bundles")}, Network: &s.network,
	})
	s.Expect(err).NotTo(HaveOccurred())
	s.Defer(func() { s.Expect(server.Close()).To(Succeed()) })
	s.otherCatalogs = append(s.otherCatalogs, server)
	return server
}

// registry is a catalog over gRPC whose bundles list sends. connections is the number of open connections, and lists is the number of
// calls of ListBundles.
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

// serve serves the registry until the story ends, and returns its address as "HOST:PORT".
func (r *registry) serve(s *Story) string {
	s.Helper()
	listener, err := s.network.Listen("127.0.0.1:0")
	s.Expect(err).NotTo(HaveOccurred())
	server := grpc.NewServer(grpc.StatsHandler(r), grpc.MaxSendMsgSize(64<<20))
	api.RegisterRegistryServer(server, r)
	go func() { _ = server.Serve(listener) }()
	s.Defer(server.Stop)
	return listener.Addr().String()
}

// bundleOf returns a bundle as ListBundles sends it, with a CSV of a little more than the given number of bytes.
func bundleOf(pkg, version string, bytes int) *api.Bundle {
	return &api.Bundle{
		PackageName: pkg, ChannelName: "stable", CsvName: pkg + ".v" + version, Version: version, BundlePath: "local.invalid/" + pkg + ":" + version,
		CsvJson: `{"kind":"ClusterServiceVersion","metadata":{"name":"x","annotations":{"description":"` + strings.Repeat("x", bytes) + `"}},"spec":{"installModes":[{"type":"AllNamespaces","supported":true}]}}`,
	}
}

// countRequests returns a function that returns the number of requests to the local catalog since before whose text begins with what.
func (s *Story) countRequests(before map[string]int, what string) func() int {
	return func() int {
		count := 0
		for each, now := range s.Environment.Catalog.RequestCounts() {
			if strings.HasPrefix(each, what) {
				count += now - before[each]
			}
		}
		return count
	}
}

// waitForQuietCatalog waits until the local catalog gets no requests for a second. It returns the numbers of requests so far, by text.
func (s *Story) waitForQuietCatalog(ctx context.Context) map[string]int {
	s.Helper()
	s.Eventually(func(g Gomega) {
		before := s.Environment.Catalog.Requests()
		g.Consistently(s.Environment.Catalog.Requests, "1s").Should(Equal(before))
	}).WithContext(ctx).Should(Succeed())
	return s.Environment.Catalog.RequestCounts()
}

func TestCatalogs(t *testing.T) {
	t.Parallel()
	// Promise UPG-C1: The manager reads CatalogSources of trusted namespaces only, in one pass for each content, and asks for wanted
	// packages only. It accepts messages of more than 4 MiB, closes its connections, and uses no list that broke off.
	runStory(t, "[UPG-C1] CatalogSources of trusted namespaces are read in one pass, and others are never read", defaultOperators, func(ctx context.Context, s *Story) {
		s.By("offering a package in a namespace that is not trusted")
		elsewhere := s.otherCatalog(samples.Operator{Package: "smuggled", Version: "1.0.0"})
		s.createNamespace(ctx, "not-trusted")
		s.catalogSource(ctx, "not-trusted", "elsewhere", elsewhere.GRPCAddress(), "READY")
		s.create(ctx, "smuggled", "")
		s.waitForRefusal(ctx, "smuggled", platformv1alpha1.ReasonSourceFailed, "smuggled")
		s.Consistently(elsewhere.Requests, "2s").Should(BeZero())

		s.By("publishing new content")
		s.install(ctx, "neighbor", "1.0.0")
		before := s.waitForQuietCatalog(ctx)
		s.Expect(s.Admin.Publish(ctx, samples.Operator{Package: "passer", Version: "1.0.0"})).To(Succeed())
		s.Eventually(s.countRequests(before, "ListBundles")).Should(Equal(1))
		s.Consistently(s.countRequests(before, "ListBundles"), "2s").Should(Equal(1))
		s.Expect(s.countRequests(before, "GetPackage")()).To(Equal(1), "one of the wanted packages is in the catalog")
		s.Expect(s.countRequests(before, "GetBundle")()).To(Equal(1), "of the wanted package only")

		s.By("creating an operator of a package that was not wanted before")
		s.create(ctx, "passer", "")
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments("passer", "1.0.0").Should(Succeed())
		s.Expect(s.countRequests(before, "ListBundles")()).To(Equal(2))
		s.Expect(s.countRequests(before, "GetBundle")()).To(Equal(2), "known bundles are not requested again")

		s.By("offering a catalog with a message of more than 4 MiB")
		big := &registry{list: func(stream api.Registry_ListBundlesServer) error {
			return stream.Send(bundleOf("big-message", "1.0.0", 5<<20))
		}}
		s.catalogSource(ctx, environment.CatalogNamespace, "big", big.serve(s), "READY")
		s.create(ctx, "big-message", "")
		s.Eventually(s.Admin.Operator).WithContext(ctx).WithArguments("big-message").Should(HaveField("Status.Target", Not(BeNil())), "the version is chosen, although its image does not exist")
		s.Eventually(big.connections.Load).Should(BeZero())

		s.By("offering a catalog whose list breaks off")
		broken := &registry{list: func(stream api.Registry_ListBundlesServer) error {
			if err := stream.Send(bundleOf("half-told", "1.0.0", 10)); err != nil {
				return err
			}
			return status.Error(codes.Internal, "the list broke off")
		}}
		s.catalogSource(ctx, environment.CatalogNamespace, "half", broken.serve(s), "READY")
		s.create(ctx, "half-told", "")
		s.waitForRefusal(ctx, "half-told", platformv1alpha1.ReasonSourceFailed, "CatalogSource/"+environment.CatalogNamespace+"/half", "the list broke off")
		s.Expect(broken.lists.Load()).To(BeNumerically(">=", 1))
		s.Expect(elsewhere.Requests()).To(BeZero(), "the catalog in a namespace that is not trusted")
	})

	// Promise UPG-C2: The manager reads a ClusterCatalog over HTTPS, package by package or, where the server has no queries, as one
	// compressed file, and conditionally. It skips an unavailable or untrusted one with the reason.
	runStory(t, "[UPG-C2] ClusterCatalogs are read over HTTPS as their server permits, conditionally, and skipped with the reason", defaultOperators, func(ctx context.Context, s *Story) {
		client := s.Admin.Dynamic.Resource(clusterCatalogs)
		s.install(ctx, "neighbor", "1.0.0")
		before := s.waitForQuietCatalog(ctx)

		s.By("reading package by package")
		s.Expect(s.Admin.Publish(ctx, samples.Operator{Package: "webbed", Version: "1.0.0"})).To(Succeed())
		s.Eventually(s.countRequests(before, "metas 200")).Should(BeNumerically(">=", 2))
		s.waitForQuietCatalog(ctx)
		s.Expect(s.countRequests(before, "all")()).To(BeZero())

		s.By("making the catalog unavailable in its spec")
		available := func(ctx context.Context, mode, serves string) {
			s.Helper()
			_, err := client.Patch(ctx, environment.CatalogName, types.MergePatchType, []byte(`{"spec":{"availabilityMode":"`+mode+`"}}`), metav1.PatchOptions{})
			s.Expect(err).NotTo(HaveOccurred())
			live, err := client.Get(ctx, environment.CatalogName, metav1.GetOptions{})
			s.Expect(err).NotTo(HaveOccurred())
			s.Expect(unstructured.SetNestedSlice(live.Object, []any{servingIs(serves)}, "status", "conditions")).To(Succeed())
			_, err = client.UpdateStatus(ctx, live, metav1.UpdateOptions{})
			s.Expect(err).NotTo(HaveOccurred())
		}
		available(ctx, "Unavailable", "False")
		s.create(ctx, "nowhere-at-all", "")
		s.waitForRefusal(ctx, "nowhere-at-all", platformv1alpha1.ReasonSourceFailed, "ClusterCatalog/"+environment.CatalogName, "availabilityMode is Unavailable")
		s.remove(ctx, "nowhere-at-all")

		s.By("making it available again with the same content")
		before = s.waitForQuietCatalog(ctx)
		available(ctx, "Available", "True")
		s.Eventually(s.countRequests(before, "metas 304")).Should(Equal(1))
		s.Consistently(s.countRequests(before, "metas 200"), "1s").Should(BeZero())

		s.By("reading the whole catalog compressed, without queries")
		s.Environment.Catalog.WithoutMetas(true)
		before = s.waitForQuietCatalog(ctx)
		s.create(ctx, "webbed", "")
		s.Eventually(s.countRequests(before, "all 200 gzip")).Should(Equal(1))
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments("webbed", "1.0.0").Should(Succeed())

		s.By("offering a catalog of a server with an unknown CA")
		stranger := s.otherCatalog(samples.Operator{Package: "strange", Version: "1.0.0"})
		s.clusterCatalog(ctx, "stranger", stranger.HTTPSBaseURL())
		s.create(ctx, "strange", "")
		s.waitForRefusal(ctx, "strange", platformv1alpha1.ReasonSourceFailed, "ClusterCatalog/stranger", "certificate")
		s.Expect(stranger.Requests()).To(BeZero())
	})

	// Promise UPG-C3: Catalogs that are down, not ready, malformed or slow hold up no other catalog and no installed operator. Each
	// operator's warnings name the catalogs that are left out.
	runStory(t, "[UPG-C3] failing catalogs affect no other catalog, and every operator names those that are left out", defaultOperators, func(ctx context.Context, s *Story) {
		s.install(ctx, "neighbor", "1.0.0")
		warnings := func(ctx context.Context) ([]string, error) {
			operator, err := s.Admin.Operator(ctx, "neighbor")
			if err != nil {
				return nil, err
			}
			return operator.Status.Warnings, nil
		}
		s.Eventually(warnings).WithContext(ctx).ShouldNot(ContainElement(ContainSubstring("cannot be read")), "no catalog fails")

		s.By("offering a catalog that is read once and then fails")
		older := &registry{list: func(stream api.Registry_ListBundlesServer) error {
			return stream.Send(bundleOf("neighbor", "0.9.0", 10))
		}}
		s.catalogSource(ctx, environment.CatalogNamespace, "gone", older.serve(s), "READY")
		s.Eventually(older.lists.Load).Should(BeNumerically(">=", 1))
		s.Eventually(older.connections.Load).Should(BeZero())

		s.By("offering catalogs that are down, not ready, malformed or slow")
		listener, err := s.network.Listen("127.0.0.1:0")
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(listener.Close()).To(Succeed())
		s.catalogSource(ctx, environment.CatalogNamespace, "down", listener.Addr().String(), "READY")
		s.catalogSource(ctx, environment.CatalogNamespace, "starting", "127.0.0.1:1", "CONNECTING")
		s.clusterCatalog(ctx, "garbled", s.Environment.Catalog.HandleCatalog("garbled", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"schema": "olm.package", "name": "neigh`)
		})))
		slow := &registry{list: func(stream api.Registry_ListBundlesServer) error { <-stream.Context().Done(); return nil }}
		s.catalogSource(ctx, environment.CatalogNamespace, "slow", slow.serve(s), "READY")
		for i := range 4 { // with the catalog "slow", more catalogs than there are workers
			name := fmt.Sprintf("trickle-%d", i)
			s.clusterCatalog(ctx, name, s.Environment.Catalog.HandleCatalog(name, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(http.StatusOK)
				_ = http.NewResponseController(w).Flush()
				<-r.Context().Done()
			})))
		}
		state := []byte(`{"status":{"connectionState":{"lastObservedState":"TRANSIENT_FAILURE"}}}`)
		_, err = s.Admin.Dynamic.Resource(catalogSources).Namespace(environment.CatalogNamespace).Patch(ctx, "gone", types.MergePatchType, state, metav1.PatchOptions{}, "status")
		s.Expect(err).NotTo(HaveOccurred())

		s.By("installing a package of a healthy catalog")
		s.Expect(s.Admin.Publish(ctx, samples.Operator{Package: "undaunted", Version: "1.0.0"})).To(Succeed())
		s.create(ctx, "undaunted", "")
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments("undaunted", "1.0.0").Should(Succeed())

		s.By("creating operators that need one failing catalog each")
		for id, words := range map[catalog.ID][]string{
			{Kind: catalog.KindCatalogSource, Namespace: environment.CatalogNamespace, Name: "down"}:     {"connection refused"},
			{Kind: catalog.KindCatalogSource, Namespace: environment.CatalogNamespace, Name: "starting"}: {`not "READY"`},
			{Kind: catalog.KindCatalogSource, Namespace: environment.CatalogNamespace, Name: "slow"}:     {"reading it has taken more than"},
			{Kind: catalog.KindClusterCatalog, Name: "garbled"}:                                          {"getting"},
			{Kind: catalog.KindClusterCatalog, Name: "trickle-0"}:                                        {"reading it has taken more than"},
		} {
			choosy := &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: "misses-" + id.Name}}
			choosy.Spec.Package = platformv1alpha1.Package{Name: choosy.Name, CatalogSelector: &metav1.LabelSelector{
				MatchLabels: map[string]string{platformv1alpha1.LabelCatalogName: id.Name}}}
			_, err := s.Admin.Platform.PlatformV1alpha1().PlatformOperators().Create(ctx, choosy, metav1.CreateOptions{})
			s.Expect(err).NotTo(HaveOccurred())
			s.waitForRefusal(ctx, choosy.Name, platformv1alpha1.ReasonSourceFailed, append(words, id.String()+" was left out")...)
		}

		s.By("waiting for the warnings of every operator")
		source := "CatalogSource/" + environment.CatalogNamespace
		leftOut := ContainElements(HavePrefix("catalog " + source + "/gone cannot be read, and its last content is used: look at its status and its pod"))
		for _, left := range []string{source + "/down", source + "/starting", source + "/slow", "ClusterCatalog/garbled",
			"ClusterCatalog/trickle-0", "ClusterCatalog/trickle-1", "ClusterCatalog/trickle-2", "ClusterCatalog/trickle-3"} {
			leftOut = And(leftOut, ContainElement(HavePrefix("catalog "+left+" is left out, because it cannot be read: look at its status")))
		}
		s.Eventually(warnings).WithContext(ctx).WithTimeout(2 * eventuallyTimeout).Should(leftOut)
		s.Eventually(warnings).WithContext(ctx).Should(HaveEach(Not(ContainSubstring("/"+environment.CatalogName+" "))), "there is no warning about healthy catalogs")

		s.By("checking that further attempts to read them write nothing")
		before, err := s.Admin.Operator(ctx, "neighbor")
		s.Expect(err).NotTo(HaveOccurred())
		s.Consistently(func(ctx context.Context) error {
			live, err := s.Admin.Operator(ctx, "neighbor")
			if err != nil {
				return err
			}
			if live.ResourceVersion != before.ResourceVersion {
				return fmt.Errorf("written meanwhile: %+v", live.Status)
			}
			if err := s.Admin.Installed(ctx, "neighbor", "1.0.0"); err != nil {
				return err
			}
			_, err = s.Admin.ClusterOperatorHas(ctx, configv1.OperatorDegraded, configv1.ConditionFalse)
			return err
		}).WithContext(ctx).WithTimeout(15 * time.Second).Should(Succeed())
		s.proveReporting(ctx)

		s.By("restoring one of them and deleting the others")
		state = []byte(`{"status":{"connectionState":{"lastObservedState":"READY"}}}`)
		_, err = s.Admin.Dynamic.Resource(catalogSources).Namespace(environment.CatalogNamespace).Patch(ctx, "gone", types.MergePatchType, state, metav1.PatchOptions{}, "status")
		s.Expect(err).NotTo(HaveOccurred())
		for _, name := range []string{"down", "starting", "slow"} {
			s.Expect(s.Admin.Dynamic.Resource(catalogSources).Namespace(environment.CatalogNamespace).Delete(ctx, name, metav1.DeleteOptions{})).To(Succeed())
		}
		for _, name := range []string{"garbled", "trickle-0", "trickle-1", "trickle-2", "trickle-3"} {
			s.Expect(s.Admin.Dynamic.Resource(clusterCatalogs).Delete(ctx, name, metav1.DeleteOptions{})).To(Succeed())
		}
		s.Eventually(warnings).WithContext(ctx).ShouldNot(ContainElement(ContainSubstring("cannot be read")))
	})
}
