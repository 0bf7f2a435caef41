package scenarios

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/rest"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/cli"
	"github.com/openshift/platform-operators/pkg/cli/exit"
	"github.com/openshift/platform-operators/pkg/cli/invocation"
	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/samples"
)

// withoutVerb is a user who may read and patch what the approver may, and lacks verb approve.
const withoutVerb = "eve"

// answers are what a user answers to the questions of a command. before is called before the answer with this number, from 0.
type answers struct {
	before func(number int)
	lines  []string
	given  int
}

// Read implements io.Reader.
func (a *answers) Read(into []byte) (int, error) {
	if a.given == len(a.lines) {
		return 0, io.EOF
	}
	if a.before != nil {
		a.before(a.given)
	}
	n := copy(into, a.lines[a.given]+"\n")
	a.given++
	return n, nil
}

// commandResult is what a command of the plugin printed, and its exit code.
type commandResult struct {
	Out, ErrOut string
	Code        exit.Code
}

// runPlugin runs a command of the plugin as a user on a terminal.
func (s *Story) runPlugin(ctx context.Context, user string, in *answers, args ...string) commandResult {
	s.Helper()
	kubeconfig := filepath.Join(s.TempDir(), "kubeconfig")
	s.Expect(os.WriteFile(kubeconfig, nil, 0o600)).To(Succeed())
	var out, errOut bytes.Buffer
	i := invocation.New("oc-platform", genericiooptions.IOStreams{In: in, Out: &out, ErrOut: &errOut})
	i.CanAsk = true
	i.Connection.WrapConfigFn = func(*rest.Config) *rest.Config { return s.StepClientConfig(user) }
	code := cli.Run(ctx, i, "oc-platform", append(args, "--kubeconfig", kubeconfig, "--server", "https://in-memory"))
	return commandResult{out.String(), errOut.String(), code}
}

// approveAs runs the command approve as a user who answers questions.
func (s *Story) approveAs(ctx context.Context, user string, in *answers, args ...string) commandResult {
	s.Helper()
	return s.runPlugin(ctx, user, in, append([]string{"approve"}, args...)...)
}

// createReaders gives the approver and the user without the verb what the command reads and patches. The approver may also read the plans.
func (s *Story) createReaders(ctx context.Context) {
	s.Helper()
	const name = "approve-versions"
	rbac := s.Admin.Kubernetes.RbacV1()
	_, err := rbac.ClusterRoles().Create(ctx, &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{platformv1alpha1.GroupName}, Resources: []string{"platformoperators"}, Verbs: []string{"get", "list", "patch"}},
			{APIGroups: []string{corev1alpha2.GroupName}, Resources: []string{"bundledeployments"}, Verbs: []string{"get", "patch"}},
			{APIGroups: []string{rbacv1.GroupName}, Resources: []string{"clusterroles", "clusterrolebindings"}, Verbs: []string{"list"}},
		},
	}, metav1.CreateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	users := []rbacv1.Subject{
		{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: approver}, {APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: withoutVerb},
	}
	_, err = rbac.ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name}, Subjects: users,
	}, metav1.CreateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	_, err = rbac.Roles(environment.Namespace).Create(ctx, &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Name: approver},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"get"}}},
	}, metav1.CreateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	_, err = rbac.RoleBindings(environment.Namespace).Create(ctx, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: approver}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: approver}, Subjects: users[:1],
	}, metav1.CreateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
}

// planDigest returns the digest of the newest plan of a BundleDeployment; empty if there is none.
func (s *Story) planDigest(ctx context.Context, name string) (string, error) {
	live, err := s.Admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
	if err != nil || live.Status.Plan == nil {
		return "", err
	}
	return live.Status.Plan.Digest, nil
}

func TestApproveCommand(t *testing.T) {
	t.Parallel()
	runStory(t, "CLI-16 approve gives the version and then the plan, and asks again if the plan changes meanwhile", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "reviewed"
		s.offerVersions(ctx, name, "", "1.0.0")
		s.createApprover(ctx)
		s.createReaders(ctx)
		s.create(ctx, name, "")
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(name, "1.0.0").Should(Succeed())
		s.patchOperatorSpec(ctx, name, `"upgrades": {"approval": "Manual"}, "install": {"approval": {"mode": "Required"}}`)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionApproved, "True ApprovalNotNeeded")
		result := s.approveAs(ctx, approver, &answers{}, name)
		s.Expect(result).To(And(HaveField("Code", exit.OK), HaveField("Out", HavePrefix("PlatformOperator reviewed: nothing waits for an approval."))))

		s.By("approving a version, and its plan, which changes before the answer")
		s.offerVersions(ctx, name, "", "1.0.0", "1.1.0")
		s.waitForProgressing(ctx, name, metav1.ConditionFalse, platformv1alpha1.ReasonAwaitingApproval, "1.1.0")
		result = s.approveAs(ctx, approver, &answers{}, name, "--dry-run")
		s.Expect(result.Code).To(Equal(exit.OK), result.ErrOut)
		s.Expect(result.Out).To(And(ContainSubstring("version 1.1.0 of package reviewed waits for an approval"), ContainSubstring("Upgrade path: 1.0.0 -> 1.1.0\n")))
		in := &answers{lines: []string{"y", "y", "y"}, before: func(number int) {
			if number != 1 {
				return
			}
			shown, err := s.planDigest(ctx, name)
			s.Expect(err).NotTo(HaveOccurred())
			s.patchOperatorSpec(ctx, name, `"install": {"adoption": "Any"}`)
			s.Eventually(s.planDigest).WithContext(ctx).WithArguments(name).ShouldNot(Equal(shown))
		}}
		result = s.approveAs(ctx, approver, in, name)
		s.Expect(result.Code).To(Equal(exit.OK), result.ErrOut)
		s.Expect(result.Out).To(And(ContainSubstring("\nupdate Deployment.apps reviewed/reviewed: "), ContainSubstring("The plan has changed since it was shown."),
			ContainSubstring("\n-existing objects that may be taken over: SamePackage\n+existing objects that may be taken over: Any\n"), ContainSubstring(" is approved by ada.")))
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(name, "1.1.0").Should(Succeed())
		live, err := s.Admin.Operator(ctx, name)
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(live.Status.History[0].ApprovedBy).To(Equal(approver))

		s.By("approving only the version, without the verb")
		s.offerVersions(ctx, name, "", "1.0.0", "1.1.0", "1.2.0")
		s.waitForProgressing(ctx, name, metav1.ConditionFalse, platformv1alpha1.ReasonAwaitingApproval, "1.2.0")
		result = s.approveAs(ctx, withoutVerb, &answers{lines: []string{"y"}}, name)
		s.Expect(result.Code).To(Equal(exit.Failure))
		s.Expect(result.Out).To(ContainSubstring("Version 1.2.0 is approved."))
		s.Expect(result.ErrOut).To(And(ContainSubstring(`you lack verb "approve" on bundledeployments.core.rukpak.io "reviewed"`), ContainSubstring("User ada (ClusterRole ada)")))
		plan := s.waitForPlan(ctx, name, 3)

		s.By("approving a certain plan in a pipeline")
		result = s.approveAs(ctx, approver, &answers{}, name, "--yes", "--digest", "sha256:0")
		s.Expect(result).To(And(HaveField("Code", exit.Blocked), HaveField("ErrOut", ContainSubstring("no plan is approved"))))
		result = s.approveAs(ctx, approver, &answers{}, name, "--yes", "--digest", plan.Digest, "-o", "json")
		s.Expect(result.Code).To(Equal(exit.OK), result.ErrOut)
		s.Expect(result.Out).To(And(ContainSubstring(`"outcome": "Approved"`), ContainSubstring(`"version": "1.2.0"`)))
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(name, "1.2.0").Should(Succeed())
		result = s.approveAs(ctx, approver, &answers{}, name, "--withdraw", "--yes")
		s.Expect(result.Code).To(Equal(exit.OK), result.ErrOut)
		deployment, err := s.Admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(deployment.Spec.Approval).To(Equal(&corev1alpha2.Approval{Mode: corev1alpha2.ApprovalRequired}))
	})

	runStory(t, "CLI-16 a plan that the approver may not read is approved only by its digest", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "sealed"
		ref := s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0"})
		s.createApprover(ctx) // who may read BundleDeployments only
		s.deployWith(ctx, name, name, ref, "approval: {mode: Required}")
		plan := s.waitForPlan(ctx, name, 1)
		result := s.approveAs(ctx, approver, &answers{lines: []string{"y"}}, name)
		s.Expect(result).To(And(HaveField("Code", exit.Failure), HaveField("ErrOut", ContainSubstring("oc platform approve bundledeployment/sealed"))))
		result = s.approveAs(ctx, approver, &answers{lines: []string{"y"}}, "bundledeployment/"+name)
		s.Expect(result.Code).To(Equal(exit.Failure))
		s.Expect(result.ErrOut).To(And(ContainSubstring("oc create role read-plan-sealed -n openshift-platform-operators --verb=get --resource=configmaps --resource-name=plan-sealed-1"),
			ContainSubstring("approved only by its digest")))
		result = s.approveAs(ctx, approver, &answers{lines: []string{"y"}}, "bundledeployment/"+name, "--digest", plan.Digest)
		s.Expect(result.Code).To(Equal(exit.OK), result.ErrOut)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
	})
}
