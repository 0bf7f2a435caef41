package scenarios

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/pkg/scenario/workloads"
)

// Promise HRD-U9: A missing image names the catalog and whom to ask. A missing CustomResourceDefinition of the manager names the CVO.
// Condition Healthy has the reason of a Pod that does not start, and the command that shows more of it.
func TestHRD_U9_WhomToAsk(t *testing.T) {
	t.Parallel()
	runStory(t, "HRD-U9 an image that a catalog names and its registry lacks", defaultOperators, func(ctx context.Context, s *Story) {
		s.create(ctx, "broken", "")
		s.waitForRefusal(ctx, "broken", platformv1alpha1.ReasonUnpackFailed, "ask the catalog's publisher to push the image (if the catalog is mirrored, ask the mirror's admin to add it)", "names the image.", "/local")
	})

	runStory(t, "HRD-U9 Pods that do not start", defaultOperators, func(ctx context.Context, s *Story) {
		s.install(ctx, "sleeper", "1.0.0")
		healthy := func() AsyncAssertion {
			return s.Eventually(func(ctx context.Context) (string, error) {
				return s.conditionOf(ctx, "sleeper", corev1alpha2.ConditionHealthy)
			}).WithContext(ctx)
		}
		s.behave(workloads.Behavior{Waiting: "ImagePullBackOff"})
		healthy().Should(And(HavePrefix("False Unhealthy: Deployment sleeper/sleeper: 0 of 1 updated replicas available; Pod sleeper-"), ContainSubstring("cannot pull image"),
			ContainSubstring("pull secrets of namespace sleeper"), ContainSubstring(`See "kubectl describe -n sleeper pod sleeper-`)))
		s.Eventually(func(ctx context.Context) (string, error) {
			return s.messageOf(ctx, "sleeper", platformv1alpha1.ConditionHealthy)
		}).WithContext(ctx).Should(ContainSubstring("cannot pull image"))

		s.By("letting the Pods crash, which is noticed within a minute")
		s.behave(workloads.Behavior{Waiting: "CrashLoopBackOff", Message: "back-off 5m0s restarting failed container"})
		healthy().WithTimeout(2 * time.Minute).Should(And(ContainSubstring("crashes with exit code 1"), ContainSubstring(`See "kubectl logs -n sleeper sleeper-`), Not(ContainSubstring("back-off"))))
		s.Settle()
		before, err := s.operatorVersions(ctx)
		s.Expect(err).NotTo(HaveOccurred())
		s.Consistently(s.operatorVersions, 5*time.Minute, time.Minute).WithContext(ctx).Should(Equal(before))

		s.By("letting them run")
		s.behave(workloads.Ready())
		healthy().Should(HavePrefix("True Healthy: "))
	})

	runStory(t, "HRD-U9 a CustomResourceDefinition of the manager that is missing", defaultOperators, func(ctx context.Context, s *Story) {
		s.install(ctx, "sleeper", "1.0.0")
		const name = "bundles.core.rukpak.io"
		s.allowDeletion(ctx, definitions, name, `"true"`)
		client := s.Admin.Dynamic.Resource(definitions)
		definition, err := client.Get(ctx, name, metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(client.Delete(ctx, name, metav1.DeleteOptions{})).To(Succeed())
		s.waitUntilCRDGone(ctx, name)
		s.CutWatches(func(request scenario.Request) bool { return request.Resource.Resource == "bundles" })
		watchesDegraded := func() AsyncAssertion {
			return s.Eventually(func(ctx context.Context) (string, error) {
				manager, err := s.Admin.Platform.OperatorV1alpha1().PlatformOperatorManagers().Get(ctx, "cluster", metav1.GetOptions{})
				if err != nil {
					return "", err
				}
				for _, condition := range manager.Status.Conditions {
					if condition.Type == "WatchesDegraded" {
						return string(condition.Status) + " " + condition.Message, nil
					}
				}
				return "", nil
			}).WithContext(ctx).WithTimeout(5 * time.Minute)
		}
		watchesDegraded().Should(And(HavePrefix("True CustomResourceDefinitions are missing, so that the API server does not serve bundles. The cluster-version operator (CVO) restores them"),
			Not(ContainSubstring("roles"))))

		s.By("restoring it, as the CVO does")
		definition.SetResourceVersion("")
		delete(definition.Object, "status")
		_, err = client.Create(ctx, definition, metav1.CreateOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		watchesDegraded().Should(HavePrefix("False "))
	})
}

// behave sets the behavior of all Pods.
func (s *Story) behave(behavior workloads.Behavior) {
	s.Helper()
	s.Expect(s.SetPodBehavior(func(*corev1.Pod) workloads.Behavior { return behavior })).To(Succeed())
}

// messageOf returns the message of a condition of a PlatformOperator.
func (s *Story) messageOf(ctx context.Context, name, condition string) (string, error) {
	texts, err := s.textsOf(ctx, name, condition)
	if err != nil || len(texts) == 0 {
		return "", err
	}
	return texts[0], nil
}
