package specs

import (
	"context"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	configv1 "github.com/openshift/api/config/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"

	"github.com/openshift/platform-operators/cmd/platform-operators-tests-ext/spec"
)

// requests returns specs about PlatformOperators that cannot be installed.
func requests() []spec.Spec {
	return []spec.Spec{
		parallelSpec("a package that no catalog has is reported by the PlatformOperator, and does not degrade the ClusterOperator", unknownPackage),
		parallelSpec("an invalid version range is reported with the field, and its correction takes effect", unreadableRange),
		parallelSpec("of two PlatformOperators for one package, the younger names the older, and replaces it after its deletion", twoForOnePackage),
		parallelSpec("a BundleDeployment without an owner is not changed, and outlives the PlatformOperator with its name", foreignDeployment),
		parallelSpec("a paused PlatformOperator reports it, and continues after the pause", pausedOperator),
		parallelSpec("a catalog selector that matches no catalog is reported with the field", selectsNothing),
		parallelSpec("a CatalogSource outside the trusted namespaces is ignored", untrustedCatalog),
	}
}

func unknownPackage(ctx context.Context, t *spec.T) {
	const name, pkg = "ote-unknown-package", "ote-no-catalog-has-this"
	before, err := t.Config.ConfigV1().ClusterOperators().Get(ctx, clusterOperator, metav1.GetOptions{})
	t.Expect(err).To(succeed())
	create(ctx, t, name, specFor(pkg))
	t.Eventually(operatorCondition(t, name, platformv1alpha1.ConditionInstalled)).WithContext(ctx).
		Should(beCondition(metav1.ConditionFalse, platformv1alpha1.ReasonSourceFailed, pkg))

	t.Step("the ClusterOperator is as it was")
	t.Consistently(func(ctx context.Context) ([]string, error) {
		after, err := t.Config.ConfigV1().ClusterOperators().Get(ctx, clusterOperator, metav1.GetOptions{})
		return statusOf(after, configv1.OperatorAvailable, configv1.OperatorDegraded), err
	}).WithContext(ctx).Should(gomega.Equal(statusOf(before, configv1.OperatorAvailable, configv1.OperatorDegraded)))
	_, err = t.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
	t.Expect(err).To(beNotFound(), "there is nothing to deploy")
}

func unreadableRange(ctx context.Context, t *spec.T) {
	const name = "ote-unreadable-range"
	want := specFor("ote-range-of-nothing")
	want.Package.Version = "banana"
	create(ctx, t, name, want)
	t.Eventually(operatorCondition(t, name, platformv1alpha1.ConditionInstalled)).WithContext(ctx).
		Should(beCondition(metav1.ConditionFalse, platformv1alpha1.ReasonValidationFailed, "banana", "spec.package.version"))

	t.Step("correcting it")
	patchOperator(ctx, t, name, `{"spec":{"package":{"version":">=1.0.0"}}}`)
	t.Eventually(operatorCondition(t, name, platformv1alpha1.ConditionInstalled)).WithContext(ctx).
		Should(beCondition(metav1.ConditionFalse, platformv1alpha1.ReasonSourceFailed, "ote-range-of-nothing"))
}

func twoForOnePackage(ctx context.Context, t *spec.T) {
	const older, younger, pkg = "ote-twin-a", "ote-twin-b", "ote-wanted-twice"
	create(ctx, t, older, specFor(pkg))
	create(ctx, t, younger, specFor(pkg)) // if both have the same creationTimestamp, the first name wins
	t.Eventually(operatorCondition(t, younger, platformv1alpha1.ConditionInstalled)).WithContext(ctx).
		Should(beCondition(metav1.ConditionFalse, platformv1alpha1.ReasonValidationFailed, older, pkg))
	t.Eventually(operatorCondition(t, older, platformv1alpha1.ConditionInstalled)).WithContext(ctx).
		Should(beCondition(metav1.ConditionFalse, platformv1alpha1.ReasonSourceFailed, pkg))

	t.Step("removing the older one")
	t.Remove(ctx, operator(older))
	t.Eventually(operatorCondition(t, younger, platformv1alpha1.ConditionInstalled)).WithContext(ctx).
		Should(beCondition(metav1.ConditionFalse, platformv1alpha1.ReasonSourceFailed, pkg))
}

func foreignDeployment(ctx context.Context, t *spec.T) {
	const name = "ote-foreign"
	deploy(ctx, t, name, "ote-no-class")
	before, err := t.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
	t.Expect(err).To(succeed())
	create(ctx, t, name, specFor("ote-foreign-package"))
	t.Eventually(operatorCondition(t, name, platformv1alpha1.ConditionInstalled)).WithContext(ctx).
		Should(beCondition(metav1.ConditionFalse, platformv1alpha1.ReasonValidationFailed, "BundleDeployment", name))

	t.Step("removing the PlatformOperator")
	t.Remove(ctx, operator(name))
	after, err := t.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
	t.Expect(err).To(succeed())
	t.Expect(after.UID).To(gomega.Equal(before.UID))
	t.Expect(after.DeletionTimestamp).To(gomega.BeNil())
	t.Expect(after.Spec).To(gomega.Equal(before.Spec))
}

func pausedOperator(ctx context.Context, t *spec.T) {
	const name = "ote-paused"
	want := specFor("ote-paused-package")
	want.Paused = true
	create(ctx, t, name, want)
	t.Eventually(operatorCondition(t, name, platformv1alpha1.ConditionProgressing)).WithContext(ctx).
		Should(beCondition(metav1.ConditionFalse, platformv1alpha1.ReasonPaused, "spec.paused"))

	t.Step("going on")
	patchOperator(ctx, t, name, `{"spec":{"paused":false}}`)
	t.Eventually(operatorCondition(t, name, platformv1alpha1.ConditionProgressing)).WithContext(ctx).
		Should(gomega.And(gomega.HavePrefix("False "), gomega.Not(gomega.ContainSubstring(platformv1alpha1.ReasonPaused))))
}

func selectsNothing(ctx context.Context, t *spec.T) {
	const name = "ote-selects-nothing"
	want := specFor("ote-selected-package")
	want.Package.CatalogSelector = &metav1.LabelSelector{MatchLabels: map[string]string{platformv1alpha1.LabelCatalogName: "ote-no-such-catalog"}}
	create(ctx, t, name, want)
	t.Eventually(operatorCondition(t, name, platformv1alpha1.ConditionInstalled)).WithContext(ctx).
		Should(beCondition(metav1.ConditionFalse, platformv1alpha1.ReasonSourceFailed))
	text, err := operatorCondition(t, name, platformv1alpha1.ConditionInstalled)(ctx)
	t.Expect(err).To(succeed())
	skipWithoutCatalogs(t, text)
	t.Expect(text).To(gomega.And(gomega.ContainSubstring("spec.package.catalogSelector"), gomega.ContainSubstring("ote-no-such-catalog")))
}

// skipWithoutCatalogs skips the spec if a condition's text contains the message that the cluster has no trusted catalog.
func skipWithoutCatalogs(t *spec.T, text string) {
	const none = "the cluster has no trusted catalog"
	if matched, err := gomega.ContainSubstring(none).Match(text); err == nil && matched {
		t.Skip("%s, which this spec requires", none)
	}
}

func untrustedCatalog(ctx context.Context, t *spec.T) {
	const name = "ote-untrusted-catalog" // the name of the namespace, the CatalogSource and the PlatformOperator
	sources := t.Dynamic.Resource(schema.GroupVersionResource{Group: "operators.coreos.com", Version: "v1alpha1", Resource: "catalogsources"}).Namespace(name)
	if _, err := sources.List(ctx, metav1.ListOptions{Limit: 1}); apierrors.IsNotFound(err) {
		t.Skip("the cluster has no CatalogSources: capability OperatorLifecycleManager is not enabled")
	}
	// Deleting the Namespace also deletes the CatalogSource.
	t.Create(ctx, spec.Object{Kind: "Namespace", Resource: corev1.SchemeGroupVersion.WithResource("namespaces"), Name: name}, func(ctx context.Context) error {
		_, err := t.Kubernetes.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
		return err
	})
	// Nothing listens on this address. OLM creates no Pod for a CatalogSource with an address.
	_, err := sources.Create(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "operators.coreos.com/v1alpha1", "kind": "CatalogSource", "metadata": map[string]any{"name": name},
		"spec": map[string]any{"sourceType": "grpc", "address": "127.0.0.1:1"},
	}}, metav1.CreateOptions{})
	t.Expect(err).To(succeed())
	want := specFor("ote-untrusted-package")
	want.Package.CatalogSelector = &metav1.LabelSelector{MatchLabels: map[string]string{platformv1alpha1.LabelCatalogNamespace: name}}
	create(ctx, t, name, want)
	installed := operatorCondition(t, name, platformv1alpha1.ConditionInstalled)
	t.Eventually(installed).WithContext(ctx).Should(beCondition(metav1.ConditionFalse, platformv1alpha1.ReasonSourceFailed))
	text, err := installed(ctx)
	t.Expect(err).To(succeed())
	skipWithoutCatalogs(t, text)
	t.Consistently(installed).WithContext(ctx).Should(beCondition(metav1.ConditionFalse, platformv1alpha1.ReasonSourceFailed, "selects none of the catalogs"))
}

func patchOperator(ctx context.Context, t *spec.T, name, patch string) {
	_, err := t.Platform.PlatformV1alpha1().PlatformOperators().Patch(ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	t.Expect(err).To(succeed())
}

// statusOf returns the selected conditions of a ClusterOperator without messages, such as "Available True since …".
func statusOf(operator *configv1.ClusterOperator, conditions ...configv1.ClusterStatusConditionType) []string {
	var texts []string
	for _, conditionType := range conditions {
		for _, condition := range operator.Status.Conditions {
			if condition.Type == conditionType {
				texts = append(texts, string(condition.Type)+" "+string(condition.Status)+" since "+condition.LastTransitionTime.UTC().String())
			}
		}
	}
	return texts
}
