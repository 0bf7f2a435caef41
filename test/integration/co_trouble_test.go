package integration

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	configv1 "github.com/openshift/api/config/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/operator"
	"github.com/openshift/platform-operators/test/samples"
)

// podsAre has the Pods in a namespace say whether they are ready, as a kubelet would.
func podsAre(ctx context.Context, namespace string, ready metav1.ConditionStatus) {
	GinkgoHelper()
	pods := admin.Kubernetes.CoreV1().Pods(namespace)
	found, err := pods.List(ctx, metav1.ListOptions{})
	Expect(err).NotTo(HaveOccurred())
	Expect(found.Items).NotTo(BeEmpty())
	for i := range found.Items {
		_, err := pods.Patch(ctx, found.Items[i].Name, types.StrategicMergePatchType, []byte(`{"status":{"conditions":[{"type":"Ready","status":"`+string(ready)+`"}]}}`), metav1.PatchOptions{}, "status")
		Expect(ignoreNotFound(err)).To(Succeed()) // the Pods that a rollout replaces go when the others are ready
	}
}

// What degrades the cluster after ten minutes does here after three seconds, so that what does not is seen not to.
var _ = Describe("the ClusterOperator on day 2", Ordered, ContinueOnFailure, func() {
	const after = 3 * time.Second
	BeforeAll(func() { managedWith("--degraded-after=" + after.String()) })

	It("CLU-O3 stays Available and not Degraded whatever a user gets wrong, which the operators' own conditions say", func(ctx context.Context) {
		const pkg, fresh = "steadfast", "unreached"
		offer := func(versions ...string) {
			GinkgoHelper()
			all := []samples.Operator{{Package: fresh, Version: "1.0.0"}}
			for _, version := range versions {
				operator := samples.Operator{Package: pkg, Version: version}
				if version == "1.0.1" {
					operator.ExtraConfigMap = "mine"
				}
				all = append(all, operator)
			}
			Expect(admin.Publish(ctx, all...)).To(Succeed())
		}
		unreachable := func(pkg, version string) {
			GinkgoHelper()
			ref, found := env.Catalog.Bundle(pkg, version)
			Expect(found).To(BeTrue())
			Expect(env.Catalog.Fail(ref, 503)).To(Succeed())
			DeferCleanup(func() error { return env.Catalog.Fail(ref, 0) })
		}
		offer("1.0.0")
		installed(ctx, pkg, "1.0.0")
		clusterOperatorSays(ctx, configv1.OperatorProgressing, configv1.ConditionFalse).Should(HavePrefix("AsExpected: "))
		seen := chronicled(ctx)

		By("typing a package's name wrong, and ranges that cannot be read or have nothing in them")
		create(ctx, "stedfast", "")
		refusedWith(ctx, "stedfast", platformv1alpha1.ReasonSourceFailed, `"stedfast"`)
		create(ctx, "twin", "banana")
		refusedWith(ctx, "twin", platformv1alpha1.ReasonValidationFailed, "banana", "spec.package.version")
		Expect(admin.Limit(ctx, pkg, ">=7.0.0")).To(Succeed())
		progressingSays(ctx, pkg, metav1.ConditionFalse, platformv1alpha1.ReasonBlocked, "Version 1.0.0 stays", "7.0.0")
		Expect(admin.Limit(ctx, pkg, "banana")).To(Succeed())
		progressingSays(ctx, pkg, metav1.ConditionFalse, platformv1alpha1.ReasonBlocked, "banana")

		By("an object of a new version that is somebody else's")
		configMaps := admin.Kubernetes.CoreV1().ConfigMaps(pkg)
		_, err := configMaps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "mine"}}, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		offer("1.0.0", "1.0.1")
		Expect(admin.Limit(ctx, pkg, "1.0.x")).To(Succeed())
		progressingSays(ctx, pkg, metav1.ConditionFalse, platformv1alpha1.ReasonBlocked, "1.0.1", "ConfigMap steadfast/mine")
		blocked := time.Now()
		Eventually(time.Since).WithContext(ctx).WithArguments(blocked).Should(BeNumerically(">", 2*after), "as long as would do for what counts")
		Expect(admin.OperatorHas(ctx, pkg, platformv1alpha1.ConditionHealthy, metav1.ConditionTrue, platformv1alpha1.ReasonAsExpected)).To(Succeed())
		Expect(historyOf(ctx, pkg)).To(HaveLen(2), "the move is under way")
		Expect(configMaps.Delete(ctx, "mine", metav1.DeleteOptions{})).To(Succeed())
		Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.0.1").Should(Succeed())

		By("a registry that cannot be reached, for a new operator and for a new version of an installed one")
		offer("1.0.0", "1.0.1", "1.1.0") // which puts them into the registry
		unreachable(fresh, "1.0.0")
		create(ctx, fresh, "")
		refusedWith(ctx, fresh, platformv1alpha1.ReasonUnpackFailed, fresh)
		unreachable(pkg, "1.1.0")
		Expect(admin.Limit(ctx, pkg, "1.x")).To(Succeed())
		progressingSays(ctx, pkg, metav1.ConditionFalse, platformv1alpha1.ReasonBlocked, "1.1.0", "503")

		By("catalogs that cannot be reached")
		env.Catalog.Unavailable(true)
		DeferCleanup(func() { env.Catalog.Unavailable(false) })
		create(ctx, "sleeper", "")
		refusedWith(ctx, "sleeper", platformv1alpha1.ReasonSourceFailed, "ClusterCatalog/local")

		begun := time.Now()
		Eventually(time.Since).WithContext(ctx).WithArguments(begun).Should(BeNumerically(">", 2*after), "as long as would do for what counts")
		Expect(seen.statuses(ctx, configv1.OperatorAvailable)).To(Equal([]string{"True"}))
		Expect(seen.statuses(ctx, configv1.OperatorDegraded)).To(Equal([]string{"False"}))
		Expect(seen.faults()).To(BeEmpty(), "conditions of the operator resource that library-go's inertia hides")
		Expect(seen.deleted).To(BeZero())
	})

	It("CLU-O4 degrades when an installed operator has lost its workload for that long, never during a hop, and recovers", func(ctx context.Context) {
		Expect(operator.NewOptions().DegradedAfter).To(Equal(10*time.Minute), "in the payload, whose Deployment does not say another; pkg/operator has the inertia of each condition")
		const pkg = "fragile"
		never := samples.Operator{Package: pkg, Version: "1.1.0", NeverReady: true}
		Expect(admin.Publish(ctx, samples.Operator{Package: pkg, Version: "1.0.0"})).To(Succeed())
		installed(ctx, pkg, "1.0.0")
		seen := chronicled(ctx)
		lost := func() time.Time {
			GinkgoHelper()
			live, err := admin.Operator(ctx, pkg)
			Expect(err).NotTo(HaveOccurred())
			condition := meta.FindStatusCondition(live.Status.Conditions, platformv1alpha1.ConditionHealthy)
			Expect(condition.Status).To(Equal(metav1.ConditionFalse))
			return condition.LastTransitionTime.Time
		}
		degraded := And(HavePrefix("PlatformOperators_OperatorsUnhealthy: "), ContainSubstring("1 installed platform operator unhealthy for 3s or longer: fragile: Unhealthy: Deployment fragile/fragile: 0 of 1 updated replicas available"))

		By("losing its workload")
		podsTold(ctx, pkg, false)
		since := lost()
		clusterOperatorSays(ctx, configv1.OperatorDegraded, configv1.ConditionTrue).Should(degraded)
		for _, state := range seen.upToNow(ctx) {
			if conditionIn(state.ClusterOperator, configv1.OperatorDegraded).Status == configv1.ConditionTrue {
				Expect(state.at).To(BeTemporally(">=", since.Add(after)))
			}
		}

		By("getting it back")
		podsTold(ctx, pkg, true)
		clusterOperatorSays(ctx, configv1.OperatorDegraded, configv1.ConditionFalse).Should(HavePrefix("AsExpected: "))
		Expect(seen.statuses(ctx, configv1.OperatorDegraded)).To(Equal([]string{"False", "True", "False"}))

		By("being moved to a version that does not get ready, for longer than is needed to degrade")
		Expect(admin.Publish(ctx, samples.Operator{Package: pkg, Version: "1.0.0"}, never)).To(Succeed())
		progressingSays(ctx, pkg, metav1.ConditionTrue, platformv1alpha1.ReasonUpgrading, "1.1.0")
		Eventually(admin.OperatorHas).WithContext(ctx).WithArguments(pkg, platformv1alpha1.ConditionHealthy, metav1.ConditionFalse, platformv1alpha1.ReasonUnhealthy).Should(Succeed())
		since = lost()
		Eventually(time.Since).WithContext(ctx).WithArguments(since).Should(BeNumerically(">", 2*after))
		Expect(lost()).To(Equal(since), "it got well in between")
		Expect(seen.statuses(ctx, configv1.OperatorDegraded)).To(Equal([]string{"False", "True", "False"}))
		Expect(seen.statuses(ctx, configv1.OperatorAvailable)).To(Equal([]string{"True"}))
	})
})
