package integration

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/test/localcatalog"
	"github.com/openshift/platform-operators/test/samples"
)

func getNamespace(ctx context.Context, name string) error {
	_, err := admin.Kubernetes.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{})
	return err
}

func deleteDeployment(ctx context.Context, name string) {
	GinkgoHelper()
	Expect(admin.Platform.CoreV1alpha2().BundleDeployments().Delete(ctx, name, metav1.DeleteOptions{})).To(Succeed())
}

// indexOfDelete returns the index of the first delete of an object whose path has this suffix, or -1. If the suffix ends with a slash, the
// object may have any name.
func indexOfDelete(writes []string, end string) int {
	return slices.IndexFunc(writes, func(write string) bool {
		if strings.HasSuffix(end, "/") {
			write = write[:strings.LastIndex(write, "/")+1]
		}
		return strings.HasPrefix(write, "delete /") && strings.HasSuffix(write, end)
	})
}

// expectDeletedInOrder asserts that objects whose paths have these suffixes, as in indexOfDelete, were deleted in this order.
func expectDeletedInOrder(writes []string, ends ...string) {
	GinkgoHelper()
	var order []int
	for _, end := range ends {
		order = append(order, indexOfDelete(writes, end))
	}
	Expect(order).NotTo(ContainElement(-1), "%q in\n%s", ends, strings.Join(writes, "\n"))
	Expect(slices.IsSorted(order)).To(BeTrue(), "%q are at %v of\n%s", ends, order, strings.Join(writes, "\n"))
}

// startRegistry starts a registry that runs until the spec ends.
func startRegistry(withTLS bool) *localcatalog.Registry {
	registry := localcatalog.StartRegistry(withTLS)
	DeferCleanup(registry.Close)
	return registry
}

// expectUnpacked waits until the Unpacked condition of a BundleDeployment contains all these words.
func expectUnpacked(ctx context.Context, name string, words ...string) {
	GinkgoHelper()
	var all []OmegaMatcher
	for _, word := range words {
		all = append(all, ContainSubstring(word))
	}
	Eventually(conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionUnpacked).Should(And(all...))
}

// pushModified pushes a sample operator's bundle after change has modified its manifests, and returns the image reference by digest.
func pushModified(ctx context.Context, registry *localcatalog.Registry, operator samples.Operator, change func(manifests string)) string {
	GinkgoHelper()
	dir := GinkgoT().TempDir()
	Expect(samples.Write(dir, operator)).To(Succeed())
	bundle := filepath.Join(dir, "bundles", operator.Package, operator.Version)
	change(filepath.Join(bundle, "manifests"))
	_, byDigest, err := registry.Push(ctx, "bundles/"+operator.Package, operator.Version, bundle)
	Expect(err).NotTo(HaveOccurred())
	return byDigest
}

// replaceIn replaces texts in a file. pairs are old and new texts in turn. It fails the spec if the file does not contain an old text.
func replaceIn(file string, pairs ...string) {
	GinkgoHelper()
	content, err := os.ReadFile(file)
	Expect(err).NotTo(HaveOccurred())
	for i := 0; i < len(pairs); i += 2 {
		Expect(string(content)).To(ContainSubstring(pairs[i]))
	}
	Expect(os.WriteFile(file, []byte(strings.NewReplacer(pairs...).Replace(string(content))), 0o600)).To(Succeed())
}

// createDeploymentWith creates a BundleDeployment that installs to a namespace of its name, after change has set further fields. It deletes
// the BundleDeployment after the spec.
func createDeploymentWith(ctx context.Context, name string, change func(*corev1alpha2.BundleDeploymentSpec)) {
	GinkgoHelper()
	created := &corev1alpha2.BundleDeployment{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1alpha2.BundleDeploymentSpec{
		InstallNamespace: name, ProvisionerClassName: corev1alpha2.ProvisionerClassRegistry,
	}}
	change(&created.Spec)
	_, err := admin.Platform.CoreV1alpha2().BundleDeployments().Create(ctx, created, metav1.CreateOptions{})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(deleteDeploymentAndWait, name)
}

func fromImage(ref string) corev1alpha2.BundleSource {
	return corev1alpha2.BundleSource{Type: corev1alpha2.SourceTypeImage, Image: &corev1alpha2.ImageSource{Ref: ref}}
}

// patchDeployment merges a patch into a BundleDeployment.
func patchDeployment(ctx context.Context, name, patch string) {
	GinkgoHelper()
	_, err := admin.Platform.CoreV1alpha2().BundleDeployments().Patch(ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	Expect(err).NotTo(HaveOccurred())
}

func setImage(ctx context.Context, name, ref string) {
	GinkgoHelper()
	patchDeployment(ctx, name, fmt.Sprintf(`{"spec":{"source":{"type":"image","image":{"ref":%q}}}}`, ref))
}

// expectDeploymentCondition waits until a condition of a BundleDeployment, as text, contains all these words.
func expectDeploymentCondition(ctx context.Context, name, condition string, words ...string) {
	GinkgoHelper()
	var all []OmegaMatcher
	for _, word := range words {
		all = append(all, ContainSubstring(word))
	}
	Eventually(conditionOf).WithContext(ctx).WithArguments(name, condition).Should(And(all...))
}

// eventsOf returns the Events of a BundleDeployment, each as "type reason: message".
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

func getConfigMap(ctx context.Context, namespace, name string) error {
	_, err := admin.Kubernetes.CoreV1().ConfigMaps(namespace).Get(ctx, name, metav1.GetOptions{})
	return err
}
