package scenarios

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/store"
	"github.com/openshift/platform-operators/test/localcatalog"
	"github.com/openshift/platform-operators/test/samples"
)

// pushChanged writes a sample operator's bundle, calls change with the path of its manifests, and pushes the bundle. It returns the image's
// reference by digest.
func (s *Story) pushChanged(ctx context.Context, registry *localcatalog.Registry, operator samples.Operator, change func(manifests string)) string {
	s.Helper()
	dir := s.T.TempDir()
	s.Expect(samples.Write(dir, operator)).To(Succeed())
	bundle := filepath.Join(dir, "bundles", operator.Package, operator.Version)
	change(filepath.Join(bundle, "manifests"))
	_, byDigest, err := registry.Push(ctx, "bundles/"+operator.Package, operator.Version, bundle)
	s.Expect(err).NotTo(HaveOccurred())
	return byDigest
}

// replaceInFile replaces texts in a file. pairs are old and new texts in turn. It fails the story if the file lacks an old text.
func (s *Story) replaceInFile(file string, pairs ...string) {
	s.Helper()
	content, err := os.ReadFile(file)
	s.Expect(err).NotTo(HaveOccurred())
	for i := 0; i < len(pairs); i += 2 {
		s.Expect(string(content)).To(ContainSubstring(pairs[i]))
	}
	s.Expect(os.WriteFile(file, []byte(strings.NewReplacer(pairs...).Replace(string(content))), 0o600)).To(Succeed())
}

// createDeployment creates a BundleDeployment for the registry class, whose install namespace has its name. change must set the source.
func (s *Story) createDeployment(ctx context.Context, name string, change func(*corev1alpha2.BundleDeploymentSpec)) {
	s.Helper()
	created := &corev1alpha2.BundleDeployment{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1alpha2.BundleDeploymentSpec{
		InstallNamespace: name, ProvisionerClassName: corev1alpha2.ProvisionerClassRegistry,
	}}
	change(&created.Spec)
	_, err := s.Admin.Platform.CoreV1alpha2().BundleDeployments().Create(ctx, created, metav1.CreateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
}

func fromImage(ref string) corev1alpha2.BundleSource {
	return corev1alpha2.BundleSource{Type: corev1alpha2.SourceTypeImage, Image: &corev1alpha2.ImageSource{Ref: ref}}
}

func (s *Story) setImage(ctx context.Context, name, ref string) {
	s.Helper()
	s.patchDeployment(ctx, name, fmt.Sprintf(`{"spec":{"source":{"type":"image","image":{"ref":%q}}}}`, ref))
}

// waitForCondition waits until a condition of a BundleDeployment has this status and reason, such as "False Blocked", and a message with
// all these words.
func (s *Story) waitForCondition(ctx context.Context, name, condition, statusAndReason string, words ...string) {
	s.Helper()
	all := []OmegaMatcher{HavePrefix(statusAndReason + ": ")}
	for _, word := range words {
		all = append(all, ContainSubstring(word))
	}
	s.Eventually(s.conditionOf).WithContext(ctx).WithArguments(name, condition).Should(And(all...))
}

// waitUntilObserved waits until the manager has observed the spec of a BundleDeployment.
func (s *Story) waitUntilObserved(ctx context.Context, name string) {
	s.Helper()
	s.Eventually(func(g Gomega, ctx context.Context) {
		live, err := s.Admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(live.Status.ObservedGeneration).To(Equal(live.Generation))
	}).WithContext(ctx).Should(Succeed())
}

func (s *Story) statusOf(ctx context.Context, name string) corev1alpha2.BundleDeploymentStatus {
	s.Helper()
	live, err := s.Admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	return live.Status
}

// eventsOf returns the Events about a BundleDeployment as "TYPE REASON: MESSAGE".
func (s *Story) eventsOf(ctx context.Context, name string) ([]string, error) {
	found, err := s.Admin.Kubernetes.CoreV1().Events(metav1.NamespaceDefault).List(ctx, metav1.ListOptions{
		FieldSelector: "involvedObject.kind=BundleDeployment,involvedObject.name=" + name,
	})
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, each := range found.Items {
		lines = append(lines, each.Type+" "+each.Reason+": "+each.Message)
	}
	return lines, nil
}

func (s *Story) deploymentExists(ctx context.Context, namespace, name string) error {
	_, err := s.Admin.Kubernetes.AppsV1().Deployments(namespace).Get(ctx, name, metav1.GetOptions{})
	return err
}

func (s *Story) configMapExists(ctx context.Context, namespace, name string) error {
	_, err := s.Admin.Kubernetes.CoreV1().ConfigMaps(namespace).Get(ctx, name, metav1.GetOptions{})
	return err
}

func TestRollout(t *testing.T) {
	t.Parallel()
	runStory(t, "a new revision is applied as declared, whatever drift the old one had", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "reported"
		registry := s.startRegistry(false)
		_, first := s.pushBundle(ctx, registry, "bundles/"+name, samples.Operator{Package: name, Version: "1.0.0"})
		_, second := s.pushBundle(ctx, registry, "bundles/"+name, samples.Operator{Package: name, Version: "1.1.0"})
		s.createDeployment(ctx, name, func(spec *corev1alpha2.BundleDeploymentSpec) {
			spec.Source, spec.Drift = fromImage(first), &corev1alpha2.Drift{Policy: corev1alpha2.DriftReport}
		})
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		s.Expect(s.Admin.Kubernetes.CoreV1().Services(name).Delete(ctx, name+"-metrics", metav1.DeleteOptions{})).To(Succeed())
		s.waitForCondition(ctx, name, corev1alpha2.ConditionDrifted, "True DriftReported")

		s.setImage(ctx, name, second)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected", "version 1.1.0")
		s.waitForCondition(ctx, name, corev1alpha2.ConditionDrifted, "False AsExpected")
		_, err := s.Admin.Kubernetes.CoreV1().Services(name).Get(ctx, name+"-metrics", metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
	})

	// Promise ENG-A6: A BundleDeployment whose ProvisionerClass does not exist reports `Unpacked=Unknown/ProvisionerNotFound` with the
	// name of the class. It installs without further action once the class exists.
	runStory(t, "ENG-A6 a rollout waits for a class that does not exist, and continues when it does", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "classless"
		ref := s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0"})
		s.createDeployment(ctx, name, func(spec *corev1alpha2.BundleDeploymentSpec) {
			spec.ProvisionerClassName, spec.Source = "comes-later", fromImage(ref)
		})
		s.waitForCondition(ctx, name, corev1alpha2.ConditionUnpacked, "Unknown ProvisionerNotFound", `"comes-later"`, corev1alpha2.ProvisionerClassRegistry)
		client := s.Admin.Platform.CoreV1alpha2().ProvisionerClasses()
		_, err := client.Create(ctx, &corev1alpha2.ProvisionerClass{ObjectMeta: metav1.ObjectMeta{Name: "comes-later"},
			Spec: corev1alpha2.ProvisionerClassSpec{Provisioner: corev1alpha2.ProvisionerRegistry}}, metav1.CreateOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
	})

	// Promise ENG-D7: In an upgrade the objects of the old revision stay until the new one is healthy, and then the manager prunes them.
	// CRDs that the new version lacks stay with their custom resources, whatever the deletion policy.
	runStory(t, "ENG-D7 the old revision stays until the new one is healthy and is then pruned, except CRDs and their custom resources", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "pivot"
		registry := s.startRegistry(false)
		csv := name + ".clusterserviceversion.yaml"
		first := s.pushChanged(ctx, registry, samples.Operator{Package: name, Version: "1.0.0", ExtraConfigMap: "pivot-old"}, func(string) {})
		renamed := func(manifests string) {
			s.replaceInFile(filepath.Join(manifests, csv), "deployments:\n      - name: pivot\n", "deployments:\n      - name: pivot-renamed\n")
		}
		unready := s.pushChanged(ctx, registry, samples.Operator{Package: name, Version: "1.1.0", NeverReady: true}, renamed)
		last := s.pushChanged(ctx, registry, samples.Operator{Package: name, Version: "1.2.0"}, func(manifests string) {
			renamed(manifests)
			s.Expect(os.Remove(filepath.Join(manifests, name+".crd.yaml"))).To(Succeed())
			s.replaceInFile(filepath.Join(manifests, csv), "    owned:\n    - name: pivots.samples.platform.openshift.io\n      kind: Pivot\n      version: v1\n", "    owned: []\n")
		})
		s.createDeployment(ctx, name, func(spec *corev1alpha2.BundleDeploymentSpec) { spec.Source = fromImage(first) })
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		resources := s.Admin.Dynamic.Resource(crdResource("pivots")).Namespace("default")
		_, err := resources.Create(ctx, s.parse(crdResource("pivots"), "Pivot", "{metadata: {name: precious}}"), metav1.CreateOptions{})
		s.Expect(err).NotTo(HaveOccurred())

		s.setImage(ctx, name, unready)
		s.Eventually(s.deploymentExists).WithContext(ctx).WithArguments(name, "pivot-renamed").Should(Succeed())
		s.waitForCondition(ctx, name, corev1alpha2.ConditionHealthy, "False Unhealthy", "pivot-renamed")
		s.Expect(s.deploymentExists(ctx, name, "pivot")).To(Succeed(), "the old Deployment stays until the new one is available")
		s.Expect(s.configMapExists(ctx, name, "pivot-old")).To(Succeed())
		s.Expect(s.statusOf(ctx, name).ActiveRevision).To(BeEquivalentTo(1))

		s.setImage(ctx, name, last)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected", "Revision 3 (version 1.2.0)")
		s.Expect(s.deploymentExists(ctx, name, "pivot-renamed")).To(Succeed())
		s.Expect(s.deploymentExists(ctx, name, "pivot")).To(beNotFound())
		s.Expect(s.configMapExists(ctx, name, "pivot-old")).To(beNotFound())
		_, err = resources.Get(ctx, "precious", metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(s.eventsOf(ctx, name)).To(ContainElements(
			ContainSubstring("RollOutStarted: Rolling out revision 2"), ContainSubstring("RevisionActive: Revision 3 (version 1.2.0) replaces revision 1"), ContainSubstring("Pruned")))
		s.Expect(resources.Delete(ctx, "precious", metav1.DeleteOptions{})).To(Succeed())
	})

	// Promise ENG-D9: After five bad specs in a row, some in the middle of a rollout, a good spec converges at once, and no object of the
	// bad ones is left.
	runStory(t, "ENG-D9 a good spec converges at once after five bad ones", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "erratic"
		registry := s.startRegistry(false)
		good := s.pushChanged(ctx, registry, samples.Operator{Package: name, Version: "2.0.0", ExtraConfigMap: "erratic-good"}, func(string) {})
		bad := []string{
			s.pushChanged(ctx, registry, samples.Operator{Package: name, Version: "1.1.0", NeverReady: true, ExtraConfigMap: "erratic-1"}, func(string) {}),
			registry.Host() + "/bundles/erratic:never-pushed",
			s.pushChanged(ctx, registry, samples.Operator{Package: name, Version: "1.3.0"}, func(manifests string) {
				s.replaceInFile(filepath.Join(manifests, name+".clusterserviceversion.yaml"), "kind: ClusterServiceVersion", "kind: Nonsense")
			}),
			s.pushChanged(ctx, registry, samples.Operator{Package: name, Version: "1.4.0"}, func(manifests string) {
				s.Expect(os.WriteFile(filepath.Join(manifests, "odd.yaml"), []byte("{apiVersion: v1, kind: ConfigMap, metadata: {name: a/b}}"), 0o600)).To(Succeed())
			}),
			s.pushChanged(ctx, registry, samples.Operator{Package: name, Version: "1.5.0", NeverReady: true, ExtraConfigMap: "erratic-5"}, func(string) {}),
		}
		s.createDeployment(ctx, name, func(spec *corev1alpha2.BundleDeploymentSpec) { spec.Source = fromImage(bad[0]) })
		s.waitForCondition(ctx, name, corev1alpha2.ConditionHealthy, "False Unhealthy")
		for i, expected := range []struct{ condition, statusAndReason string }{
			{corev1alpha2.ConditionUnpacked, "False UnpackFailed"}, {corev1alpha2.ConditionHasValidBundle, "False BundleLoadFailed"},
			{corev1alpha2.ConditionProgressing, "False Blocked"}, {corev1alpha2.ConditionProgressing, "True RollingOut"},
		} {
			s.setImage(ctx, name, bad[i+1])
			s.waitForCondition(ctx, name, expected.condition, expected.statusAndReason)
		}
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "True RollingOut", "version 1.5.0", "replicas")
		s.setImage(ctx, name, good)
		s.Eventually(s.conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionProgressing).WithTimeout(10*time.Second).Should(
			And(HavePrefix("False AsExpected: "), ContainSubstring("version 2.0.0")), "nothing that went before holds the good one up")
		s.Expect(s.configMapExists(ctx, name, "erratic-good")).To(Succeed())
		for _, left := range []string{"erratic-1", "erratic-5"} {
			s.Expect(s.configMapExists(ctx, name, left)).To(beNotFound(), left)
		}
		for _, each := range s.statusOf(ctx, name).Revisions {
			s.Expect(each.State).To(BeElementOf(corev1alpha2.RevisionActive, corev1alpha2.RevisionFailed))
		}
	})

	runStory(t, "objects of a lost stored revision are pruned", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "losing"
		s.deploy(ctx, name, s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0", ExtraConfigMap: "losing-old"}))
		second := s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.1.0"})
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		s.KillManager()
		s.Expect(s.Admin.Kubernetes.CoreV1().Secrets("openshift-platform-operators").DeleteCollection(ctx, metav1.DeleteOptions{},
			metav1.ListOptions{LabelSelector: store.LabelDeployment + "=" + name})).To(Succeed())
		s.setImage(ctx, name, second)
		s.StartManager()
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected", "version 1.1.0")
		s.Eventually(s.configMapExists).WithContext(ctx).WithArguments(name, "losing-old").Should(beNotFound())
		s.Eventually(func(ctx context.Context) []corev1alpha2.Revision { return s.statusOf(ctx, name).Revisions }).WithContext(ctx).Should(HaveLen(1))
		s.Expect(s.deploymentExists(ctx, name, name)).To(Succeed())
	})

	runStory(t, "a changed configuration creates a new revision without the registry", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "configured"
		registry := s.startRegistry(false)
		s.createDeployment(ctx, name, func(spec *corev1alpha2.BundleDeploymentSpec) {
			spec.Source = fromImage(s.pushChanged(ctx, registry, samples.Operator{Package: name, Version: "1.0.0"}, func(string) {}))
		})
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		registry.Close()
		s.patchDeployment(ctx, name, `{"spec":{"config":{"deploymentConfig":{"nonsense":1}}}}`)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionHasValidBundle, "False BundleLoadFailed", "nonsense", "spec.config")
		s.Expect(s.conditionOf(ctx, name, corev1alpha2.ConditionInstalled)).To(HavePrefix("True"))
		s.patchDeployment(ctx, name, `{"spec":{"config":{"deploymentConfig":{"nonsense":null,"env":[{"name":"COLOUR","value":"red"}]}}}}`)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected", "Revision 2")
		live, err := s.Admin.Kubernetes.AppsV1().Deployments(name).Get(ctx, name, metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(live.Spec.Template.Spec.Containers[0].Env).To(ContainElement(HaveField("Value", "red")))
		first, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&corev1alpha2.BundleDeployment{Status: s.statusOf(ctx, name)})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(first["status"]).To(And(HaveKeyWithValue("contentDigest", HavePrefix("sha256:")), HaveKey("plan")))
	})
}
