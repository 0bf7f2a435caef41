package scenarios

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/store"
	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/samples"
)

// storedNames returns the names of the Secrets with the revisions of a BundleDeployment.
func (s *Story) storedNames(ctx context.Context, name string) ([]string, error) {
	stored, err := s.Admin.Kubernetes.CoreV1().Secrets(environment.Namespace).List(ctx, metav1.ListOptions{LabelSelector: store.LabelDeployment + "=" + name})
	if err != nil {
		return nil, err
	}
	names := []string{}
	for _, secret := range stored.Items {
		names = append(names, secret.Name)
	}
	return names, nil
}

// deleteStored deletes the Secrets with the revisions of a BundleDeployment, and returns their names.
func (s *Story) deleteStored(ctx context.Context, name string) []string {
	s.Helper()
	names, err := s.storedNames(ctx, name)
	s.Expect(err).NotTo(HaveOccurred())
	s.Expect(len(names)).To(BeNumerically(">=", 2), "an index and a part")
	for _, each := range names {
		s.Expect(s.Admin.Kubernetes.CoreV1().Secrets(environment.Namespace).Delete(ctx, each, metav1.DeleteOptions{})).To(Succeed())
	}
	return names
}

// Promise HRD-U5: If somebody deletes the stored revisions of an operator, the manager notices at once. It stores the revision again only
// from the content with the digest of the revision. If the manager cannot read that content, a condition and an Event report it.
func TestHRD_U5_DeletedRevisionsAreStoredAgain(t *testing.T) {
	t.Parallel()
	const name = "lantern"

	runStory(t, "HRD-U5 deleted revisions are stored again from the content on disk, without a rollout", defaultOperators, func(ctx context.Context, s *Story) {
		s.deploy(ctx, name, s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0"}))
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		before := s.statusOf(ctx, name)
		names := s.deleteStored(ctx, name)
		s.Eventually(s.storedNames).WithContext(ctx).WithArguments(name).WithTimeout(5 * time.Second).Should(ConsistOf(names))
		s.Eventually(s.eventsOf).WithContext(ctx).WithArguments(name).Should(ContainElements(
			HavePrefix("Warning RevisionLost: The stored copy of revision 1 can no longer be used"), HavePrefix("Normal RevisionRestored: Revision 1 is stored again")))
		s.Expect(s.statusOf(ctx, name)).To(Equal(before))

		s.By("changing one Secret after the other: the index and the parts")
		secrets := s.Admin.Kubernetes.CoreV1().Secrets(environment.Namespace)
		for _, each := range names {
			stored, err := secrets.Get(ctx, each, metav1.GetOptions{})
			s.Expect(err).NotTo(HaveOccurred())
			isAsBefore := func(ctx context.Context) (bool, error) {
				live, err := secrets.Get(ctx, each, metav1.GetOptions{})
				return err == nil && len(live.OwnerReferences) == 1 && maps.Equal(live.Labels, stored.Labels), ignoreNotFound(err)
			}
			for _, patch := range []string{`{"metadata":{"ownerReferences":null}}`, `{"metadata":{"labels":null}}`} {
				_, err = secrets.Patch(ctx, each, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
				s.Expect(err).NotTo(HaveOccurred())
				s.Eventually(isAsBefore).WithContext(ctx).Should(BeTrue(), "%s after %s", each, patch)
			}
			s.Expect(secrets.Delete(ctx, each, metav1.DeleteOptions{})).To(Succeed())
			s.Eventually(isAsBefore).WithContext(ctx).Should(BeTrue(), each)
		}

		s.By("restarting the manager")
		s.KillManager()
		s.StartManager()
		s.Settle()
		s.Expect(s.statusOf(ctx, name)).To(Equal(before))
	})

	runStory(t, "HRD-U5 deleted revisions without readable content are reported, and the operator is kept from memory", defaultOperators, func(ctx context.Context, s *Story) {
		ref := s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0", ExtraConfigMap: "settings"})
		s.deploy(ctx, name, ref)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		s.Expect(os.RemoveAll(filepath.Join(s.Environment.Dir, "content"))).To(Succeed())
		s.Expect(s.Environment.Catalog.Fail(ref, 503)).To(Succeed())
		names := s.deleteStored(ctx, name)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False Blocked", "Revision 1 (version 1.0.0) is active, and its stored copy cannot be used", "503")

		s.By("deleting an object of the operator")
		s.Expect(s.Admin.Kubernetes.CoreV1().ConfigMaps(name).Delete(ctx, "settings", metav1.DeleteOptions{})).To(Succeed())
		s.Eventually(s.configMapExists).WithContext(ctx).WithArguments(name, "settings").Should(Succeed())

		s.By("making the content readable")
		s.Expect(s.Environment.Catalog.Fail(ref, 0)).To(Succeed())
		s.Eventually(s.storedNames).WithContext(ctx).WithArguments(name).WithTimeout(10 * time.Minute).Should(ConsistOf(names))
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected", "Revision 1 (version 1.0.0) is active")
	})

	runStory(t, "HRD-U5 revisions that are deleted while no manager runs are stored again by the digest in status", defaultOperators, func(ctx context.Context, s *Story) {
		registry := s.startRegistry(false)
		byTag, byDigest := s.pushBundle(ctx, registry, name, samples.Operator{Package: name, Version: "1.0.0"})
		s.deployFrom(ctx, name, corev1alpha2.ImageSource{Ref: byTag})
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected", "version 1.0.0")
		s.KillManager()
		s.deleteStored(ctx, name)
		dir := s.T.TempDir()
		s.Expect(samples.Write(dir, samples.Operator{Package: name, Version: "1.1.0"})).To(Succeed())
		moved, _, err := registry.Push(ctx, name, "1.0.0", filepath.Join(dir, "bundles", name, "1.1.0"))
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(moved).To(Equal(byTag))
		s.StartManager()
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected", "Revision 2 (version 1.0.0)")
		s.Expect(s.statusOf(ctx, name).ResolvedSource.Image.Ref).To(Equal(byDigest))
		s.Expect(s.eventsOf(ctx, name)).To(ContainElement(HavePrefix("Warning RevisionLost: Revision 1 can no longer be used: its Secrets are missing")))
	})
}
