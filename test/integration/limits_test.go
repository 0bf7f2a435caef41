package integration

import (
	"context"
	"regexp"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/limits"
	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/samples"
)

// platformOperatorManagerUID returns the PlatformOperatorManager's UID, or "" if it cannot be read.
func platformOperatorManagerUID(ctx context.Context) types.UID {
	live, err := admin.Platform.OperatorV1alpha1().PlatformOperatorManagers().Get(ctx, operatorv1alpha1.PlatformOperatorManagerName, metav1.GetOptions{})
	if err != nil {
		return ""
	}
	return live.UID
}

// replacePlatformOperatorManager deletes the PlatformOperatorManager and waits until the manager has created a new one.
func replacePlatformOperatorManager(ctx context.Context) {
	GinkgoHelper()
	before := platformOperatorManagerUID(ctx)
	Expect(admin.Platform.OperatorV1alpha1().PlatformOperatorManagers().Delete(ctx, operatorv1alpha1.PlatformOperatorManagerName, metav1.DeleteOptions{})).To(Succeed())
	Eventually(platformOperatorManagerUID).WithContext(ctx).ShouldNot(BeElementOf(before, types.UID("")))
}

// runCommand runs a line in a shell as the cluster's admin. It fails the spec if the command fails.
func runCommand(ctx context.Context, line string) {
	GinkgoHelper()
	output, err := runShell(ctx, line)
	Expect(err).NotTo(HaveOccurred(), output)
}

// runRemedy runs the kubectl command that begins with command in the message of a PlatformOperator's Progressing condition. It fails the
// spec if the message has no such command.
func runRemedy(ctx context.Context, name, command string) {
	GinkgoHelper()
	live, err := admin.Operator(ctx, name)
	Expect(err).NotTo(HaveOccurred())
	message := meta.FindStatusCondition(live.Status.Conditions, platformv1alpha1.ConditionProgressing).Message
	found := regexp.MustCompile(`kubectl (?:patch .*\)"|annotate \S+ \S+ \S+)`).FindAllString(message, -1)
	Expect(found).To(HaveLen(2), message)
	for _, line := range found {
		if regexp.MustCompile("^kubectl " + command).MatchString(line) {
			runCommand(ctx, line)
			return
		}
	}
	Fail("the message has no " + command + ": " + message)
}

// allowDeletion sets the annotation that permits an object's deletion. value is JSON: a quoted string, or null to remove the annotation.
func allowDeletion(ctx context.Context, resource schema.GroupVersionResource, name, value string) {
	GinkgoHelper()
	patch := []byte(`{"metadata":{"annotations":{"` + platformv1alpha1.AnnotationAllowDeletion + `":` + value + `}}}`)
	_, err := admin.Dynamic.Resource(resource).Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
	Expect(err).NotTo(HaveOccurred())
}

// matchDenial returns a matcher for the denial of an admission policy whose message contains all these words.
func matchDenial(words ...string) OmegaMatcher {
	matchers := []OmegaMatcher{Satisfy(apierrors.IsForbidden)}
	for _, word := range words {
		matchers = append(matchers, MatchError(ContainSubstring(word)))
	}
	return And(matchers...)
}

// storedLimits returns the limits in the manager's ConfigMap, as a patch in JSON that restores them.
func storedLimits(ctx context.Context) (string, error) {
	live, err := admin.Kubernetes.CoreV1().ConfigMaps(environment.Namespace).Get(ctx, limits.ConfigMap, metav1.GetOptions{})
	return live.Data["patch"], err
}

// allowedPackages returns spec.allowedPackages of the PlatformOperatorManager.
func allowedPackages(ctx context.Context) ([]string, error) {
	live, err := admin.Platform.OperatorV1alpha1().PlatformOperatorManagers().Get(ctx, operatorv1alpha1.PlatformOperatorManagerName, metav1.GetOptions{})
	return live.Spec.AllowedPackages, err
}

// The scenarios send the patches of these commands, without kubectl.
var _ = Describe("the commands in refusals and conditions about limits", func() {
	It("[HRD-S3] run as printed", func(ctx context.Context) {
		const pkg = "typed-limits"
		dry := metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}
		Expect(admin.Publish(ctx, samples.Operator{Package: pkg, Version: "1.0.0"})).To(Succeed())
		configure(ctx, `{"allowedPackages":["typed-limits"],"defaultApproval":"Manual"}`, `{"allowedPackages":null,"defaultApproval":null}`)
		Eventually(storedLimits).WithContext(ctx).Should(And(ContainSubstring(pkg), ContainSubstring("Manual")))
		DeferCleanup(func(ctx context.Context) { // also after a failure, because limits would hold operators of other specs
			runCommand(ctx, "kubectl annotate platformoperatormanager cluster "+operatorv1alpha1.AnnotationAcceptLimits+"=true --overwrite")
			Eventually(storedLimits).WithContext(ctx).Should(Equal(`{"spec":{}}`))
			runCommand(ctx, "kubectl annotate platformoperatormanager cluster "+operatorv1alpha1.AnnotationAcceptLimits+"-")
		})
		install(ctx, pkg, "1.0.0")

		By("deleting the PlatformOperatorManager, and restoring its limits")
		annotate := "kubectl annotate platformoperatormanager cluster " + platformv1alpha1.AnnotationAllowDeletion + "=true"
		Expect(admin.Dynamic.Resource(managers).Delete(ctx, operatorv1alpha1.PlatformOperatorManagerName, dry)).To(matchDenial("spec.allowedPackages", annotate))
		runCommand(ctx, annotate)
		replacePlatformOperatorManager(ctx)
		expectProgressing(ctx, pkg, metav1.ConditionFalse, platformv1alpha1.ReasonBlocked, theManager, "was deleted", "spec.allowedPackages, spec.defaultApproval")
		runRemedy(ctx, pkg, "patch")
		Eventually(func(ctx context.Context) (string, error) {
			live, err := admin.Operator(ctx, pkg)
			return meta.FindStatusCondition(live.Status.Conditions, platformv1alpha1.ConditionProgressing).Reason, err
		}).WithContext(ctx).ShouldNot(Equal(platformv1alpha1.ReasonBlocked))
		Expect(allowedPackages(ctx)).To(Equal([]string{pkg}))

		By("deleting the ConfigMap of the limits")
		records := admin.Kubernetes.CoreV1().ConfigMaps(environment.Namespace)
		annotate = "kubectl annotate configmap " + limits.ConfigMap + " -n " + environment.Namespace + " " + platformv1alpha1.AnnotationAllowDeletion + "=true"
		Expect(records.Delete(ctx, limits.ConfigMap, dry)).To(matchDenial(annotate))
		runCommand(ctx, annotate)
		Expect(records.Delete(ctx, limits.ConfigMap, metav1.DeleteOptions{})).To(Succeed())
		Eventually(storedLimits).WithContext(ctx).Should(ContainSubstring(pkg))

		By("deleting the PlatformOperatorManager again, and accepting the limits of the new one")
		allowDeletion(ctx, managers, operatorv1alpha1.PlatformOperatorManagerName, `"true"`)
		replacePlatformOperatorManager(ctx)
		expectProgressing(ctx, pkg, metav1.ConditionFalse, platformv1alpha1.ReasonBlocked, "was deleted")
		runRemedy(ctx, pkg, "annotate")
		Eventually(storedLimits).WithContext(ctx).Should(Equal(`{"spec":{}}`))
	})
})
