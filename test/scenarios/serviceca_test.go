package scenarios

import (
	"context"
	"fmt"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/test/certificates"
	"github.com/openshift/platform-operators/test/samples"
)

// startServiceCA starts a substitute of OpenShift's service-ca, which runs until the story ends.
func (s *Story) startServiceCA(ctx context.Context) *certificates.ServiceCA {
	s.Helper()
	serviceCA, err := certificates.StartServiceCA(context.WithoutCancel(ctx), s.ClientConfig(scenario.AdminUser), s.Output())
	s.must(err)
	s.Defer(func() { s.must(serviceCA.Stop(context.Background())) })
	return serviceCA
}

// injectedBundles returns the CA bundles of a BundleDeployment's validating, mutating and conversion webhook. It returns an error unless
// all three exist and have a CA bundle.
func (s *Story) injectedBundles(ctx context.Context, name string) (bundles [][]byte, err error) {
	owned := metav1.ListOptions{LabelSelector: corev1alpha2.LabelOwnerName + "=" + name}
	validating, err := s.Kubernetes.AdmissionregistrationV1().ValidatingWebhookConfigurations().List(ctx, owned)
	if err != nil {
		return nil, err
	}
	for _, each := range validating.Items {
		bundles = append(bundles, each.Webhooks[0].ClientConfig.CABundle)
	}
	mutating, err := s.Kubernetes.AdmissionregistrationV1().MutatingWebhookConfigurations().List(ctx, owned)
	if err != nil {
		return nil, err
	}
	for _, each := range mutating.Items {
		bundles = append(bundles, each.Webhooks[0].ClientConfig.CABundle)
	}
	kinds, err := s.Dynamic.Resource(definitions).List(ctx, owned)
	if err != nil {
		return nil, err
	}
	for _, each := range kinds.Items {
		bundle, _, _ := unstructured.NestedString(each.Object, "spec", "conversion", "webhook", "clientConfig", "caBundle")
		bundles = append(bundles, []byte(bundle))
	}
	if len(bundles) != 3 {
		return nil, fmt.Errorf("there are %d webhooks, not 3", len(bundles))
	}
	for _, each := range bundles {
		if len(each) == 0 {
			return nil, fmt.Errorf("a webhook has no authority")
		}
	}
	return bundles, nil
}

func TestWebhooks(t *testing.T) {
	t.Parallel()
	runStory(t, "[OM-10] a bundle with webhooks waits for service-ca, and a new CA is no drift", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "hooked"
		operator := samples.Operator{Package: name, Version: "1.0.0"}
		s.Expect(samples.Write(s.Environment.SamplesDir, operator)).To(Succeed())
		s.Expect(samples.AddWebhooks(s.Environment.SamplesDir, operator)).To(Succeed())
		s.Expect(s.Environment.Publish(ctx)).To(Succeed())
		ref, found := s.Environment.Catalog.Bundle(name, "1.0.0")
		s.Expect(found).To(BeTrue())
		s.deploy(ctx, name, ref)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionHasValidBundle, "False BundleLoadFailed", "service-ca", "cert-manager")
		_, err := s.Dynamic.Resource(definitions).Get(ctx, operator.Plural()+"."+samples.Group, metav1.GetOptions{})
		s.Expect(err).To(beNotFound(), "nothing of it is applied")

		s.By("starting service-ca")
		serviceCA := s.startServiceCA(ctx)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		var before [][]byte
		s.Eventually(func() (err error) {
			before, err = s.injectedBundles(ctx, name)
			return err
		}).Should(Succeed())

		s.By("rotating its CA")
		s.must(serviceCA.Rotate())
		var renewed [][]byte
		s.Eventually(func(g Gomega) {
			var err error
			renewed, err = s.injectedBundles(ctx, name)
			g.Expect(err).NotTo(HaveOccurred())
			for i := range renewed {
				g.Expect(renewed[i]).NotTo(Equal(before[i]))
			}
		}).Should(Succeed())
		s.Consistently(func(g Gomega) {
			g.Expect(s.conditionOf(ctx, name, corev1alpha2.ConditionDrifted)).To(HavePrefix("False AsExpected"))
			g.Expect(s.injectedBundles(ctx, name)).To(Equal(renewed))
		}).WithTimeout(30 * time.Minute).WithPolling(time.Minute).Should(Succeed())
		s.Expect(s.eventsOf(ctx, name)).NotTo(ContainElement(ContainSubstring("Drift")))
	})
}
