package integration

import (
	"context"
	"regexp"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

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

// allowDeletion sets the annotation that permits an object's deletion; "null" takes it away.
func allowDeletion(ctx context.Context, resource schema.GroupVersionResource, name, value string) {
	GinkgoHelper()
	patch := []byte(`{"metadata":{"annotations":{"` + platformv1alpha1.AnnotationAllowDeletion + `":` + value + `}}}`)
	_, err := admin.Dynamic.Resource(resource).Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
	Expect(err).NotTo(HaveOccurred())
}

// impersonating is a client of somebody who may do everything, and is somebody in particular.
func impersonating(user string, groups ...string) dynamic.Interface {
	GinkgoHelper()
	config := rest.CopyConfig(env.Admin)
	config.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: append(groups, "system:masters")}
	client, err := dynamic.NewForConfig(config)
	Expect(err).NotTo(HaveOccurred())
	return client
}

// forbidden is a refusal by an admission policy that says all of this.
func forbidden(words ...string) OmegaMatcher {
	said := []OmegaMatcher{Satisfy(apierrors.IsForbidden)}
	for _, word := range words {
		said = append(said, MatchError(ContainSubstring(word)))
	}
	return And(said...)
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
		limited := func() {
			configure(ctx, `{"allowedPackages":["outliving"],"defaultApproval":"Manual"}`, `{"allowedPackages":null,"defaultApproval":null}`)
			Eventually(storedLimits).WithContext(ctx).Should(And(ContainSubstring("outliving"), ContainSubstring("Manual")))
		}
		limited()
		DeferCleanup(func(ctx context.Context) { // whatever failed, nothing is held in other specs
			typed(ctx, "kubectl annotate platformoperatormanager cluster "+operatorv1alpha1.AnnotationAcceptLimits+"=true --overwrite")
			Eventually(storedLimits).WithContext(ctx).Should(Equal(`{"spec":{}}`))
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

// storedLimits gives what the ConfigMap has of the limits, as a patch.
func storedLimits(ctx context.Context) (string, error) {
	live, err := admin.Kubernetes.CoreV1().ConfigMaps(environment.Namespace).Get(ctx, limits.ConfigMap, metav1.GetOptions{})
	return live.Data["patch"], err
}

// withoutRecord deletes the ConfigMap, as the refusal says.
func withoutRecord(ctx context.Context) {
	GinkgoHelper()
	typed(ctx, "kubectl annotate configmap "+limits.ConfigMap+" -n "+environment.Namespace+" "+platformv1alpha1.AnnotationAllowDeletion+"=true --overwrite")
	Expect(admin.Kubernetes.CoreV1().ConfigMaps(environment.Namespace).Delete(ctx, limits.ConfigMap, metav1.DeleteOptions{})).To(Succeed())
}

var _ = Describe("the record of limits [HRD-S3]", func() {
	const edit = `{"data":{"patch":"{\"spec\":{}}"}}`
	limited := func(ctx context.Context, pkg string) {
		configure(ctx, `{"allowedPackages":["`+pkg+`"]}`, `{"allowedPackages":null}`)
		Eventually(storedLimits).WithContext(ctx).Should(ContainSubstring(pkg))
	}

	It("is neither deleted without the annotation that the refusal names nor edited, while it has limits", func(ctx context.Context) {
		records := admin.Kubernetes.CoreV1().ConfigMaps(environment.Namespace)
		dry := metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}
		edited := func(ctx context.Context) error {
			_, err := records.Patch(ctx, limits.ConfigMap, types.MergePatchType, []byte(edit), metav1.PatchOptions{})
			return err
		}
		Eventually(storedLimits).WithContext(ctx).Should(Equal(`{"spec":{}}`))
		Expect(records.Delete(ctx, limits.ConfigMap, dry)).To(Succeed(), "it has no limits yet")
		limited(ctx, "recorded")
		annotate := "kubectl annotate configmap " + limits.ConfigMap + " -n " + environment.Namespace + " " + platformv1alpha1.AnnotationAllowDeletion + "=true"
		accept := "kubectl annotate platformoperatormanager cluster " + operatorv1alpha1.AnnotationAcceptLimits + "=true"
		Expect(records.Delete(ctx, limits.ConfigMap, dry)).To(forbidden(annotate, accept))
		Expect(records.DeleteCollection(ctx, dry, metav1.ListOptions{})).To(forbidden(annotate))
		Expect(edited(ctx)).To(forbidden("kubectl edit platformoperatormanager cluster", accept))
		_, err := records.Patch(ctx, limits.ConfigMap, types.MergePatchType, []byte(`{"immutable":true}`), metav1.PatchOptions{})
		Expect(err).To(forbidden("only the manager edits it"))
		collector := impersonating("system:serviceaccount:kube-system:generic-garbage-collector").Resource(corev1.SchemeGroupVersion.WithResource("configmaps")).Namespace(environment.Namespace)
		Expect(collector.Delete(ctx, limits.ConfigMap, dry)).To(forbidden(annotate))
		remover := impersonating("system:serviceaccount:kube-system:namespace-controller").Resource(corev1.SchemeGroupVersion.WithResource("configmaps")).Namespace(environment.Namespace)
		Expect(remover.Delete(ctx, limits.ConfigMap, dry)).To(Succeed())

		typed(ctx, annotate)
		Expect(records.Delete(ctx, limits.ConfigMap, dry)).To(Succeed())
		Expect(edited(ctx)).To(forbidden("only the manager edits it"))
		Expect(records.Delete(ctx, limits.ConfigMap, metav1.DeleteOptions{})).To(Succeed())
		Eventually(storedLimits).WithContext(ctx).Should(ContainSubstring("recorded"))
		Expect(records.Delete(ctx, limits.ConfigMap, dry)).To(forbidden(annotate), "the restored one has no annotation")
	})

	It("permits nothing when it is deleted or edited after its PlatformOperatorManager, and the manager restarts", func(ctx context.Context) {
		const pkg, other = "recorded", "unrecorded"
		Expect(admin.Publish(ctx, samples.Operator{Package: pkg, Version: "1.0.0"}, samples.Operator{Package: other, Version: "1.0.0"})).To(Succeed())
		limited(ctx, pkg)
		DeferCleanup(func(ctx context.Context) { // whatever failed, nothing is held in other specs
			typed(ctx, "kubectl annotate platformoperatormanager cluster "+operatorv1alpha1.AnnotationAcceptLimits+"=true --overwrite")
			Eventually(storedLimits).WithContext(ctx).Should(Equal(`{"spec":{}}`))
			typed(ctx, "kubectl annotate platformoperatormanager cluster "+operatorv1alpha1.AnnotationAcceptLimits+"-")
		})
		installed(ctx, pkg, "1.0.0")
		untilYoungerThan(ctx, pkg)
		allowDeletion(ctx, managers, operatorv1alpha1.PlatformOperatorManagerName, `"true"`)
		managerReplaced(ctx)
		create(ctx, other, "")
		held := func(why string) {
			GinkgoHelper()
			refusedWith(ctx, other, platformv1alpha1.ReasonValidationFailed, why)
			_, err := admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, other, metav1.GetOptions{})
			Expect(err).To(beNotFound())
		}
		held("its replacement permits more (spec.allowedPackages)")

		By("deleting it, as its annotation permits")
		withoutRecord(ctx)
		Eventually(storedLimits).WithContext(ctx).Should(ContainSubstring(pkg))
		held("its replacement permits more (spec.allowedPackages)")

		By("editing it, as somebody whom no policy denies it")
		manager := impersonating("system:serviceaccount:" + environment.Namespace + ":" + environment.ServiceAccount)
		_, err := manager.Resource(corev1.SchemeGroupVersion.WithResource("configmaps")).Namespace(environment.Namespace).Patch(ctx, limits.ConfigMap, types.MergePatchType, []byte(edit), metav1.PatchOptions{})
		Expect(err).NotTo(HaveOccurred())
		Eventually(storedLimits).WithContext(ctx).Should(ContainSubstring(pkg))
		held("its replacement permits more (spec.allowedPackages)")

		By("deleting it while no manager runs")
		Expect(env.Manager.Kill()).To(Succeed())
		withoutRecord(ctx)
		Expect(env.Manager.Start()).To(Succeed())
		Eventually(func(ctx context.Context) (string, error) {
			live, err := admin.Operator(ctx, other)
			return meta.FindStatusCondition(live.Status.Conditions, platformv1alpha1.ConditionInstalled).Message, err
		}).WithContext(ctx).Should(ContainSubstring("the limits before it are unknown"))
		held("the limits before it are unknown")
		_, err = storedLimits(ctx)
		Expect(err).To(beNotFound())

		By("accepting the limits, as the condition says")
		typed(ctx, "kubectl annotate platformoperatormanager cluster "+operatorv1alpha1.AnnotationAcceptLimits+"=true")
		Eventually(admin.Installed).WithContext(ctx).WithArguments(other, "1.0.0").Should(Succeed())
		Expect(storedLimits(ctx)).To(Equal(`{"spec":{}}`))
	})
})

// typed runs a line in a shell as the cluster's admin, which has to succeed.
func typed(ctx context.Context, line string) {
	GinkgoHelper()
	output, err := asTyped(ctx, line)
	Expect(err).NotTo(HaveOccurred(), output)
}
