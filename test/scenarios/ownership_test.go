package scenarios

import (
	"context"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/test/samples"
)

// ownersLabels returns the owner labels of a BundleDeployment, which any writer can set.
func ownersLabels(name string) map[string]string {
	return map[string]string{corev1alpha2.LabelOwnerKind: corev1alpha2.OwnerKindBundleDeployment, corev1alpha2.LabelOwnerName: name}
}

// from returns the value "from" of a ConfigMap, and the manager's field managers in its managed fields, separated by spaces.
func (s *Story) from(ctx context.Context, namespace, name string) (string, error) {
	live, err := s.Admin.Kubernetes.CoreV1().ConfigMaps(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	text := live.Data["from"]
	for _, each := range live.ManagedFields {
		if strings.HasPrefix(each.Manager, corev1alpha2.FieldManagerPrefix) {
			text += " " + each.Manager
		}
	}
	return text, nil
}

// createLabeled creates a ConfigMap with the owner labels of the BundleDeployment owner, as the field manager named manager.
func (s *Story) createLabeled(ctx context.Context, manager, namespace, name, owner string) {
	s.Helper()
	_, err := s.Admin.Kubernetes.CoreV1().ConfigMaps(namespace).Create(ctx, &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: ownersLabels(owner)}, Data: map[string]string{"from": manager},
	}, metav1.CreateOptions{FieldManager: manager})
	s.Expect(err).NotTo(HaveOccurred())
}

func TestOwnership(t *testing.T) {
	t.Parallel()
	// Promise HRD-S2: The manager owns an object that has its field manager, or the owner labels and a place in an applied revision;
	// labels alone prove nothing. A policy denies tenants both marks, and a PlatformOperator's claim to a name wins.
	runStory(t, "HRD-S2 an object that has only the labels is left alone by rollouts and removals", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "impersonated"
		s.createNamespace(ctx, name)
		s.createLabeled(ctx, "tenant", name, "declared", name)
		s.createLabeled(ctx, "tenant", name, "stray", name)
		s.deploy(ctx, name, s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0"}, configMapText("declared", "us")))
		s.Eventually(s.unreadyOf).WithContext(ctx).WithArguments(name).Should(ContainSubstring(
			`ConfigMap impersonated/declared: it already exists and has the owner labels of BundleDeployment "impersonated", which neither created nor adopted it; it is not changed; delete or rename it, or set spec.adoption to Any to take it over`))
		s.Expect(s.conditionOf(ctx, name, corev1alpha2.ConditionInstalled)).To(HavePrefix("False InstallFailed"))
		s.undeploy(ctx, name)
		for _, each := range []string{"declared", "stray"} {
			s.Expect(s.from(ctx, name, each)).To(Equal("tenant"))
		}

		s.By("permitting a takeover, which adopts declared objects only")
		s.deployWith(ctx, name, name, s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0"}, configMapText("declared", "us")), "adoption: Any")
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		s.Expect(s.from(ctx, name, "declared")).To(Equal("us platform-operators/" + name))
		s.undeploy(ctx, name)
		_, err := s.from(ctx, name, "declared")
		s.Expect(err).To(beNotFound())
		s.Expect(s.from(ctx, name, "stray")).To(Equal("tenant"))
	})

	runStory(t, "HRD-S2 an object that a backup restored without its managed fields belongs to the BundleDeployment again", defaultOperators, func(ctx context.Context, s *Story) {
		for name, drift := range map[string]string{"restored": "", "restored-and-reporting": "drift: {policy: Report}"} {
			s.deployWith(ctx, name, name, s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0"}, configMapText("vault", "us"), configMapText("other", "us")), drift)
			s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
			s.KillManager()
			maps := s.Admin.Kubernetes.CoreV1().ConfigMaps(name)
			for _, each := range []string{"vault", "other"} {
				s.Expect(maps.Delete(ctx, each, metav1.DeleteOptions{})).To(Succeed())
			}
			s.createLabeled(ctx, "backup", name, "vault", name)
			_, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "other"}, Data: map[string]string{"from": "tenant"}}, metav1.CreateOptions{FieldManager: "tenant"})
			s.Expect(err).NotTo(HaveOccurred())
			s.StartManager()
			s.Eventually(s.from).WithContext(ctx).WithArguments(name, "vault").Should(Equal("us platform-operators/" + name))
			s.Eventually(s.conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionInstalled).Should(And(
				HavePrefix("True ReconcileFailed"), ContainSubstring("ConfigMap "+name+"/other: it already exists and has no known owner")), "what has no labels is not taken for a restored object")
			s.Expect(s.from(ctx, name, "other")).To(Equal("tenant"))

			s.undeploy(ctx, name)
			s.Eventually(s.namespaceIs).WithContext(ctx).WithArguments(name).Should(Or(beNotFound(), Succeed()))
			_, err = s.from(ctx, name, "vault")
			s.Expect(err).To(beNotFound(), "the adopted object is deleted with the BundleDeployment")
			s.Expect(s.from(ctx, name, "other")).To(Equal("tenant"))
			s.Expect(ignoreNotFound(s.Admin.Kubernetes.CoreV1().Namespaces().Delete(ctx, name, metav1.DeleteOptions{}))).To(Succeed())
		}
	})

	runStory(t, "HRD-S2 with adoption None an older BundleDeployment does not take an object of a younger one", defaultOperators, func(ctx context.Context, s *Story) {
		const elder, younger, namespace = "w-abstinent", "a-keeper", "untaken"
		first, second := s.publishBundle(ctx, samples.Operator{Package: elder, Version: "1.0.0"}, sharedConfigMap(elder)), s.publishBundle(ctx, samples.Operator{Package: younger, Version: "1.0.0"}, sharedConfigMap(younger))
		s.deployWith(ctx, elder, namespace, first, "paused: true, adoption: None")
		s.waitUntilOlder(ctx, elder)
		s.deployWith(ctx, younger, namespace, second, "")
		s.waitForCondition(ctx, younger, corev1alpha2.ConditionProgressing, "False AsExpected")

		s.patchDeployment(ctx, elder, `{"spec":{"paused":false}}`)
		s.Eventually(s.conditionOf).WithContext(ctx).WithArguments(elder, corev1alpha2.ConditionInstalled).Should(And(
			HavePrefix("False InstallFailed: "), ContainSubstring(`ConfigMap untaken/shared: it already exists and belongs to BundleDeployment "a-keeper", which is younger, and is not taken over while spec.adoption is None; set spec.adoption to SamePackage`)))
		s.Expect(s.sharedData(ctx, namespace)).To(Equal(map[string]string{"from": younger, "only-" + younger: "kept"}))
		s.Expect(s.conditionOf(ctx, younger, corev1alpha2.ConditionProgressing)).To(HavePrefix("False AsExpected: "))

		s.By("permitting the takeover")
		s.patchDeployment(ctx, elder, `{"spec":{"adoption":"SamePackage"}}`)
		s.Eventually(s.sharedData).WithContext(ctx).WithArguments(namespace).Should(Equal(map[string]string{"from": elder, "only-" + elder: "kept"}))
	})

	runStory(t, "HRD-S2 a user's BundleDeployment with the name of a PlatformOperator is not carried out, and both name the fix", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "namesake"
		ref := s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0"}, configMapText("settings", "us"))
		s.deploy(ctx, name, ref)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		maps := s.Admin.Kubernetes.CoreV1().ConfigMaps(name)

		s.create(ctx, name, "")
		s.waitForRefusal(ctx, name, platformv1alpha1.ReasonValidationFailed, `BundleDeployment "namesake" exists and does not belong to this PlatformOperator`, "kubectl delete bundledeployment namesake")
		s.Eventually(s.conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionProgressing).Should(And(
			HavePrefix(`False Blocked: PlatformOperator "namesake" has this name`), ContainSubstring("kubectl delete bundledeployment namesake"), ContainSubstring("delete the PlatformOperator")))
		s.Expect(s.conditionOf(ctx, name, corev1alpha2.ConditionInstalled)).To(HavePrefix("True ReconcileFailed"))
		before, err := s.Admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(maps.Delete(ctx, "settings", metav1.DeleteOptions{})).To(Succeed())
		s.patchDeployment(ctx, name, `{"metadata":{"labels":{"looked-at":"again"}}}`)

		s.By("removing the PlatformOperator")
		s.remove(ctx, name)
		s.Eventually(s.from).WithContext(ctx).WithArguments(name, "settings").Should(Equal("us platform-operators/" + name))
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		after, err := s.Admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(after.UID).To(Equal(before.UID))
		s.Expect(after.Status.ActiveRevision).To(Equal(before.Status.ActiveRevision))

		s.By("deleting the BundleDeployment")
		s.create(ctx, name, "")
		s.Eventually(s.conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionProgressing).Should(HavePrefix("False Blocked"))
		s.Expect(s.Admin.Platform.CoreV1alpha2().BundleDeployments().Delete(ctx, name, metav1.DeleteOptions{})).To(Succeed())
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(name, "1.0.0").Should(Succeed())
		s.Expect(s.from(ctx, name, "settings")).To(Equal("us platform-operators/" + name))
	})
}
