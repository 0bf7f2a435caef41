package scenarios

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/test/certificates"
	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/faults"
	"github.com/openshift/platform-operators/test/samples"
)

// longName returns the prefix, extended to a name of length characters.
func longName(prefix string, length int) string {
	return prefix + strings.Repeat("x", length-len(prefix))
}

// withServiceCA runs OpenShift's service-ca until the story ends. service-ca injects CA bundles into webhook configurations.
func (s *Story) withServiceCA(ctx context.Context) {
	s.Helper()
	serviceCA, err := certificates.StartServiceCA(context.WithoutCancel(ctx), s.Environment.Admin, s.Output())
	s.Expect(err).NotTo(HaveOccurred())
	s.Defer(func() { s.Expect(serviceCA.Stop(context.WithoutCancel(ctx))).To(Succeed()) })
}

// publishLongNames publishes a bundle of the operator with webhooks and the two ServiceAccounts, and returns the bundle's image. The names
// of the operator and of the accounts can be at or beyond their limits.
func (s *Story) publishLongNames(ctx context.Context, operator samples.Operator, accounts []string) (ref string) {
	s.Helper()
	return s.pushChanged(ctx, s.startRegistry(false), operator, func(manifests string) {
		s.Expect(os.Remove(filepath.Join(manifests, operator.Package+"-metrics.service.yaml"))).To(Succeed()) // its name, which the author chose, is too long
		s.replaceInFile(filepath.Join(manifests, operator.Package+".clusterserviceversion.yaml"),
			"serviceAccountName: "+operator.Package+"\n", "serviceAccountName: "+accounts[0]+"\n",
			"      permissions:\n", "      permissions:\n      - serviceAccountName: "+accounts[1]+"\n        rules: [{apiGroups: [''], resources: [secrets], verbs: [get]}]\n")
		s.Expect(samples.AddWebhooks(filepath.Join(manifests, "..", "..", "..", ".."), operator)).To(Succeed())
	})
}

// derivedNames returns the names that the manager derived for objects of a BundleDeployment, by kind. known are names that the bundle's
// author chose, which it omits. It asserts that each name has a hash and at most 63 characters.
func (s *Story) derivedNames(ctx context.Context, name string, known []string) map[string][]string {
	s.Helper()
	inspector, err := faults.NewInspector(s.Environment.Admin, environment.Namespace)
	s.Expect(err).NotTo(HaveOccurred())
	everything, err := inspector.OwnedObjects(ctx, name)
	s.Expect(err).NotTo(HaveOccurred())
	derived := map[string][]string{}
	for _, each := range everything {
		if each.Derived || strings.HasPrefix(each.Name, "platform-operators:") || slices.Contains(known, each.Name) || each.Kind == "CustomResourceDefinition" {
			continue // objects of controllers, the engine's own objects, and names that the author chose
		}
		derived[each.Kind] = append(derived[each.Kind], each.Name)
		s.Expect(each.Name).To(MatchRegexp(`-[0-9a-z]{8,13}(-service(-cert)?)?$`), each.String())
		s.Expect(len(each.Name)).To(BeNumerically("<=", 63), each.String())
	}
	return derived
}

func TestNames(t *testing.T) {
	t.Parallel()
	// Promise ENG-A4: A name of 63 characters works for a PlatformOperator, BundleDeployment, Bundle or ProvisionerClass, and the API
	// server refuses 64. Names that the manager derives are shortened to 63 characters and stay distinct.
	runStory(t, "ENG-A4 names at and beyond their limits work, and the names derived from them are valid and distinct", defaultOperators, func(ctx context.Context, s *Story) {
		s.withServiceCA(ctx)
		name, class, bundle := longName("deployment-", 63), longName("class-", 63), longName("bundle-", 63)
		operator := samples.Operator{Package: longName("package-", 56), Version: "1.0.0-" + strings.Repeat("prerelease.", 6) + "1"}
		accounts := []string{longName("account-", 80) + "-a", longName("account-", 80) + "-b"}
		ref := s.publishLongNames(ctx, operator, accounts)
		_, err := s.Admin.Platform.CoreV1alpha2().ProvisionerClasses().Create(ctx, &corev1alpha2.ProvisionerClass{ObjectMeta: metav1.ObjectMeta{Name: class},
			Spec: corev1alpha2.ProvisionerClassSpec{Provisioner: corev1alpha2.ProvisionerRegistry}}, metav1.CreateOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		_, err = s.Admin.Platform.CoreV1alpha2().Bundles().Create(ctx, &corev1alpha2.Bundle{ObjectMeta: metav1.ObjectMeta{Name: bundle},
			Spec: corev1alpha2.BundleSpec{ProvisionerClassName: class, Source: fromImage(ref)}}, metav1.CreateOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.createDeployment(ctx, name, func(spec *corev1alpha2.BundleDeploymentSpec) {
			spec.ProvisionerClassName = class
			spec.Source = corev1alpha2.BundleSource{Type: corev1alpha2.SourceTypeBundle, Bundle: &corev1alpha2.BundleReference{Name: bundle}}
		})
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")

		s.By("checking the derived names")
		derived := s.derivedNames(ctx, name, append(accounts, operator.Package, name))
		s.Expect(derived).To(And(HaveLen(5), HaveKeyWithValue("ClusterRole", HaveLen(2)), HaveKeyWithValue("ClusterRoleBinding", HaveLen(2)),
			HaveKeyWithValue("Service", HaveLen(1)), HaveKeyWithValue("ValidatingWebhookConfiguration", HaveLen(1)), HaveKeyWithValue("MutatingWebhookConfiguration", HaveLen(1))))
		bindings, err := s.Admin.Kubernetes.RbacV1().ClusterRoleBindings().List(ctx, metav1.ListOptions{LabelSelector: corev1alpha2.LabelOwnerName + "=" + name})
		s.Expect(err).NotTo(HaveOccurred())
		var bound []string
		for _, each := range bindings.Items {
			s.Expect(each.RoleRef.Name).To(Equal(each.Name))
			bound = append(bound, each.Subjects[0].Name)
		}
		s.Expect(bound).To(ConsistOf(accounts), "two accounts that differ only beyond the limit have a role each")

		s.undeploy(ctx, name)
		_, err = s.Admin.Platform.CoreV1alpha2().BundleDeployments().Create(ctx, &corev1alpha2.BundleDeployment{
			ObjectMeta: metav1.ObjectMeta{Name: name + "n"},
			Spec:       corev1alpha2.BundleDeploymentSpec{InstallNamespace: "a", ProvisionerClassName: "a", Source: fromImage("a")},
		}, metav1.CreateOptions{})
		s.Expect(err).To(MatchError(ContainSubstring("at most 63 characters")))
	})

	runStory(t, "ENG-A4 a PlatformOperator and a package with names at their limits work in the derived namespace", defaultOperators, func(ctx context.Context, s *Story) {
		name := longName("platform-operator-", 63)
		operator := samples.Operator{Package: longName("platform-package-", 56), Version: "1.0.0-" + strings.Repeat("prerelease.", 6) + "1", CatalogSaysNothing: true}
		s.Expect(samples.Write(s.Environment.SamplesDir, operator)).To(Succeed())
		s.Expect(os.Remove(filepath.Join(s.Environment.SamplesDir, "bundles", operator.Package, operator.Version, "manifests", operator.Package+"-metrics.service.yaml"))).To(Succeed())
		s.Expect(s.Environment.Publish(ctx)).To(Succeed())
		_, err := s.Admin.Platform.PlatformV1alpha1().PlatformOperators().Create(ctx, &platformv1alpha1.PlatformOperator{
			ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: platformv1alpha1.PlatformOperatorSpec{Package: platformv1alpha1.Package{Name: operator.Package, Version: ">=1.0.0-0"}},
		}, metav1.CreateOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(name, operator.Version).Should(Succeed())
		live, err := s.Admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(live.Spec.InstallNamespace).To(And(Equal(operator.Package+"-system"), HaveLen(63)))
		s.Expect(live.Labels).To(And(HaveKeyWithValue(platformv1alpha1.LabelPackage, operator.Package), HaveKeyWithValue(platformv1alpha1.LabelVersion, And(HavePrefix("1.0.0-prerelease."), HaveLen(63)))))
		s.Expect(s.deploymentExists(ctx, operator.Package+"-system", operator.Package)).To(Succeed())
	})
}
