package specs

import (
	"context"
	"fmt"
	"path"
	"slices"

	"github.com/onsi/gomega"
	"github.com/onsi/gomega/types"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"

	"github.com/openshift/platform-operators/cmd/platform-operators-tests-ext/spec"
)

func succeed() types.GomegaMatcher { return gomega.Succeed() }

func beNotFound() types.GomegaMatcher {
	return gomega.WithTransform(apierrors.IsNotFound, gomega.BeTrue())
}

// summarize returns a condition as "False SourceFailed: the message". If the condition is missing or has a different observedGeneration, it
// returns a sentence that says so instead.
func summarize(conditions []metav1.Condition, conditionType string, generation int64) string {
	condition := meta.FindStatusCondition(conditions, conditionType)
	if condition == nil {
		return "no condition " + conditionType + " yet"
	}
	if condition.ObservedGeneration != generation {
		return fmt.Sprintf("condition %s is of generation %d, and the spec of %d", conditionType, condition.ObservedGeneration, generation)
	}
	return fmt.Sprintf("%s %s: %s", condition.Status, condition.Reason, condition.Message)
}

// beCondition matches the summary of a condition with this status and reason, and a message that contains all words.
func beCondition(status metav1.ConditionStatus, reason string, words ...string) types.GomegaMatcher {
	matchers := []types.GomegaMatcher{gomega.HavePrefix(fmt.Sprintf("%s %s: ", status, reason))}
	for _, word := range words {
		matchers = append(matchers, gomega.ContainSubstring(word))
	}
	return gomega.And(matchers...)
}

// operatorCondition returns a function for Eventually that summarizes a condition of a PlatformOperator.
func operatorCondition(t *spec.T, name, conditionType string) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		live, err := t.Platform.PlatformV1alpha1().PlatformOperators().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return "", err
		}
		return summarize(live.Status.Conditions, conditionType, live.Generation), nil
	}
}

// deploymentCondition returns a function for Eventually that summarizes a condition of a BundleDeployment.
func deploymentCondition(t *spec.T, name, conditionType string) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		live, err := t.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return "", err
		}
		return summarize(live.Status.Conditions, conditionType, live.Generation), nil
	}
}

// operator returns the spec.Object of a PlatformOperator.
func operator(name string) spec.Object {
	return spec.Object{Kind: "PlatformOperator", Resource: platformv1alpha1.SchemeGroupVersion.WithResource("platformoperators"), Name: name}
}

// deployment returns the spec.Object of a BundleDeployment.
func deployment(name string) spec.Object {
	return spec.Object{Kind: "BundleDeployment", Resource: corev1alpha2.SchemeGroupVersion.WithResource("bundledeployments"), Name: name}
}

// create creates a PlatformOperator, and registers a cleanup that removes it. It skips the spec if the cluster does not permit the package.
func create(ctx context.Context, t *spec.T, name string, want platformv1alpha1.PlatformOperatorSpec) {
	skipUnlessPermitted(ctx, t, want.Package.Name)
	createAs(ctx, t, operator(name), want)
}

func skipUnlessPermitted(ctx context.Context, t *spec.T, pkg string) {
	manager, err := t.Platform.OperatorV1alpha1().PlatformOperatorManagers().Get(ctx, operatorv1alpha1.PlatformOperatorManagerName, metav1.GetOptions{})
	t.Expect(err).To(succeed())
	allowed := manager.Spec.AllowedPackages
	if allowed != nil && !slices.ContainsFunc(allowed, func(glob string) bool { matched, err := path.Match(glob, pkg); return err == nil && matched }) {
		t.Skip("spec.allowedPackages of PlatformOperatorManager %q does not permit package %q", manager.Name, pkg)
	}
}

// createAs is like create, but takes a spec.Object, so that the caller can set Remains. It does not check whether the cluster permits the
// package.
func createAs(ctx context.Context, t *spec.T, object spec.Object, want platformv1alpha1.PlatformOperatorSpec) {
	t.Create(ctx, object, func(ctx context.Context) error {
		_, err := t.Platform.PlatformV1alpha1().PlatformOperators().Create(ctx,
			&platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: object.Name}, Spec: want}, metav1.CreateOptions{})
		return err
	})
}

// deploy creates a BundleDeployment of unservedImage, and registers a cleanup that removes it.
func deploy(ctx context.Context, t *spec.T, name, class string) {
	t.Create(ctx, deployment(name), func(ctx context.Context) error {
		_, err := t.Platform.CoreV1alpha2().BundleDeployments().Create(ctx, &corev1alpha2.BundleDeployment{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: corev1alpha2.BundleDeploymentSpec{
				InstallNamespace: name, ProvisionerClassName: class, Source: unserved(),
			},
		}, metav1.CreateOptions{})
		return err
	})
}

func unserved() corev1alpha2.BundleSource {
	return corev1alpha2.BundleSource{Type: corev1alpha2.SourceTypeImage, Image: &corev1alpha2.ImageSource{Ref: unservedImage}}
}

// specFor returns a spec that requests any version of a package.
func specFor(pkg string) platformv1alpha1.PlatformOperatorSpec {
	return platformv1alpha1.PlatformOperatorSpec{Package: platformv1alpha1.Package{Name: pkg}}
}
