package integration

import (
	"context"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// The variables are the resources of the project's kinds. The specs in this file check the rules of the CRDs with dry runs where they can,
// so that the manager installs nothing.
var (
	platformOperators = schema.GroupVersionResource{Group: "platform.openshift.io", Version: "v1alpha1", Resource: "platformoperators"}
	bundleDeployments = schema.GroupVersionResource{Group: "core.rukpak.io", Version: "v1alpha2", Resource: "bundledeployments"}
	bundles           = schema.GroupVersionResource{Group: "core.rukpak.io", Version: "v1alpha2", Resource: "bundles"}
	classes           = schema.GroupVersionResource{Group: "core.rukpak.io", Version: "v1alpha2", Resource: "provisionerclasses"}
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

func operatorManifest(name, spec string) string {
	return "{metadata: {name: " + name + "}, spec: " + spec + "}"
}

var _ = DescribeTable("the API server validates a new PlatformOperator",
	func(ctx context.Context, manifest, refusal string) {
		err := dryCreate(ctx, platformOperators, "PlatformOperator", manifest)
		if refusal == "" {
			Expect(err).NotTo(HaveOccurred())
			return
		}
		Expect(err).To(MatchError(ContainSubstring(refusal)))
	},
	Entry("with nothing but a package", operatorManifest("a", "{package: {name: quay}}"), ""),
	Entry("as the TechPreview API had it", operatorManifest("a", "{package: {name: cert-manager}}"), ""),
	Entry("with everything", operatorManifest("a", `{package: {name: quay, version: ">=1.0.0 <2", channels: [stable, fast], catalogSelector: {matchLabels: {a: b}}}, install: {namespace: quay}, paused: true}`), ""),
	Entry("with every field of the BundleDeployment", operatorManifest("a", `{package: {name: quay}, install: {config: {watchNamespace: "a,b", deploymentConfig: {nodeSelector: {a: b}, tolerations: [{key: k, operator: Exists}],
		resources: {limits: {memory: 1Gi}}, env: [{name: A, value: b}], envFrom: [{secretRef: {name: s}}], volumes: [{name: v, emptyDir: {}}], volumeMounts: [{name: v, mountPath: /v}],
		affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}]}]}}}, annotations: {a: b}}},
		drift: {policy: Report, additions: Remove, ignore: [{target: {kind: Deployment}, jsonPointers: [/spec/replicas]}]}, progressDeadlineSeconds: 600, onFailure: Rollback, adoption: Any}, deletion: {crds: Delete}}`), ""),
	Entry("with a deadline that is too short", operatorManifest("a", "{package: {name: quay}, install: {progressDeadlineSeconds: 1}}"), "spec.install.progressDeadlineSeconds"),
	Entry("with two variables of one name", operatorManifest("a", "{package: {name: quay}, install: {config: {deploymentConfig: {env: [{name: A}, {name: A}]}}}}"), "Duplicate value"),
	Entry("without a package", operatorManifest("a", "{}"), "spec.package: Required value"),
	Entry("without a package name", operatorManifest("a", "{package: {}}"), "spec.package.name: Required value"),
	Entry("with an empty package name", operatorManifest("a", `{package: {name: ""}}`), "spec.package.name"),
	Entry("with a package name that is no label, which the TechPreview API accepted", operatorManifest("a", `{package: {name: "Foo Bar!"}}`), "spec.package.name"),
	Entry("with a package name that is a path out of a folder", operatorManifest("a", `{package: {name: "../../etc"}}`), "spec.package.name"),
	Entry("with a package name of 56 characters", operatorManifest("a", "{package: {name: "+strings.Repeat("p", 56)+"}}"), ""),
	Entry("with a package name of 57 characters", operatorManifest("a", "{package: {name: "+strings.Repeat("p", 57)+"}}"), "spec.package.name: Too long"),
	Entry("[ENG-A4] with a name of 63 characters", operatorManifest(strings.Repeat("n", 63), "{package: {name: quay}}"), ""),
	Entry("[ENG-A4] with a name of 64 characters", operatorManifest(strings.Repeat("n", 64), "{package: {name: quay}}"), "metadata.name must be at most 63 characters"),
	Entry("with an empty version range", operatorManifest("a", `{package: {name: quay, version: ""}}`), "spec.package.version"),
	Entry("with one channel twice", operatorManifest("a", "{package: {name: quay, channels: [stable, stable]}}"), "Duplicate value"),
	Entry("with a namespace that is no label", operatorManifest("a", "{package: {name: quay}, install: {namespace: Quay_1}}"), "spec.install.namespace"),
	Entry("with 17 labels to select catalogs by", operatorManifest("a", "{package: {name: quay, catalogSelector: {matchLabels: {"+manyLabels(17)+"}}}}"), "catalogSelector.matchLabels has at most 16 entries"),
	Entry("with 17 expressions to select catalogs by", operatorManifest("a", "{package: {name: quay, catalogSelector: {matchExpressions: ["+strings.TrimSuffix(strings.Repeat("{key: a, operator: Exists},", 17), ",")+"]}}}"), "catalogSelector.matchExpressions has at most 16 entries"),
)

func manyLabels(count int) string {
	var labels []string
	for i := range count {
		labels = append(labels, strings.Repeat("k", i+1)+": v")
	}
	return strings.Join(labels, ", ")
}

var _ = DescribeTable("the API server validates an edit of a PlatformOperator",
	func(ctx context.Context, before, after, refusal string) {
		client := admin.Dynamic.Resource(platformOperators)
		created, err := client.Create(ctx, parse(platformOperators, "PlatformOperator", "{metadata: {generateName: edited-}, spec: "+before+"}"), metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func(ctx context.Context) {
			Expect(client.Delete(ctx, created.GetName(), metav1.DeleteOptions{})).To(Succeed())
			Eventually(func(ctx context.Context) error {
				_, err := client.Get(ctx, created.GetName(), metav1.GetOptions{})
				return err
			}).WithContext(ctx).Should(beNotFound(), "the manager takes its finalizer off")
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
	Entry("HRD-S1 another namespace while nothing is installed", "{package: {name: nowhere}, install: {namespace: a}}", "{package: {name: nowhere}, install: {namespace: b}}", ""),
	Entry("HRD-S1 a namespace where there was none, while nothing is installed", "{package: {name: nowhere}}", "{package: {name: nowhere}, install: {namespace: b}}", ""),
	Entry("HRD-S1 no namespace where there was one, while nothing is installed", "{package: {name: nowhere}, install: {namespace: a}}", "{package: {name: nowhere}}", ""),
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

var _ = DescribeTable("the API server validates a new BundleDeployment",
	func(ctx context.Context, manifest, refusal string) {
		Expect(dryCreate(ctx, bundleDeployments, "BundleDeployment", manifest)).To(matchRefusal(refusal))
	},
	Entry("from an image", deployment("a", "{installNamespace: a, provisionerClassName: core-rukpak-io-registry, source: {type: image, image: {ref: example.com/a@sha256:00}}}"), ""),
	Entry("from an image as rukpak v1alpha2 had it", deployment("a", `{installNamespace: a, provisionerClassName: core-rukpak-io-registry, source: {type: image, image: {ref: example.com/a:v1, pullSecret: s, insecureSkipTLSVerify: true, certificateData: pem}},
		config: {anything: {goes: [1]}}, preflight: {crdUpgradeSafety: {disabled: true}}}`), ""),
	Entry("with everything", deployment("a", `{installNamespace: a, provisionerClassName: x, source: {type: image, image: {ref: x, pollIntervalMinutes: 5}}, drift: {policy: Ignore, additions: Ignore, ignore: [{jsonPointers: [/a~1b/0]}]},
		progressDeadlineSeconds: 10, onFailure: Hold, adoption: None, deletion: {crds: Orphan}, paused: true}`), ""),
	Entry("from a Bundle", deployment("a", "{installNamespace: a, provisionerClassName: x, source: {type: bundle, bundle: {name: b}}}"), ""),
	Entry("without a check of CRDs, as OLM v1 has it", deployment("a", "{installNamespace: a, provisionerClassName: x, source: {type: bundle, bundle: {name: b}}, preflight: {crdUpgradeSafety: {enforcement: None}}}"), ""),
	Entry("with a waiver for a rule of the check of CRDs", deployment("a", "{installNamespace: a, provisionerClassName: x, source: {type: bundle, bundle: {name: b}}, preflight: {crdUpgradeSafety: {enforcement: Strict, waivers: [{rule: enum, crd: as.example.com, reason: a}]}}}"), ""),
	Entry("with a waiver without a reason", deployment("a", "{installNamespace: a, provisionerClassName: x, source: {type: bundle, bundle: {name: b}}, preflight: {crdUpgradeSafety: {waivers: [{rule: enum, crd: as.example.com}]}}}"), "waivers[0].reason: Required value"),
	Entry("with a check of CRDs that is on and off", deployment("a", "{installNamespace: a, provisionerClassName: x, source: {type: bundle, bundle: {name: b}}, preflight: {crdUpgradeSafety: {enforcement: Strict, disabled: true}}}"), "disabled: true contradicts enforcement Strict"),
	// Promise ENG-A1: The API server refuses a BundleDeployment or a Bundle whose source has two types or none, and the error names the
	// field.
	Entry("[ENG-A1] from two sources", deployment("a", "{installNamespace: a, provisionerClassName: x, source: {type: image, image: {ref: x}, bundle: {name: b}}}"), "spec.source.bundle: Invalid value"),
	Entry("[ENG-A1] from the source that type does not name", deployment("a", "{installNamespace: a, provisionerClassName: x, source: {type: bundle, image: {ref: x}}}"), "source.bundle is required when source.type is bundle"),
	Entry("[ENG-A1] from no source", deployment("a", "{installNamespace: a, provisionerClassName: x, source: {type: image}}"), "spec.source.image: Invalid value"),
	Entry("from no type of source", deployment("a", "{installNamespace: a, provisionerClassName: x, source: {image: {ref: x}}}"), "spec.source.type: Required value"),
	Entry("from a type that does not exist", deployment("a", "{installNamespace: a, provisionerClassName: x, source: {type: floppy, image: {ref: x}}}"), "spec.source.type: Unsupported value"),
	Entry("without a source", deployment("a", "{installNamespace: a, provisionerClassName: x}"), "spec.source: Required value"),
	// Promise ENG-A3: The API server refuses a BundleDeployment without `spec.installNamespace`, and a BundleDeployment or a Bundle whose
	// `spec.provisionerClassName` is not a DNS label.
	Entry("[ENG-A3] without an install namespace", deployment("a", "{provisionerClassName: x, source: {type: image, image: {ref: x}}}"), "spec.installNamespace: Required value"),
	Entry("[ENG-A3] with a class that is no label", deployment("a", "{installNamespace: a, provisionerClassName: core.rukpak.io/x, source: {type: image, image: {ref: x}}}"), "spec.provisionerClassName"),
	Entry("with a policy that does not exist", deployment("a", "{installNamespace: a, provisionerClassName: x, source: {type: image, image: {ref: x}}, drift: {policy: Shout}}"), "spec.drift.policy: Unsupported value"),
	Entry("with a field to ignore that is no pointer", deployment("a", "{installNamespace: a, provisionerClassName: x, source: {type: image, image: {ref: x}}, drift: {ignore: [{jsonPointers: [spec.replicas]}]}}"), "spec.drift.ignore[0].jsonPointers[0]"),
	Entry("with configuration that is no object", deployment("a", "{installNamespace: a, provisionerClassName: x, source: {type: image, image: {ref: x}}, config: text}"), "spec.config: Invalid value"),
	Entry("[ENG-A4] with a name of 63 characters", deployment(strings.Repeat("n", 63), "{installNamespace: a, provisionerClassName: x, source: {type: image, image: {ref: x}}}"), ""),
	Entry("[ENG-A4] with a name of 64 characters", deployment(strings.Repeat("n", 64), "{installNamespace: a, provisionerClassName: x, source: {type: image, image: {ref: x}}}"), "metadata.name must be at most 63 characters"),
)

// There is no git source yet, so that the API server refuses every git source by its type. When git sources are added, the rules for refs
// and directories follow, and this table gets an entry that is accepted.
var _ = DescribeTable("the API server refuses a git source",
	func(ctx context.Context, git string) {
		object := parse(bundleDeployments, "BundleDeployment", deployment("a", "{installNamespace: a, provisionerClassName: x, source: {type: git, git: "+git+"}}"))
		// Strict validation would report only the unknown field.
		_, err := admin.Dynamic.Resource(bundleDeployments).Create(ctx, object, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		Expect(err).To(matchRefusal(`spec.source.type: Unsupported value: "git"`))
	},
	// Promise ENG-A2: The API server refuses a BundleDeployment whose source has the type git, whatever ref and directory the source
	// names.
	Entry("[ENG-A2] with two of branch, tag and commit", "{repository: r, ref: {branch: b, tag: t}}"),
	Entry("[ENG-A2] with none of them", "{repository: r, ref: {}}"),
	Entry("[ENG-A2] with a directory outside of the repository", "{repository: r, ref: {tag: t}, directory: ../x}"),
	Entry("[ENG-A2] with an absolute directory", "{repository: r, ref: {tag: t}, directory: /x}"),
	Entry("a well-formed one too, until there is a git source", "{repository: r, ref: {tag: t}, directory: x}"),
)

var _ = DescribeTable("the API server validates a new Bundle",
	func(ctx context.Context, manifest, refusal string) {
		Expect(dryCreate(ctx, bundles, "Bundle", manifest)).To(matchRefusal(refusal))
	},
	Entry("from an image", deployment("a", "{provisionerClassName: core-rukpak-io-registry, source: {type: image, image: {ref: x}}}"), ""),
	Entry("[ENG-A1] from no source", deployment("a", "{provisionerClassName: x, source: {type: image}}"), "spec.source.image: Invalid value"),
	Entry("[ENG-A1] from two sources", deployment("a", "{provisionerClassName: x, source: {type: image, image: {ref: x}, bundle: {name: b}}}"), "spec.source.bundle: Invalid value"),
	Entry("from another Bundle", deployment("a", "{provisionerClassName: x, source: {type: bundle, bundle: {name: b}}}"), "a Bundle's source cannot be a Bundle"),
	Entry("that is polled", deployment("a", "{provisionerClassName: x, source: {type: image, image: {ref: x, pollIntervalMinutes: 1}}}"), "is not polled"),
	Entry("[ENG-A3] with a class that is no label", deployment("a", "{provisionerClassName: X.y, source: {type: image, image: {ref: x}}}"), "spec.provisionerClassName"),
	Entry("[ENG-A4] with a name of 63 characters", deployment(strings.Repeat("n", 63), "{provisionerClassName: x, source: {type: image, image: {ref: x}}}"), ""),
	Entry("[ENG-A4] with a name of 64 characters", deployment(strings.Repeat("n", 64), "{provisionerClassName: x, source: {type: image, image: {ref: x}}}"), "metadata.name must be at most 63 characters"),
)

var _ = DescribeTable("the API server validates a new ProvisionerClass",
	func(ctx context.Context, manifest, refusal string) {
		Expect(dryCreate(ctx, classes, "ProvisionerClass", manifest)).To(matchRefusal(refusal))
	},
	Entry("of one of the manager's provisioners", deployment("a", "{provisioner: core.rukpak.io/registry, drift: {policy: Report}, deletion: {crds: Delete}}"), ""),
	Entry("without a provisioner", deployment("a", "{}"), "spec.provisioner: Required value"),
	Entry("[ENG-A4] with a name of 63 characters", deployment(strings.Repeat("n", 63), "{provisioner: example.com/x}"), ""),
	Entry("[ENG-A4] with a name of 64 characters", deployment(strings.Repeat("n", 64), "{provisioner: example.com/x}"), "metadata.name must be at most 63 characters"),
)

// editRefused creates an object, sets the field at path to the value in a dry run, and returns the API server's error. It deletes the
// object.
func editRefused(ctx context.Context, resource schema.GroupVersionResource, object *unstructured.Unstructured, value string, path ...string) error {
	GinkgoHelper()
	client := admin.Dynamic.Resource(resource)
	created, err := client.Create(ctx, object, metav1.CreateOptions{})
	Expect(err).NotTo(HaveOccurred())
	defer func() { Expect(client.Delete(ctx, created.GetName(), metav1.DeleteOptions{})).To(Succeed()) }()
	for {
		live, err := client.Get(ctx, created.GetName(), metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(unstructured.SetNestedField(live.Object, value, path...)).To(Succeed())
		_, err = client.Update(ctx, live, metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
		if !apierrors.IsConflict(err) { // the manager writes to the object as well
			return err
		}
	}
}

var _ = Describe("the API server validates an edit", func() {
	// Promise ENG-A5: The API server refuses an edit of a Bundle's spec, and the error says that the spec is immutable.
	It("[ENG-A5] refuses another spec of a Bundle", func(ctx context.Context) {
		bundle := parse(bundles, "Bundle", deployment("fixed", "{provisionerClassName: none-of-ours, source: {type: image, image: {ref: x}}}"))
		Expect(editRefused(ctx, bundles, bundle, "y", "spec", "source", "image", "ref")).To(MatchError(ContainSubstring("bundle.spec is immutable")))
		Expect(editRefused(ctx, bundles, bundle, "another", "spec", "provisionerClassName")).To(MatchError(ContainSubstring("bundle.spec is immutable")))
	})
	It("refuses another provisioner of a ProvisionerClass", func(ctx context.Context) {
		class := parse(classes, "ProvisionerClass", deployment("fixed", "{provisioner: example.com/x}"))
		Expect(editRefused(ctx, classes, class, "example.com/y", "spec", "provisioner")).To(MatchError(ContainSubstring("provisioner is immutable")))
	})
})

var _ = Describe("the API server validates an edit of a BundleDeployment", func() {
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

var _ = DescribeTable("the API server validates a PlatformOperatorManager",
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
	Entry("that is valid and exists already", "{metadata: {name: cluster}, spec: {managementState: Managed}}", "already exists"),
)
