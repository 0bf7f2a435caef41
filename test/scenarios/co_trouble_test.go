package scenarios

import (
	"context"
	"maps"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1 "github.com/openshift/api/config/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/operator"
	"github.com/openshift/platform-operators/pkg/scenario/workloads"
	"github.com/openshift/platform-operators/test/samples"
)

// setPodsReady sets whether the present Pods of a namespace are ready. It fails the story if there are none.
func (s *Story) setPodsReady(ctx context.Context, namespace string, ready metav1.ConditionStatus) {
	s.Helper()
	found, err := s.Admin.Kubernetes.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	s.Expect(found.Items).NotTo(BeEmpty())
	s.setReady(found.Items, ready == metav1.ConditionTrue)
}

// setReady sets whether these Pods are ready. Other Pods keep their behavior.
func (s *Story) setReady(pods []corev1.Pod, isReady bool) {
	s.Helper()
	isPodReady := maps.Clone(s.podReady)
	for _, pod := range pods {
		isPodReady[pod.UID] = isReady
	}
	s.podReady = isPodReady
	s.Expect(s.SetPodBehavior(func(pod *corev1.Pod) workloads.Behavior {
		behavior := podBehavior(pod)
		if isReady, found := isPodReady[pod.UID]; found {
			behavior.NotReady = !isReady
		}
		return behavior
	})).To(Succeed())
}

// Operators degrade the ClusterOperator after three seconds here, not after ten minutes.
func TestClusterOperatorDegraded(t *testing.T) {
	t.Parallel()
	const after = 3 * time.Second

	// Promise CLU-O3: After the cluster's installation, a wrong package name, a bad version range, a conflicting object or an unreachable
	// registry or catalog leaves the ClusterOperator Available and not Degraded. The operator's conditions name the fault.
	runStory(t, "CLU-O3 users' errors leave the ClusterOperator Available and not Degraded, and the operators' conditions name them", defaultOperators, func(ctx context.Context, s *Story) {
		s.restartManagerWith(func(o *operator.Options) { o.DegradedAfter = after })
		const pkg, fresh = "steadfast", "unreached"
		offer := func(versions ...string) {
			s.Helper()
			all := []samples.Operator{{Package: fresh, Version: "1.0.0"}}
			for _, version := range versions {
				operator := samples.Operator{Package: pkg, Version: version}
				if version == "1.0.1" {
					operator.ExtraConfigMap = "mine"
				}
				all = append(all, operator)
			}
			s.Expect(s.Admin.Publish(ctx, all...)).To(Succeed())
		}
		unreachable := func(pkg, version string) {
			s.Helper()
			ref, found := s.Environment.Catalog.Bundle(pkg, version)
			s.Expect(found).To(BeTrue())
			s.Expect(s.Environment.Catalog.Fail(ref, 503)).To(Succeed())
		}
		offer("1.0.0")
		s.install(ctx, pkg, "1.0.0")
		s.eventuallyClusterOperator(ctx, configv1.OperatorProgressing, configv1.ConditionFalse).Should(HavePrefix("AsExpected: "))
		seen := s.recordClusterOperator(ctx)

		s.By("creating operators with a wrong package name, and with unreadable and empty ranges")
		s.create(ctx, "stedfast", "")
		s.waitForRefusal(ctx, "stedfast", platformv1alpha1.ReasonSourceFailed, `"stedfast"`)
		s.create(ctx, "twin", "banana")
		s.waitForRefusal(ctx, "twin", platformv1alpha1.ReasonValidationFailed, "banana", "spec.package.version")
		s.Expect(s.Admin.Limit(ctx, pkg, ">=7.0.0")).To(Succeed())
		s.waitForProgressing(ctx, pkg, metav1.ConditionFalse, platformv1alpha1.ReasonBlocked, "Version 1.0.0 stays", "7.0.0")
		s.Expect(s.Admin.Limit(ctx, pkg, "banana")).To(Succeed())
		s.waitForProgressing(ctx, pkg, metav1.ConditionFalse, platformv1alpha1.ReasonBlocked, "banana")

		s.By("offering a version with an object that exists already")
		configMaps := s.Admin.Kubernetes.CoreV1().ConfigMaps(pkg)
		_, err := configMaps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "mine"}}, metav1.CreateOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		offer("1.0.0", "1.0.1")
		s.Expect(s.Admin.Limit(ctx, pkg, "1.0.x")).To(Succeed())
		s.waitForProgressing(ctx, pkg, metav1.ConditionFalse, platformv1alpha1.ReasonBlocked, "1.0.1", "ConfigMap steadfast/mine")
		blocked := time.Now()
		s.Eventually(time.Since).WithContext(ctx).WithArguments(blocked).Should(BeNumerically(">", 2*after), "longer than it takes an unhealthy operator to degrade the ClusterOperator")
		s.Expect(s.Admin.OperatorHas(ctx, pkg, platformv1alpha1.ConditionHealthy, metav1.ConditionTrue, platformv1alpha1.ReasonAsExpected)).To(Succeed())
		s.Expect(s.historyOf(ctx, pkg)).To(HaveLen(2), "the upgrade step is in progress")
		s.Expect(configMaps.Delete(ctx, "mine", metav1.DeleteOptions{})).To(Succeed())
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(pkg, "1.0.1").Should(Succeed())

		s.By("making the registry fail for a new operator and for a new version")
		offer("1.0.0", "1.0.1", "1.1.0") // which puts them into the registry
		unreachable(fresh, "1.0.0")
		s.create(ctx, fresh, "")
		s.waitForRefusal(ctx, fresh, platformv1alpha1.ReasonUnpackFailed, fresh)
		unreachable(pkg, "1.1.0")
		s.Expect(s.Admin.Limit(ctx, pkg, "1.x")).To(Succeed())
		s.waitForProgressing(ctx, pkg, metav1.ConditionFalse, platformv1alpha1.ReasonBlocked, "1.1.0", "503")

		s.By("making the catalogs unavailable")
		s.Environment.Catalog.Unavailable(true)
		s.create(ctx, "sleeper", "")
		s.waitForRefusal(ctx, "sleeper", platformv1alpha1.ReasonSourceFailed, "ClusterCatalog/local")

		begun := time.Now()
		s.Eventually(time.Since).WithContext(ctx).WithArguments(begun).Should(BeNumerically(">", 2*after), "longer than it takes an unhealthy operator to degrade the ClusterOperator")
		s.Expect(seen.statuses(ctx, configv1.OperatorAvailable)).To(Equal([]string{"True"}))
		s.Expect(seen.statuses(ctx, configv1.OperatorDegraded)).To(Equal([]string{"False"}))
		s.Expect(seen.degradedConditions()).To(BeEmpty(), "Degraded conditions of the operator resource, which library-go reports minutes later")
		s.Expect(seen.deletions()).To(BeZero())
	})

	// Promise CLU-O4: The ClusterOperator becomes Degraded when an installed operator lacks its workload for ten minutes, names it with
	// the cause, and recovers. It stays Available, and an upgrade step never makes it Degraded.
	runStory(t, "CLU-O4 Degraded becomes True when a workload is lost for that long, never during an upgrade step, and recovers", defaultOperators, func(ctx context.Context, s *Story) {
		s.restartManagerWith(func(o *operator.Options) { o.DegradedAfter = after })
		s.Expect(operator.NewOptions().DegradedAfter).To(Equal(10*time.Minute), "in the payload, whose Deployment does not say another; pkg/operator has the inertia of each condition")
		const pkg = "fragile"
		never := samples.Operator{Package: pkg, Version: "1.1.0", NeverReady: true}
		s.Expect(s.Admin.Publish(ctx, samples.Operator{Package: pkg, Version: "1.0.0"})).To(Succeed())
		s.install(ctx, pkg, "1.0.0")
		seen := s.recordClusterOperator(ctx)
		lost := func() time.Time {
			s.Helper()
			live, err := s.Admin.Operator(ctx, pkg)
			s.Expect(err).NotTo(HaveOccurred())
			condition := meta.FindStatusCondition(live.Status.Conditions, platformv1alpha1.ConditionHealthy)
			s.Expect(condition.Status).To(Equal(metav1.ConditionFalse))
			return condition.LastTransitionTime.Time
		}
		degraded := And(HavePrefix("PlatformOperators_OperatorsUnhealthy: "), ContainSubstring("1 installed platform operator unhealthy for 3s or longer: fragile: Unhealthy: Deployment fragile/fragile: 0 of 1 updated replicas available"))

		s.By("making the workload unready")
		s.setPodsReadyAndWait(ctx, pkg, false)
		since := lost()
		s.eventuallyClusterOperator(ctx, configv1.OperatorDegraded, configv1.ConditionTrue).Should(degraded)
		for _, state := range seen.upToNow(ctx) {
			if conditionIn(state.ClusterOperator, configv1.OperatorDegraded).Status == configv1.ConditionTrue {
				s.Expect(state.at).To(BeTemporally(">=", since.Add(after)))
			}
		}

		s.By("making the workload ready again")
		s.setPodsReadyAndWait(ctx, pkg, true)
		s.eventuallyClusterOperator(ctx, configv1.OperatorDegraded, configv1.ConditionFalse).Should(HavePrefix("AsExpected: "))
		s.Expect(seen.statuses(ctx, configv1.OperatorDegraded)).To(Equal([]string{"False", "True", "False"}))

		s.By("upgrading to a version that does not become ready")
		s.Expect(s.Admin.Publish(ctx, samples.Operator{Package: pkg, Version: "1.0.0"}, never)).To(Succeed())
		s.waitForProgressing(ctx, pkg, metav1.ConditionTrue, platformv1alpha1.ReasonUpgrading, "1.1.0")
		s.Eventually(s.Admin.OperatorHas).WithContext(ctx).WithArguments(pkg, platformv1alpha1.ConditionHealthy, metav1.ConditionFalse, platformv1alpha1.ReasonUnhealthy).Should(Succeed())
		since = lost()
		s.Eventually(time.Since).WithContext(ctx).WithArguments(since).Should(BeNumerically(">", 2*after))
		s.Expect(lost()).To(Equal(since), "it was healthy in between")
		s.Expect(seen.statuses(ctx, configv1.OperatorDegraded)).To(Equal([]string{"False", "True", "False"}))
		s.Expect(seen.statuses(ctx, configv1.OperatorAvailable)).To(Equal([]string{"True"}))
	})
}
