package integration

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	apitypes "k8s.io/apimachinery/pkg/types"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/openshift/platform-operators/hosted"
	"github.com/openshift/platform-operators/test/cvo"
	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/leadership"
	"github.com/openshift/platform-operators/test/samples"
	"github.com/openshift/platform-operators/test/socks5"
)

// hostedConfig writes the manager's configuration of a hosted control plane to a file, and returns the file's path.
func hostedConfig() string {
	GinkgoHelper()
	objects, err := hosted.Render(hosted.ControlPlane{Namespace: "clusters-guest", FeatureSet: configv1.TechPreviewNoUpgrade})
	Expect(err).NotTo(HaveOccurred())
	for _, object := range objects {
		if text, isSet, _ := unstructured.NestedString(object.Object, "data", "config.yaml"); isSet {
			file := filepath.Join(GinkgoT().TempDir(), "config.yaml")
			Expect(os.WriteFile(file, []byte(text), 0o600)).To(Succeed())
			return file
		}
	}
	Fail("no configuration is rendered")
	return ""
}

// listenForConnections listens on the loopback interface, and returns the port and the number of connections so far.
func listenForConnections() (port string, connections *atomic.Int32) {
	GinkgoHelper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(listener.Close)
	connections = &atomic.Int32{}
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			connections.Add(1)
			_ = connection.Close()
		}
	}()
	_, port, err = net.SplitHostPort(listener.Addr().String())
	Expect(err).NotTo(HaveOccurred())
	return port, connections
}

// becomeGuest changes the cluster to one with a hosted control plane, until the end of the spec: the topology of its control plane is
// external, and it has neither OLM v1 nor the manager's Deployment.
func becomeGuest(ctx context.Context) {
	GinkgoHelper()
	setTopology(ctx, configv1.ExternalTopologyMode)
	DeferCleanup(setTopology, configv1.HighlyAvailableTopologyMode)
	withoutKind(ctx, clusterCatalogs)
	foreground := metav1.DeletePropagationForeground
	Expect(admin.Kubernetes.AppsV1().Deployments(environment.Namespace).Delete(ctx, "platform-operators",
		metav1.DeleteOptions{PropagationPolicy: &foreground})).To(Succeed())
	DeferCleanup(func(ctx context.Context) {
		_, err := cvo.Apply(ctx, env.Admin, filepath.Join(env.Root, "manifests"))
		Expect(err).NotTo(HaveOccurred())
	})
	Eventually(func(ctx context.Context) ([]corev1.Pod, error) {
		pods, err := admin.Kubernetes.CoreV1().Pods(environment.Namespace).List(ctx, metav1.ListOptions{})
		return pods.Items, err
	}).WithContext(ctx).Should(BeEmpty())
}

var _ = Describe("a hosted control plane", func() {
	// The environment of the process names another API server, as that of the Pod in the management cluster does.
	//
	// Promise OM-13: In a hosted control plane, `start` needs the kubeconfig of the guest and the namespace, and nothing else of a cluster.
	// The Lease, Events and all writes are in the guest, and no request reaches the management cluster. Catalogs are read through the SOCKS5
	// proxy.
	It("OM-13 runs a manager that has the kubeconfig of the guest only", func(ctx context.Context) {
		const pkg, program = "guest", "manager-hosted"
		const address = "local-catalog.openshift-marketplace.svc:50051"
		Expect(admin.Publish(ctx, samples.Operator{Package: pkg, Version: "1.0.0"})).To(Succeed())
		DeferCleanup(remove, pkg)
		stopManagerForSpec()
		becomeGuest(ctx)

		By("reaching the catalog by a name that only the proxy can resolve")
		proxy, err := socks5.Start(func(requested string) (string, error) {
			if requested != address {
				return "", errors.New("no such name")
			}
			return env.Catalog.GRPCAddress(), nil
		})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(proxy.Close)
		setCatalogAddress(ctx, address)
		DeferCleanup(setCatalogAddress, env.Catalog.GRPCAddress())

		By("starting it")
		began := time.Now()
		port, connections := listenForConnections()
		pod := &environment.Pod{Name: "platform-operators-6c7f9d", UID: "0d1f4c1e-5d0a-4a7e-9b0f-1f6a4c2f0c11", Dir: GinkgoT().TempDir()}
		manager, err := env.Another(context.WithoutCancel(ctx), environment.AnotherOptions{Name: program, Pod: pod, Args: []string{"--config=" + hostedConfig()}})
		Expect(err).NotTo(HaveOccurred())
		manager = manager.WithEnv("KUBERNETES_SERVICE_HOST=127.0.0.1", "KUBERNETES_SERVICE_PORT="+port,
			"GRPC_PROXY="+proxy.URL(), "HTTP_PROXY="+proxy.URL(), "HTTPS_PROXY="+proxy.URL(), "NO_PROXY=kube-apiserver")
		DeferCleanup(manager.Stop)
		Expect(manager.Start()).To(Succeed())

		led := waitForHolder(ctx, "", 0)
		Expect(led.Holder).To(ContainSubstring(pod.Name))
		Expect(led.Duration).To(Equal(leadership.HighlyAvailable.Lease))
		Expect(admin.Create(ctx, pkg, "")).To(Succeed())
		Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.0.0").Should(Succeed())
		_, err = admin.ClusterOperatorHas(ctx, configv1.OperatorAvailable, configv1.ConditionTrue)
		Expect(err).NotTo(HaveOccurred())
		Eventually(managerEvents).WithContext(ctx).WithArguments(began).ShouldNot(BeEmpty())
		revisions, err := admin.Kubernetes.CoreV1().Secrets(environment.Namespace).List(ctx, metav1.ListOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(revisions.Items).To(ContainElement(HaveField("Name", HavePrefix("revision."+pkg))))

		By("restarting its container, which takes its own lease over")
		Expect(manager.Kill()).To(Succeed())
		Expect(manager.Start()).To(Succeed())
		Expect(waitForHolder(ctx, led.Holder, 0).Holder).To(ContainSubstring(pod.Name))
		Expect(admin.Kubernetes.CoreV1().Services(pkg).Delete(ctx, pkg+"-metrics", metav1.DeleteOptions{})).To(Succeed())
		Eventually(func(ctx context.Context) error {
			_, err := admin.Kubernetes.CoreV1().Services(pkg).Get(ctx, pkg+"-metrics", metav1.GetOptions{})
			return err
		}).WithContext(ctx).Should(Succeed())

		Expect(connections.Load()).To(BeZero(), "the manager connected to the API server of the management cluster")
		Expect(proxy.Requested()).To(ContainElement(address))
		Expect(proxy.Requested()).To(HaveEach(address), "only the catalog has a name that is not of this machine")
	}, NodeTimeout(3*time.Minute))
})

// setCatalogAddress writes the address of the local catalog to the status of its CatalogSource.
func setCatalogAddress(ctx context.Context, address string) {
	GinkgoHelper()
	patch := fmt.Sprintf(`{"status":{"connectionState":{"address":%q,"lastConnect":%q}}}`, address, time.Now().UTC().Format(time.RFC3339Nano))
	_, err := admin.Dynamic.Resource(catalogSources).Namespace(environment.CatalogNamespace).Patch(ctx, environment.CatalogName,
		apitypes.MergePatchType, []byte(patch), metav1.PatchOptions{}, "status")
	Expect(err).NotTo(HaveOccurred())
}

// managerEvents returns the Events in the manager's namespace since a time.
func managerEvents(ctx context.Context, since time.Time) (found []corev1.Event, err error) {
	events, err := admin.Kubernetes.CoreV1().Events(environment.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for _, event := range events.Items {
		if !event.LastTimestamp.Time.Before(since.Truncate(time.Second)) && event.Source.Component != "" && event.InvolvedObject.Kind == "Namespace" {
			found = append(found, event)
		}
	}
	return found, nil
}
