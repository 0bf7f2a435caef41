package scenarios

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/openshift/platform-operators/test/admission"
)

// Promise ENG-A7: A user needs verb use on the ProvisionerClass to create, edit or delete a BundleDeployment, and verb impersonate on its
// ServiceAccount or, without one, verb deploy-unscoped on the class. An edit needs the verbs for the object before and after it. The garbage
// collector needs none.
//
// Promise ENG-A8: A user needs verb approve on a BundleDeployment to change its spec.approval, to create it with an approval, or to move it
// to another class. Nobody approves in the name of another user.
//
// Promise ENG-A11: Nobody gets through a PlatformOperator what they may not do to its BundleDeployment: its requests need the same verbs, on
// all classes. A user who only approves versions needs none.
func TestApprovalPolicies(t *testing.T) {
	t.Parallel()
	for name, table := range map[string]admission.Table{
		"[ENG-A7] BundleDeployments need the rights to their class and to their ServiceAccount":    admission.Deployments(),
		"[ENG-A8] approvals of BundleDeployments need verb approve, and are in the own name":       admission.Approvals(),
		"[ENG-A11] PlatformOperators need the rights to the BundleDeployments that they would get": admission.Operators(),
	} {
		runStory(t, name, defaultOperators, func(ctx context.Context, s *Story) {
			cluster := admission.Cluster{Admin: s.Admin.Kubernetes, ConfigOf: s.StepClientConfig, GrantsAtOnce: true}
			s.must(table.Create(ctx, cluster))
			s.Expect(table.Run(ctx, cluster)).To(BeEmpty())
			s.must(table.Remove(ctx, cluster))
		})
	}

	for _, propagation := range admission.Propagations {
		runStory(t, "[ENG-A7] the garbage collector deletes a BundleDeployment, "+string(propagation), defaultOperators, func(ctx context.Context, s *Story) {
			dependent := admission.Dependent{Name: "admission-dependent", Kubernetes: s.Admin.Kubernetes, Dynamic: s.Admin.Dynamic}
			s.must(dependent.Create(ctx))
			s.Settle()
			s.must(dependent.DeleteOwner(ctx, propagation))
			s.Eventually(dependent.IsGone).WithContext(ctx).Should(BeTrue())
		})
	}
}
