package integration

import (
	"context"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// Every rule of the CRDs is tried with a dry run, so that nothing is installed and nothing is left behind.
var (
	platformOperators = schema.GroupVersionResource{Group: "platform.openshift.io", Version: "v1alpha1", Resource: "platformoperators"}
	bundleDeployments = schema.GroupVersionResource{Group: "core.rukpak.io", Version: "v1alpha2", Resource: "bundledeployments"}
	managers          = schema.GroupVersionResource{Group: "operator.openshift.io", Version: "v1alpha1", Resource: "platformoperatormanagers"}
)

func dryCreate(ctx context.Context, resource schema.GroupVersionResource, kind, manifest string) error {
	object := parse(resource, kind, manifest)
	_, err := admin.Dynamic.Resource(resource).Create(ctx, object, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}, FieldValidation: "Strict"})
	return err
}

func parse(resource schema.GroupVersionResource, kind, manifest string) *unstructured.Unstructured {
	GinkgoHelper()
	object := &unstructured.Unstructured{}
	Expect(yaml.Unmarshal([]byte(manifest), &object.Object)).To(Succeed())
	object.SetAPIVersion(resource.GroupVersion().String())
	object.SetKind(kind)
	return object
}

func plop(name, spec string) string { return "{metadata: {name: " + name + "}, spec: " + spec + "}" }

var _ = DescribeTable("the API server judges a new PlatformOperator",
	func(ctx context.Context, manifest, refusal string) {
		err := dryCreate(ctx, platformOperators, "PlatformOperator", manifest)
		if refusal == "" {
			Expect(err).NotTo(HaveOccurred())
			return
		}
		Expect(err).To(MatchError(ContainSubstring(refusal)))
	},
	Entry("with nothing but a package", plop("a", "{package: {name: quay}}"), ""),
	Entry("as the TechPreview API had it", plop("a", "{package: {name: cert-manager}}"), ""),
	Entry("with everything", plop("a", `{package: {name: quay, version: ">=1.0.0 <2", channels: [stable, fast], catalogSelector: {matchLabels: {a: b}}}, install: {namespace: quay}, paused: true}`), ""),
	Entry("without a package", plop("a", "{}"), "spec.package: Required value"),
	Entry("without a package name", plop("a", "{package: {}}"), "spec.package.name: Required value"),
	Entry("with an empty package name", plop("a", `{package: {name: ""}}`), "spec.package.name"),
	Entry("with a package name that is only in part a label, which the predecessor let through", plop("a", `{package: {name: "Foo Bar!"}}`), "spec.package.name"),
	Entry("with a package name that climbs out of a folder", plop("a", `{package: {name: "../../etc"}}`), "spec.package.name"),
	Entry("with a package name of 56 characters", plop("a", "{package: {name: "+strings.Repeat("p", 56)+"}}"), ""),
	Entry("with a package name of 57 characters", plop("a", "{package: {name: "+strings.Repeat("p", 57)+"}}"), "spec.package.name: Too long"),
	Entry("with a name of 63 characters", plop(strings.Repeat("n", 63), "{package: {name: quay}}"), ""),
	Entry("with a name of 64 characters", plop(strings.Repeat("n", 64), "{package: {name: quay}}"), "metadata.name must be at most 63 characters"),
	Entry("with an empty version range", plop("a", `{package: {name: quay, version: ""}}`), "spec.package.version"),
	Entry("with one channel twice", plop("a", "{package: {name: quay, channels: [stable, stable]}}"), "Duplicate value"),
	Entry("with a namespace that is no label", plop("a", "{package: {name: quay}, install: {namespace: Quay_1}}"), "spec.install.namespace"),
	Entry("with 17 labels to select catalogs by", plop("a", "{package: {name: quay, catalogSelector: {matchLabels: {"+manyLabels(17)+"}}}}"), "catalogSelector.matchLabels has at most 16 entries"),
	Entry("with 17 expressions to select catalogs by", plop("a", "{package: {name: quay, catalogSelector: {matchExpressions: ["+strings.TrimSuffix(strings.Repeat("{key: a, operator: Exists},", 17), ",")+"]}}}"), "catalogSelector.matchExpressions has at most 16 entries"),
)

func manyLabels(count int) string {
	var labels []string
	for i := range count {
		labels = append(labels, strings.Repeat("k", i+1)+": v")
	}
	return strings.Join(labels, ", ")
}

var _ = DescribeTable("the API server judges an edit of a PlatformOperator",
	func(ctx context.Context, before, after, refusal string) {
		client := admin.Dynamic.Resource(platformOperators)
		created, err := client.Create(ctx, parse(platformOperators, "PlatformOperator", "{metadata: {generateName: edited-}, spec: "+before+"}"), metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func(ctx context.Context) {
			Expect(client.Delete(ctx, created.GetName(), metav1.DeleteOptions{})).To(Succeed())
		})
		spec := map[string]any{}
		Expect(yaml.Unmarshal([]byte(after), &spec)).To(Succeed())
		Eventually(func(ctx context.Context) error { // the manager writes to the object as well
			live, err := client.Get(ctx, created.GetName(), metav1.GetOptions{})
			if err != nil {
				return err
			}
			live.Object["spec"] = spec
			_, err = client.Update(ctx, live, metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
			return err
		}).WithContext(ctx).Should(matchRefusal(refusal))
	},
	Entry("another version range", "{package: {name: nowhere}}", `{package: {name: nowhere, version: "1.x"}}`, ""),
	Entry("another package", "{package: {name: nowhere}}", "{package: {name: elsewhere}}", "package.name is immutable"),
	Entry("another namespace", "{package: {name: nowhere}, install: {namespace: a}}", "{package: {name: nowhere}, install: {namespace: b}}", "install.namespace is immutable"),
	Entry("a namespace where there was none", "{package: {name: nowhere}}", "{package: {name: nowhere}, install: {namespace: b}}", "install.namespace is immutable"),
	Entry("no namespace where there was one", "{package: {name: nowhere}, install: {namespace: a}}", "{package: {name: nowhere}}", "install.namespace is immutable"),
	Entry("no namespace, with install kept", "{package: {name: nowhere}, install: {namespace: a}}", "{package: {name: nowhere}, install: {}}", "install.namespace is immutable"),
	Entry("an empty install", "{package: {name: nowhere}}", "{package: {name: nowhere}, install: {}}", ""),
)

func matchRefusal(refusal string) OmegaMatcher {
	if refusal == "" {
		return Succeed()
	}
	return MatchError(ContainSubstring(refusal))
}

func deployment(name, spec string) string {
	return "{metadata: {name: " + name + "}, spec: " + spec + "}"
}

var _ = DescribeTable("the API server judges a new BundleDeployment",
	func(ctx context.Context, manifest, refusal string) {
		Expect(dryCreate(ctx, bundleDeployments, "BundleDeployment", manifest)).To(matchRefusal(refusal))
	},
	Entry("from an image", deployment("a", "{installNamespace: a, provisionerClassName: core-rukpak-io-registry, source: {type: image, image: {ref: example.com/a@sha256:00}}}"), ""),
	Entry("from no source", deployment("a", "{installNamespace: a, provisionerClassName: x, source: {type: image}}"), "source.image is required when source.type is image"),
	Entry("from no type of source", deployment("a", "{installNamespace: a, provisionerClassName: x, source: {image: {ref: x}}}"), "spec.source.type: Required value"),
	Entry("from a type that does not exist", deployment("a", "{installNamespace: a, provisionerClassName: x, source: {type: floppy, image: {ref: x}}}"), "spec.source.type: Unsupported value"),
	Entry("without a source", deployment("a", "{installNamespace: a, provisionerClassName: x}"), "spec.source: Required value"),
	Entry("[ENG-A3] without an install namespace", deployment("a", "{provisionerClassName: x, source: {type: image, image: {ref: x}}}"), "spec.installNamespace: Required value"),
	Entry("[ENG-A3] with a class that is no label", deployment("a", "{installNamespace: a, provisionerClassName: core.rukpak.io/x, source: {type: image, image: {ref: x}}}"), "spec.provisionerClassName"),
	Entry("with a name of 63 characters", deployment(strings.Repeat("n", 63), "{installNamespace: a, provisionerClassName: x, source: {type: image, image: {ref: x}}}"), ""),
	Entry("with a name of 64 characters", deployment(strings.Repeat("n", 64), "{installNamespace: a, provisionerClassName: x, source: {type: image, image: {ref: x}}}"), "metadata.name must be at most 63 characters"),
)

var _ = Describe("the API server judges an edit of a BundleDeployment", func() {
	It("refuses another install namespace", func(ctx context.Context) {
		client := admin.Dynamic.Resource(bundleDeployments)
		manifest := deployment("movable", "{installNamespace: a, provisionerClassName: none-of-ours, source: {type: image, image: {ref: x}}}")
		_, err := client.Create(ctx, parse(bundleDeployments, "BundleDeployment", manifest), metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func(ctx context.Context) {
			Expect(client.Delete(ctx, "movable", metav1.DeleteOptions{})).To(Succeed())
		})
		Eventually(func(ctx context.Context) error {
			live, err := client.Get(ctx, "movable", metav1.GetOptions{})
			if err != nil {
				return err
			}
			if err := unstructured.SetNestedField(live.Object, "b", "spec", "installNamespace"); err != nil {
				return err
			}
			_, err = client.Update(ctx, live, metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
			return err
		}).WithContext(ctx).Should(MatchError(ContainSubstring("installNamespace is immutable")))
	})
})

var _ = DescribeTable("the API server judges a PlatformOperatorManager",
	func(ctx context.Context, manifest, refusal string) {
		err := dryCreate(ctx, managers, "PlatformOperatorManager", manifest)
		if refusal == "already exists" {
			Expect(err).To(MatchError(ContainSubstring(refusal)))
			return
		}
		Expect(err).To(matchRefusal(refusal))
	},
	Entry("of another name", "{metadata: {name: second}, spec: {managementState: Managed}}", `metadata.name must be "cluster"`),
	Entry("that is removed", "{metadata: {name: cluster}, spec: {managementState: Removed}}", "managementState must be Managed"),
	Entry("with one catalog namespace twice", "{metadata: {name: cluster}, spec: {managementState: Managed, catalogNamespaces: [a, a]}}", "Duplicate value"),
	Entry("that is right but there", "{metadata: {name: cluster}, spec: {managementState: Managed}}", "already exists"),
)
