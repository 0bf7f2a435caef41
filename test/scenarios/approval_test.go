package scenarios

import (
	"context"
	"fmt"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/client/clientset/versioned"
	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/samples"
)

// approver is a user who may approve the plans of all BundleDeployments, and may neither create nor delete one.
const approver = "ada"

// createApprover gives the approver her permissions, and returns her client.
func (s *Story) createApprover(ctx context.Context) versioned.Interface {
	s.Helper()
	roles, bindings := s.Admin.Kubernetes.RbacV1().ClusterRoles(), s.Admin.Kubernetes.RbacV1().ClusterRoleBindings()
	_, err := roles.Create(ctx, &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: approver},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{corev1alpha2.GroupName}, Resources: []string{"bundledeployments"}, Verbs: []string{"get", "patch", "approve"}}},
	}, metav1.CreateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	_, err = bindings.Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: approver},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: approver},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: approver}},
	}, metav1.CreateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	client, err := versioned.NewForConfig(s.StepClientConfig(approver))
	s.Expect(err).NotTo(HaveOccurred())
	return client
}

// approve sets the digest that spec.approval approves, as the approver; an empty digest withdraws the approval.
func (s *Story) approve(ctx context.Context, client versioned.Interface, name, digest string) {
	s.Helper()
	patch := `{"spec":{"approval":{"planDigest":null,"approvedBy":null}}}`
	if digest != "" {
		patch = fmt.Sprintf(`{"spec":{"approval":{"planDigest":%q,"approvedBy":%q}}}`, digest, approver)
	}
	_, err := client.CoreV1alpha2().BundleDeployments().Patch(ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	s.Expect(err).NotTo(HaveOccurred())
}

// waitForPlan waits until a BundleDeployment waits for the approval of the plan of a revision, and returns the plan.
func (s *Story) waitForPlan(ctx context.Context, name string, revision int64) corev1alpha2.Plan {
	s.Helper()
	s.Eventually(func(ctx context.Context) (*corev1alpha2.Plan, error) {
		live, err := s.Admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		return live.Status.Plan, nil
	}).WithContext(ctx).Should(And(Not(BeNil()), HaveField("Revision", revision)))
	s.waitForCondition(ctx, name, corev1alpha2.ConditionApproved, "False AwaitingApproval")
	live, err := s.Admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	return *live.Status.Plan
}

// planText returns the text of a plan.
func (s *Story) planText(ctx context.Context, plan corev1alpha2.Plan) string {
	s.Helper()
	var text strings.Builder
	for _, name := range plan.ConfigMaps {
		live, err := s.Admin.Kubernetes.CoreV1().ConfigMaps(environment.Namespace).Get(ctx, name, metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(live.Data).To(HaveKeyWithValue(corev1alpha2.PlanDigest, plan.Digest))
		text.WriteString(live.Data[corev1alpha2.PlanText])
	}
	return text.String()
}

// createRequiringClass creates a ProvisionerClass for registry+v1 bundles that requires approvals.
func (s *Story) createRequiringClass(ctx context.Context) {
	s.Helper()
	class := &corev1alpha2.ProvisionerClass{ObjectMeta: metav1.ObjectMeta{Name: requiringClass}}
	class.Spec.Provisioner, class.Spec.Approval = corev1alpha2.ProvisionerRegistry, corev1alpha2.ApprovalRequired
	_, err := s.Admin.Platform.CoreV1alpha2().ProvisionerClasses().Create(ctx, class, metav1.CreateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
}

const requiringClass = "approved"

func TestApproval(t *testing.T) {
	t.Parallel()
	// Promise ENG-P1: Where approval is required, nothing of a new revision is written before its plan is approved. The plan is readable in
	// whole. Another plan needs another approval, and repairs need none.
	runStory(t, "ENG-P1 nothing of a new revision is written before its plan is approved, and the approver reads the whole plan", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "consented"
		first := s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0", ExtraConfigMap: name + "-old"}, secretText(name, "token", "first"))
		second := s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.1.0"}, secretText(name, "token", "second"), "{apiVersion: v1, kind: ConfigMap, metadata: {name: strange}, dta: {a: b}}")
		ada := s.createApprover(ctx)
		s.createRequiringClass(ctx)
		s.deployWithClass(ctx, requiringClass, name, first)

		s.By("reading the plan of the first revision")
		plan := s.waitForPlan(ctx, name, 1)
		s.Expect(plan.Update.Total).To(BeZero())
		s.Expect(plan.Delete.Total).To(BeZero())
		text := s.planText(ctx, plan)
		s.Expect(text).To(HavePrefix("digest " + plan.Digest + "\nBundleDeployment consented\napplied by the manager\ninstall namespace " + name + "\n"))
		s.Expect(text).To(ContainSubstring("create Secret consented/token {"))
		value := "hmac-sha256:[0-9a-f]+"
		if s.rounds != nil {
			value = `\(not shown\)` // only a process that keeps running creates the key
		}
		s.Expect(text).To(MatchRegexp(value))
		s.Expect(text).NotTo(ContainSubstring("Zmlyc3Q="), "the value of the Secret")
		s.Expect(strings.Count(text, "\ncreate ")).To(Equal(int(plan.Create.Total)))
		_, err := s.Admin.Kubernetes.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{})
		s.Expect(err).To(beNotFound())

		s.By("approving another plan, and then this one")
		s.approve(ctx, ada, name, "sha256:"+strings.Repeat("0", 64))
		s.Eventually(s.conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionApproved).Should(ContainSubstring("spec.approval approves another plan"))
		s.approve(ctx, ada, name, plan.Digest)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		s.waitForCondition(ctx, name, corev1alpha2.ConditionApproved, "True Approved", "Plan "+plan.Digest+" of revision 1 (version 1.0.0) was approved by ada.")
		s.Eventually(s.eventsCounted).WithContext(ctx).WithArguments(name).Should(HaveKeyWithValue("BundleDeployment "+corev1alpha2.EventPlanApproved, 1))

		s.By("repairing without an approval, after the approval was withdrawn")
		s.approve(ctx, ada, name, "")
		s.Expect(s.Admin.Kubernetes.CoreV1().ConfigMaps(name).Delete(ctx, name+"-old", metav1.DeleteOptions{})).To(Succeed())
		s.Eventually(s.from).WithContext(ctx).WithArguments(name, name+"-old").ShouldNot(BeEmpty())
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")

		s.By("changing to another version, whose plan needs another approval")
		s.setImage(ctx, name, second)
		plan = s.waitForPlan(ctx, name, 2)
		s.Expect(plan.Delete.Objects).To(ContainElement(HaveField("Object.Name", name+"-old")))
		if s.rounds == nil { // a round makes no dry run
			s.Expect(plan.Warnings).To(Equal([]string{`ConfigMap consented/strange: unknown field "dta"`}), "those of a dry run")
		}
		s.Expect(s.statusOf(ctx, name).Warnings).To(BeEmpty(), "nothing is applied")
		s.Expect(s.planText(ctx, plan)).To(MatchRegexp(fmt.Sprintf(`update Secret consented/token: /data/token "%[1]s" -> "%[1]s"`, value)))
		s.waitForCondition(ctx, name, corev1alpha2.ConditionInstalled, "True InstallationSucceeded")
		s.waitForCondition(ctx, name, corev1alpha2.ConditionHealthy, "True Healthy")
		s.approve(ctx, ada, name, plan.Digest)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected", "Revision 2")
		live, err := s.Admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(live.Status.Revisions[len(live.Status.Revisions)-1].ApprovedBy).To(Equal(approver))
		if s.rounds == nil {
			s.Expect(live.Status.Warnings).To(Equal(plan.Warnings))
			s.Eventually(s.eventCounts).WithContext(ctx).WithArguments(name, "APIWarning").Should(Equal(map[string]int32{plan.Warnings[0]: 1}))
		}
	})

	runStory(t, "ENG-A8 no approval counts while a policy or its binding is not in force", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "unguarded"
		ref := s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0"})
		const policy = "platform-operators-bundledeployments"
		bindings := s.Admin.Kubernetes.AdmissionregistrationV1().ValidatingAdmissionPolicyBindings()
		bind := func(actions ...admissionregistrationv1.ValidationAction) {
			_, err := bindings.Create(ctx, &admissionregistrationv1.ValidatingAdmissionPolicyBinding{
				ObjectMeta: metav1.ObjectMeta{Name: policy}, Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{PolicyName: policy, ValidationActions: actions},
			}, metav1.CreateOptions{})
			s.Expect(err).NotTo(HaveOccurred())
		}
		s.Expect(bindings.Delete(ctx, policy, metav1.DeleteOptions{})).To(Succeed())
		bind(admissionregistrationv1.Audit)
		ada := s.createApprover(ctx)
		s.deployWith(ctx, name, name, ref, "approval: {mode: Required}")
		plan := s.waitForPlan(ctx, name, 1)
		s.approve(ctx, ada, name, plan.Digest)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionApproved, "False PoliciesNotInForce", `Revision 1 (version 1.0.0) is not applied: its plan is approved, and the approval does not count, because `+
			`ValidatingAdmissionPolicyBinding "platform-operators-bundledeployments" has no validation action Deny`)

		s.By("deleting the binding")
		s.Expect(bindings.Delete(ctx, policy, metav1.DeleteOptions{})).To(Succeed())
		s.waitForCondition(ctx, name, corev1alpha2.ConditionApproved, "False PoliciesNotInForce", `Revision 1 (version 1.0.0) is not applied: its plan is approved, and the approval does not count, because `+
			`ValidatingAdmissionPolicyBinding "platform-operators-bundledeployments" does not exist`)

		s.By("restoring it")
		bind(admissionregistrationv1.Deny, admissionregistrationv1.Audit)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
	})

	runStory(t, "a withdrawn approval stops a rollout that has not applied all objects, and the active revision stays", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "retracted"
		first := s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0"})
		second := s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.1.0", ExtraConfigMap: "occupied"})
		ada := s.createApprover(ctx)
		s.deployWith(ctx, name, name, first, "approval: {mode: Required}")
		s.approve(ctx, ada, name, s.waitForPlan(ctx, name, 1).Digest)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		_, err := s.Admin.Kubernetes.CoreV1().ConfigMaps(name).Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "occupied"}}, metav1.CreateOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.setImage(ctx, name, second)
		s.approve(ctx, ada, name, s.waitForPlan(ctx, name, 2).Digest)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionInstalled, "True UpgradeFailed", "ConfigMap retracted/occupied")
		s.approve(ctx, ada, name, "")
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AwaitingApproval")
		s.waitForCondition(ctx, name, corev1alpha2.ConditionInstalled, "True InstallationSucceeded")
		s.waitForCondition(ctx, name, corev1alpha2.ConditionHealthy, "True Healthy")
	})

	runStory(t, "ENG-P1 the digest of another BundleDeployment approves nothing, even with the same content in the same namespace", defaultOperators, func(ctx context.Context, s *Story) {
		const name, other = "twin", "lookalike"
		ref := s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0"})
		ada := s.createApprover(ctx)
		s.deployWith(ctx, name, name, ref, "approval: {mode: Required}")
		s.deployWith(ctx, other, name, ref, "approval: {mode: Required}")
		plan, others := s.waitForPlan(ctx, name, 1), s.waitForPlan(ctx, other, 1)
		s.Expect(plan.Digest).NotTo(Equal(others.Digest))
		s.Expect(s.planText(ctx, others)).To(ContainSubstring("\nBundleDeployment lookalike\n"))
		s.approve(ctx, ada, other, plan.Digest)
		s.waitForCondition(ctx, other, corev1alpha2.ConditionApproved, "False AwaitingApproval", "spec.approval approves another plan, "+plan.Digest+". Read the plan and approve it, ",
			"oc platform approve "+other, `"planDigest":"`+others.Digest+`"`)
		s.waitForCondition(ctx, other, corev1alpha2.ConditionProgressing, "False AwaitingApproval")
		s.Expect(s.statusOf(ctx, other).Revisions[0].StartedTime).To(BeNil())
		s.waitForCondition(ctx, name, corev1alpha2.ConditionApproved, "False AwaitingApproval", "it waits for the approval of its plan")
		_, err := s.Admin.Kubernetes.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{})
		s.Expect(err).To(beNotFound())
		s.approve(ctx, ada, name, plan.Digest)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
	})

	runStory(t, "ENG-P1 a rollback to an approved revision needs no new approval", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "reverted"
		good, bad := s.pushGoodAndBad(ctx, s.startRegistry(false), name)
		ada := s.createApprover(ctx)
		s.deployWith(ctx, name, name, good, "approval: {mode: Required}, onFailure: Rollback, progressDeadlineSeconds: 10")
		s.approve(ctx, ada, name, s.waitForPlan(ctx, name, 1).Digest)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		s.setImage(ctx, name, bad)
		s.approve(ctx, ada, name, s.waitForPlan(ctx, name, 2).Digest)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False DeadlineExceeded", "Revision 2 (version 1.1.0)", "revision 1 (version 1.0.0) is active again")
		s.Expect(s.configMapExists(ctx, name, name+"-bad")).To(beNotFound())
		s.Expect(s.configMapExists(ctx, name, name+"-good")).To(Succeed())
		s.waitForCondition(ctx, name, corev1alpha2.ConditionHealthy, "True Healthy")

		s.By("repairing the restored revision, whose plan the spec does not approve, and after a restart")
		s.Expect(s.Admin.Kubernetes.CoreV1().ConfigMaps(name).Delete(ctx, name+"-good", metav1.DeleteOptions{})).To(Succeed())
		s.Eventually(s.configMapExists).WithContext(ctx).WithArguments(name, name+"-good").Should(Succeed())
		s.KillManager()
		s.StartManager()
		s.Settle()
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False DeadlineExceeded", "revision 1 (version 1.0.0) is active again")
		s.Expect(s.configMapExists(ctx, name, name+"-good")).To(Succeed())
	})

	runStory(t, "ENG-P1 a bundle that grants all permissions is marked in its plan", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "almighty"
		ada := s.createApprover(ctx)
		s.createRequiringClass(ctx)
		s.deployWithClass(ctx, requiringClass, name, s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0"}, everythingTexts(name)...))
		plan := s.waitForPlan(ctx, name, 1)
		const grant = "grants ClusterRole almighty-everything in the whole cluster to ServiceAccount almighty/default"
		s.Expect(plan.UnlimitedGrants).To(Equal([]string{grant}))
		s.Expect(s.planText(ctx, plan)).To(ContainSubstring("\nunlimited permissions: " + grant +
			`, with the rules [{"verbs":["*"],"apiGroups":["*"],"resources":["*"]},{"verbs":["*"],"nonResourceURLs":["*"]}]` + "\n"))
		s.approve(ctx, ada, name, plan.Digest)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		s.Expect(s.statusOf(ctx, name).Plan.UnlimitedGrants).To(Equal([]string{grant}))
	})

	runStory(t, "the plan of each version of a PlatformOperator waits for its approval, and history names the approver", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "vetted"
		s.offerVersions(ctx, name, "", "1.0.0")
		ada := s.createApprover(ctx)
		s.create(ctx, name, "")
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(name, "1.0.0").Should(Succeed())
		s.patchOperatorSpec(ctx, name, `"install": {"approval": {"mode": "Required"}}`)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionApproved, "True ApprovalNotNeeded")
		s.offerVersions(ctx, name, "", "1.0.0", "1.1.0")
		plan := s.waitForPlan(ctx, name, 2)
		s.waitForOperatorCondition(ctx, name, metav1.Condition{Type: platformv1alpha1.ConditionProgressing, Status: metav1.ConditionFalse, Reason: platformv1alpha1.ReasonAwaitingApproval},
			"1.1.0", "it waits for the approval of its plan", plan.Digest)
		s.approve(ctx, ada, name, plan.Digest)
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(name, "1.1.0").Should(Succeed())
		live, err := s.Admin.Operator(ctx, name)
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(live.Status.History[0].ApprovedBy).To(Equal(approver))
	})
}

// everythingTexts returns a ClusterRole that grants everything, and its binding to ServiceAccount default of a namespace, as YAML.
func everythingTexts(namespace string) []string {
	return []string{
		fmt.Sprintf(`{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: %s-everything}, rules: [{apiGroups: ["*"], resources: ["*"], verbs: ["*"]}, {nonResourceURLs: ["*"], verbs: ["*"]}]}`, namespace),
		fmt.Sprintf(`{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: %[1]s-everything}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: %[1]s-everything}, subjects: [{kind: ServiceAccount, name: default, namespace: %[1]s}]}`, namespace),
	}
}

// secretText returns a Secret of an operator as YAML, with one value.
func secretText(namespace, name, value string) string {
	return fmt.Sprintf(`{apiVersion: v1, kind: Secret, metadata: {name: %s, namespace: %s}, stringData: {%s: %s}}`, name, namespace, name, value)
}
