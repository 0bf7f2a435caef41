package apply

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/plan"
)

// leftoverKinds are the kinds that leftovers are looked for in: those that a registry+v1 bundle may hold, which the payload's roles
// let the manager list and delete. What a plain+v0 bundle has of other kinds is not looked for: that would take the kinds of the whole
// cluster, and rights to list them. Nor are namespaces but the install namespace, with which users' data could go.
var leftoverKinds = []schema.GroupKind{
	{Kind: "ConfigMap"},
	{Kind: "Secret"},
	{Kind: "Service"},
	{Kind: "ServiceAccount"},
	{Group: "admissionregistration.k8s.io", Kind: "MutatingWebhookConfiguration"},
	{Group: "admissionregistration.k8s.io", Kind: "ValidatingWebhookConfiguration"},
	{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"},
	{Group: "apps", Kind: "Deployment"},
	{Group: "autoscaling.k8s.io", Kind: "VerticalPodAutoscaler"},
	{Group: "cert-manager.io", Kind: "Certificate"},
	{Group: "cert-manager.io", Kind: "Issuer"},
	{Group: "console.openshift.io", Kind: "ConsoleCLIDownload"},
	{Group: "console.openshift.io", Kind: "ConsoleLink"},
	{Group: "console.openshift.io", Kind: "ConsolePlugin"},
	{Group: "console.openshift.io", Kind: "ConsoleQuickStart"},
	{Group: "console.openshift.io", Kind: "ConsoleYAMLSample"},
	{Group: "monitoring.coreos.com", Kind: "PodMonitor"},
	{Group: "monitoring.coreos.com", Kind: "PrometheusRule"},
	{Group: "monitoring.coreos.com", Kind: "ServiceMonitor"},
	{Group: "networking.k8s.io", Kind: "NetworkPolicy"},
	{Group: "policy", Kind: "PodDisruptionBudget"},
	{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole"},
	{Group: "rbac.authorization.k8s.io", Kind: "ClusterRoleBinding"},
	{Group: "rbac.authorization.k8s.io", Kind: "Role"},
	{Group: "rbac.authorization.k8s.io", Kind: "RoleBinding"},
	{Group: "scheduling.k8s.io", Kind: "PriorityClass"},
}

// Leftovers gives what is still there of an owner's, of the kinds that a registry+v1 bundle may hold and whatever revisions are
// known, as a set to remove: objects that have
// its labels and also its field manager or, from rukpak, an owner reference to it, so that a copy which somebody made of one,
// labels and all, is not among them.
func (e *Engine) Leftovers(ctx context.Context, owner Owner, installNamespace string) (*Set, error) {
	var found []unstructured.Unstructured
	for _, kind := range leftoverKinds {
		objects, err := e.leftovers(ctx, owner, kind)
		if err != nil {
			return nil, err
		}
		found = append(found, objects...)
	}
	return leftoverSet(owner, installNamespace, found)
}

// leftoverSet makes a set of what was found. The role that lets the manager read custom resources is added by NewSet while
// their CustomResourceDefinitions are there, and is an object like others when they are not.
func leftoverSet(owner Owner, installNamespace string, found []unstructured.Unstructured) (*Set, error) {
	reader := map[Key]bool{}
	for _, role := range readerRole(owner, plan.Phases(found)) {
		reader[keyOf(role)] = true
	}
	var objects []unstructured.Unstructured
	for _, object := range found {
		if !reader[keyOf(&object)] {
			objects = append(objects, object)
		}
	}
	return NewSet(owner, installNamespace, plan.Phases(objects))
}

func (e *Engine) leftovers(ctx context.Context, owner Owner, kind schema.GroupKind) ([]unstructured.Unstructured, error) {
	at, served, err := e.kinds.findAny(ctx, kind.WithVersion(""))
	if err != nil || !served {
		return nil, err // what cannot be discovered may be there, and is not passed over
	}
	options := metav1.ListOptions{LabelSelector: ownerSelector + "," + corev1alpha2.LabelOwnerName + "=" + owner.Name}
	var found []unstructured.Unstructured
	err = eachPage(ctx, e.client.Resource(at.GroupVersionResource), options, func(page *unstructured.UnstructuredList) (bool, error) {
		for _, object := range page.Items {
			if owner.isOurs(&object, nil) {
				found = append(found, object)
			}
		}
		return true, nil
	})
	if err != nil {
		return nil, ignoreUnserved(kind, err)
	}
	return found, nil
}

// ignoreUnserved passes over kinds that this cluster does not have or that the manager may not list: it cannot have
// applied any.
func ignoreUnserved(kind schema.GroupKind, err error) error {
	if apierrors.IsNotFound(err) || apierrors.IsForbidden(err) {
		return nil
	}
	return fmt.Errorf("looking for objects of kind %s that are left: %w", kind, err)
}
