package integration

import (
	"context"
	"encoding/json"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/test/cvo"
	"github.com/openshift/platform-operators/test/samples"
)

// storedBefore merges a patch into an object as an earlier release let it be stored: while it is written, lists of the CRD's spec have
// no minimum. Afterwards the CRD is as it is shipped.
func storedBefore(ctx context.Context, definition string, resource schema.GroupVersionResource, name, patch string) {
	GinkgoHelper()
	crd, err := admin.Dynamic.Resource(definitions).Get(ctx, definition, metav1.GetOptions{})
	Expect(err).NotTo(HaveOccurred())
	withoutMinima(crd.Object)
	_, err = admin.Dynamic.Resource(definitions).Update(ctx, crd, metav1.UpdateOptions{})
	Expect(err).NotTo(HaveOccurred())
	shipped := func(ctx context.Context) {
		_, err := cvo.Apply(ctx, env.Admin, filepath.Join(env.Root, "manifests"))
		Expect(err).NotTo(HaveOccurred())
	}
	DeferCleanup(shipped)
	Eventually(func(ctx context.Context) error { // the schema that is in force follows in a moment
		_, err := admin.Dynamic.Resource(resource).Patch(ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
		return err
	}).WithContext(ctx).Should(Succeed())
	shipped(ctx)
	Eventually(func(ctx context.Context) error {
		other := &unstructured.Unstructured{}
		live, err := admin.Dynamic.Resource(resource).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		other.SetGroupVersionKind(live.GroupVersionKind())
		other.SetName(name + "-of-today")
		other.Object["spec"] = live.Object["spec"]
		_, err = admin.Dynamic.Resource(resource).Create(ctx, other, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err
	}).WithContext(ctx).Should(MatchError(ContainSubstring("should have at least 1 items")), "nothing new is stored so")
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

// specOf is an object's spec as it is stored.
func specOf(ctx context.Context, resource schema.GroupVersionResource, name string) string {
	GinkgoHelper()
	live, err := admin.Dynamic.Resource(resource).Get(ctx, name, metav1.GetOptions{})
	Expect(err).NotTo(HaveOccurred())
	text, err := json.Marshal(live.Object["spec"])
	Expect(err).NotTo(HaveOccurred())
	return string(text)
}

var _ = Describe("an empty list of what is permitted, from before it was refused,", func() {
	const definition = "platformoperatormanagers.operator.openshift.io"
	empties := func(field string) {
		It("HRD-S6 permits nothing in "+field+" of the PlatformOperatorManager, and the rest of that can be edited", func(ctx context.Context) {
			pkg, fresh := "emptied-"+map[string]string{"allowedPackages": "packages", "catalogNamespaces": "namespaces"}[field], "emptied-fresh"
			publish := func(versions ...string) {
				all := []samples.Operator{{Package: fresh, Version: "1.0.0"}}
				for _, version := range versions {
					all = append(all, samples.Operator{Package: pkg, Version: version})
				}
				Expect(admin.Publish(ctx, all...)).To(Succeed())
			}
			publish("1.0.0")
			installed(ctx, pkg, "1.0.0")
			undo := `{"spec":{"` + field + `":null}}`
			DeferCleanup(func(ctx context.Context) {
				_, err := admin.Dynamic.Resource(managers).Patch(ctx, operatorv1alpha1.PlatformOperatorManagerName, types.MergePatchType, []byte(undo), metav1.PatchOptions{})
				Expect(err).NotTo(HaveOccurred())
			})
			storedBefore(ctx, definition, managers, operatorv1alpha1.PlatformOperatorManagerName, `{"spec":{"`+field+`":[]}}`)
			publish("1.0.0", "1.1.0")
			create(ctx, fresh, "")
			empty := []string{"spec." + field, "empty list", theManager, "kubectl patch platformoperatormanager cluster --type merge -p '" + undo + "'"}
			refusedWith(ctx, fresh, platformv1alpha1.ReasonValidationFailed, empty...)
			progressingSays(ctx, pkg, metav1.ConditionFalse, platformv1alpha1.ReasonBlocked, empty...)
			live, err := admin.Operator(ctx, pkg)
			Expect(err).NotTo(HaveOccurred())
			Expect(live.Status.Installed.Version).To(Equal("1.0.0"))

			By("editing something else")
			configure(ctx, `{"logLevel":"Debug"}`, `{"logLevel":"Normal"}`)
			Expect(specOf(ctx, managers, operatorv1alpha1.PlatformOperatorManagerName)).To(ContainSubstring(`"` + field + `":[]`))

			By("doing what the condition says")
			_, err = admin.Dynamic.Resource(managers).Patch(ctx, operatorv1alpha1.PlatformOperatorManagerName, types.MergePatchType, []byte(undo), metav1.PatchOptions{})
			Expect(err).NotTo(HaveOccurred())
			Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.1.0").Should(Succeed())
			Eventually(admin.Installed).WithContext(ctx).WithArguments(fresh, "1.0.0").Should(Succeed())
		})
	}
	empties("allowedPackages")
	empties("catalogNamespaces")

	It("HRD-S6 selects no channel in a PlatformOperator, whatever the manager writes to it, and the rest of it can be edited", func(ctx context.Context) {
		const pkg = "channelless"
		Expect(admin.Publish(ctx, samples.Operator{Package: pkg, Version: "1.0.0"})).To(Succeed())
		Expect(env.Manager.Stop()).To(Succeed())
		create(ctx, pkg, "")
		storedBefore(ctx, "platformoperators.platform.openshift.io", platformOperators, pkg, `{"spec":{"package":{"channels":[]}}}`)
		Expect(env.Manager.Start()).To(Succeed())
		undo := `{"spec":{"package":{"channels":null}}}`
		refusedWith(ctx, pkg, platformv1alpha1.ReasonValidationFailed, "spec.package.channels", "empty list", "kubectl patch platformoperator "+pkg+" --type merge -p '"+undo+"'")
		live, err := admin.Operator(ctx, pkg)
		Expect(err).NotTo(HaveOccurred())
		Expect(live.Finalizers).To(ContainElement(platformv1alpha1.Finalizer), "the manager has written the object")
		Expect(specOf(ctx, platformOperators, pkg)).To(ContainSubstring(`"channels":[]`))

		By("editing something else")
		_, err = admin.Dynamic.Resource(platformOperators).Patch(ctx, pkg, types.MergePatchType, []byte(`{"spec":{"package":{"version":">=1.0.0"}}}`), metav1.PatchOptions{})
		Expect(err).NotTo(HaveOccurred())

		By("doing what the condition says")
		_, err = admin.Dynamic.Resource(platformOperators).Patch(ctx, pkg, types.MergePatchType, []byte(undo), metav1.PatchOptions{})
		Expect(err).NotTo(HaveOccurred())
		Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.0.0").Should(Succeed())
	})
})

var _ = DescribeTable("HRD-S6 the API server refuses an empty list of what is permitted",
	func(ctx context.Context, resource schema.GroupVersionResource, name, patch, field string) {
		_, err := admin.Dynamic.Resource(resource).Patch(ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
		Expect(err).To(MatchError(And(ContainSubstring(field), ContainSubstring("should have at least 1 items"))))
	},
	Entry("of packages", managers, "cluster", `{"spec":{"allowedPackages":[]}}`, "spec.allowedPackages"),
	Entry("of namespaces", managers, "cluster", `{"spec":{"catalogNamespaces":[]}}`, "spec.catalogNamespaces"),
)
