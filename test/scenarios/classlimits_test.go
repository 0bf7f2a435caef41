package scenarios

import (
	"context"
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/samples"
)

// createClass creates a ProvisionerClass for registry+v1 bundles without limits.
func (s *Story) createClass(ctx context.Context, name string) {
	s.Helper()
	_, err := s.Admin.Platform.CoreV1alpha2().ProvisionerClasses().Create(ctx, &corev1alpha2.ProvisionerClass{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1alpha2.ProvisionerClassSpec{Provisioner: corev1alpha2.ProvisionerRegistry},
	}, metav1.CreateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
}

// limitClass merges limits into the spec of a ProvisionerClass. limits is JSON.
func (s *Story) limitClass(ctx context.Context, name, limits string) {
	s.Helper()
	_, err := s.Admin.Platform.CoreV1alpha2().ProvisionerClasses().Patch(ctx, name, types.MergePatchType, []byte(`{"spec":`+limits+`}`), metav1.PatchOptions{})
	s.Expect(err).NotTo(HaveOccurred())
}

// stage creates a Bundle.
func (s *Story) stage(ctx context.Context, name string, spec corev1alpha2.BundleSpec) {
	s.Helper()
	_, err := s.Admin.Platform.CoreV1alpha2().Bundles().Create(ctx, &corev1alpha2.Bundle{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: spec}, metav1.CreateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
}

// bundleCondition returns the condition Unpacked of a Bundle as "STATUS REASON: MESSAGE", or "" if there is none.
func (s *Story) bundleCondition(ctx context.Context, name string) (string, error) {
	live, err := s.Admin.Platform.CoreV1alpha2().Bundles().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	found := meta.FindStatusCondition(live.Status.Conditions, corev1alpha2.ConditionUnpacked)
	if found == nil {
		return "", nil
	}
	return string(found.Status) + " " + found.Reason + ": " + found.Message, nil
}

// unlimited removes all limits from a class.
const unlimited = `{"allowedSources":null,"allowedNamespaces":null,"limits":null,"serviceAccount":null}`

// classLimits are limits that a sample operator exceeds, by name. Each has the condition that reports it, and a part of the message.
var classLimits = map[string]struct {
	limits, condition, want string
	// isFetched means that the size is known only after the image was read.
	isFetched bool
}{
	"sourcetype": {`{"allowedSources":{"types":["bundle"]}}`, corev1alpha2.ConditionUnpacked, `does not allow source type "image": its allowedSources.types has bundle`, false},
	"registry":   {`{"allowedSources":{"image":{"registries":["quay.io","registry.example.com:5000/team"]}}}`, corev1alpha2.ConditionUnpacked, "its allowedSources.image.registries has quay.io, registry.example.com:5000/team", false},
	"account":    {`{"serviceAccount":"Required"}`, corev1alpha2.ConditionUnpacked, "requires a ServiceAccount: its serviceAccount is Required", false},
	"namespace":  {`{"allowedNamespaces":{"matchLabels":{"team":"a"}}}`, corev1alpha2.ConditionUnpacked, `its allowedNamespaces requires labels that match "team=a", and the namespace does not exist`, false},
	"bytes":      {`{"limits":{"bundleBytes":100}}`, corev1alpha2.ConditionUnpacked, "its limits.bundleBytes is 100", true},
	"objects":    {`{"limits":{"objects":1}}`, corev1alpha2.ConditionHasValidBundle, "its limits.objects is 1", true},
}

func TestClassLimits(t *testing.T) {
	t.Parallel()
	// Promise ENG-A9: A bundle whose source, install namespace or size the ProvisionerClass does not allow is refused with the limit, and as far
	// as possible before anything is fetched. What is installed stays, and is repaired.
	runStory(t, "ENG-A9 each limit of a class refuses with its name, before anything is fetched, until the class is changed", defaultOperators, func(ctx context.Context, s *Story) {
		registry := s.startRegistry(false)
		for limit, c := range classLimits {
			name := "limited-" + limit
			s.createClass(ctx, name)
			s.limitClass(ctx, name, c.limits)
			byTag, _ := s.pushBundle(ctx, registry, "bundles/"+name, samples.Operator{Package: name, Version: "1.0.0", ExtraConfigMap: name})
			s.deployWithClass(ctx, name, name, byTag)
			s.waitForCondition(ctx, name, c.condition, "False NotAllowed", fmt.Sprintf("ProvisionerClass %q", name), c.want, "; ")
			s.waitForCondition(ctx, name, corev1alpha2.ConditionInstalled, "False InstallFailed", c.want)
			s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False Blocked", c.want)
			asked := func() int {
				return registry.Requests("bundles/"+name, "manifests") + registry.Requests("bundles/"+name, "blobs")
			}
			before := asked()
			s.Expect(before > 0).To(Equal(c.isFetched))
			if s.rounds == nil { // each round reads the image
				s.Consistently(asked, "2m").Should(Equal(before))
			}
			s.Expect(s.eventsCounted(ctx, name)).To(HaveKeyWithValue("BundleDeployment NotAllowed", 1))
			s.Expect(s.statusOf(ctx, name).Revisions).To(BeEmpty())

			s.limitClass(ctx, name, unlimited)
			s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
			s.undeploy(ctx, name)
		}
	})

	runStory(t, "ENG-A9 what is installed stays and is repaired when its class becomes stricter, and is upgraded only when the class allows it", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "settled"
		registry := s.startRegistry(false)
		first, _ := s.pushBundle(ctx, registry, "bundles/"+name, samples.Operator{Package: name, Version: "1.0.0", ExtraConfigMap: name})
		second, _ := s.pushBundle(ctx, registry, "bundles/"+name, samples.Operator{Package: name, Version: "1.1.0", ExtraConfigMap: name})
		s.createClass(ctx, name)
		s.deployWithClass(ctx, name, name, first)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		repair := func() {
			s.Helper()
			s.Expect(s.Admin.Kubernetes.CoreV1().ConfigMaps(name).Delete(ctx, name, metav1.DeleteOptions{})).To(Succeed())
			s.Eventually(s.configMapExists).WithContext(ctx).WithArguments(name, name).Should(Succeed())
		}

		s.By("setting every limit, which changes nothing of what is installed, also after a restart")
		for _, each := range classLimits {
			s.limitClass(ctx, name, each.limits)
		}
		repair()
		s.KillManager()
		s.StartManager()
		repair()
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		s.waitForCondition(ctx, name, corev1alpha2.ConditionInstalled, "True InstallationSucceeded")

		s.By("asking for another version, which is refused, while the first one is repaired")
		asked := registry.Requests("bundles/"+name, "manifests")
		s.setImage(ctx, name, second)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionUnpacked, "False NotAllowed", "allowedSources.types")
		s.waitForCondition(ctx, name, corev1alpha2.ConditionInstalled, "True UpgradeFailed", "allowedSources.types")
		s.waitForCondition(ctx, name, corev1alpha2.ConditionHealthy, "True Healthy")
		repair()
		s.KillManager()
		s.StartManager()
		repair()
		if s.rounds == nil { // each round reads the image of what is installed
			s.Expect(registry.Requests("bundles/"+name, "manifests")).To(Equal(asked))
		}

		s.limitClass(ctx, name, unlimited)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected", "Revision 2 (version 1.1.0)")
	})

	runStory(t, "ENG-A9 a namespace is read again until it has the labels that the class requires", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "labeled"
		s.createClass(ctx, name)
		s.limitClass(ctx, name, `{"allowedNamespaces":{"matchExpressions":[{"key":"team","operator":"In","values":["a","b"]}]}}`)
		s.deployWithClass(ctx, name, name, s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0"}))
		s.waitForCondition(ctx, name, corev1alpha2.ConditionUnpacked, "False NotAllowed", `"team in (a,b)"`, "create the namespace with these labels")
		s.createNamespace(ctx, name)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionUnpacked, "False NotAllowed", "ask a cluster admin to set these labels on the namespace")
		_, err := s.Admin.Kubernetes.CoreV1().Namespaces().Patch(ctx, name, types.MergePatchType, []byte(`{"metadata":{"labels":{"team":"b"}}}`), metav1.PatchOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
	})
}

func TestClassLimitsOfBundles(t *testing.T) {
	t.Parallel()
	runStory(t, "ENG-A9 a Bundle is limited by its class, before anything is fetched where possible", defaultOperators, func(ctx context.Context, s *Story) {
		registry := s.startRegistry(false)
		for limit, want := range map[string]string{
			"sourcetype": "delete the Bundle and create it again with another spec.source.type", "registry": "does not allow images of repository", "bytes": "its limits.bundleBytes is 100",
		} {
			name := "staged-" + limit
			s.createClass(ctx, name)
			s.limitClass(ctx, name, classLimits[limit].limits)
			byTag, _ := s.pushBundle(ctx, registry, "bundles/"+name, samples.Operator{Package: name, Version: "1.0.0"})
			s.stage(ctx, name, corev1alpha2.BundleSpec{ProvisionerClassName: name, Source: fromImage(byTag)})
			s.Eventually(s.bundleCondition).WithContext(ctx).WithArguments(name).Should(And(HavePrefix("False NotAllowed: "), ContainSubstring(want)))
			asked := registry.Requests("bundles/"+name, "manifests")
			s.Expect(asked > 0).To(Equal(classLimits[limit].isFetched))
			s.limitClass(ctx, name, `{"serviceAccount":"Required","limits":{"objects":1}}`)
			s.limitClass(ctx, name, `{"allowedSources":null,"limits":{"bundleBytes":null}}`)
			s.Eventually(s.bundleCondition).WithContext(ctx).WithArguments(name).Should(HavePrefix("True UnpackSuccessful: "))
		}
	})

	runStory(t, "ENG-A9 the image of a Bundle is limited by the class of the BundleDeployment that names it", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "lent"
		registry := s.startRegistry(false)
		byTag, _ := s.pushBundle(ctx, registry, "bundles/"+name, samples.Operator{Package: name, Version: "1.0.0"})
		s.stage(ctx, name, corev1alpha2.BundleSpec{ProvisionerClassName: corev1alpha2.ProvisionerClassRegistry, Source: fromImage(byTag)})
		s.createClass(ctx, name)
		s.limitClass(ctx, name, `{"allowedSources":{"types":["bundle"],"image":{"registries":["quay.io"]}}}`)
		s.createDeployment(ctx, name, func(spec *corev1alpha2.BundleDeploymentSpec) {
			spec.ProvisionerClassName = name
			spec.Source = corev1alpha2.BundleSource{Type: corev1alpha2.SourceTypeBundle, Bundle: &corev1alpha2.BundleReference{Name: name}}
		})
		s.waitForCondition(ctx, name, corev1alpha2.ConditionUnpacked, "False NotAllowed", registry.Host()+"/bundles/"+name)
		s.limitClass(ctx, name, fmt.Sprintf(`{"allowedSources":{"image":{"registries":[%q]}}}`, registry.Host()+"/bundles"))
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
	})
}

func TestClassLimitsOfPlatformOperators(t *testing.T) {
	t.Parallel()
	runStory(t, "ENG-A9 a PlatformOperator reports what its class does not allow, and keeps the installed version", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "governed"
		elsewhere := `{"allowedSources":{"image":{"registries":["quay.io"]}}}`
		s.Expect(s.Admin.Publish(ctx, samples.Operator{Package: name, Version: "1.0.0"})).To(Succeed())
		s.limitClass(ctx, corev1alpha2.ProvisionerClassRegistry, elsewhere)
		s.create(ctx, name, "")
		s.waitForRefusal(ctx, name, platformv1alpha1.ReasonInstallFailed, `ProvisionerClass "core-rukpak-io-registry" does not allow images of repository`,
			"its allowedSources.image.registries has quay.io; choose another version or another package, or ask a cluster admin to change the class")
		s.waitForProgressing(ctx, name, metav1.ConditionFalse, platformv1alpha1.ReasonBlocked)

		s.limitClass(ctx, corev1alpha2.ProvisionerClassRegistry, unlimited)
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(name, "1.0.0").Should(Succeed())

		s.By("publishing an upgrade, which the class does not allow")
		s.limitClass(ctx, corev1alpha2.ProvisionerClassRegistry, elsewhere)
		s.Expect(s.Admin.Publish(ctx, samples.Operator{Package: name, Version: "1.0.0"}, samples.Operator{Package: name, Version: "1.1.0"})).To(Succeed())
		s.waitForProgressing(ctx, name, metav1.ConditionFalse, platformv1alpha1.ReasonBlocked, "1.1.0", "its allowedSources.image.registries has quay.io")
		s.must(s.OperatorHas(ctx, name, platformv1alpha1.ConditionInstalled, metav1.ConditionTrue, platformv1alpha1.ReasonInstallSuccessful))
		s.limitClass(ctx, corev1alpha2.ProvisionerClassRegistry, unlimited)
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(name, "1.1.0").Should(Succeed())
	})
}

func TestPullSecretsOfScopedDeployments(t *testing.T) {
	t.Parallel()
	runStory(t, "ENG-S2 the pull secret of a BundleDeployment with a ServiceAccount is in its install namespace", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "secluded"
		registry := s.startRegistry(false)
		byTag, _ := s.pushBundle(ctx, registry, "private/"+name, samples.Operator{Package: name, Version: "1.0.0"})
		registry.Require("robot", "secret")
		s.createNamespace(ctx, name)
		s.createDeployer(ctx, name)
		s.createPullSecret(ctx, types.NamespacedName{Namespace: environment.Namespace, Name: "robot"}, registry.Host(), "robot", "secret")
		s.createDeployment(ctx, name, func(spec *corev1alpha2.BundleDeploymentSpec) {
			spec.Source = fromImage(byTag)
			spec.Source.Image.PullSecret, spec.ServiceAccountName = "robot", deployer
		})
		s.waitForUnpacked(ctx, name, "False UnpackFailed", `pull secret "secluded/robot" does not exist`)
		s.createPullSecret(ctx, types.NamespacedName{Namespace: name, Name: "robot"}, registry.Host(), "robot", "secret")
		s.waitForUnpacked(ctx, name, "True UnpackSuccessful")

		s.By("staging the same image as a Bundle, whose pull secret is in the namespace of the manager")
		s.Expect(s.Admin.Kubernetes.CoreV1().Secrets(name).Delete(ctx, "robot", metav1.DeleteOptions{})).To(Succeed())
		bundle := corev1alpha2.BundleSpec{ProvisionerClassName: corev1alpha2.ProvisionerClassRegistry, Source: fromImage(byTag)}
		bundle.Source.Image.PullSecret = "robot"
		s.stage(ctx, name, bundle)
		s.Eventually(s.bundleCondition).WithContext(ctx).WithArguments(name).Should(HavePrefix("True UnpackSuccessful: "))
	})
}
