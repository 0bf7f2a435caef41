package scenarios

import (
	"context"
	"fmt"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/test/samples"
)

// formerOwnerTime is the time within which a BundleDeployment gets a kept definition after one of the two ways out.
const formerOwnerTime = 5 * time.Second

// heirloom is a CustomResourceDefinition that several bundles have.
const heirloom = "heirlooms.samples.platform.openshift.io"

const heirloomManifest = `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: ` + heirloom + `}, spec: {
	group: samples.platform.openshift.io, scope: Namespaced, names: {kind: Heirloom, listKind: HeirloomList, plural: heirlooms, singular: heirloom},
	versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}`

// waitForHeirloomRefusal waits until a BundleDeployment is refused the heirloom. The message must name the former owner and both ways out.
func (s *Story) waitForHeirloomRefusal(ctx context.Context, name, formerOwner, ownMark string) {
	s.Helper()
	s.Eventually(s.conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionInstalled).Should(Equal(fmt.Sprintf(
		"False InstallFailed: CustomResourceDefinition %s: it already exists and has annotation %s, which says that it was kept when %s was removed; set spec.adoption to Any to take it over, "+
			"or change its former owner: kubectl annotate --overwrite crd %s %s=%s.",
		heirloom, platformv1alpha1.AnnotationOrphanedFrom, formerOwner, heirloom, platformv1alpha1.AnnotationOrphanedFrom, ownMark)))
	s.Expect(s.conditionOf(ctx, name, corev1alpha2.ConditionDrifted)).To(HavePrefix("Unknown ReconcileFailed: "))
}

// expectHeirloomOf expects that a BundleDeployment gets the heirloom in time.
func (s *Story) expectHeirloomOf(ctx context.Context, name string) {
	s.Helper()
	s.Eventually(func(ctx context.Context) (map[string]string, error) {
		live, err := s.Admin.Dynamic.Resource(definitions).Get(ctx, heirloom, metav1.GetOptions{})
		if err != nil || live.GetAnnotations()[platformv1alpha1.AnnotationOrphanedFrom] != "" {
			return nil, err
		}
		return live.GetLabels(), nil
	}, formerOwnerTime).WithContext(ctx).Should(HaveKeyWithValue(corev1alpha2.LabelOwnerName, name))
	s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
}

// annotateHeirloom sets the former owner of the heirloom, as the command of the message does.
func (s *Story) annotateHeirloom(ctx context.Context, mark string) {
	s.Helper()
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%q}}}`, platformv1alpha1.AnnotationOrphanedFrom, mark)
	_, err := s.Admin.Dynamic.Resource(definitions).Patch(ctx, heirloom, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: "kubectl-annotate"})
	s.Expect(err).NotTo(HaveOccurred())
}

func TestFormerOwner(t *testing.T) {
	t.Parallel()
	// Promise HRD-M4: A kept CRD has its former owner's kind and name, and is adopted by that owner only. The message for any other owner names
	// the former one and two ways out, `adoption: Any` and another annotation, each of which works within five seconds.
	runStory(t, "[HRD-M4] a kept definition goes from a package to a BundleDeployment without a package and back", defaultOperators, func(ctx context.Context, s *Story) {
		const pkg = "grandma"
		packaged := s.publishBundle(ctx, samples.Operator{Package: pkg, Version: "1.0.0"}, heirloomManifest)
		bare := s.publishPlain(ctx, "heir", heirloomManifest)
		s.deploy(ctx, "first", packaged)
		s.waitForCondition(ctx, "first", corev1alpha2.ConditionProgressing, "False AsExpected")
		s.undeploy(ctx, "first")

		s.By("deploying a bundle without a package, by the package's name and by another one")
		for _, name := range []string{pkg, "stranger"} {
			s.deployWithClass(ctx, corev1alpha2.ProvisionerClassPlain, name, bare)
			s.waitForHeirloomRefusal(ctx, name, `package "grandma"`, "bundledeployment/"+name)
		}
		s.undeploy(ctx, "stranger")
		s.annotateHeirloom(ctx, "bundledeployment/"+pkg)
		s.expectHeirloomOf(ctx, pkg)
		s.undeploy(ctx, pkg)

		s.By("deploying the package again, and another bundle without a package")
		s.deploy(ctx, "second", packaged)
		s.waitForHeirloomRefusal(ctx, "second", `BundleDeployment "grandma"`, "package/grandma")
		s.deployWithClass(ctx, corev1alpha2.ProvisionerClassPlain, "stranger", bare)
		s.waitForHeirloomRefusal(ctx, "stranger", `BundleDeployment "grandma"`, "bundledeployment/stranger")
		s.undeploy(ctx, "stranger")
		s.annotateHeirloom(ctx, "package/"+pkg)
		s.expectHeirloomOf(ctx, "second")
		s.undeploy(ctx, "second")

		s.By("taking it over with adoption Any, both ways")
		s.deployWithClass(ctx, corev1alpha2.ProvisionerClassPlain, "stranger", bare)
		s.waitForHeirloomRefusal(ctx, "stranger", `package "grandma"`, "bundledeployment/stranger")
		s.patchDeployment(ctx, "stranger", `{"spec":{"adoption":"Any"}}`)
		s.expectHeirloomOf(ctx, "stranger")
		s.undeploy(ctx, "stranger")
		s.deploy(ctx, "third", packaged)
		s.waitForHeirloomRefusal(ctx, "third", `BundleDeployment "stranger"`, "package/grandma")
		s.patchDeployment(ctx, "third", `{"spec":{"adoption":"Any"}}`)
		s.expectHeirloomOf(ctx, "third")
	})

	runStory(t, "[HRD-M4] a BundleDeployment without a package adopts what one of its name left, and an annotation without a kind means a package", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "homebody"
		bare := s.publishPlain(ctx, name, heirloomManifest)
		for range 2 {
			s.deployWithClass(ctx, corev1alpha2.ProvisionerClassPlain, name, bare)
			s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
			s.undeploy(ctx, name)
		}
		kept, err := s.Admin.Dynamic.Resource(definitions).Get(ctx, heirloom, metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(kept.GetAnnotations()).To(HaveKeyWithValue(platformv1alpha1.AnnotationOrphanedFrom, "bundledeployment/"+name))

		s.annotateHeirloom(ctx, name)
		s.deployWithClass(ctx, corev1alpha2.ProvisionerClassPlain, name, bare)
		s.waitForHeirloomRefusal(ctx, name, `package "homebody"`, "bundledeployment/homebody")
		s.undeploy(ctx, name) // otherwise it is the older one, to which an object of a younger one belongs
		s.deploy(ctx, "packaged", s.publishBundle(ctx, samples.Operator{Package: name, Version: "2.0.0"}, heirloomManifest))
		s.expectHeirloomOf(ctx, "packaged")
	})
}
