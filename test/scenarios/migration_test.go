package scenarios

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/test/samples"
)

// shownObjects returns the YAML of the objects that a page shows, by kind. It fails the story if a page shows two of one kind.
func (s *Story) shownObjects(page string) map[string]string {
	s.Helper()
	text, err := os.ReadFile(filepath.Join(s.Environment.Root, "docs", page))
	s.Expect(err).NotTo(HaveOccurred())
	shown := map[string]string{}
	for _, block := range regexp.MustCompile("(?s)```yaml\n(apiVersion: .*?\nkind: (\\w+)\n.*?)```").FindAllStringSubmatch(string(text), -1) {
		s.Expect(shown).NotTo(HaveKey(block[2]))
		shown[block[2]] = block[1]
	}
	return shown
}

// Promise HRD-M7: The manifests that the page about migration shows are of rukpak and of the TechPreview API, and work unchanged.
func TestHRD_M7_ManifestsOfTheMigrationPageWork(t *testing.T) {
	t.Parallel()
	const name = "memo" // as the page says
	resources := map[string]schema.GroupVersionResource{
		corev1alpha2.OwnerKindBundleDeployment: bundleDeployments,
		"PlatformOperator":                     platformv1alpha1.SchemeGroupVersion.WithResource("platformoperators"),
	}
	for kind, resource := range resources {
		runStory(t, "HRD-M7 the manifest of a "+kind+" works unchanged", defaultOperators, func(ctx context.Context, s *Story) {
			shown := s.shownObjects("migration.md")
			s.Expect(shown).To(And(HaveLen(len(resources)), HaveKey(kind)))
			ref := s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.2.0"})
			manifest := strings.ReplaceAll(shown[kind], "registry.example.com/memo-bundle:v1.2.0", ref)
			_, err := s.Admin.Dynamic.Resource(resource).Create(ctx, s.parse(resource, kind, manifest), metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
			s.Expect(err).NotTo(HaveOccurred())
			s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected", "Revision 1 (version 1.2.0) is active")
		})
	}
}
