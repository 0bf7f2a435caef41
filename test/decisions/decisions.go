// Package decisions describes the decisions of a manager as text: the status of its objects, and the objects that it applied. Tests compare
// the descriptions of two managers.
package decisions

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	configv1 "github.com/openshift/api/config/v1"
	configclient "github.com/openshift/client-go/config/clientset/versioned"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/client/clientset/versioned"
	"github.com/openshift/platform-operators/test/story"
)

// Describe returns the conditions of a PlatformOperator, BundleDeployment or ClusterOperator, without messages and times, and the fields
// for the installed and the next version or revision. It omits fields and conditions that only one of the managers has. For a
// BundleDeployment that was rolled back, it includes the cause of the failure from the message, because the manager of commit c02a7af
// records it only there. The rest of that message says when the version is retried, and is omitted because the managers have different
// rules for retries. Describe returns "" for other types.
func Describe(object any) string {
	d := &description{}
	switch object := object.(type) {
	case *platformv1alpha1.PlatformOperator:
		d.line("PlatformOperator %s", object.Name)
		d.conditions(slices.DeleteFunc(slices.Clone(object.Status.Conditions), func(c metav1.Condition) bool {
			return c.Type == platformv1alpha1.ConditionDrifted // which the manager of c02a7af does not have
		}))
		d.line("  installed %s", asJSON(object.Status.Installed))
		d.line("  target %s", asJSON(object.Status.Target))
		d.line("  compatibility %s", asJSON(object.Status.Compatibility))
	case *corev1alpha2.BundleDeployment:
		d.line("BundleDeployment %s", object.Name)
		d.conditions(object.Status.Conditions)
		d.line("  active revision %d", object.Status.ActiveRevision)
		for _, each := range object.Status.Revisions {
			d.line("  revision %d %s started %v failed at generation %d", each.Number, each.State, each.StartedTime, each.FailedGeneration)
			if each.State == corev1alpha2.RevisionFailed {
				cause, _, _ := strings.Cut(messageOf(object.Status.Conditions, corev1alpha2.ConditionProgressing), " Rolled back: ")
				d.line("  because %s", cause)
			}
		}
	case *configv1.ClusterOperator:
		d.line("ClusterOperator %s", object.Name)
		for _, each := range object.Status.Conditions {
			if each.Type != configv1.EvaluationConditionsDetected { // of which the manager of c02a7af has no data
				d.line("  %s=%s %s", each.Type, each.Status, each.Reason)
			}
		}
	}
	return d.String()
}

type description struct{ strings.Builder }

func (d *description) line(format string, arguments ...any) {
	fmt.Fprintf(d, format+"\n", arguments...)
}

func (d *description) conditions(conditions []metav1.Condition) {
	for _, each := range conditions {
		d.line("  %s=%s %s", each.Type, each.Status, each.Reason)
	}
}

func messageOf(conditions []metav1.Condition, conditionType string) string {
	if condition := meta.FindStatusCondition(conditions, conditionType); condition != nil {
		return condition.Message
	}
	return ""
}

func asJSON(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// DescribeCluster describes every PlatformOperator, every BundleDeployment and the ClusterOperator, in this order; objects of one kind are
// ordered by name.
func DescribeCluster(ctx context.Context, platform versioned.Interface, config configclient.Interface) (string, error) {
	var all strings.Builder
	operators, err := platform.PlatformV1alpha1().PlatformOperators().List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", err
	}
	for i := range operators.Items {
		all.WriteString(Describe(&operators.Items[i]))
	}
	deployments, err := platform.CoreV1alpha2().BundleDeployments().List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", err
	}
	for i := range deployments.Items {
		all.WriteString(Describe(&deployments.Items[i]))
	}
	clusterOperator, err := config.ConfigV1().ClusterOperators().Get(ctx, story.ClusterOperatorName, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	all.WriteString(Describe(clusterOperator))
	return all.String(), nil
}

// WithoutServerFields returns an object without its status, metadata.resourceVersion and metadata.managedFields. A manager that continues
// the rollout of another manager may change only managedFields. The result has the UID, so that a comparison shows whether the object was
// recreated.
func WithoutServerFields(object *unstructured.Unstructured) map[string]any {
	object = object.DeepCopy()
	object.SetManagedFields(nil)
	object.SetResourceVersion("")
	unstructured.RemoveNestedField(object.Object, "status")
	return object.Object
}
