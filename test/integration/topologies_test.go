package integration

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apitypes "k8s.io/apimachinery/pkg/types"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/openshift/platform-operators/test/cvo"
	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/leadership"
	"github.com/openshift/platform-operators/test/samples"
)

// withoutKind deletes a CustomResourceDefinition with all its objects, and waits until it is gone. restore creates all of them again with
// their status, and does nothing the second time. It is called after the spec, too.
func withoutKind(ctx context.Context, resource schema.GroupVersionResource) (restore func(ctx context.Context)) {
	GinkgoHelper()
	name := resource.GroupResource().String()
	client := admin.Dynamic.Resource(definitions)
	definition, err := client.Get(ctx, name, metav1.GetOptions{})
	Expect(err).NotTo(HaveOccurred())
	objects, err := admin.Dynamic.Resource(resource).List(ctx, metav1.ListOptions{})
	Expect(err).NotTo(HaveOccurred())
	there := true
	restore = func(ctx context.Context) {
		GinkgoHelper()
		if there {
			return
		}
		there = true
		definition.SetResourceVersion("")
		delete(definition.Object, "status")
		_, err := client.Create(ctx, definition, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		for _, object := range objects.Items {
			into := admin.Dynamic.Resource(resource).Namespace(object.GetNamespace())
			object.SetResourceVersion("")
			var created *unstructured.Unstructured
			Eventually(func(ctx context.Context) (err error) { // the API server serves the kind a moment later
				created, err = into.Create(ctx, &object, metav1.CreateOptions{})
				return err
			}).WithContext(ctx).Should(Succeed())
			created.Object["status"] = object.Object["status"]
			_, err := into.UpdateStatus(ctx, created, metav1.UpdateOptions{})
			Expect(err).NotTo(HaveOccurred())
		}
	}
	DeferCleanup(restore)
	Expect(client.Delete(ctx, name, metav1.DeleteOptions{})).To(Succeed())
	there = false
	Eventually(func(ctx context.Context) error {
		_, err := client.Get(ctx, name, metav1.GetOptions{})
		return err
	}).WithContext(ctx).Should(beNotFound())
	return restore
}

// setTopology sets the topology of the cluster's control plane.
func setTopology(ctx context.Context, topology configv1.TopologyMode) {
	GinkgoHelper()
	patch, err := json.Marshal(map[string]any{"status": map[string]any{"controlPlaneTopology": topology}})
	Expect(err).NotTo(HaveOccurred())
	_, err = admin.Config.ConfigV1().Infrastructures().Patch(ctx, "cluster", apitypes.MergePatchType, patch, metav1.PatchOptions{}, "status")
	Expect(err).NotTo(HaveOccurred())
}

// isRunning reports whether a manager's process has not ended.
func isRunning(manager *environment.Manager) bool {
	select {
	case <-manager.Exited():
		return false
	default:
		return true
	}
}

var _ = Describe("a cluster", func() {
	// Promise CLU-P9: One replica runs on each control-plane topology, with the topology's lease timings, and with OLM v0, OLM v1 or
	// neither. It reads a kind of catalog once its CRD is served, without a restart, and no feature gate.
	It("CLU-P9 may have any topology, any feature set, and either OLM or none", func(ctx context.Context) {
		const first, second, program = "settler", "newcomer", "manager-topology"
		Expect(admin.Publish(ctx, samples.Operator{Package: first, Version: "1.0.0"}, samples.Operator{Package: second, Version: "1.0.0"})).To(Succeed())
		DeferCleanup(remove, first)
		DeferCleanup(remove, second)
		stopManagerForSpec()
		manager := newElectingManager(ctx, program)

		By("with more replicas asked for by hand it has one all the same")
		deployments := admin.Kubernetes.AppsV1().Deployments(environment.Namespace)
		_, err := deployments.Patch(ctx, "platform-operators", apitypes.MergePatchType, []byte(`{"spec":{"replicas":2}}`), metav1.PatchOptions{})
		Expect(err).NotTo(HaveOccurred())
		_, err = cvo.Apply(ctx, env.Admin, filepath.Join(env.Root, "manifests"))
		Expect(err).NotTo(HaveOccurred())
		Expect(deployments.Get(ctx, "platform-operators", metav1.GetOptions{})).To(HaveField("Spec.Replicas", HaveValue(BeEquivalentTo(1))))

		By("the lease's timings follow the control plane")
		bringSources, bringCatalogs := withoutKind(ctx, catalogSources), withoutKind(ctx, clusterCatalogs)
		DeferCleanup(setTopology, configv1.HighlyAvailableTopologyMode)
		began, holder := time.Now(), ""
		for i, each := range []struct {
			topology configv1.TopologyMode
			want     leadership.Timings
		}{
			{configv1.SingleReplicaTopologyMode, leadership.SingleNode},
			{configv1.HighlyAvailableTopologyMode, leadership.HighlyAvailable},
			{configv1.ExternalTopologyMode, leadership.HighlyAvailable},
		} {
			Expect(manager.Stop()).To(Succeed())
			setTopology(ctx, each.topology)
			Expect(manager.Start()).To(Succeed())
			led := waitForHolder(ctx, holder, 0) // the manager before released its lease
			waitForAcquisitions(ctx, manager, i+1)
			Expect(led.Duration).To(Equal(each.want.Lease), "%s", each.topology)
			holder = led.Holder
		}

		By("running without any kind of catalog, and without requests for one")
		Expect(admin.Create(ctx, first, "")).To(Succeed())
		expectNotInstalled(ctx, first, "SourceFailed")
		_, err = admin.ClusterOperatorHas(ctx, configv1.OperatorAvailable, configv1.ConditionTrue)
		Expect(err).NotTo(HaveOccurred())
		of := func(resource string) (found []leadership.AuditedRequest) {
			for _, each := range requestsOf(program, began) {
				if each.Resource == resource {
					found = append(found, each)
				}
			}
			return found
		}
		Expect(of("catalogsources")).To(BeEmpty())
		Expect(of("clustercatalogs")).To(BeEmpty())
		pid := manager.PID()

		By("installing OLM v0")
		bringSources(ctx)
		Eventually(admin.Installed).WithContext(ctx).WithArguments(first, "1.0.0").Should(Succeed())
		Expect(of("clustercatalogs")).To(BeEmpty())

		By("removing OLM v0, which does not affect installed operators")
		bringSources = withoutKind(ctx, catalogSources)
		Expect(admin.Kubernetes.CoreV1().Services(first).Delete(ctx, first+"-metrics", metav1.DeleteOptions{})).To(Succeed())
		Eventually(func(ctx context.Context) error {
			_, err := admin.Kubernetes.CoreV1().Services(first).Get(ctx, first+"-metrics", metav1.GetOptions{})
			return err
		}).WithContext(ctx).Should(Succeed())
		Expect(admin.Operator(ctx, first)).To(HaveField("Status.Installed.Version", "1.0.0"))
		Expect(admin.Create(ctx, second, "")).To(Succeed())
		expectNotInstalled(ctx, second, "SourceFailed")

		By("installing OLM v1")
		bringCatalogs(ctx)
		Eventually(admin.Installed).WithContext(ctx).WithArguments(second, "1.0.0").Should(Succeed())

		By("setting a feature set, whose feature gates the manager does not use")
		gate, err := admin.Config.ConfigV1().FeatureGates().Get(ctx, "cluster", metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
		before := gate.DeepCopy()
		gate.Status.FeatureGates = []configv1.FeatureGateDetails{{Version: "0.0.1-snapshot", Disabled: []configv1.FeatureGateAttributes{{Name: "PlatformOperators"}}}}
		flipped, err := admin.Config.ConfigV1().FeatureGates().UpdateStatus(ctx, gate, metav1.UpdateOptions{})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func(ctx context.Context) {
			before.ResourceVersion = flipped.ResourceVersion
			_, err := admin.Config.ConfigV1().FeatureGates().UpdateStatus(ctx, before, metav1.UpdateOptions{})
			Expect(err).NotTo(HaveOccurred())
		})
		bringSources(ctx)
		Expect(admin.Operator(ctx, first)).To(HaveField("Status.Installed.Version", "1.0.0"))
		Expect(isRunning(manager)).To(BeTrue())
		Expect(manager.PID()).To(Equal(pid))
		Expect(os.ReadFile(manager.LogFile)).NotTo(ContainSubstring(strings.ToLower("panic:")))

		By("reading feature gates, and changing none")
		// leadership.Requests returns requests that have ended, and a watch ends with the manager.
		Expect(manager.Stop()).To(Succeed())
		Eventually(of).WithArguments("featuregates").Should(HaveEach(HaveField("Verb", BeElementOf("list", "watch"))), "the manager reads spec.featureSet only, for the gate's message")
		Eventually(of).WithArguments("clustercatalogs").ShouldNot(BeEmpty(), "nothing can be told from the log")
	}, NodeTimeout(3*time.Minute))
})
