package integration

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/retry"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/faults"
	"github.com/openshift/platform-operators/test/samples"
	"github.com/openshift/platform-operators/test/story"
)

// versionStatus has the fields of the ClusterOperator that the CVO reads while it waits for a component's new version. Progressing has the
// message, too.
type versionStatus struct{ Version, Available, Progressing, Degraded string }

// isWorkingTowards reports whether the ClusterOperator is Progressing towards a version.
func (a versionStatus) isWorkingTowards(towards string) bool {
	return strings.HasPrefix(a.Progressing, "True ") && strings.Contains(a.Progressing, "Working towards "+towards)
}

func versionStatusOf(clusterOperator *configv1.ClusterOperator) versionStatus {
	var seen versionStatus
	for _, operand := range clusterOperator.Status.Versions {
		if operand.Name == "operator" {
			seen.Version = operand.Version
		}
	}
	for _, condition := range clusterOperator.Status.Conditions {
		switch condition.Type {
		case configv1.OperatorAvailable:
			seen.Available = string(condition.Status)
		case configv1.OperatorProgressing:
			seen.Progressing = string(condition.Status) + " " + condition.Message
		case configv1.OperatorDegraded:
			seen.Degraded = string(condition.Status)
		}
	}
	return seen
}

func readVersionStatus(ctx context.Context) (versionStatus, error) {
	live, err := admin.Config.ConfigV1().ClusterOperators().Get(ctx, story.ClusterOperatorName, metav1.GetOptions{})
	if err != nil {
		return versionStatus{}, err
	}
	return versionStatusOf(live), nil
}

// versionWatcher records every versionStatus of the ClusterOperator since it was started, in order.
type versionWatcher struct {
	mu   sync.Mutex
	seen []versionStatus
}

func (w *versionWatcher) all() []versionStatus {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]versionStatus{}, w.seen...)
}

// watchVersionStatus returns a versionWatcher that records from now until the spec ends.
func watchVersionStatus(ctx context.Context) *versionWatcher {
	GinkgoHelper()
	live, err := admin.Config.ConfigV1().ClusterOperators().Get(ctx, story.ClusterOperatorName, metav1.GetOptions{})
	Expect(err).NotTo(HaveOccurred())
	events, err := admin.Config.ConfigV1().ClusterOperators().Watch(ctx, metav1.ListOptions{
		FieldSelector: "metadata.name=" + story.ClusterOperatorName, ResourceVersion: live.ResourceVersion,
	})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(events.Stop)
	w := &versionWatcher{seen: []versionStatus{versionStatusOf(live)}}
	go func() {
		for event := range events.ResultChan() {
			if changed, ok := event.Object.(*configv1.ClusterOperator); ok {
				w.mu.Lock()
				w.seen = append(w.seen, versionStatusOf(changed))
				w.mu.Unlock()
			}
		}
	}()
	return w
}

// revertsClusterOperator edits a message in the ClusterOperator's status, and waits until the manager reverts the edit.
func revertsClusterOperator(ctx context.Context) {
	GinkgoHelper()
	clusterOperators := admin.Config.ConfigV1().ClusterOperators()
	isEdited := func(condition configv1.ClusterOperatorStatusCondition) bool {
		return condition.Message == "edited by a test"
	}
	Expect(retry.RetryOnConflict(retry.DefaultRetry, func() error {
		live, err := clusterOperators.Get(ctx, story.ClusterOperatorName, metav1.GetOptions{})
		if err != nil {
			return err
		}
		for i := range live.Status.Conditions {
			if live.Status.Conditions[i].Type == configv1.OperatorDegraded {
				live.Status.Conditions[i].Message = "edited by a test"
			}
		}
		Expect(slices.ContainsFunc(live.Status.Conditions, isEdited)).To(BeTrue(), "the ClusterOperator has no condition Degraded")
		_, err = clusterOperators.UpdateStatus(ctx, live, metav1.UpdateOptions{})
		return err
	})).To(Succeed())
	Eventually(func(ctx context.Context) (bool, error) {
		live, err := clusterOperators.Get(ctx, story.ClusterOperatorName, metav1.GetOptions{})
		return err == nil && slices.ContainsFunc(live.Status.Conditions, isEdited), err
	}).WithContext(ctx).Should(BeFalse(), "the manager does not revert an edit of the ClusterOperator's status")
}

// managerBehind returns a manager that reaches the API server through a proxy, without starting it.
func managerBehind(proxy *faults.Proxy, args ...string) *environment.Manager {
	GinkgoHelper()
	config, err := clientcmd.LoadFromFile(filepath.Join(env.Dir, "manager.kubeconfig"))
	Expect(err).NotTo(HaveOccurred())
	for _, cluster := range config.Clusters {
		cluster.Server, cluster.CertificateAuthority, cluster.CertificateAuthorityData = proxy.URL(), "", proxy.CABundle()
	}
	path := filepath.Join(GinkgoT().TempDir(), "proxied.kubeconfig")
	Expect(clientcmd.WriteToFile(*config, path)).To(Succeed())
	return env.Manager.With(append(args, "--kubeconfig", path)...)
}

var _ = Describe("a manager of another version", func() {
	// Promise CLU-O7: While a new version of the manager rolls out, the ClusterOperator is Available and Progressing with the old version
	// until every object was tried once, or the time limit is over. A restart is no rollout.
	It("[CLU-O7] is Progressing until it has tried every object, whatever the outcome, or its time limit is over", func(ctx context.Context) {
		const settled, held = "handed-over", "held-up"
		Expect(admin.Publish(ctx, samples.Operator{Package: settled, Version: "1.0.0"})).To(Succeed())
		install(ctx, settled, "1.0.0")
		create(ctx, held, "") // no catalog has it
		expectNotInstalled(ctx, held, "SourceFailed")
		proxy, err := faults.NewAPIServerProxy(env.Admin)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(proxy.Close)
		Expect(env.Manager.Kill()).To(Succeed())
		DeferCleanup(func(ctx context.Context) { // the environment's version again, for later specs
			Expect(env.Manager.Start()).To(Succeed())
			Eventually(readVersionStatus).WithContext(ctx).Should(HaveField("Version", "0.0.1-snapshot"))
			Eventually(readVersionStatus).WithContext(ctx).Should(HaveField("Progressing", HavePrefix("False ")))
		})
		seen := watchVersionStatus(ctx)
		// start starts a manager of a version. Until the injection is removed, the manager cannot write the status of operator held.
		start := func(version string, args ...string) (*environment.Manager, *faults.Injection) {
			GinkgoHelper()
			operators := admin.Platform.PlatformV1alpha1().PlatformOperators()
			patch := fmt.Sprintf(`{"spec":{"package":{"version":"=%s"}}}`, version) // so that the manager has to write a status
			_, err := operators.Patch(ctx, held, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
			Expect(err).NotTo(HaveOccurred())
			hold := proxy.Inject(faults.Fault{Times: faults.Always, Do: faults.Hold(), On: func(r faults.Request) bool {
				return r.Mutating() && r.Resource == "platformoperators" && r.Subresource == "status" && r.Name == held
			}})
			GinkgoT().Setenv("OPERATOR_IMAGE_VERSION", version)
			manager := managerBehind(proxy, args...)
			Expect(manager.Start()).To(Succeed())
			DeferCleanup(manager.Kill)
			return manager, hold
		}
		expectRollout := func(from, to string) {
			GinkgoHelper()
			reported := false
			for _, each := range seen.all() {
				Expect(each.Available).To(Equal("True"), "%+v", each)
				if each.Version == to {
					break
				}
				Expect(each.Version).To(Or(Equal(from), Equal("0.0.1-snapshot")))
				reported = reported || each.isWorkingTowards(to)
			}
			Expect(reported).To(BeTrue(), "the version changed without Progressing=True: %+v", seen.all())
		}

		By("holding up one object")
		first, hold := start("4.97.1")
		Eventually(readVersionStatus).WithContext(ctx).Should(Satisfy(func(a versionStatus) bool { return a.isWorkingTowards("4.97.1") }))
		Eventually(hold.Affected).WithContext(ctx).ShouldNot(BeEmpty())
		Consistently(readVersionStatus, "3s").WithContext(ctx).Should(And(HaveField("Version", "0.0.1-snapshot"),
			Satisfy(func(a versionStatus) bool { return a.isWorkingTowards("4.97.1") })))
		hold.Remove() // the held write fails
		Eventually(readVersionStatus).WithContext(ctx).Should(HaveField("Version", "4.97.1"))
		Eventually(readVersionStatus).WithContext(ctx).Should(HaveField("Progressing", HavePrefix("False ")))
		expectRollout("0.0.1-snapshot", "4.97.1")

		By("restarting the manager, which is no rollout")
		Expect(first.Kill()).To(Succeed())
		before := len(seen.all())
		again := managerBehind(proxy)
		Expect(again.Start()).To(Succeed())
		DeferCleanup(again.Kill)
		Consistently(func() []versionStatus { return seen.all()[before:] }, "4s").ShouldNot(ContainElement(HaveField("Progressing", HavePrefix("True "))))
		revertsClusterOperator(ctx) // a manager that hangs would report no rollout either
		Expect(again.Kill()).To(Succeed())

		By("holding up an object for longer than the time limit")
		began := time.Now()
		_, hold = start("4.97.2", "--version-within=3s")
		Eventually(readVersionStatus).WithContext(ctx).Should(HaveField("Version", "4.97.2"))
		Expect(time.Since(began)).To(BeNumerically(">=", 3*time.Second))
		Expect(hold.Affected()).NotTo(BeEmpty())
		Eventually(readVersionStatus).WithContext(ctx).Should(HaveField("Progressing", HavePrefix("False ")))
		expectRollout("4.97.1", "4.97.2")
	})
})
