package scenarios

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/test/samples"
)

// addFutureField adds field spec.futureField to a CRD, as a newer release of the CRDs does.
func (s *Story) addFutureField(ctx context.Context, definition string) {
	s.Helper()
	crd, err := s.Admin.Dynamic.Resource(definitions).Get(ctx, definition, metav1.GetOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	versions, _, err := unstructured.NestedSlice(crd.Object, "spec", "versions")
	s.Expect(err).NotTo(HaveOccurred())
	for _, version := range versions {
		field := map[string]any{"type": "string"}
		s.Expect(unstructured.SetNestedMap(version.(map[string]any), field, "schema", "openAPIV3Schema", "properties", "spec", "properties", "futureField")).To(Succeed())
	}
	s.Expect(unstructured.SetNestedSlice(crd.Object, versions, "spec", "versions")).To(Succeed())
	_, err = s.Admin.Dynamic.Resource(definitions).Update(ctx, crd, metav1.UpdateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
}

// expectUnchangedSpec creates an object as soon as the API server serves all of its fields, calls waitUntilReady, and deletes the object.
// It checks that the manager adds and removes its finalizer, and does not change the spec. The finalizer of another controller keeps the
// deleted object, so that expectUnchangedSpec can read it.
func (s *Story) expectUnchangedSpec(ctx context.Context, resource schema.GroupVersionResource, object *unstructured.Unstructured, finalizer string, waitUntilReady func()) {
	s.Helper()
	const backup = "example.com/backup"
	object.SetFinalizers([]string{backup})
	name, client := object.GetName(), s.Admin.Dynamic.Resource(resource)
	spec, err := json.Marshal(object.Object["spec"])
	s.Expect(err).NotTo(HaveOccurred())
	s.Eventually(func(ctx context.Context) error {
		_, err := client.Create(ctx, object, metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
		return err
	}).WithContext(ctx).Should(Succeed())
	finalizers := func(ctx context.Context) ([]string, error) {
		live, err := client.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		return live.GetFinalizers(), nil
	}

	waitUntilReady()
	s.Expect(finalizers(ctx)).To(ConsistOf(backup, finalizer))
	s.Expect(s.specOf(ctx, resource, name)).To(MatchJSON(spec), "after the manager has added its finalizer")

	s.Expect(client.Delete(ctx, name, metav1.DeleteOptions{})).To(Succeed())
	s.Eventually(finalizers).WithContext(ctx).Should(ConsistOf(backup))
	s.Expect(s.specOf(ctx, resource, name)).To(MatchJSON(spec), "after the manager has removed its finalizer")
	_, err = client.Patch(ctx, name, types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
	s.Expect(err).NotTo(HaveOccurred())
}

func TestFinalizersDoNotChangeTheSpec(t *testing.T) {
	t.Parallel()
	runStory(t, "a PlatformOperator keeps a field that the manager does not know", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "modern"
		s.Expect(s.Admin.Publish(ctx, samples.Operator{Package: name, Version: "1.0.0"})).To(Succeed())
		s.addFutureField(ctx, "platformoperators.platform.openshift.io")
		object := s.parse(platformOperators, "PlatformOperator", "{metadata: {name: modern}, spec: {package: {name: modern}, futureField: kept}}")
		s.expectUnchangedSpec(ctx, platformOperators, object, platformv1alpha1.Finalizer, func() {
			s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(name, "1.0.0").Should(Succeed())
		})
	})

	runStory(t, "a BundleDeployment keeps an empty field, and a field that the manager does not know", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "unadorned"
		image := s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0"})
		s.addFutureField(ctx, "bundledeployments.core.rukpak.io")
		object := s.parse(bundleDeployments, "BundleDeployment", bundleDeploymentManifest(name, fmt.Sprintf(
			`{installNamespace: %s, provisionerClassName: core-rukpak-io-registry, futureField: kept, source: {type: image, image: {ref: %q, certificateData: ""}}}`, name, image)))
		s.expectUnchangedSpec(ctx, bundleDeployments, object, corev1alpha2.Finalizer, func() {
			s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		})
	})
}
