package integration

import (
	"context"
	"regexp"

	. "github.com/onsi/ginkgo/v2"
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

// managerUID is that of the PlatformOperatorManager that there is; empty where there is none.
func managerUID(ctx context.Context) types.UID {
	live, err := admin.Platform.OperatorV1alpha1().PlatformOperatorManagers().Get(ctx, operatorv1alpha1.PlatformOperatorManagerName, metav1.GetOptions{})
	if err != nil {
		return ""
	}
	return live.UID
}

// managerReplaced deletes the PlatformOperatorManager and waits for the new one.
func managerReplaced(ctx context.Context) {
	GinkgoHelper()
	before := managerUID(ctx)
	Expect(admin.Platform.OperatorV1alpha1().PlatformOperatorManagers().Delete(ctx, operatorv1alpha1.PlatformOperatorManagerName, metav1.DeleteOptions{})).To(Succeed())
	Eventually(managerUID).WithContext(ctx).ShouldNot(BeElementOf(before, types.UID("")))
}

// remedyIn runs the command in a PlatformOperator's Progressing condition that begins so.
func remedyIn(ctx context.Context, name, command string) {
	GinkgoHelper()
	live, err := admin.Operator(ctx, name)
	Expect(err).NotTo(HaveOccurred())
	message := meta.FindStatusCondition(live.Status.Conditions, platformv1alpha1.ConditionProgressing).Message
	found := regexp.MustCompile(`kubectl (?:patch .*\)"|annotate \S+ \S+ \S+)`).FindAllString(message, -1)
	Expect(found).To(HaveLen(2), message)
	for _, line := range found {
		if regexp.MustCompile("^kubectl " + command).MatchString(line) {
			typed(ctx, line)
			return
		}
	}
	Fail("the message has no " + command + ": " + message)
}

var _ = Describe("PlatformOperatorManager cluster while it limits packages, catalogs or approval", func() {
	dry := metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}

	DescribeTable("HRD-S3 is not deleted without the annotation that the refusal names", func(ctx context.Context, spec, undo, field string) {
		client := admin.Dynamic.Resource(managers)
		Expect(client.Delete(ctx, operatorv1alpha1.PlatformOperatorManagerName, dry)).To(Succeed(), "it limits nothing yet")
		configure(ctx, spec, undo)
		annotate := "kubectl annotate platformoperatormanager cluster " + platformv1alpha1.AnnotationAllowDeletion + "=true"
		Expect(client.Delete(ctx, operatorv1alpha1.PlatformOperatorManagerName, dry)).To(forbidden(field, annotate))
		Expect(client.DeleteCollection(ctx, dry, metav1.ListOptions{})).To(forbidden(field, annotate))
		DeferCleanup(func(ctx context.Context) {
			allowDeletion(ctx, managers, operatorv1alpha1.PlatformOperatorManagerName, "null")
		})
		typed(ctx, annotate)
		Expect(client.Delete(ctx, operatorv1alpha1.PlatformOperatorManagerName, dry)).To(Succeed())
	},
		Entry("packages", `{"allowedPackages":["a"]}`, `{"allowedPackages":null}`, "spec.allowedPackages"),
		Entry("namespaces of catalogs", `{"catalogNamespaces":["a"]}`, `{"catalogNamespaces":null}`, "spec.catalogNamespaces"),
		Entry("catalogs", `{"catalogSelector":{"matchLabels":{"a":"b"}}}`, `{"catalogSelector":null}`, "spec.catalogSelector"),
		Entry("catalogs by an expression", `{"catalogSelector":{"matchExpressions":[{"key":"a","operator":"Exists"}]}}`, `{"catalogSelector":null}`, "spec.catalogSelector"),
		Entry("approval", `{"defaultApproval":"Manual"}`, `{"defaultApproval":null}`, "spec.defaultApproval"),
	)

	DescribeTable("HRD-S3 is deleted without an annotation where what is set limits nothing", func(ctx context.Context, spec, undo string) {
		configure(ctx, spec, undo)
		Expect(admin.Dynamic.Resource(managers).Delete(ctx, operatorv1alpha1.PlatformOperatorManagerName, dry)).To(Succeed())
	},
		Entry("an empty selector", `{"catalogSelector":{}}`, `{"catalogSelector":null}`),
		Entry("a selector with empty parts", `{"catalogSelector":{"matchLabels":{},"matchExpressions":[]}}`, `{"catalogSelector":null}`),
		Entry("automatic approval", `{"defaultApproval":"Automatic"}`, `{"defaultApproval":null}`),
	)

	It("HRD-S3 holds everything after its deletion until its limits are back, or those of the new one are accepted", func(ctx context.Context) {
		const pkg, other = "outliving", "unwelcome"
		publish := func(versions ...string) {
			all := []samples.Operator{{Package: other, Version: "1.0.0"}}
			for _, version := range versions {
				all = append(all, samples.Operator{Package: pkg, Version: version})
			}
			Expect(admin.Publish(ctx, all...)).To(Succeed())
		}
		publish("1.0.0")
		kept := func(ctx context.Context) (string, error) {
			live, err := admin.Kubernetes.CoreV1().ConfigMaps(environment.Namespace).Get(ctx, limits.ConfigMap, metav1.GetOptions{})
			return live.Data["patch"], err
		}
		limited := func() {
			configure(ctx, `{"allowedPackages":["outliving"],"defaultApproval":"Manual"}`, `{"allowedPackages":null,"defaultApproval":null}`)
			Eventually(kept).WithContext(ctx).Should(And(ContainSubstring("outliving"), ContainSubstring("Manual")))
		}
		limited()
		DeferCleanup(func(ctx context.Context) { // whatever failed, nothing is held in other specs
			typed(ctx, "kubectl annotate platformoperatormanager cluster "+operatorv1alpha1.AnnotationAcceptLimits+"=true --overwrite")
			Eventually(kept).WithContext(ctx).Should(Equal(`{"spec":{}}`))
			typed(ctx, "kubectl annotate platformoperatormanager cluster "+operatorv1alpha1.AnnotationAcceptLimits+"-")
		})
		installed(ctx, pkg, "1.0.0")
		publish("1.0.0", "1.1.0")
		progressingSays(ctx, pkg, metav1.ConditionFalse, platformv1alpha1.ReasonAwaitingApproval, "1.1.0")

		By("deleting it, as the annotation permits")
		allowDeletion(ctx, managers, operatorv1alpha1.PlatformOperatorManagerName, `"true"`)
		managerReplaced(ctx)
		lost := []string{theManager, "was deleted", "spec.allowedPackages, spec.defaultApproval"}
		held := func() {
			GinkgoHelper()
			progressingSays(ctx, pkg, metav1.ConditionFalse, platformv1alpha1.ReasonBlocked, lost...)
			refusedWith(ctx, other, platformv1alpha1.ReasonValidationFailed, lost...)
			live, err := admin.Operator(ctx, pkg)
			Expect(err).NotTo(HaveOccurred())
			Expect(live.Status.Installed.Version).To(Equal("1.0.0"))
			Expect(live.Status.Target).To(BeNil())
			Expect(historyOf(ctx, pkg)).To(HaveLen(1))
		}
		create(ctx, other, "")
		held()

		By("what runs is repaired meanwhile")
		live, err := admin.Operator(ctx, pkg)
		Expect(err).NotTo(HaveOccurred())
		deployments := admin.Kubernetes.AppsV1().Deployments(live.Status.RelatedObjects[0].Name)
		found, err := deployments.List(ctx, metav1.ListOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Items).NotTo(BeEmpty())
		Expect(deployments.Delete(ctx, found.Items[0].Name, metav1.DeleteOptions{})).To(Succeed())
		Eventually(func(ctx context.Context) (types.UID, error) {
			again, err := deployments.Get(ctx, found.Items[0].Name, metav1.GetOptions{})
			return again.UID, err
		}).WithContext(ctx).ShouldNot(BeElementOf(found.Items[0].UID, types.UID("")))

		By("neither another manager nor another deletion forgets the limits")
		Expect(env.Manager.Kill()).To(Succeed())
		Expect(admin.Platform.OperatorV1alpha1().PlatformOperatorManagers().Delete(ctx, operatorv1alpha1.PlatformOperatorManagerName, metav1.DeleteOptions{})).To(Succeed())
		Expect(env.Manager.Start()).To(Succeed())
		Eventually(managerUID).WithContext(ctx).ShouldNot(BeEmpty())
		Eventually(func(ctx context.Context) (int, error) { // the new manager has looked at everything
			live, err := admin.Platform.OperatorV1alpha1().PlatformOperatorManagers().Get(ctx, operatorv1alpha1.PlatformOperatorManagerName, metav1.GetOptions{})
			return len(live.Status.Conditions), err
		}).WithContext(ctx).Should(BeNumerically(">=", 4))
		held()

		By("putting the limits back, as the condition says")
		remedyIn(ctx, pkg, "patch")
		progressingSays(ctx, pkg, metav1.ConditionFalse, platformv1alpha1.ReasonAwaitingApproval, "1.1.0")
		refusedWith(ctx, other, platformv1alpha1.ReasonValidationFailed, "spec.allowedPackages", `"`+other+`"`)

		By("deleting it again, and accepting what the new one says")
		allowDeletion(ctx, managers, operatorv1alpha1.PlatformOperatorManagerName, `"true"`)
		managerReplaced(ctx)
		held()
		remedyIn(ctx, pkg, "annotate")
		Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.1.0").Should(Succeed())
		Eventually(admin.Installed).WithContext(ctx).WithArguments(other, "1.0.0").Should(Succeed())
	})
})

// typed runs a line in a shell as the cluster's admin, which has to succeed.
func typed(ctx context.Context, line string) {
	GinkgoHelper()
	output, err := asTyped(ctx, line)
	Expect(err).NotTo(HaveOccurred(), output)
}
