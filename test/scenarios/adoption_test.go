package scenarios

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/test/samples"
)

// sharedConfigMap returns a ConfigMap whose data names the BundleDeployment that applied it.
func sharedConfigMap(name string) string {
	return fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: shared}, data: {from: %s, only-%s: kept}}", name, name)
}

func (s *Story) sharedData(ctx context.Context, namespace string) (map[string]string, error) {
	live, err := s.Admin.Kubernetes.CoreV1().ConfigMaps(namespace).Get(ctx, "shared", metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	return live.Data, nil
}

// waitUntilOlder waits until a BundleDeployment is older than an object that is created now. The API server stores whole seconds.
func (s *Story) waitUntilOlder(ctx context.Context, name string) {
	s.Helper()
	live, err := s.Admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	s.Eventually(time.Now).WithContext(ctx).Should(BeTemporally(">=", live.CreationTimestamp.Add(time.Second)))
}

func TestAdoption(t *testing.T) {
	t.Parallel()
	// Promise ENG-P2: The manager leaves an existing object alone, and names it with its owner (nobody, another package, Helm, OLM v0 or
	// OLM v1), unless `spec.adoption` permits a takeover. Of two BundleDeployments the older one gets a shared object.
	runStory(t, "[ENG-P2] an existing object is refused with its owner's name, and adoption Any takes it over", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "intruder"
		s.createNamespace(ctx, name)
		theirs := map[string]metav1.ObjectMeta{
			"nobodys": {},
			"helms":   {Annotations: map[string]string{"meta.helm.sh/release-name": "chart", "meta.helm.sh/release-namespace": "charts"}},
			"olms":    {Labels: map[string]string{"olm.owner": "csv.v1", "olm.owner.kind": "ClusterServiceVersion", "olm.owner.namespace": "operators"}},
			"olmv1s":  {Labels: map[string]string{"olm.operatorframework.io/owner-kind": "ClusterExtension", "olm.operatorframework.io/owner-name": "extension"}},
		}
		client := s.Admin.Kubernetes.CoreV1().ConfigMaps(name)
		var manifests []string
		for _, each := range slices.Sorted(maps.Keys(theirs)) {
			meta := theirs[each]
			meta.Name = each
			_, err := client.Create(ctx, &corev1.ConfigMap{ObjectMeta: meta, Data: map[string]string{"from": "them"}}, metav1.CreateOptions{})
			s.Expect(err).NotTo(HaveOccurred())
			manifests = append(manifests, configMapText(each, "us"))
		}
		s.deploy(ctx, name, s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0"}, manifests...))
		s.Eventually(s.unreadyOf).WithContext(ctx).WithArguments(name).Should(And(
			ContainSubstring("ConfigMap intruder/nobodys: it already exists and has no known owner"),
			ContainSubstring(`ConfigMap intruder/helms: it already exists and belongs to Helm release "charts/chart"`),
			ContainSubstring(`ConfigMap intruder/olms: it already exists and belongs to ClusterServiceVersion "operators/csv.v1" of OLM`),
			ContainSubstring(`ConfigMap intruder/olmv1s: it already exists and belongs to ClusterExtension "extension" of OLM v1`),
		))
		s.Expect(s.conditionOf(ctx, name, corev1alpha2.ConditionInstalled)).To(HavePrefix("False InstallFailed: "))
		for each := range theirs {
			live, err := client.Get(ctx, each, metav1.GetOptions{})
			s.Expect(err).NotTo(HaveOccurred())
			s.Expect(live.Data).To(HaveKeyWithValue("from", "them"))
			s.Expect(live.Labels).NotTo(HaveKey(corev1alpha2.LabelOwnerName))
		}

		s.patchDeployment(ctx, name, `{"spec":{"adoption":"Any"}}`)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		for each := range theirs {
			live, err := client.Get(ctx, each, metav1.GetOptions{})
			s.Expect(err).NotTo(HaveOccurred())
			s.Expect(live.Data).To(HaveKeyWithValue("from", "us"))
			s.Expect(live.Labels).To(HaveKeyWithValue(corev1alpha2.LabelOwnerName, name))
		}
	})

	runStory(t, "[ENG-P2] a shared object belongs to the older BundleDeployment, whichever applied it first, and the younger one names it", defaultOperators, func(ctx context.Context, s *Story) {
		const elder, younger, namespace = "w-elder", "a-younger", "contested"
		first, second := s.publishBundle(ctx, samples.Operator{Package: elder, Version: "1.0.0"}, sharedConfigMap(elder)), s.publishBundle(ctx, samples.Operator{Package: younger, Version: "1.0.0"}, sharedConfigMap(younger))
		s.deployWith(ctx, elder, namespace, first, "paused: true")
		s.waitUntilOlder(ctx, elder)
		s.deployWith(ctx, younger, namespace, second, "adoption: Any")
		s.waitForCondition(ctx, younger, corev1alpha2.ConditionProgressing, "False AsExpected")

		s.patchDeployment(ctx, elder, `{"spec":{"paused":false}}`)
		s.waitForCondition(ctx, elder, corev1alpha2.ConditionProgressing, "False AsExpected")
		s.Eventually(s.conditionOf).WithContext(ctx).WithArguments(younger, corev1alpha2.ConditionInstalled).Should(And(
			HavePrefix("True ReconcileFailed: "), ContainSubstring("ConfigMap contested/shared"), ContainSubstring(`BundleDeployment "w-elder", which is older`)))
		winners := map[string]string{"from": elder, "only-" + elder: "kept"}
		s.Consistently(s.sharedData).WithContext(ctx).WithArguments(namespace).Should(Equal(winners))

		s.By("removing the younger one, which must not delete the object")
		s.undeploy(ctx, younger)
		s.Expect(s.sharedData(ctx, namespace)).To(Equal(winners))
	})

	runStory(t, "[ENG-P2] the older BundleDeployment keeps its object, also after restarts and with adoption Any of the younger one", defaultOperators, func(ctx context.Context, s *Story) {
		const older, younger, namespace = "z-settled", "a-latecomer", "inhabited"
		s.deployWith(ctx, older, namespace, s.publishBundle(ctx, samples.Operator{Package: older, Version: "1.0.0"}, sharedConfigMap(older)), "adoption: SamePackage")
		s.waitForCondition(ctx, older, corev1alpha2.ConditionProgressing, "False AsExpected")
		s.waitUntilOlder(ctx, older)
		s.deployWith(ctx, younger, namespace, s.publishBundle(ctx, samples.Operator{Package: younger, Version: "1.0.0"}, sharedConfigMap(younger)), "")
		refused := func(patience time.Duration) {
			s.Helper()
			s.Eventually(s.unreadyOf).WithContext(ctx).WithArguments(younger).Should(Equal(
				`ConfigMap inhabited/shared: it already exists and belongs to BundleDeployment "z-settled", which is older and keeps it; delete BundleDeployment "z-settled", or give the object another name in one of the two bundles`))
			s.Expect(s.conditionOf(ctx, younger, corev1alpha2.ConditionInstalled)).To(And(HavePrefix("False InstallFailed: "), ContainSubstring("ConfigMap inhabited/shared")))
			s.Consistently(s.sharedData, patience).WithContext(ctx).WithArguments(namespace).Should(Equal(map[string]string{"from": older, "only-" + older: "kept"}))
			s.Expect(s.conditionOf(ctx, older, corev1alpha2.ConditionProgressing)).To(HavePrefix("False AsExpected: "))
		}
		refused(time.Second)
		for range 2 {
			s.By("restarting the manager")
			s.KillManager()
			s.StartManager()
			refused(2 * time.Second)
		}

		s.By("setting adoption of the younger one to Any")
		s.patchDeployment(ctx, younger, `{"spec":{"adoption":"Any"}}`)
		s.waitUntilObserved(ctx, younger)
		refused(2 * time.Second)
	})

	runStory(t, "[ENG-P2] an orphan of another package is refused, and adoption Any takes it over", defaultOperators, func(ctx context.Context, s *Story) {
		const testator, stranger = "testator", "stranger"
		const will = "wills.samples.platform.openshift.io"
		definition := `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: ` + will + `}, spec: {
			group: samples.platform.openshift.io, scope: Namespaced, names: {kind: Will, listKind: WillList, plural: wills, singular: will},
			versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}`
		s.deploy(ctx, testator, s.publishBundle(ctx, samples.Operator{Package: testator, Version: "1.0.0"}, definition))
		s.waitForCondition(ctx, testator, corev1alpha2.ConditionProgressing, "False AsExpected")
		s.undeploy(ctx, testator)

		s.deploy(ctx, stranger, s.publishBundle(ctx, samples.Operator{Package: stranger, Version: "1.0.0"}, definition))
		s.Eventually(s.conditionOf).WithContext(ctx).WithArguments(stranger, corev1alpha2.ConditionInstalled).Should(And(
			HavePrefix("False InstallFailed: "), ContainSubstring("CustomResourceDefinition "+will), ContainSubstring(`it was kept when package "testator" was removed`)))
		kept, err := s.Admin.Dynamic.Resource(definitions).Get(ctx, will, metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(kept.GetAnnotations()).To(HaveKeyWithValue(platformv1alpha1.AnnotationOrphanedFrom, "package/"+testator))
		s.Expect(kept.GetLabels()).NotTo(HaveKey(corev1alpha2.LabelOwnerName))

		s.patchDeployment(ctx, stranger, `{"spec":{"adoption":"Any"}}`)
		s.waitForCondition(ctx, stranger, corev1alpha2.ConditionProgressing, "False AsExpected")
		taken, err := s.Admin.Dynamic.Resource(definitions).Get(ctx, will, metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(taken.GetUID()).To(Equal(kept.GetUID()))
		s.Expect(taken.GetLabels()).To(HaveKeyWithValue(corev1alpha2.LabelOwnerName, stranger))
	})

	runStory(t, "[ENG-P2] with adoption None an orphan of the same package is refused", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "purist"
		ref := s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0"})
		s.deploy(ctx, name, ref)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		s.undeploy(ctx, name)
		s.deployWith(ctx, name, name, ref, "adoption: None")
		s.Eventually(s.conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionInstalled).Should(And(
			HavePrefix("False InstallFailed: "), ContainSubstring("CustomResourceDefinition purists.samples.platform.openshift.io"), ContainSubstring("spec.adoption")))
		s.patchDeployment(ctx, name, `{"spec":{"adoption":"SamePackage"}}`)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
	})
}
