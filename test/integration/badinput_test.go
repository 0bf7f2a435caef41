package integration

import (
	"context"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1 "github.com/openshift/api/config/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// installed creates a PlatformOperator of the package's name, waits until it is healthy, and removes it after the spec.
func installed(ctx context.Context, pkg, version string) {
	GinkgoHelper()
	create(ctx, pkg, "")
	Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, version).Should(Succeed())
}

// create creates a PlatformOperator and removes it after the spec, and waits until it is gone.
func create(ctx context.Context, pkg, versions string) {
	GinkgoHelper()
	Expect(admin.Create(ctx, pkg, versions)).To(Succeed())
	DeferCleanup(remove, pkg)
}

func remove(ctx context.Context, name string) {
	GinkgoHelper()
	client := admin.Platform.PlatformV1alpha1().PlatformOperators()
	Expect(ignoreNotFound(client.Delete(ctx, name, metav1.DeleteOptions{}))).To(Succeed())
	Eventually(func(ctx context.Context) error { _, err := admin.Operator(ctx, name); return err }).WithContext(ctx).Should(beNotFound())
}

// refusedWith waits until an operator is not installed for this reason and with a message that has all these words.
func refusedWith(ctx context.Context, name, reason string, words ...string) {
	GinkgoHelper()
	conditionSays(ctx, name, metav1.Condition{Type: platformv1alpha1.ConditionInstalled, Status: metav1.ConditionFalse, Reason: reason}, words...)
}

var _ = Describe("bad input is a condition with a fixed reason and a message that says what to do", Ordered, func() {
	BeforeAll(func(ctx context.Context) { installed(ctx, "neighbour", "1.0.0") })

	DescribeTable("and disturbs nobody",
		func(ctx context.Context, pkg, versions, reason string, words []string) {
			create(ctx, pkg, versions)
			refusedWith(ctx, pkg, reason, words...)
			Consistently(func(ctx context.Context) error {
				_, available := admin.ClusterOperatorHas(ctx, configv1.OperatorAvailable, configv1.ConditionTrue)
				if available != nil {
					return available
				}
				if _, degraded := admin.ClusterOperatorHas(ctx, configv1.OperatorDegraded, configv1.ConditionFalse); degraded != nil {
					return degraded
				}
				return admin.Installed(ctx, "neighbour", "1.0.0")
			}, "2s").WithContext(ctx).Should(Succeed())
		},
		Entry("unknown package", "no-such-operator", "", platformv1alpha1.ReasonSourceFailed, []string{"failed to find candidate", "no-such-operator"}),
		Entry("a version that does not exist", "twin", ">=7.0.0", platformv1alpha1.ReasonSourceFailed, []string{"7.0.0", "1.0.0"}),
		Entry("a range that cannot be read", "twin", "banana", platformv1alpha1.ReasonValidationFailed, []string{"banana", "spec.package.version"}),
		Entry("a bundle that must be told what to watch, as the catalog says", "singleonly", "", platformv1alpha1.ReasonValidationFailed, []string{"watchNamespace"}),
		Entry("a bundle that must be told what to watch, as its own files say", "singleonly-unsaid", "", platformv1alpha1.ReasonValidationFailed, []string{"watchNamespace"}),
		Entry("an image that cannot be pulled", "broken", "", platformv1alpha1.ReasonUnpackFailed, []string{"broken"}),
		Entry("an unreadable maxOpenShiftVersion", "unreadable", "", platformv1alpha1.ReasonValidationFailed, []string{"olm.maxOpenShiftVersion", "garbage"}),
		Entry("a maxOpenShiftVersion below the cluster", "stale", "", platformv1alpha1.ReasonValidationFailed, []string{"4.20", "4.21"}),
		Entry("a minKubeVersion above the cluster", "futuristic", "", platformv1alpha1.ReasonValidationFailed, []string{"9.0.0"}),
	)

	It("catalogs down: what is installed stays as it is, and what is new says which catalog cannot be read", func(ctx context.Context) {
		env.Catalog.Unavailable(true)
		DeferCleanup(func() { env.Catalog.Unavailable(false) })
		create(ctx, "sleeper", "")
		refusedWith(ctx, "sleeper", platformv1alpha1.ReasonSourceFailed, "CatalogSource/openshift-marketplace/local", "ClusterCatalog/local")
		Expect(admin.Installed(ctx, "neighbour", "1.0.0")).To(Succeed())

		By("the catalogs coming back, nothing else being done")
		env.Catalog.Unavailable(false)
		Eventually(admin.Installed).WithContext(ctx).WithArguments("sleeper", "1.0.0").Should(Succeed())
	})

	It("two PlatformOperators for one package: the older has it, the other says so", func(ctx context.Context) {
		installed(ctx, "twin", "1.0.0")
		second := &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: "another-twin"},
			Spec: platformv1alpha1.PlatformOperatorSpec{Package: platformv1alpha1.Package{Name: "twin"}}}
		_, err := admin.Platform.PlatformV1alpha1().PlatformOperators().Create(ctx, second, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(remove, "another-twin")
		refusedWith(ctx, "another-twin", platformv1alpha1.ReasonValidationFailed, `"twin"`)
		Expect(admin.Installed(ctx, "twin", "1.0.0")).To(Succeed())
	})

	It("a BundleDeployment of the name that is somebody else's is left alone", func(ctx context.Context) {
		manifest := deployment("foreign", "{installNamespace: a, provisionerClassName: none-of-ours, source: {type: image, image: {ref: x}}}")
		client := admin.Dynamic.Resource(bundleDeployments)
		_, err := client.Create(ctx, parse(bundleDeployments, "BundleDeployment", manifest), metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func(ctx context.Context) {
			Expect(client.Delete(ctx, "foreign", metav1.DeleteOptions{})).To(Succeed())
		})
		create(ctx, "foreign", "")
		refusedWith(ctx, "foreign", platformv1alpha1.ReasonValidationFailed, fmt.Sprintf("%q", "foreign"))
		remove(ctx, "foreign")
		_, err = client.Get(ctx, "foreign", metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred(), "removing the PlatformOperator must not take a foreign BundleDeployment along")
	})
})
