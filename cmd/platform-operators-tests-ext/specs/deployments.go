package specs

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"

	"github.com/openshift/platform-operators/cmd/platform-operators-tests-ext/spec"
)

// deployments returns specs about BundleDeployments and Bundles with an unknown class or unavailable content.
func deployments() []spec.Spec {
	return []spec.Spec{
		parallelSpec("a BundleDeployment whose class does not exist reports it, and can be deleted", unknownClass),
		parallelSpec("a BundleDeployment whose image cannot be pulled names the image, creates nothing, and can be deleted", unpullableDeployment),
		parallelSpec("a Bundle whose image cannot be pulled names the image, and can be deleted", unpullableBundle),
	}
}

func unknownClass(ctx context.Context, t *spec.T) {
	const name, class = "ote-unknown-class", "ote-class-of-nobody"
	deploy(ctx, t, name, class)
	t.Eventually(deploymentCondition(t, name, corev1alpha2.ConditionUnpacked)).WithContext(ctx).
		Should(beCondition(metav1.ConditionUnknown, corev1alpha2.ReasonProvisionerNotFound, class))
	t.Remove(ctx, deployment(name))
}

func unpullableDeployment(ctx context.Context, t *spec.T) {
	const name = "ote-unpullable"
	deploy(ctx, t, name, corev1alpha2.ProvisionerClassRegistry)
	t.Eventually(deploymentCondition(t, name, corev1alpha2.ConditionUnpacked)).WithContext(ctx).
		Should(beCondition(metav1.ConditionFalse, corev1alpha2.ReasonUnpackFailed, "127.0.0.1:1"))
	_, err := t.Kubernetes.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{})
	t.Expect(err).To(beNotFound(), "its namespace was created before anything of it is known")
	t.Remove(ctx, deployment(name))
}

func unpullableBundle(ctx context.Context, t *spec.T) {
	const name = "ote-unpullable"
	bundles := t.Platform.CoreV1alpha2().Bundles()
	bundle := spec.Object{Kind: "Bundle", Resource: corev1alpha2.SchemeGroupVersion.WithResource("bundles"), Name: name}
	t.Create(ctx, bundle, func(ctx context.Context) error {
		_, err := bundles.Create(ctx, &corev1alpha2.Bundle{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec:       corev1alpha2.BundleSpec{ProvisionerClassName: corev1alpha2.ProvisionerClassRegistry, Source: unserved()},
		}, metav1.CreateOptions{})
		return err
	})
	t.Eventually(func(ctx context.Context) (string, error) {
		live, err := bundles.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%s: %s", live.Status.Phase, summarize(live.Status.Conditions, corev1alpha2.ConditionUnpacked, live.Generation)), nil
	}).WithContext(ctx).Should(gomega.And(
		gomega.HavePrefix(fmt.Sprintf("%s: False %s: ", corev1alpha2.BundleFailing, corev1alpha2.ReasonUnpackFailed)),
		gomega.ContainSubstring("127.0.0.1:1")))
	t.Remove(ctx, bundle)
}
