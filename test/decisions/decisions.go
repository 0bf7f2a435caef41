// Package decisions reads what the manager decided about its objects, and what it declared of others, so that two managers can be compared.
package decisions

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	configv1 "github.com/openshift/api/config/v1"
	configclient "github.com/openshift/client-go/config/clientset/versioned"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/client/clientset/versioned"
	"github.com/openshift/platform-operators/test/story"
)

// Of describes what the manager decided about a PlatformOperator, a BundleDeployment or the ClusterOperator: its conditions without
// messages, and the fields that a later manager reads. It is "" for any other object.
func Of(object any) string {
	d := &description{}
	switch object := object.(type) {
	case *platformv1alpha1.PlatformOperator:
		d.line("PlatformOperator %s", object.Name)
		d.conditions(object.Status.Conditions)
		d.line("  installed %s", asJSON(object.Status.Installed))
		d.line("  target %s", asJSON(object.Status.Target))
		d.line("  compatibility %s", asJSON(object.Status.Compatibility))
	case *corev1alpha2.BundleDeployment:
		d.line("BundleDeployment %s", object.Name)
		d.conditions(object.Status.Conditions)
		d.line("  active revision %d", object.Status.ActiveRevision)
		for _, each := range object.Status.Revisions {
			d.line("  revision %d %s started %v failed at generation %d", each.Number, each.State, each.StartedTime, each.FailedGeneration)
		}
	case *configv1.ClusterOperator:
		d.line("ClusterOperator %s", object.Name)
		for _, each := range object.Status.Conditions {
			d.line("  %s=%s %s", each.Type, each.Status, each.Reason)
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

func asJSON(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// InCluster describes every PlatformOperator, every BundleDeployment and the ClusterOperator of a cluster, in this order and by name.
func InCluster(ctx context.Context, platform versioned.Interface, config configclient.Interface) (string, error) {
	var all strings.Builder
	operators, err := platform.PlatformV1alpha1().PlatformOperators().List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", err
	}
	for i := range operators.Items {
		all.WriteString(Of(&operators.Items[i]))
	}
	deployments, err := platform.CoreV1alpha2().BundleDeployments().List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", err
	}
	for i := range deployments.Items {
		all.WriteString(Of(&deployments.Items[i]))
	}
	clusterOperator, err := config.ConfigV1().ClusterOperators().Get(ctx, story.ClusterOperatorName, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	all.WriteString(Of(clusterOperator))
	return all.String(), nil
}

// Declared returns the part of an object that its declarers decide and that tells whether it is the same object: all but status, which other
// controllers write, the resource version, and the record of field managers. A manager that continues a rollout turns the record of a
// creation into that of an apply.
func Declared(object *unstructured.Unstructured) map[string]any {
	object = object.DeepCopy()
	object.SetManagedFields(nil)
	object.SetResourceVersion("")
	unstructured.RemoveNestedField(object.Object, "status")
	return object.Object
}
