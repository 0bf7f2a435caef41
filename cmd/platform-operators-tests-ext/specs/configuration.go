package specs

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/util/retry"

	configv1 "github.com/openshift/api/config/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"

	"github.com/openshift/platform-operators/cmd/platform-operators-tests-ext/spec"
)

// configuration returns specs about the singleton objects.
func configuration() []spec.Spec {
	return []spec.Spec{
		serialSpec("the manager creates a deleted ProvisionerClass of the payload again", classComesBack),
		serialSpec("the manager creates a deleted PlatformOperatorManager again and keeps the ClusterOperator", managerComesBack),
		serialSpec("the manager reverts an edit of the ClusterOperator", clusterOperatorIsReverted),
		serialSpec("a package that allowedPackages lacks is refused with the field, and resolved when it is allowed", allowedPackages),
	}
}

var (
	classes  = schema.GroupVersionResource{Group: "core.rukpak.io", Version: "v1alpha2", Resource: "provisionerclasses"}
	managers = schema.GroupVersionResource{Group: "operator.openshift.io", Version: "v1alpha1", Resource: "platformoperatormanagers"}
)

func classComesBack(ctx context.Context, t *spec.T) {
	shipped := []string{corev1alpha2.ProvisionerClassRegistry, corev1alpha2.ProvisionerClassPlain}
	for _, name := range shipped {
		skipIfSet(ctx, t, t.Dynamic.Resource(classes), name, "provisioner")
	}
	for _, name := range shipped {
		recreated(ctx, t, t.Dynamic.Resource(classes), name)
	}
}

func managerComesBack(ctx context.Context, t *spec.T) {
	skipIfSet(ctx, t, t.Dynamic.Resource(managers), operatorv1alpha1.PlatformOperatorManagerName, "managementState", "logLevel", "operatorLogLevel")
	operators := t.Config.ConfigV1().ClusterOperators()
	before, err := operators.Get(ctx, clusterOperator, metav1.GetOptions{})
	t.Expect(err).To(succeed())
	recreated(ctx, t, t.Dynamic.Resource(managers), operatorv1alpha1.PlatformOperatorManagerName)

	t.Step("the ClusterOperator has been there all the time")
	t.Consistently(func(ctx context.Context) (types.UID, error) {
		live, err := operators.Get(ctx, clusterOperator, metav1.GetOptions{})
		return live.GetUID(), err
	}).WithContext(ctx).Should(gomega.Equal(before.UID))
	t.Eventually(func(ctx context.Context) (map[configv1.ClusterStatusConditionType]configv1.ConditionStatus, error) {
		live, err := operators.Get(ctx, clusterOperator, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		return statusesOf(live), nil
	}).WithContext(ctx).Should(gomega.Equal(statusesOf(before)))
}

// skipIfSet skips the spec if the object's .spec has a non-null field that is not in shipped. The calling spec deletes the object, and
// without these settings an upgrade that waits for approval could start, which cannot be undone.
func skipIfSet(ctx context.Context, t *spec.T, objects dynamic.ResourceInterface, name string, shipped ...string) {
	live, err := objects.Get(ctx, name, metav1.GetOptions{})
	t.Expect(err).To(succeed())
	settings, _, err := unstructured.NestedMap(live.Object, "spec")
	t.Expect(err).To(succeed())
	maps.DeleteFunc(settings, func(field string, value any) bool { return value == nil || slices.Contains(shipped, field) })
	if len(settings) > 0 {
		t.Skip("%s %q has settings %q, which would have no effect while it is deleted", live.GetKind(), name, slices.Sorted(maps.Keys(settings)))
	}
}

// recreated deletes an object and waits until the manager has created it again. A cleanup restores the settings of the deleted object. It
// uses unstructured objects, because a typed client would add fields.
func recreated(ctx context.Context, t *spec.T, objects dynamic.ResourceInterface, name string) {
	before, err := objects.Get(ctx, name, metav1.GetOptions{})
	t.Expect(err).To(succeed())
	t.Cleanup(func(ctx context.Context) {
		t.Retry(ctx, func(ctx context.Context) error {
			if err := restore(ctx, objects, before); err != nil {
				return fmt.Errorf("%s %q is not as it was: putting it back: %w", before.GetKind(), name, err)
			}
			return nil
		})
	})
	t.Expect(objects.Delete(ctx, name, metav1.DeleteOptions{})).To(succeed())
	t.Eventually(func(ctx context.Context) (types.UID, error) {
		live, err := objects.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return "", err
		}
		return live.GetUID(), nil
	}).WithContext(ctx).ShouldNot(gomega.BeElementOf(before.GetUID(), types.UID("")))
}

// restore resets the spec, labels and annotations of an object to those of before. It creates the object if it does not exist.
func restore(ctx context.Context, objects dynamic.ResourceInterface, before *unstructured.Unstructured) error {
	live, err := objects.Get(ctx, before.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		live = &unstructured.Unstructured{Object: map[string]any{"apiVersion": before.GetAPIVersion(), "kind": before.GetKind()}}
		live.SetName(before.GetName())
		asBefore(live, before)
		_, err = objects.Create(ctx, live, metav1.CreateOptions{})
		return err
	}
	if err != nil {
		return err
	}
	asBefore(live, before)
	_, err = objects.Update(ctx, live, metav1.UpdateOptions{})
	return err
}

func asBefore(live, before *unstructured.Unstructured) {
	live.Object["spec"] = before.Object["spec"]
	live.SetLabels(before.GetLabels())
	live.SetAnnotations(before.GetAnnotations())
}

func clusterOperatorIsReverted(ctx context.Context, t *spec.T) {
	const edit = "Somebody wrote this by hand."
	operators := t.Config.ConfigV1().ClusterOperators()
	var before *configv1.ClusterOperator
	t.Cleanup(func(ctx context.Context) { // in case the manager has not reverted the edit
		t.Retry(ctx, func(ctx context.Context) error {
			live, err := operators.Get(ctx, clusterOperator, metav1.GetOptions{})
			if err == nil && before != nil && strings.Contains(messagesOf(live), edit) {
				live.Status.Conditions = before.Status.Conditions
				_, err = operators.UpdateStatus(ctx, live, metav1.UpdateOptions{})
			}
			if err != nil {
				return fmt.Errorf("ClusterOperator %q may still have messages that are not its own: putting them back: %w", clusterOperator, err)
			}
			return nil
		})
	})
	t.Expect(retry.RetryOnConflict(retry.DefaultRetry, func() error {
		live, err := operators.Get(ctx, clusterOperator, metav1.GetOptions{})
		if err != nil {
			return err
		}
		before = live.DeepCopy()
		for i := range live.Status.Conditions { // only messages, because another status could trigger alerts
			live.Status.Conditions[i].Message = edit
		}
		_, err = operators.UpdateStatus(ctx, live, metav1.UpdateOptions{})
		return err
	})).To(succeed())
	t.Eventually(func(ctx context.Context) (string, error) {
		live, err := operators.Get(ctx, clusterOperator, metav1.GetOptions{})
		return messagesOf(live), err
	}).WithContext(ctx).ShouldNot(gomega.Or(gomega.BeEmpty(), gomega.ContainSubstring(edit)))
	live, err := operators.Get(ctx, clusterOperator, metav1.GetOptions{})
	t.Expect(err).To(succeed())
	t.Expect(statusesOf(live)).To(gomega.Equal(statusesOf(before)))
}

// messagesOf returns the messages of all conditions of a ClusterOperator, one line each.
func messagesOf(operator *configv1.ClusterOperator) string {
	var messages []string
	for _, condition := range operator.Status.Conditions {
		messages = append(messages, condition.Message)
	}
	return strings.Join(messages, "\n")
}

func statusesOf(operator *configv1.ClusterOperator) map[configv1.ClusterStatusConditionType]configv1.ConditionStatus {
	statuses := map[configv1.ClusterStatusConditionType]configv1.ConditionStatus{}
	for _, condition := range operator.Status.Conditions {
		statuses[condition.Type] = condition.Status
	}
	return statuses
}

func allowedPackages(ctx context.Context, t *spec.T) {
	const name, pkg = "ote-not-allowed", "ote-not-allowed-package"
	managers := t.Platform.OperatorV1alpha1().PlatformOperatorManagers()
	before, err := managers.Get(ctx, operatorv1alpha1.PlatformOperatorManagerName, metav1.GetOptions{})
	t.Expect(err).To(succeed())
	allow := func(ctx context.Context, globs []string) error {
		patch, err := json.Marshal(map[string]any{"spec": map[string]any{"allowedPackages": globs}})
		if err != nil {
			return err
		}
		if _, err = managers.Patch(ctx, before.Name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			return fmt.Errorf("setting spec.allowedPackages of PlatformOperatorManager %q to %q: %w", before.Name, globs, err)
		}
		return nil
	}
	t.Cleanup(func(ctx context.Context) {
		t.Retry(ctx, func(ctx context.Context) error { return allow(ctx, before.Spec.AllowedPackages) })
	})
	t.Expect(allow(ctx, []string{"ote-something-else"})).To(succeed())
	createAs(ctx, t, operator(name), specFor(pkg))
	t.Eventually(operatorCondition(t, name, platformv1alpha1.ConditionInstalled)).WithContext(ctx).
		Should(beCondition(metav1.ConditionFalse, platformv1alpha1.ReasonValidationFailed, "spec.allowedPackages", pkg))

	t.Step("allowing it")
	t.Expect(allow(ctx, []string{"ote-*"})).To(succeed())
	t.Eventually(operatorCondition(t, name, platformv1alpha1.ConditionInstalled)).WithContext(ctx).
		Should(beCondition(metav1.ConditionFalse, platformv1alpha1.ReasonSourceFailed, pkg))
}
