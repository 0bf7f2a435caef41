package specs

import (
	"context"
	"fmt"
	"slices"

	"github.com/onsi/gomega"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"

	"github.com/openshift/platform-operators/cmd/platform-operators-tests-ext/spec"
)

// operatorName is the name of the PlatformOperator in all specs that install a package. These specs do not run concurrently.
const operatorName = "ote-installed"

// installed returns specs that install spec.Cluster.Package.
func installed() []spec.Spec {
	return []spec.Spec{
		serialSpec("an operator is installed, and removed with its PlatformOperator", installAndRemove),
		serialSpec("a deleted Deployment of an installed operator is created again, and the deletion is reported", deletedIsRecreated),
		serialSpec("an edited Deployment of an installed operator is reverted, and the edit and its author are reported", editedIsReverted),
		serialSpec("an edited BundleDeployment of an installed operator is reverted", bundleDeploymentIsReverted),
		serialSpec("a deleted Deployment of a paused operator is reported, and created again after the pause", pausedKeepsDrift),
	}
}

// install installs spec.Cluster.Package, and waits until the operator is healthy. It skips the spec if Package is empty, if the cluster
// does not permit the package, or if another object already installs it.
func install(ctx context.Context, t *spec.T) {
	if t.Package == "" {
		t.Skip("no package to install: set PLATFORM_OPERATORS_TESTS_PACKAGE to a package in the cluster's catalogs")
	}
	// A PlatformOperator named operatorName is left over from an earlier spec. It must make this spec fail (in createAs), not skip it.
	operators, err := t.Platform.PlatformV1alpha1().PlatformOperators().List(ctx, metav1.ListOptions{})
	t.Expect(err).To(succeed())
	if at := slices.IndexFunc(operators.Items, func(each platformv1alpha1.PlatformOperator) bool {
		return each.Spec.Package.Name == t.Package && each.Name != operatorName
	}); at >= 0 {
		t.Skip("PlatformOperator %q already requests package %q, so the spec must not remove it", operators.Items[at].Name, t.Package)
	}
	skipUnlessPermitted(ctx, t, t.Package)
	skipIfManagedByOLM(ctx, t)
	want := specFor(t.Package)
	want.Deletion = &corev1alpha2.Deletion{CRDs: corev1alpha2.CRDsDelete} // otherwise the CRDs would remain
	object := operator(operatorName)
	object.Remains = func(ctx context.Context) ([]string, error) { return remainsOf(ctx, t) }
	createAs(ctx, t, object, want)
	t.Eventually(operatorCondition(t, operatorName, platformv1alpha1.ConditionInstalled)).WithContext(ctx).
		Should(beCondition(metav1.ConditionTrue, platformv1alpha1.ReasonInstallSuccessful))
	t.Eventually(operatorCondition(t, operatorName, platformv1alpha1.ConditionHealthy)).WithContext(ctx).
		Should(beCondition(metav1.ConditionTrue, platformv1alpha1.ReasonAsExpected))
	// Wait until the first version is complete. Before that, a missing object is not drift.
	t.Eventually(deploymentCondition(t, operatorName, corev1alpha2.ConditionProgressing)).WithContext(ctx).
		Should(beCondition(metav1.ConditionFalse, corev1alpha2.ReasonAsExpected))
	checkNamespaceImmutable(ctx, t)
}

// checkNamespaceImmutable checks that the API server refuses to change the namespace of an installed operator.
func checkNamespaceImmutable(ctx context.Context, t *spec.T) {
	_, err := t.Platform.PlatformV1alpha1().PlatformOperators().Patch(ctx, operatorName, types.MergePatchType,
		[]byte(`{"spec":{"install":{"namespace":"ote-another"}}}`), metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
	t.Expect(apierrors.IsInvalid(err)).To(gomega.BeTrue(), "%v", err)
	t.Expect(err.Error()).To(gomega.ContainSubstring("install.namespace is immutable"))
}

// skipIfManagedByOLM skips the spec if a Subscription or a ClusterExtension installs the package.
func skipIfManagedByOLM(ctx context.Context, t *spec.T) {
	for _, each := range []struct {
		resource schema.GroupVersionResource
		pkg      []string // the field of the package's name
	}{
		{schema.GroupVersionResource{Group: "operators.coreos.com", Version: "v1alpha1", Resource: "subscriptions"}, []string{"spec", "name"}},
		{schema.GroupVersionResource{Group: "olm.operatorframework.io", Version: "v1", Resource: "clusterextensions"}, []string{"spec", "source", "catalog", "packageName"}},
	} {
		list, err := t.Dynamic.Resource(each.resource).List(ctx, metav1.ListOptions{})
		if apierrors.IsNotFound(err) {
			continue // the cluster does not serve the kind
		}
		t.Expect(err).To(succeed())
		for _, object := range list.Items {
			if pkg, _, err := unstructured.NestedString(object.Object, each.pkg...); err == nil && pkg == t.Package {
				t.Skip("%s %q already has package %q, so the spec must not remove it", object.GetKind(), object.GetName(), t.Package)
			}
		}
	}
}

// remainsOf returns the names of the BundleDeployment and the objects of the installed operator that still exist. It lists at most 100
// objects of each resource.
func remainsOf(ctx context.Context, t *spec.T) ([]string, error) {
	var left []string
	_, err := t.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, operatorName, metav1.GetOptions{})
	switch {
	case err == nil:
		left = append(left, deployment(operatorName).String())
	case !apierrors.IsNotFound(err):
		return nil, err
	}
	for _, resource := range []schema.GroupVersionResource{ // the resources of an operator
		corev1.SchemeGroupVersion.WithResource("namespaces"),
		corev1.SchemeGroupVersion.WithResource("serviceaccounts"),
		corev1.SchemeGroupVersion.WithResource("services"),
		corev1.SchemeGroupVersion.WithResource("configmaps"),
		appsv1.SchemeGroupVersion.WithResource("deployments"),
		rbacv1.SchemeGroupVersion.WithResource("clusterroles"),
		rbacv1.SchemeGroupVersion.WithResource("clusterrolebindings"),
		rbacv1.SchemeGroupVersion.WithResource("roles"),
		rbacv1.SchemeGroupVersion.WithResource("rolebindings"),
		apiextensionsv1.SchemeGroupVersion.WithResource("customresourcedefinitions"),
		admissionv1.SchemeGroupVersion.WithResource("mutatingwebhookconfigurations"),
		admissionv1.SchemeGroupVersion.WithResource("validatingwebhookconfigurations"),
	} {
		list, err := t.Dynamic.Resource(resource).List(ctx, metav1.ListOptions{LabelSelector: operatorSelector(), Limit: 100})
		if err != nil {
			return nil, err
		}
		for _, each := range list.Items {
			left = append(left, spec.Object{Kind: each.GetKind(), Namespace: each.GetNamespace(), Name: each.GetName()}.String())
		}
	}
	return left, nil
}

// operatorSelector returns the label selector for the objects of the installed operator.
func operatorSelector() string {
	return labels.Set{corev1alpha2.LabelOwnerKind: corev1alpha2.OwnerKindBundleDeployment, corev1alpha2.LabelOwnerName: operatorName}.String()
}

// firstDeployment returns the first Deployment of the installed operator. It skips the spec if the operator has none.
func firstDeployment(ctx context.Context, t *spec.T) *appsv1.Deployment {
	all, err := operatorDeployments(t)(ctx)
	t.Expect(err).To(succeed())
	if len(all) == 0 {
		t.Skip("package %q brings no Deployment", t.Package)
	}
	return &all[0]
}

func operatorDeployments(t *spec.T) func(context.Context) ([]appsv1.Deployment, error) {
	return func(ctx context.Context) ([]appsv1.Deployment, error) {
		list, err := t.Kubernetes.AppsV1().Deployments("").List(ctx, metav1.ListOptions{LabelSelector: operatorSelector()})
		if err != nil {
			return nil, err
		}
		return list.Items, nil
	}
}

func installAndRemove(ctx context.Context, t *spec.T) {
	install(ctx, t)
	firstDeployment(ctx, t)
	live, err := t.Platform.PlatformV1alpha1().PlatformOperators().Get(ctx, operatorName, metav1.GetOptions{})
	t.Expect(err).To(succeed())
	t.Expect(live.Status.Installed).NotTo(gomega.BeNil())
	t.Expect(live.Status.Installed.Image).To(gomega.ContainSubstring("@sha256:"), "what is installed is recorded by digest")
	t.Expect(live.Status.History).NotTo(gomega.BeEmpty())

	t.Step("removing it")
	t.Remove(ctx, operator(operatorName))
	_, err = t.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, operatorName, metav1.GetOptions{})
	t.Expect(err).To(beNotFound())
	left, err := operatorDeployments(t)(ctx)
	t.Expect(err).To(succeed())
	t.Expect(left).To(gomega.BeEmpty(), "a PlatformOperator is gone when its operator is")
}

func deletedIsRecreated(ctx context.Context, t *spec.T) {
	install(ctx, t)
	before := firstDeployment(ctx, t)
	deployments := t.Kubernetes.AppsV1().Deployments(before.Namespace)
	t.Expect(deployments.Delete(ctx, before.Name, metav1.DeleteOptions{})).To(succeed())
	t.Eventually(func(ctx context.Context) (types.UID, error) {
		live, err := deployments.Get(ctx, before.Name, metav1.GetOptions{})
		return live.GetUID(), err
	}).WithContext(ctx).ShouldNot(gomega.BeElementOf(before.UID, types.UID("")))
	t.Eventually(driftRecords(t)).WithContext(ctx).Should(gomega.ContainElement(drift(before.Name, corev1alpha2.DriftDeleted, corev1alpha2.DriftRepaired)))
}

func editedIsReverted(ctx context.Context, t *spec.T) {
	install(ctx, t)
	before := firstDeployment(ctx, t)
	deployments := t.Kubernetes.AppsV1().Deployments(before.Namespace)
	account := before.Spec.Template.Spec.ServiceAccountName
	if account == "" {
		t.Skip("Deployment %s/%s declares no ServiceAccount, so that no change of it can be reported", before.Namespace, before.Name)
	}
	edited, err := deployments.Patch(ctx, before.Name, types.MergePatchType,
		[]byte(`{"spec":{"template":{"spec":{"serviceAccountName":"ote-somebody-else","serviceAccount":"ote-somebody-else"}}}}`),
		metav1.PatchOptions{FieldManager: "ote-somebody"})
	t.Expect(err).To(succeed())
	t.Expect(edited.Spec.Template.Spec.ServiceAccountName).To(gomega.Equal("ote-somebody-else"))
	t.Eventually(func(ctx context.Context) (string, error) {
		live, err := deployments.Get(ctx, before.Name, metav1.GetOptions{})
		if err != nil {
			return "", err
		}
		return live.Spec.Template.Spec.ServiceAccountName, nil
	}).WithContext(ctx).Should(gomega.Equal(account))
	t.Eventually(driftRecords(t)).WithContext(ctx).Should(gomega.ContainElement(gomega.And(
		gomega.HavePrefix(drift(before.Name, corev1alpha2.DriftEdited, corev1alpha2.DriftRepaired)), gomega.ContainSubstring("ote-somebody"))))
}

// driftRecords returns a function for Eventually that returns the reported drift of Deployments, such as "Deployment name: Edited, Repaired
// by manager".
func driftRecords(t *spec.T) func(context.Context) ([]string, error) {
	return func(ctx context.Context) ([]string, error) {
		live, err := t.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, operatorName, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		var records []string
		for _, each := range live.Status.Drift {
			text := drift(each.Object.Name, each.Change, each.Outcome)
			if each.Manager != "" {
				text += " by " + each.Manager
			}
			if each.Object.Kind == "Deployment" {
				records = append(records, text)
			}
		}
		return records, nil
	}
}

func drift(deployment string, change corev1alpha2.DriftChange, outcome corev1alpha2.DriftOutcome) string {
	return fmt.Sprintf("Deployment %s: %s, %s", deployment, change, outcome)
}

func bundleDeploymentIsReverted(ctx context.Context, t *spec.T) {
	install(ctx, t)
	deployments := t.Platform.CoreV1alpha2().BundleDeployments()
	_, err := deployments.Patch(ctx, operatorName, types.MergePatchType, []byte(`{"spec":{"paused":true}}`), metav1.PatchOptions{})
	t.Expect(err).To(succeed())
	t.Eventually(func(ctx context.Context) (bool, error) {
		live, err := deployments.Get(ctx, operatorName, metav1.GetOptions{})
		if err != nil {
			return true, err
		}
		return live.Spec.Paused, nil
	}).WithContext(ctx).Should(gomega.BeFalse(), "spec.paused of BundleDeployment %q was set behind its PlatformOperator's back", operatorName)
}

func pausedKeepsDrift(ctx context.Context, t *spec.T) {
	install(ctx, t)
	before := firstDeployment(ctx, t)
	deployments := t.Kubernetes.AppsV1().Deployments(before.Namespace)
	patchOperator(ctx, t, operatorName, `{"spec":{"paused":true}}`)
	t.Eventually(deploymentCondition(t, operatorName, corev1alpha2.ConditionProgressing)).WithContext(ctx).
		Should(beCondition(metav1.ConditionFalse, corev1alpha2.ReasonPaused))
	t.Expect(deployments.Delete(ctx, before.Name, metav1.DeleteOptions{})).To(succeed())
	t.Eventually(deploymentCondition(t, operatorName, corev1alpha2.ConditionDrifted)).WithContext(ctx).
		Should(beCondition(metav1.ConditionTrue, corev1alpha2.ReasonDriftReported, before.Name, "spec.paused"))
	t.Consistently(func(ctx context.Context) error {
		_, err := deployments.Get(ctx, before.Name, metav1.GetOptions{})
		return err
	}).WithContext(ctx).Should(beNotFound(), "it was created while spec.paused is set")

	t.Step("going on")
	patchOperator(ctx, t, operatorName, `{"spec":{"paused":false}}`)
	t.Eventually(func(ctx context.Context) error {
		_, err := deployments.Get(ctx, before.Name, metav1.GetOptions{})
		return err
	}).WithContext(ctx).Should(succeed())
}
