package integration

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/store"
	"github.com/openshift/platform-operators/test/localcatalog"
	"github.com/openshift/platform-operators/test/samples"
)

// rewritten pushes the bundle of a sample operator after a change of its files.
func rewritten(ctx context.Context, registry *localcatalog.Registry, operator samples.Operator, change func(manifests string)) string {
	GinkgoHelper()
	dir := GinkgoT().TempDir()
	Expect(samples.Write(dir, operator)).To(Succeed())
	bundle := filepath.Join(dir, "bundles", operator.Package, operator.Version)
	change(filepath.Join(bundle, "manifests"))
	_, byDigest, err := registry.Push(ctx, "bundles/"+operator.Package, operator.Version, bundle)
	Expect(err).NotTo(HaveOccurred())
	return byDigest
}

// replaceIn replaces text in a file, which has to have it.
func replaceIn(file string, pairs ...string) {
	GinkgoHelper()
	content, err := os.ReadFile(file)
	Expect(err).NotTo(HaveOccurred())
	for i := 0; i < len(pairs); i += 2 {
		Expect(string(content)).To(ContainSubstring(pairs[i]))
	}
	Expect(os.WriteFile(file, []byte(strings.NewReplacer(pairs...).Replace(string(content))), 0o600)).To(Succeed())
}

// specified creates a BundleDeployment in its own namespace and removes it after the spec.
func specified(ctx context.Context, name string, change func(*corev1alpha2.BundleDeploymentSpec)) {
	GinkgoHelper()
	created := &corev1alpha2.BundleDeployment{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1alpha2.BundleDeploymentSpec{
		InstallNamespace: name, ProvisionerClassName: corev1alpha2.ProvisionerClassRegistry,
	}}
	change(&created.Spec)
	_, err := admin.Platform.CoreV1alpha2().BundleDeployments().Create(ctx, created, metav1.CreateOptions{})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(undeploy, name)
}

func fromImage(ref string) corev1alpha2.BundleSource {
	return corev1alpha2.BundleSource{Type: corev1alpha2.SourceTypeImage, Image: &corev1alpha2.ImageSource{Ref: ref}}
}

// changed merges a patch into a BundleDeployment.
func changed(ctx context.Context, name, patch string) {
	GinkgoHelper()
	_, err := admin.Platform.CoreV1alpha2().BundleDeployments().Patch(ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	Expect(err).NotTo(HaveOccurred())
}

func movedTo(ctx context.Context, name, ref string) {
	GinkgoHelper()
	changed(ctx, name, fmt.Sprintf(`{"spec":{"source":{"type":"image","image":{"ref":%q}}}}`, ref))
}

// says waits until a condition has all these words.
func says(ctx context.Context, name, condition string, words ...string) {
	GinkgoHelper()
	var all []OmegaMatcher
	for _, word := range words {
		all = append(all, ContainSubstring(word))
	}
	Eventually(conditionOf).WithContext(ctx).WithArguments(name, condition).Should(And(all...))
}

func statusOf(ctx context.Context, name string) corev1alpha2.BundleDeploymentStatus {
	GinkgoHelper()
	live, err := admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
	Expect(err).NotTo(HaveOccurred())
	return live.Status
}

// eventsOf are the reasons and messages of the Events on a BundleDeployment.
func eventsOf(ctx context.Context, name string) ([]string, error) {
	found, err := admin.Kubernetes.CoreV1().Events(metav1.NamespaceDefault).List(ctx, metav1.ListOptions{
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

func deploymentExists(ctx context.Context, namespace, name string) error {
	_, err := admin.Kubernetes.AppsV1().Deployments(namespace).Get(ctx, name, metav1.GetOptions{})
	return err
}

func configMapExists(ctx context.Context, namespace, name string) error {
	_, err := admin.Kubernetes.CoreV1().ConfigMaps(namespace).Get(ctx, name, metav1.GetOptions{})
	return err
}

var _ = Describe("a roll-out", func() {
	It("applies a new revision as it is declared, whatever the drift policy left of the one before", func(ctx context.Context) {
		const name = "reported"
		registry := registryOfItsOwn(false)
		_, first := pushed(ctx, registry, "bundles/"+name, samples.Operator{Package: name, Version: "1.0.0"})
		_, second := pushed(ctx, registry, "bundles/"+name, samples.Operator{Package: name, Version: "1.1.0"})
		specified(ctx, name, func(spec *corev1alpha2.BundleDeploymentSpec) {
			spec.Source, spec.Drift = fromImage(first), &corev1alpha2.Drift{Policy: corev1alpha2.DriftReport}
		})
		says(ctx, name, corev1alpha2.ConditionProgressing, "AsExpected")
		Expect(admin.Kubernetes.CoreV1().Services(name).Delete(ctx, name+"-metrics", metav1.DeleteOptions{})).To(Succeed())
		says(ctx, name, corev1alpha2.ConditionDrifted, "True DriftReported")

		movedTo(ctx, name, second)
		says(ctx, name, corev1alpha2.ConditionProgressing, "AsExpected", "version 1.1.0")
		says(ctx, name, corev1alpha2.ConditionDrifted, "False AsExpected")
		_, err := admin.Kubernetes.CoreV1().Services(name).Get(ctx, name+"-metrics", metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
	})

	It("ENG-A6 waits for a class that does not exist, and proceeds by itself when it does", func(ctx context.Context) {
		const name = "classless"
		ref := published(ctx, samples.Operator{Package: name, Version: "1.0.0"})
		specified(ctx, name, func(spec *corev1alpha2.BundleDeploymentSpec) {
			spec.ProvisionerClassName, spec.Source = "comes-later", fromImage(ref)
		})
		says(ctx, name, corev1alpha2.ConditionUnpacked, "Unknown ProvisionerNotFound", `"comes-later"`, corev1alpha2.ProvisionerClassRegistry)
		client := admin.Platform.CoreV1alpha2().ProvisionerClasses()
		_, err := client.Create(ctx, &corev1alpha2.ProvisionerClass{ObjectMeta: metav1.ObjectMeta{Name: "comes-later"},
			Spec: corev1alpha2.ProvisionerClassSpec{Provisioner: corev1alpha2.ProvisionerRegistry}}, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func(ctx context.Context) {
			Expect(client.Delete(ctx, "comes-later", metav1.DeleteOptions{})).To(Succeed())
		})
		says(ctx, name, corev1alpha2.ConditionProgressing, "AsExpected")
	})

	It("ENG-D7 leaves the old revision until the new one is healthy, then prunes it, and keeps CustomResourceDefinitions and what is stored of them", func(ctx context.Context) {
		const name = "pivot"
		registry := registryOfItsOwn(false)
		csv := name + ".clusterserviceversion.yaml"
		first := rewritten(ctx, registry, samples.Operator{Package: name, Version: "1.0.0", ExtraConfigMap: "pivot-old"}, func(string) {})
		renamed := func(manifests string) {
			replaceIn(filepath.Join(manifests, csv), "deployments:\n      - name: pivot\n", "deployments:\n      - name: pivot-renamed\n")
		}
		unready := rewritten(ctx, registry, samples.Operator{Package: name, Version: "1.1.0", NeverReady: true}, renamed)
		last := rewritten(ctx, registry, samples.Operator{Package: name, Version: "1.2.0"}, func(manifests string) {
			renamed(manifests)
			Expect(os.Remove(filepath.Join(manifests, name+".crd.yaml"))).To(Succeed())
			replaceIn(filepath.Join(manifests, csv), "    owned:\n    - name: pivots.samples.platform.openshift.io\n      kind: Pivot\n      version: v1\n", "    owned: []\n")
		})
		specified(ctx, name, func(spec *corev1alpha2.BundleDeploymentSpec) { spec.Source = fromImage(first) })
		says(ctx, name, corev1alpha2.ConditionProgressing, "AsExpected")
		resources := admin.Dynamic.Resource(crdResource("pivots")).Namespace("default")
		_, err := resources.Create(ctx, parse(crdResource("pivots"), "Pivot", "{metadata: {name: precious}}"), metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())

		movedTo(ctx, name, unready)
		Eventually(deploymentExists).WithContext(ctx).WithArguments(name, "pivot-renamed").Should(Succeed())
		says(ctx, name, corev1alpha2.ConditionHealthy, "Unhealthy", "pivot-renamed")
		Expect(deploymentExists(ctx, name, "pivot")).To(Succeed(), "the old one runs until the new one does")
		Expect(configMapExists(ctx, name, "pivot-old")).To(Succeed())
		Expect(statusOf(ctx, name).ActiveRevision).To(BeEquivalentTo(1))

		movedTo(ctx, name, last)
		says(ctx, name, corev1alpha2.ConditionProgressing, "AsExpected", "Revision 3 (version 1.2.0)")
		Expect(deploymentExists(ctx, name, "pivot-renamed")).To(Succeed())
		Expect(deploymentExists(ctx, name, "pivot")).To(beNotFound())
		Expect(configMapExists(ctx, name, "pivot-old")).To(beNotFound())
		_, err = resources.Get(ctx, "precious", metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(eventsOf(ctx, name)).To(ContainElements(
			ContainSubstring("RollOutStarted: Rolling out revision 2"), ContainSubstring("RevisionActive: Revision 3 (version 1.2.0) replaces revision 1"), ContainSubstring("Pruned")))
		Expect(resources.Delete(ctx, "precious", metav1.DeleteOptions{})).To(Succeed())
	})

	It("ENG-D9 converges at once upon a good spec after five bad ones, whatever was rolling out, with nothing to clean by hand", func(ctx context.Context) {
		const name = "erratic"
		registry := registryOfItsOwn(false)
		good := rewritten(ctx, registry, samples.Operator{Package: name, Version: "2.0.0", ExtraConfigMap: "erratic-good"}, func(string) {})
		bad := []string{
			rewritten(ctx, registry, samples.Operator{Package: name, Version: "1.1.0", NeverReady: true, ExtraConfigMap: "erratic-1"}, func(string) {}),
			registry.Host() + "/bundles/erratic:never-pushed",
			rewritten(ctx, registry, samples.Operator{Package: name, Version: "1.3.0"}, func(manifests string) {
				replaceIn(filepath.Join(manifests, name+".clusterserviceversion.yaml"), "kind: ClusterServiceVersion", "kind: Nonsense")
			}),
			rewritten(ctx, registry, samples.Operator{Package: name, Version: "1.4.0"}, func(manifests string) {
				Expect(os.WriteFile(filepath.Join(manifests, "odd.yaml"), []byte("{apiVersion: v1, kind: ConfigMap, metadata: {name: a/b}}"), 0o600)).To(Succeed())
			}),
			rewritten(ctx, registry, samples.Operator{Package: name, Version: "1.5.0", NeverReady: true, ExtraConfigMap: "erratic-5"}, func(string) {}),
		}
		specified(ctx, name, func(spec *corev1alpha2.BundleDeploymentSpec) { spec.Source = fromImage(bad[0]) })
		says(ctx, name, corev1alpha2.ConditionHealthy, "Unhealthy")
		for i, expected := range []struct{ condition, reason string }{
			{corev1alpha2.ConditionUnpacked, "UnpackFailed"}, {corev1alpha2.ConditionHasValidBundle, "BundleLoadFailed"},
			{corev1alpha2.ConditionProgressing, "Blocked"}, {corev1alpha2.ConditionHealthy, "replicas"},
		} {
			movedTo(ctx, name, bad[i+1])
			says(ctx, name, expected.condition, expected.reason)
		}
		movedTo(ctx, name, good)
		Eventually(conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionProgressing).WithTimeout(10*time.Second).Should(
			And(ContainSubstring("AsExpected"), ContainSubstring("version 2.0.0")), "nothing that went before holds the good one up")
		Expect(configMapExists(ctx, name, "erratic-good")).To(Succeed())
		for _, left := range []string{"erratic-1", "erratic-5"} {
			Expect(configMapExists(ctx, name, left)).To(beNotFound(), left)
		}
		for _, each := range statusOf(ctx, name).Revisions {
			Expect(each.State).To(BeElementOf(corev1alpha2.RevisionActive, corev1alpha2.RevisionFailed))
		}
	})

	It("prunes what only a stored revision had that was lost meanwhile", func(ctx context.Context) {
		const name = "losing"
		deployed(ctx, name, published(ctx, samples.Operator{Package: name, Version: "1.0.0", ExtraConfigMap: "losing-old"}))
		second := published(ctx, samples.Operator{Package: name, Version: "1.1.0"})
		says(ctx, name, corev1alpha2.ConditionProgressing, "AsExpected")
		Expect(env.Manager.Kill()).To(Succeed())
		Expect(admin.Kubernetes.CoreV1().Secrets("openshift-platform-operators").DeleteCollection(ctx, metav1.DeleteOptions{},
			metav1.ListOptions{LabelSelector: store.LabelDeployment + "=" + name})).To(Succeed())
		movedTo(ctx, name, second)
		Expect(env.Manager.Start()).To(Succeed())
		says(ctx, name, corev1alpha2.ConditionProgressing, "AsExpected", "version 1.1.0")
		Eventually(configMapExists).WithContext(ctx).WithArguments(name, "losing-old").Should(beNotFound())
		Eventually(func(ctx context.Context) []corev1alpha2.Revision { return statusOf(ctx, name).Revisions }).WithContext(ctx).Should(HaveLen(1))
		Expect(deploymentExists(ctx, name, name)).To(Succeed())
	})

	It("follows a changed configuration with a new revision, without its registry", func(ctx context.Context) {
		const name = "configured"
		registry := registryOfItsOwn(false)
		specified(ctx, name, func(spec *corev1alpha2.BundleDeploymentSpec) {
			spec.Source = fromImage(rewritten(ctx, registry, samples.Operator{Package: name, Version: "1.0.0"}, func(string) {}))
		})
		says(ctx, name, corev1alpha2.ConditionProgressing, "AsExpected")
		registry.Close()
		changed(ctx, name, `{"spec":{"config":{"deploymentConfig":{"nonsense":1}}}}`)
		says(ctx, name, corev1alpha2.ConditionHasValidBundle, "BundleLoadFailed", "nonsense", "spec.config")
		Expect(conditionOf(ctx, name, corev1alpha2.ConditionInstalled)).To(HavePrefix("True"))
		changed(ctx, name, `{"spec":{"config":{"deploymentConfig":{"nonsense":null,"env":[{"name":"COLOUR","value":"red"}]}}}}`)
		says(ctx, name, corev1alpha2.ConditionProgressing, "AsExpected", "Revision 2")
		live, err := admin.Kubernetes.AppsV1().Deployments(name).Get(ctx, name, metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(live.Spec.Template.Spec.Containers[0].Env).To(ContainElement(HaveField("Value", "red")))
		first, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&corev1alpha2.BundleDeployment{Status: statusOf(ctx, name)})
		Expect(err).NotTo(HaveOccurred())
		Expect(first["status"]).To(And(HaveKeyWithValue("contentDigest", HavePrefix("sha256:")), HaveKey("plan")))
	})
})
