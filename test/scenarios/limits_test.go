package scenarios

import (
	"context"
	"regexp"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/limits"
	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/samples"
)

// managerUID returns the UID of the PlatformOperatorManager, or "" if the API server does not return one.
func (s *Story) managerUID(ctx context.Context) types.UID {
	live, err := s.Admin.Platform.OperatorV1alpha1().PlatformOperatorManagers().Get(ctx, operatorv1alpha1.PlatformOperatorManagerName, metav1.GetOptions{})
	if err != nil {
		return ""
	}
	return live.UID
}

// replaceManagerResource deletes the PlatformOperatorManager, and waits until the manager has created a new one.
func (s *Story) replaceManagerResource(ctx context.Context) {
	s.Helper()
	before := s.managerUID(ctx)
	s.Expect(s.Admin.Platform.OperatorV1alpha1().PlatformOperatorManagers().Delete(ctx, operatorv1alpha1.PlatformOperatorManagerName, metav1.DeleteOptions{})).To(Succeed())
	s.Eventually(s.managerUID).WithContext(ctx).ShouldNot(BeElementOf(before, types.UID("")))
}

// runRemedy runs one of the two kubectl commands in the message of a PlatformOperator's condition Progressing. command is "patch" or
// "annotate".
func (s *Story) runRemedy(ctx context.Context, name, command string) {
	s.Helper()
	live, err := s.Admin.Operator(ctx, name)
	s.Expect(err).NotTo(HaveOccurred())
	message := meta.FindStatusCondition(live.Status.Conditions, platformv1alpha1.ConditionProgressing).Message
	found := regexp.MustCompile(`kubectl (?:patch .*\)"|annotate \S+ \S+ \S+)`).FindAllString(message, -1)
	s.Expect(found).To(HaveLen(2), message)
	for _, line := range found {
		if regexp.MustCompile("^kubectl " + command).MatchString(line) {
			s.runCommand(ctx, line)
			return
		}
	}
	s.Fatalf("the message has no %s: %s", command, message)
}

// storedLimitsPatch returns the stored limits, as a JSON patch of the PlatformOperatorManager.
func (s *Story) storedLimitsPatch(ctx context.Context) (string, error) {
	live, err := s.Admin.Kubernetes.CoreV1().ConfigMaps(environment.Namespace).Get(ctx, limits.ConfigMap, metav1.GetOptions{})
	return live.Data["patch"], err
}

func TestManagerLimits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ spec, field string }{
		"packages":                  {`{"allowedPackages":["a"]}`, "spec.allowedPackages"},
		"namespaces of catalogs":    {`{"catalogNamespaces":["a"]}`, "spec.catalogNamespaces"},
		"catalogs":                  {`{"catalogSelector":{"matchLabels":{"a":"b"}}}`, "spec.catalogSelector"},
		"catalogs by an expression": {`{"catalogSelector":{"matchExpressions":[{"key":"a","operator":"Exists"}]}}`, "spec.catalogSelector"},
		"approval":                  {`{"defaultApproval":"Manual"}`, "spec.defaultApproval"},
	} {
		runStory(t, "HRD-S3 limits cannot be deleted without the annotation that the refusal names: "+name, defaultOperators, func(ctx context.Context, s *Story) {
			client := s.Admin.Dynamic.Resource(managers)
			s.Expect(client.Delete(ctx, operatorv1alpha1.PlatformOperatorManagerName, dryRun)).To(Succeed(), "it limits nothing yet")
			s.configure(ctx, c.spec)
			annotate := "kubectl annotate platformoperatormanager cluster " + platformv1alpha1.AnnotationAllowDeletion + "=true"
			s.Expect(client.Delete(ctx, operatorv1alpha1.PlatformOperatorManagerName, dryRun)).To(forbidden(c.field, annotate))
			s.Expect(client.DeleteCollection(ctx, dryRun, metav1.ListOptions{})).To(forbidden(c.field, annotate))
			s.runCommand(ctx, annotate)
			s.Expect(client.Delete(ctx, operatorv1alpha1.PlatformOperatorManagerName, dryRun)).To(Succeed())
		})
	}
	for name, spec := range map[string]string{
		"an empty selector":           `{"catalogSelector":{}}`,
		"a selector with empty parts": `{"catalogSelector":{"matchLabels":{},"matchExpressions":[]}}`,
		"automatic approval":          `{"defaultApproval":"Automatic"}`,
	} {
		runStory(t, "HRD-S3 settings that limit nothing can be deleted without an annotation: "+name, defaultOperators, func(ctx context.Context, s *Story) {
			s.configure(ctx, spec)
			s.Expect(s.Admin.Dynamic.Resource(managers).Delete(ctx, operatorv1alpha1.PlatformOperatorManagerName, dryRun)).To(Succeed())
		})
	}

	// Promise HRD-S3: Deletion of a PlatformOperatorManager that sets limits is denied without an annotation. After a permitted deletion
	// no operator is installed or upgraded until the limits are back or the new ones are accepted; repairs go on.
	runStory(t, "HRD-S3 after a deletion nothing is installed or upgraded until the limits are restored or the new ones accepted", defaultOperators, func(ctx context.Context, s *Story) {
		const pkg, other = "outliving", "unwelcome"
		publish := func(versions ...string) {
			all := []samples.Operator{{Package: other, Version: "1.0.0"}}
			for _, version := range versions {
				all = append(all, samples.Operator{Package: pkg, Version: version})
			}
			s.Expect(s.Admin.Publish(ctx, all...)).To(Succeed())
		}
		publish("1.0.0")
		limited := func() {
			s.configure(ctx, `{"allowedPackages":["outliving"],"defaultApproval":"Manual"}`)
			s.Eventually(s.storedLimitsPatch).WithContext(ctx).Should(And(ContainSubstring("outliving"), ContainSubstring("Manual")))
		}
		limited()
		s.install(ctx, pkg, "1.0.0")
		publish("1.0.0", "1.1.0")
		s.waitForProgressing(ctx, pkg, metav1.ConditionFalse, platformv1alpha1.ReasonAwaitingApproval, "1.1.0")

		s.By("deleting it with the annotation")
		s.allowDeletion(ctx, managers, operatorv1alpha1.PlatformOperatorManagerName, `"true"`)
		s.replaceManagerResource(ctx)
		lost := []string{theManager, "was deleted", "spec.allowedPackages, spec.defaultApproval"}
		held := func() {
			s.Helper()
			s.waitForProgressing(ctx, pkg, metav1.ConditionFalse, platformv1alpha1.ReasonBlocked, lost...)
			s.waitForRefusal(ctx, other, platformv1alpha1.ReasonValidationFailed, lost...)
			live, err := s.Admin.Operator(ctx, pkg)
			s.Expect(err).NotTo(HaveOccurred())
			s.Expect(live.Status.Installed.Version).To(Equal("1.0.0"))
			s.Expect(live.Status.Target).To(BeNil())
			s.Expect(s.historyOf(ctx, pkg)).To(HaveLen(1))
		}
		s.create(ctx, other, "")
		held()

		s.By("repairing drift meanwhile")
		live, err := s.Admin.Operator(ctx, pkg)
		s.Expect(err).NotTo(HaveOccurred())
		deployments := s.Admin.Kubernetes.AppsV1().Deployments(live.Status.RelatedObjects[0].Name)
		found, err := deployments.List(ctx, metav1.ListOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(found.Items).NotTo(BeEmpty())
		s.Expect(deployments.Delete(ctx, found.Items[0].Name, metav1.DeleteOptions{})).To(Succeed())
		s.Eventually(func(ctx context.Context) (types.UID, error) {
			again, err := deployments.Get(ctx, found.Items[0].Name, metav1.GetOptions{})
			return again.UID, err
		}).WithContext(ctx).ShouldNot(BeElementOf(found.Items[0].UID, types.UID("")))

		s.By("deleting it again while no manager runs")
		s.KillManager()
		s.Expect(s.Admin.Platform.OperatorV1alpha1().PlatformOperatorManagers().Delete(ctx, operatorv1alpha1.PlatformOperatorManagerName, metav1.DeleteOptions{})).To(Succeed())
		s.StartManager()
		s.Eventually(s.managerUID).WithContext(ctx).ShouldNot(BeEmpty())
		s.Eventually(func(ctx context.Context) (int, error) { // the new manager has synced everything
			live, err := s.Admin.Platform.OperatorV1alpha1().PlatformOperatorManagers().Get(ctx, operatorv1alpha1.PlatformOperatorManagerName, metav1.GetOptions{})
			return len(live.Status.Conditions), err
		}).WithContext(ctx).Should(BeNumerically(">=", 4))
		held()

		s.By("restoring the limits by the command in the condition")
		s.runRemedy(ctx, pkg, "patch")
		s.waitForProgressing(ctx, pkg, metav1.ConditionFalse, platformv1alpha1.ReasonAwaitingApproval, "1.1.0")
		s.waitForRefusal(ctx, other, platformv1alpha1.ReasonValidationFailed, "spec.allowedPackages", `"`+other+`"`)

		s.By("deleting it again, and accepting the new limits")
		s.allowDeletion(ctx, managers, operatorv1alpha1.PlatformOperatorManagerName, `"true"`)
		s.replaceManagerResource(ctx)
		held()
		s.runRemedy(ctx, pkg, "annotate")
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(pkg, "1.1.0").Should(Succeed())
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(other, "1.0.0").Should(Succeed())
	})
}
