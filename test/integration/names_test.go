package integration

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/test/certificates"
	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/faults"
	"github.com/openshift/platform-operators/test/samples"
)

// long is a name of so many characters.
func long(prefix string, length int) string { return prefix + strings.Repeat("x", length-len(prefix)) }

var _ = Describe("names", func() {
	It("ENG-A4 works with names at their limit and beyond, and what is derived from them fits and tells them apart", func(ctx context.Context) {
		serviceCA, err := certificates.StartServiceCA(context.WithoutCancel(ctx), env.Admin, GinkgoWriter)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func(ctx context.Context) { Expect(serviceCA.Stop(ctx)).To(Succeed()) })
		name, class, bundle := long("deployment-", 63), long("class-", 63), long("bundle-", 63)
		operator := samples.Operator{Package: long("package-", 56), Version: "1.0.0-" + strings.Repeat("prerelease.", 6) + "1"}
		accounts := []string{long("account-", 80) + "-a", long("account-", 80) + "-b"}
		ref := rewritten(ctx, registryOfItsOwn(false), operator, func(manifests string) {
			Expect(os.Remove(filepath.Join(manifests, operator.Package+"-metrics.service.yaml"))).To(Succeed()) // the author's own name of it is too long
			replaceIn(filepath.Join(manifests, operator.Package+".clusterserviceversion.yaml"),
				"serviceAccountName: "+operator.Package+"\n", "serviceAccountName: "+accounts[0]+"\n",
				"      permissions:\n", "      permissions:\n      - serviceAccountName: "+accounts[1]+"\n        rules: [{apiGroups: [''], resources: [secrets], verbs: [get]}]\n")
			Expect(samples.AddWebhooks(filepath.Join(manifests, "..", "..", "..", ".."), operator)).To(Succeed())
		})
		classes, bundles := admin.Platform.CoreV1alpha2().ProvisionerClasses(), admin.Platform.CoreV1alpha2().Bundles()
		_, err = classes.Create(ctx, &corev1alpha2.ProvisionerClass{ObjectMeta: metav1.ObjectMeta{Name: class},
			Spec: corev1alpha2.ProvisionerClassSpec{Provisioner: corev1alpha2.ProvisionerRegistry}}, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func(ctx context.Context) { Expect(classes.Delete(ctx, class, metav1.DeleteOptions{})).To(Succeed()) })
		_, err = bundles.Create(ctx, &corev1alpha2.Bundle{ObjectMeta: metav1.ObjectMeta{Name: bundle},
			Spec: corev1alpha2.BundleSpec{ProvisionerClassName: class, Source: fromImage(ref)}}, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func(ctx context.Context) { Expect(bundles.Delete(ctx, bundle, metav1.DeleteOptions{})).To(Succeed()) })
		specified(ctx, name, func(spec *corev1alpha2.BundleDeploymentSpec) {
			spec.ProvisionerClassName = class
			spec.Source = corev1alpha2.BundleSource{Type: corev1alpha2.SourceTypeBundle, Bundle: &corev1alpha2.BundleReference{Name: bundle}}
		})
		says(ctx, name, corev1alpha2.ConditionProgressing, "AsExpected")

		By("looking at the names that were derived")
		estate, err := faults.NewEstate(env.Admin, environment.Namespace)
		Expect(err).NotTo(HaveOccurred())
		everything, err := estate.Everything(ctx, name)
		Expect(err).NotTo(HaveOccurred())
		derived := map[string][]string{}
		for _, each := range everything {
			if each.Derived || strings.HasPrefix(each.Name, "platform-operators:") || slices.Contains(append(accounts, operator.Package, name), each.Name) || each.Kind == "CustomResourceDefinition" {
				continue // of controllers, of the engine's own, and as the author has them
			}
			derived[each.Kind] = append(derived[each.Kind], each.Name)
			Expect(each.Name).To(MatchRegexp(`-[0-9a-z]{8,13}(-service(-cert)?)?$`), each.String())
			Expect(len(each.Name)).To(BeNumerically("<=", 63), each.String())
		}
		Expect(derived).To(And(HaveLen(5), HaveKeyWithValue("ClusterRole", HaveLen(2)), HaveKeyWithValue("ClusterRoleBinding", HaveLen(2)),
			HaveKeyWithValue("Service", HaveLen(1)), HaveKeyWithValue("ValidatingWebhookConfiguration", HaveLen(1)), HaveKeyWithValue("MutatingWebhookConfiguration", HaveLen(1))))
		bindings, err := admin.Kubernetes.RbacV1().ClusterRoleBindings().List(ctx, metav1.ListOptions{LabelSelector: corev1alpha2.LabelOwnerName + "=" + name})
		Expect(err).NotTo(HaveOccurred())
		var bound []string
		for _, each := range bindings.Items {
			Expect(each.RoleRef.Name).To(Equal(each.Name))
			bound = append(bound, each.Subjects[0].Name)
		}
		Expect(bound).To(ConsistOf(accounts), "two accounts that differ behind the cut have a role each")

		undeploy(ctx, name)
		_, err = admin.Platform.CoreV1alpha2().BundleDeployments().Create(ctx, &corev1alpha2.BundleDeployment{
			ObjectMeta: metav1.ObjectMeta{Name: name + "n"},
			Spec:       corev1alpha2.BundleDeploymentSpec{InstallNamespace: "a", ProvisionerClassName: "a", Source: fromImage("a")},
		}, metav1.CreateOptions{})
		Expect(err).To(MatchError(ContainSubstring("at most 63 characters")))
	})

	It("ENG-A4 works for a PlatformOperator at its limit, of a package at its limit, in the namespace that is derived from that", func(ctx context.Context) {
		name := long("platform-operator-", 63)
		operator := samples.Operator{Package: long("platform-package-", 56), Version: "1.0.0-" + strings.Repeat("prerelease.", 6) + "1", CatalogSaysNothing: true}
		Expect(samples.Write(env.SamplesDir, operator)).To(Succeed())
		Expect(os.Remove(filepath.Join(env.SamplesDir, "bundles", operator.Package, operator.Version, "manifests", operator.Package+"-metrics.service.yaml"))).To(Succeed())
		Expect(env.Publish(ctx)).To(Succeed())
		_, err := admin.Platform.PlatformV1alpha1().PlatformOperators().Create(ctx, &platformv1alpha1.PlatformOperator{
			ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: platformv1alpha1.PlatformOperatorSpec{Package: platformv1alpha1.Package{Name: operator.Package, Version: ">=1.0.0-0"}},
		}, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(remove, name)
		Eventually(admin.Installed).WithContext(ctx).WithArguments(name, operator.Version).Should(Succeed())
		live, err := admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(live.Spec.InstallNamespace).To(And(Equal(operator.Package+"-system"), HaveLen(63)))
		Expect(live.Labels).To(And(HaveKeyWithValue(platformv1alpha1.LabelPackage, operator.Package), HaveKeyWithValue(platformv1alpha1.LabelVersion, And(HavePrefix("1.0.0-prerelease."), HaveLen(63)))))
		Expect(deploymentExists(ctx, operator.Package+"-system", operator.Package)).To(Succeed())
	})
})
