package integration

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// createWithSpec creates a PlatformOperator with additional fields in its spec, in the format of patchSpec, and removes it after the spec.
// The manager may see the PlatformOperator without these fields first.
func createWithSpec(ctx context.Context, pkg, spec string) {
	GinkgoHelper()
	create(ctx, pkg, "")
	if spec != "" {
		patchSpec(ctx, pkg, spec)
	}
}

// patchSpec merges fields into a PlatformOperator's spec. spec is a JSON object without its braces.
func patchSpec(ctx context.Context, name, spec string) {
	GinkgoHelper()
	_, err := admin.Platform.PlatformV1alpha1().PlatformOperators().Patch(ctx, name, types.MergePatchType, []byte(`{"spec":{`+spec+`}}`), metav1.PatchOptions{})
	Expect(err).NotTo(HaveOccurred())
}

// expectCondition waits until a PlatformOperator has, for its present spec, a condition of this type, status and reason. The message must
// contain all these words.
func expectCondition(ctx context.Context, name string, is metav1.Condition, words ...string) {
	GinkgoHelper()
	matchers := []OmegaMatcher{}
	for _, word := range words {
		matchers = append(matchers, ContainSubstring(word))
	}
	Eventually(func(ctx context.Context) (string, error) {
		if err := admin.OperatorHas(ctx, name, is.Type, is.Status, is.Reason); err != nil {
			return "", err
		}
		operator, err := admin.Operator(ctx, name)
		if err != nil {
			return "", err
		}
		return meta.FindStatusCondition(operator.Status.Conditions, is.Type).Message, nil
	}).WithContext(ctx).Should(And(matchers...))
}

// expectProgressing does the same as expectCondition for the Progressing condition.
func expectProgressing(ctx context.Context, name string, status metav1.ConditionStatus, reason string, words ...string) {
	GinkgoHelper()
	expectCondition(ctx, name, metav1.Condition{Type: platformv1alpha1.ConditionProgressing, Status: status, Reason: reason}, words...)
}

// install creates a PlatformOperator of the package's name, waits until the version is installed, and removes the PlatformOperator after
// the spec.
func install(ctx context.Context, pkg, version string) {
	GinkgoHelper()
	create(ctx, pkg, "")
	Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, version).Should(Succeed())
}

// create creates a PlatformOperator of the package's name for a range of versions, and removes it after the spec. An empty range permits
// all versions.
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

// expectNotInstalled waits until a PlatformOperator has Installed=False with this reason and a message that contains all these words.
func expectNotInstalled(ctx context.Context, name, reason string, words ...string) {
	GinkgoHelper()
	expectCondition(ctx, name, metav1.Condition{Type: platformv1alpha1.ConditionInstalled, Status: metav1.ConditionFalse, Reason: reason}, words...)
}

func beNotFound() OmegaMatcher { return Satisfy(apierrors.IsNotFound) }

func ignoreNotFound(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
