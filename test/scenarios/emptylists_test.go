package scenarios

import (
	"context"
	"encoding/json"
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/test/samples"
)

var platformOperators = platformv1alpha1.SchemeGroupVersion.WithResource("platformoperators")

// storedBefore stores an object that an earlier release permitted. It removes the minima of lists from the CRD named definition, merges
// patch into the object, and applies the shipped CRD again. It returns when the API server refuses new objects with this spec.
func (s *Story) storedBefore(ctx context.Context, definition string, resource schema.GroupVersionResource, name, patch string) {
	s.Helper()
	crd, err := s.Admin.Dynamic.Resource(definitions).Get(ctx, definition, metav1.GetOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	withoutMinima(crd.Object)
	_, err = s.Admin.Dynamic.Resource(definitions).Update(ctx, crd, metav1.UpdateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	s.Eventually(func(ctx context.Context) error { // the API server uses the new schema only after a moment
		_, err := s.Admin.Dynamic.Resource(resource).Patch(ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
		return err
	}).WithContext(ctx).Should(Succeed())
	s.applyAsCVO(ctx)
	s.Eventually(func(ctx context.Context) error {
		other := &unstructured.Unstructured{}
		live, err := s.Admin.Dynamic.Resource(resource).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		other.SetGroupVersionKind(live.GroupVersionKind())
		other.SetName(name + "-of-today")
		other.Object["spec"] = live.Object["spec"]
		_, err = s.Admin.Dynamic.Resource(resource).Create(ctx, other, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err
	}).WithContext(ctx).Should(MatchError(ContainSubstring("should have at least 1 items")), "new empty lists are refused")
}

func withoutMinima(schema any) {
	switch value := schema.(type) {
	case map[string]any:
		delete(value, "minItems")
		for _, below := range value {
			withoutMinima(below)
		}
	case []any:
		for _, below := range value {
			withoutMinima(below)
		}
	}
}

// specOf returns an object's stored spec as JSON.
func (s *Story) specOf(ctx context.Context, resource schema.GroupVersionResource, name string) string {
	s.Helper()
	live, err := s.Admin.Dynamic.Resource(resource).Get(ctx, name, metav1.GetOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	text, err := json.Marshal(live.Object["spec"])
	s.Expect(err).NotTo(HaveOccurred())
	return string(text)
}

func TestEmptyLists(t *testing.T) {
	t.Parallel()
	const definition = "platformoperatormanagers.operator.openshift.io"
	permitsNothing := func(field string) func(ctx context.Context, s *Story) {
		return func(ctx context.Context, s *Story) {
			pkg, fresh := "emptied-"+map[string]string{"allowedPackages": "packages", "catalogNamespaces": "namespaces"}[field], "emptied-fresh"
			publish := func(versions ...string) {
				all := []samples.Operator{{Package: fresh, Version: "1.0.0"}}
				for _, version := range versions {
					all = append(all, samples.Operator{Package: pkg, Version: version})
				}
				s.Expect(s.Admin.Publish(ctx, all...)).To(Succeed())
			}
			publish("1.0.0")
			s.install(ctx, pkg, "1.0.0")
			undo := `{"spec":{"` + field + `":null}}`
			s.storedBefore(ctx, definition, managers, operatorv1alpha1.PlatformOperatorManagerName, `{"spec":{"`+field+`":[]}}`)
			publish("1.0.0", "1.1.0")
			s.create(ctx, fresh, "")
			empty := []string{"spec." + field, "empty list", theManager, "kubectl patch platformoperatormanager cluster --type merge -p '" + undo + "'"}
			s.waitForRefusal(ctx, fresh, platformv1alpha1.ReasonValidationFailed, empty...)
			s.waitForProgressing(ctx, pkg, metav1.ConditionFalse, platformv1alpha1.ReasonBlocked, empty...)
			live, err := s.Admin.Operator(ctx, pkg)
			s.Expect(err).NotTo(HaveOccurred())
			s.Expect(live.Status.Installed.Version).To(Equal("1.0.0"))

			s.By("editing another field")
			s.configure(ctx, `{"logLevel":"Debug"}`)
			s.Expect(s.specOf(ctx, managers, operatorv1alpha1.PlatformOperatorManagerName)).To(ContainSubstring(`"` + field + `":[]`))

			s.By("running the command in the condition")
			_, err = s.Admin.Dynamic.Resource(managers).Patch(ctx, operatorv1alpha1.PlatformOperatorManagerName, types.MergePatchType, []byte(undo), metav1.PatchOptions{})
			s.Expect(err).NotTo(HaveOccurred())
			s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(pkg, "1.1.0").Should(Succeed())
			s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(fresh, "1.0.0").Should(Succeed())
		}
	}
	// Promise HRD-S6: The API server refuses an empty list of what is permitted. A stored empty list permits nothing, the condition gives
	// the command that removes it, and the rest of the object can be edited.
	runStory(t, "HRD-S6 an empty allowedPackages permits nothing, and other fields of the PlatformOperatorManager can be edited", defaultOperators, permitsNothing("allowedPackages"))
	runStory(t, "HRD-S6 an empty catalogNamespaces permits nothing, and other fields of the PlatformOperatorManager can be edited", defaultOperators, permitsNothing("catalogNamespaces"))

	runStory(t, "HRD-S6 empty channels of a PlatformOperator select none, and its other fields can be edited", defaultOperators, func(ctx context.Context, s *Story) {
		const pkg = "channelless"
		s.Expect(s.Admin.Publish(ctx, samples.Operator{Package: pkg, Version: "1.0.0"})).To(Succeed())
		s.StopManager()
		s.create(ctx, pkg, "")
		s.storedBefore(ctx, "platformoperators.platform.openshift.io", platformOperators, pkg, `{"spec":{"package":{"channels":[]}}}`)
		s.StartManager()
		undo := `{"spec":{"package":{"channels":null}}}`
		s.waitForRefusal(ctx, pkg, platformv1alpha1.ReasonValidationFailed, "spec.package.channels", "empty list", "kubectl patch platformoperator "+pkg+" --type merge -p '"+undo+"'")
		live, err := s.Admin.Operator(ctx, pkg)
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(live.Finalizers).To(ContainElement(platformv1alpha1.Finalizer), "the manager has written the object")
		s.Expect(s.specOf(ctx, platformOperators, pkg)).To(ContainSubstring(`"channels":[]`))

		s.By("editing another field")
		_, err = s.Admin.Dynamic.Resource(platformOperators).Patch(ctx, pkg, types.MergePatchType, []byte(`{"spec":{"package":{"version":">=1.0.0"}}}`), metav1.PatchOptions{})
		s.Expect(err).NotTo(HaveOccurred())

		s.By("running the command in the condition")
		_, err = s.Admin.Dynamic.Resource(platformOperators).Patch(ctx, pkg, types.MergePatchType, []byte(undo), metav1.PatchOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(pkg, "1.0.0").Should(Succeed())
	})

	for name, c := range map[string]struct{ patch, field string }{
		"of packages":   {`{"spec":{"allowedPackages":[]}}`, "spec.allowedPackages"},
		"of namespaces": {`{"spec":{"catalogNamespaces":[]}}`, "spec.catalogNamespaces"},
	} {
		runStory(t, "HRD-S6 the API server refuses an empty list: "+name, defaultOperators, func(ctx context.Context, s *Story) {
			_, err := s.Admin.Dynamic.Resource(managers).Patch(ctx, "cluster", types.MergePatchType, []byte(c.patch), metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
			s.Expect(err).To(MatchError(And(ContainSubstring(c.field), ContainSubstring("should have at least 1 items"))))
		})
	}
}
