package scenarios

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/localcatalog"
	"github.com/openshift/platform-operators/test/samples"
)

// pushGoodAndBad pushes two versions of an operator, and returns the references of their images. The second version never becomes ready.
func (s *Story) pushGoodAndBad(ctx context.Context, registry *localcatalog.Registry, name string) (good, bad string) {
	s.Helper()
	good = s.pushChanged(ctx, registry, samples.Operator{Package: name, Version: "1.0.0", ExtraConfigMap: name + "-good"}, func(string) {})
	bad = s.pushChanged(ctx, registry, samples.Operator{Package: name, Version: "1.1.0", NeverReady: true, ExtraConfigMap: name + "-bad"}, func(string) {})
	return good, bad
}

func TestRollback(t *testing.T) {
	t.Parallel()
	limited := func(onFailure corev1alpha2.OnFailure, ref string) func(*corev1alpha2.BundleDeploymentSpec) {
		return func(spec *corev1alpha2.BundleDeploymentSpec) {
			spec.OnFailure, spec.ProgressDeadlineSeconds, spec.Source = onFailure, ptr.To[int32](10), fromImage(ref)
		}
	}

	// Promise ENG-D8: A version that is not healthy at its deadline reports `DeadlineExceeded`. With Hold it stays as it is; with
	// Rollback the previous revision is restored, and the version is not tried again before HRD-U3 permits it.
	runStory(t, "ENG-D8 a version that misses its deadline is held, or rolled back and not retried before the way it is installed changes", defaultOperators, func(ctx context.Context, s *Story) {
		registry := s.startRegistry(false)
		heldGood, heldBad := s.pushGoodAndBad(ctx, registry, "held")
		good, bad := s.pushGoodAndBad(ctx, registry, "rolledback")
		s.createDeployment(ctx, "held", limited(corev1alpha2.OnFailureHold, heldGood))
		s.createDeployment(ctx, "rolledback", limited(corev1alpha2.OnFailureRollback, good))
		for _, name := range []string{"held", "rolledback"} {
			s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected", "version 1.0.0")
		}
		s.setImage(ctx, "held", heldBad)
		s.setImage(ctx, "rolledback", bad)
		s.waitForCondition(ctx, "rolledback", corev1alpha2.ConditionProgressing, "False DeadlineExceeded", "Revision 2 (version 1.1.0)", "10s", "replicas",
			"revision 1 (version 1.0.0) is active again", "not tried again until its bundle, spec.config, spec.adoption or spec.progressDeadlineSeconds changes", "annotation platform.openshift.io/retry")

		s.By("checking the one that is held")
		s.waitForCondition(ctx, "held", corev1alpha2.ConditionProgressing, "False DeadlineExceeded", "Revision 2 (version 1.1.0)", "10s", "replicas", "held")
		s.Expect(s.statusOf(ctx, "held").Revisions).To(ContainElement(And(HaveField("Number", int64(2)), HaveField("State", corev1alpha2.RevisionRollingOut))))
		s.Expect(s.configMapExists(ctx, "held", "held-good")).To(Succeed())
		s.Expect(s.configMapExists(ctx, "held", "held-bad")).To(Succeed())

		s.By("checking the one that was rolled back")
		status := s.statusOf(ctx, "rolledback")
		s.Expect(status.ActiveRevision).To(BeEquivalentTo(1))
		live, err := s.Admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, "rolledback", metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(status.Revisions).To(ContainElement(And(HaveField("Number", int64(2)), HaveField("State", corev1alpha2.RevisionFailed),
			HaveField("FailedGeneration", live.Generation), HaveField("FailureMessage", ContainSubstring("replicas")), HaveField("StartedTime", Not(BeNil())))))
		s.Expect(s.configMapExists(ctx, "rolledback", "rolledback-bad")).To(beNotFound())
		s.Expect(s.configMapExists(ctx, "rolledback", "rolledback-good")).To(Succeed())
		s.Expect(s.conditionOf(ctx, "rolledback", corev1alpha2.ConditionInstalled)).To(HavePrefix("True"))
		s.waitForCondition(ctx, "rolledback", corev1alpha2.ConditionHealthy, "True Healthy")
		s.Eventually(s.eventsOf).WithContext(ctx).WithArguments("rolledback").Should(ContainElements(
			HavePrefix("Warning DeadlineExceeded"), HavePrefix("Warning RollingBack"), HavePrefix("Warning RolledBack")))

		s.By("restarting the manager, which keeps both decisions")
		was, err := s.conditionOf(ctx, "rolledback", corev1alpha2.ConditionProgressing)
		s.Expect(err).NotTo(HaveOccurred())
		s.KillManager()
		s.StartManager()
		s.Consistently(s.conditionOf).WithContext(ctx).WithArguments("rolledback", corev1alpha2.ConditionProgressing).Should(Equal(was))
		s.Expect(s.conditionOf(ctx, "held", corev1alpha2.ConditionProgressing)).To(HavePrefix("False DeadlineExceeded"))
		s.Expect(s.configMapExists(ctx, "rolledback", "rolledback-bad")).To(beNotFound())

		s.By("changing how it is installed, which causes a retry")
		s.patchDeployment(ctx, "rolledback", `{"spec":{"progressDeadlineSeconds":3600}}`)
		s.Eventually(s.configMapExists).WithContext(ctx).WithArguments("rolledback", "rolledback-bad").Should(Succeed())
		s.waitForCondition(ctx, "rolledback", corev1alpha2.ConditionProgressing, "True RollingOut", "version 1.1.0")
		s.Expect(s.statusOf(ctx, "rolledback").Revisions).To(HaveEach(HaveField("FailureMessage", BeEmpty())))

		s.By("setting the healthy versions")
		s.setImage(ctx, "rolledback", good)
		s.setImage(ctx, "held", heldGood)
		for _, name := range []string{"held", "rolledback"} {
			s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected", "Revision 1 (version 1.0.0)")
			s.Expect(s.configMapExists(ctx, name, name+"-bad")).To(beNotFound())
		}
	})

	runStory(t, "HRD-U3 HRD-M1 HRD-U5 a version that was rolled back for a kind is tried again only when the kind is served, whatever happens to stored revisions", defaultOperators, func(ctx context.Context, s *Story) {
		const name, giver = "needy", "giver"
		good := s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0"})
		needy := s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.1.0"},
			"{apiVersion: console.openshift.io/v1, kind: ConsoleLink, metadata: {name: needy}, spec: {text: needy}}")
		s.createDeployment(ctx, name, limited(corev1alpha2.OnFailureRollback, good))
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected", "version 1.0.0")
		s.setImage(ctx, name, needy)
		isRolledBack := func() {
			s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False DeadlineExceeded", "Revision 2 (version 1.1.0)", "ConsoleLink needy", "revision 1 (version 1.0.0) is active again")
			status := s.statusOf(ctx, name)
			s.Expect(status.Revisions[1].FailedFor).To(Equal(corev1alpha2.FailedForKinds))
			s.Expect(status.Revisions[1].KindsMissing).To(Equal([]corev1alpha2.MissingKind{{Group: "console.openshift.io", Version: "v1", Kind: "ConsoleLink"}}))
			s.Expect(status.Plan.KindsMissing).To(Equal(status.Revisions[1].KindsMissing))
		}
		isRolledBack()
		started := s.statusOf(ctx, name).Revisions[1].StartedTime

		s.By("changing to the first version and back")
		s.setImage(ctx, name, good)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected", "Revision 1 (version 1.0.0)")
		s.Expect(s.statusOf(ctx, name).Plan.KindsMissing).To(BeEmpty())
		s.setImage(ctx, name, needy)
		isRolledBack()

		s.By("deleting all stored revisions")
		names := s.deleteStored(ctx, name)
		s.Eventually(s.storedNames).WithContext(ctx).WithArguments(name).WithTimeout(5 * time.Second).Should(ConsistOf(names))
		s.KillManager()
		s.StartManager()
		s.Settle()
		isRolledBack()
		s.Expect(s.statusOf(ctx, name).Revisions).To(HaveLen(2))
		s.Expect(s.statusOf(ctx, name).Revisions[1].StartedTime).To(Equal(started), "it did not start again")

		s.By("deleting the active revision, and then the failed one, while no manager runs")
		for deleted, newest := range []int{2, 3} {
			s.KillManager()
			for _, each := range names {
				if strings.Contains(each, fmt.Sprintf(".r%d", deleted+1)) {
					s.Expect(s.Admin.Kubernetes.CoreV1().Secrets(environment.Namespace).Delete(ctx, each, metav1.DeleteOptions{})).To(Succeed())
				}
			}
			s.StartManager()
			s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False Blocked",
				fmt.Sprintf("Revision %d (version 1.1.0) is not tried again", newest), "ConsoleLink needy", "platform.openshift.io/retry")
			s.Settle()
			status := s.statusOf(ctx, name)
			s.Expect(status.Revisions[len(status.Revisions)-1].StartedTime).To(Or(Equal(started), BeNil()), "it did not start again")
			s.Expect(s.deploymentExists(ctx, name, name)).To(Succeed(), "the objects of the lost revision stay")
		}

		s.By("installing what provides the kind")
		s.deploy(ctx, giver, s.publishBundle(ctx, samples.Operator{Package: giver, Version: "1.0.0"}, consoleLinks))
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected", "Revision 3 (version 1.1.0) is active")
	})

	runStory(t, "a first version that misses its deadline is held, and reports that there is no revision to roll back to", defaultOperators, func(ctx context.Context, s *Story) {
		registry := s.startRegistry(false)
		_, bad := s.pushGoodAndBad(ctx, registry, "firstbad")
		s.createDeployment(ctx, "firstbad", limited(corev1alpha2.OnFailureRollback, bad))
		s.waitForCondition(ctx, "firstbad", corev1alpha2.ConditionProgressing, "False DeadlineExceeded", "no earlier revision to roll back to", "held")
		s.Expect(s.configMapExists(ctx, "firstbad", "firstbad-bad")).To(Succeed())
	})
}
