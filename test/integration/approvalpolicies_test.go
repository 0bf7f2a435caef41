package integration

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/openshift/platform-operators/test/admission"
)

var _ = Describe("Admission policies", func() {
	policies := []string{admission.Deployments().Policy, admission.Operators().Policy}

	It("have expressions of the types that the schemas declare [ENG-A8]", func(ctx context.Context) {
		client := admin.Kubernetes.AdmissionregistrationV1().ValidatingAdmissionPolicies()
		for _, name := range policies {
			policy, err := client.Get(ctx, name, metav1.GetOptions{})
			Expect(err).NotTo(HaveOccurred())
			// The API server checks the types of validations only, and infers those of variables from their expressions.
			checked := &admissionv1.ValidatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{Name: name + "-types"}, Spec: *policy.Spec.DeepCopy()}
			for _, variable := range policy.Spec.Variables {
				checked.Spec.Validations = append(checked.Spec.Validations, admissionv1.Validation{Expression: "[dyn(" + variable.Expression + ")] != []"})
			}
			for _, condition := range policy.Spec.MatchConditions {
				checked.Spec.Validations = append(checked.Spec.Validations, admissionv1.Validation{Expression: condition.Expression})
			}
			checked, err = client.Create(ctx, checked, metav1.CreateOptions{})
			Expect(err).NotTo(HaveOccurred())
			DeferCleanup(func(ctx context.Context) {
				Expect(client.Delete(ctx, checked.Name, metav1.DeleteOptions{})).To(Succeed())
			})
			Eventually(func(ctx context.Context) (*admissionv1.TypeChecking, error) {
				checked, err := client.Get(ctx, checked.Name, metav1.GetOptions{})
				return checked.Status.TypeChecking, err
			}).WithContext(ctx).Should(HaveValue(HaveField("ExpressionWarnings", BeEmpty())))
		}
	})

	for name, table := range map[string]func() admission.Table{
		"for BundleDeployments admit and deny as in memory [ENG-A7]":              admission.Deployments,
		"for approvals of BundleDeployments admit and deny as in memory [ENG-A8]": admission.Approvals,
		"for PlatformOperators admit and deny as in memory [ENG-A11]":             admission.Operators,
	} {
		It(name, func(ctx context.Context) {
			cluster := admission.Cluster{Admin: admin.Kubernetes, ConfigOf: func(user string) *rest.Config {
				config := rest.CopyConfig(env.Admin)
				config.Impersonate.UserName = user
				return config
			}}
			DeferCleanup(func(ctx context.Context) { Expect(table().Remove(ctx, cluster)).To(Succeed()) })
			Expect(table().Create(ctx, cluster)).To(Succeed())
			Expect(table().Run(ctx, cluster)).To(BeEmpty())
		})
	}

	for _, propagation := range admission.Propagations {
		It("let the garbage collector delete a BundleDeployment, "+string(propagation)+" [ENG-A7]", func(ctx context.Context) {
			dependent := admission.Dependent{Name: "admission-dependent", Kubernetes: admin.Kubernetes, Dynamic: admin.Dynamic}
			Expect(dependent.Create(ctx)).To(Succeed())
			Expect(dependent.DeleteOwner(ctx, propagation)).To(Succeed())
			Eventually(dependent.IsGone).WithContext(ctx).Should(BeTrue())
		})
	}
})
