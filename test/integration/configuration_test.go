package integration

import (
	"context"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
)

// configure merges spec into the PlatformOperatorManager's spec, and undo after the test. Both are JSON, such as {"allowedPackages": null}.
func configure(ctx context.Context, spec, undo string) {
	GinkgoHelper()
	merge := func(ctx context.Context, spec string) {
		GinkgoHelper()
		_, err := admin.Platform.OperatorV1alpha1().PlatformOperatorManagers().Patch(ctx, operatorv1alpha1.PlatformOperatorManagerName,
			types.MergePatchType, []byte(`{"spec":`+spec+`}`), metav1.PatchOptions{})
		Expect(err).NotTo(HaveOccurred())
	}
	merge(ctx, spec)
	DeferCleanup(merge, undo)
}

const (
	theManager = `PlatformOperatorManager "cluster"`
	// seventeenLabels is a JSON object of one label more than a selector may have.
	seventeenLabels = `{"a":"","b":"","c":"","d":"","e":"","f":"","g":"","h":"","i":"","j":"","k":"","l":"","m":"","n":"","o":"","p":"","q":""}`
)

var _ = DescribeTable("the API server validates spec.upgrades of a PlatformOperator",
	func(ctx context.Context, upgrades, refusal string) {
		Expect(dryCreate(ctx, platformOperators, "PlatformOperator", operatorManifest("a", "{package: {name: quay}, upgrades: "+upgrades+"}"))).To(matchRefusal(refusal))
	},
	Entry("without any field", "{}", ""),
	Entry("automatically, with an approved version, which is ignored", `{approval: Automatic, approvedVersion: "1.2.3", edges: Catalog}`, ""),
	Entry("by approval", `{approval: Manual, approvedVersion: "1.2.3-rc.1+build.5", edges: SelfCertified}`, ""),
	Entry("by approval, without an approved version", "{approval: Manual}", ""),
	Entry("by an approval that does not exist", "{approval: Perhaps}", "spec.upgrades.approval: Unsupported value"),
	Entry("to a range", `{approval: Manual, approvedVersion: ">=1.2.3"}`, "upgrades.approvedVersion is one exact version"),
	Entry("to a part of a version", `{approval: Manual, approvedVersion: "1.2"}`, "upgrades.approvedVersion is one exact version"),
	Entry("to a version of two lines", `{approval: Manual, approvedVersion: "1.2.3\n1.2.4"}`, "upgrades.approvedVersion is one exact version"),
	Entry("to an endless version", `{approval: Manual, approvedVersion: "1.2.3-`+strings.Repeat("a", 130)+`"}`, "Too long"),
	Entry("along edges that only the manager's configuration has", "{edges: Both}", "spec.upgrades.edges: Unsupported value"),
)

var _ = DescribeTable("the API server validates the spec of the PlatformOperatorManager",
	func(ctx context.Context, spec, refusal string) {
		_, err := admin.Platform.OperatorV1alpha1().PlatformOperatorManagers().Patch(ctx, operatorv1alpha1.PlatformOperatorManagerName, types.MergePatchType,
			[]byte(`{"spec":`+spec+`}`), metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}, FieldValidation: "Strict"})
		Expect(err).To(matchRefusal(refusal))
	},
	Entry("everything", `{"allowedPackages":["quay","a-*","?[a-f0-9]","[^x]*"],"defaultApproval":"Manual","defaultEdges":"Both",
		"catalogSelector":{"matchLabels":{"a":"b"},"matchExpressions":[{"key":"tier","operator":"In","values":["gold"]},{"key":"x","operator":"DoesNotExist"}]}}`, ""),
	Entry("an empty list of packages, which could mean all or none", `{"allowedPackages":[]}`, "spec.allowedPackages"),
	Entry("one glob twice", `{"allowedPackages":["a","a"]}`, "Duplicate value"),
	Entry("an empty glob", `{"allowedPackages":[""]}`, "spec.allowedPackages[0]"),
	Entry("a glob that is not closed", `{"allowedPackages":["[a-"]}`, "spec.allowedPackages[0]"),
	Entry("a glob that cannot match a package's name", `{"allowedPackages":["Quay"]}`, "spec.allowedPackages[0]"),
	Entry("a selector with 17 labels", `{"catalogSelector":{"matchLabels":`+seventeenLabels+`}}`, "catalogSelector.matchLabels has at most 16 entries"),
	Entry("a selector with an operator that does not exist", `{"catalogSelector":{"matchExpressions":[{"key":"a","operator":"Resembles"}]}}`, "operator must be In, NotIn, Exists or DoesNotExist"),
	Entry("a selector that needs values", `{"catalogSelector":{"matchExpressions":[{"key":"a","operator":"In"}]}}`, "In and NotIn need values"),
	Entry("a selector that has values and needs none", `{"catalogSelector":{"matchExpressions":[{"key":"a","operator":"Exists","values":["b"]}]}}`, "In and NotIn need values"),
	Entry("an approval that does not exist", `{"defaultApproval":"Perhaps"}`, "spec.defaultApproval: Unsupported value"),
	Entry("edges that only a PlatformOperator has", `{"defaultEdges":"SelfCertified"}`, "spec.defaultEdges: Unsupported value"),
)
