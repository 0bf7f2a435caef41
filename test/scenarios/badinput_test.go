package scenarios

import (
	"context"
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1 "github.com/openshift/api/config/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// install creates a PlatformOperator with the package's name, and waits until the version is installed and healthy.
func (s *Story) install(ctx context.Context, pkg, version string) {
	s.Helper()
	s.create(ctx, pkg, "")
	s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(pkg, version).Should(Succeed())
}

// create creates a PlatformOperator with the package's name. versions is the range of versions that may be installed; "" is any.
func (s *Story) create(ctx context.Context, pkg, versions string) {
	s.Helper()
	s.Expect(s.Admin.Create(ctx, pkg, versions)).To(Succeed())
}

// remove deletes a PlatformOperator if it exists, and waits until it is gone.
func (s *Story) remove(ctx context.Context, name string) {
	s.Helper()
	client := s.Admin.Platform.PlatformV1alpha1().PlatformOperators()
	s.Expect(ignoreNotFound(client.Delete(ctx, name, metav1.DeleteOptions{}))).To(Succeed())
	s.Eventually(func(ctx context.Context) error { _, err := s.Admin.Operator(ctx, name); return err }).WithContext(ctx).Should(beNotFound())
}

// waitForRefusal waits until Installed of a PlatformOperator is False with this reason and a message with all these words.
func (s *Story) waitForRefusal(ctx context.Context, name, reason string, words ...string) {
	s.Helper()
	s.waitForOperatorCondition(ctx, name, metav1.Condition{Type: platformv1alpha1.ConditionInstalled, Status: metav1.ConditionFalse, Reason: reason}, words...)
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		pkg, versions, reason string
		words                 []string
	}{
		"unknown package":               {"no-such-operator", "", platformv1alpha1.ReasonSourceFailed, []string{"failed to find candidate", "no-such-operator"}},
		"a version that does not exist": {"twin", ">=7.0.0", platformv1alpha1.ReasonSourceFailed, []string{"7.0.0", "1.0.0"}},
		"a range that cannot be read":   {"twin", "banana", platformv1alpha1.ReasonValidationFailed, []string{"banana", "spec.package.version"}},
		"a bundle that needs a watch namespace, as the catalog declares":  {"singleonly", "", platformv1alpha1.ReasonValidationFailed, []string{"watchNamespace"}},
		"a bundle that needs a watch namespace, as its own files declare": {"singleonly-unsaid", "", platformv1alpha1.ReasonValidationFailed, []string{"watchNamespace"}},
		"an image that cannot be pulled":                                  {"broken", "", platformv1alpha1.ReasonUnpackFailed, []string{"broken"}},
		"an unreadable maxOpenShiftVersion":                               {"unreadable", "", platformv1alpha1.ReasonValidationFailed, []string{"olm.maxOpenShiftVersion", "garbage"}},
		"a maxOpenShiftVersion below the cluster":                         {"stale", "", platformv1alpha1.ReasonValidationFailed, []string{"4.20", "4.21"}},
		"a minKubeVersion above the cluster":                              {"futuristic", "", platformv1alpha1.ReasonValidationFailed, []string{"9.0.0"}},
	} {
		runStory(t, "other operators are not affected: "+name, defaultOperators, func(ctx context.Context, s *Story) {
			s.install(ctx, "neighbor", "1.0.0")
			s.create(ctx, c.pkg, c.versions)
			s.waitForRefusal(ctx, c.pkg, c.reason, c.words...)
			s.Consistently(func(ctx context.Context) error {
				_, available := s.Admin.ClusterOperatorHas(ctx, configv1.OperatorAvailable, configv1.ConditionTrue)
				if available != nil {
					return available
				}
				if _, degraded := s.Admin.ClusterOperatorHas(ctx, configv1.OperatorDegraded, configv1.ConditionFalse); degraded != nil {
					return degraded
				}
				return s.Admin.Installed(ctx, "neighbor", "1.0.0")
			}).WithContext(ctx).Should(Succeed())
			s.proveReporting(ctx)
		})
	}

	runStory(t, "without catalogs installed operators stay, and new ones name the catalogs that cannot be read", defaultOperators, func(ctx context.Context, s *Story) {
		s.install(ctx, "neighbor", "1.0.0")
		s.Environment.Catalog.Unavailable(true)
		s.create(ctx, "sleeper", "")
		s.waitForRefusal(ctx, "sleeper", platformv1alpha1.ReasonSourceFailed, "CatalogSource/openshift-marketplace/local", "ClusterCatalog/local")
		s.Expect(s.Admin.Installed(ctx, "neighbor", "1.0.0")).To(Succeed())

		s.By("making the catalogs available again")
		s.Environment.Catalog.Unavailable(false)
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments("sleeper", "1.0.0").Should(Succeed())
	})

	runStory(t, "of two PlatformOperators for one package the older has it, and the younger reports that", defaultOperators, func(ctx context.Context, s *Story) {
		s.install(ctx, "twin", "1.0.0")
		second := &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: "another-twin"},
			Spec: platformv1alpha1.PlatformOperatorSpec{Package: platformv1alpha1.Package{Name: "twin"}}}
		_, err := s.Admin.Platform.PlatformV1alpha1().PlatformOperators().Create(ctx, second, metav1.CreateOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.waitForRefusal(ctx, "another-twin", platformv1alpha1.ReasonValidationFailed, `"twin"`)
		s.Expect(s.Admin.Installed(ctx, "twin", "1.0.0")).To(Succeed())
	})

	runStory(t, "a foreign BundleDeployment of the same name is left alone", defaultOperators, func(ctx context.Context, s *Story) {
		manifest := bundleDeploymentManifest("foreign", "{installNamespace: a, provisionerClassName: none-of-ours, source: {type: image, image: {ref: x}}}")
		client := s.Admin.Dynamic.Resource(bundleDeployments)
		_, err := client.Create(ctx, s.parse(bundleDeployments, "BundleDeployment", manifest), metav1.CreateOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.create(ctx, "foreign", "")
		s.waitForRefusal(ctx, "foreign", platformv1alpha1.ReasonValidationFailed, fmt.Sprintf("%q", "foreign"))
		s.remove(ctx, "foreign")
		_, err = client.Get(ctx, "foreign", metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred(), "the removal of the PlatformOperator must not delete a foreign BundleDeployment")
	})
}
