package declaredresources

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/deploymentspec"
	"github.com/openshift/platform-operators/pkg/upgradestep"
)

// addRemovals declares what the manager reads before it deletes objects of revisions: the custom resources of a kind before its
// CustomResourceDefinition, and the objects in a namespace before the Namespace. A BundleDeployment that is not removed deletes only what some
// of its revisions do not have.
func (d *directory) addRemovals(deployment *corev1alpha2.BundleDeployment, sets []*apply.Set) {
	isRemoved := d.isRemoved(deployment)
	for _, set := range sets {
		for _, phase := range set.Phases() {
			for _, each := range phase.Objects {
				if isRemoved || !isInAll(sets, each.Key) {
					d.addRemoval(each.Key, each.Defines)
				}
			}
		}
	}
	if !isRemoved {
		return
	}
	for _, each := range d.labeled[deployment.Name] { // which the manager finds without a stored revision
		definition := bundle.DefinitionOf(each)
		d.addRemoval(object.KeyOf(each), &definition)
	}
}

// addRemoval declares what the manager reads before it deletes an object. defines is used only for a CustomResourceDefinition.
func (d *directory) addRemoval(key apply.Key, defines *bundle.Definition) {
	switch {
	case key.IsCRD() && len(defines.Served) > 0:
		d.readAll(schema.GroupVersionResource{Group: defines.Kind.Group, Version: defines.Served[0], Resource: defines.Plural}, "", nil)
	case object.IsNamespace(key.GroupKind):
		d.readNamespace(key.Name)
	}
}

// isRemoved reports whether a BundleDeployment is being deleted, or its PlatformOperator may delete it: because the PlatformOperator is being
// deleted, or because nothing is applied yet and the install namespace may change.
func (d *directory) isRemoved(deployment *corev1alpha2.BundleDeployment) bool {
	operator, hasOperator := d.operators[deployment.Name]
	switch {
	case deployment.DeletionTimestamp != nil || hasOperator && operator.DeletionTimestamp != nil:
		return true
	case !hasOperator || upgradestep.IsApplied(deployment):
		return false
	}
	named := deploymentspec.NamedNamespace(operator)
	isDefaulted := deployment.Annotations[platformv1alpha1.AnnotationNamespaceDefaulted] != ""
	return named != "" && named != deployment.Spec.InstallNamespace || named == "" && !isDefaulted
}

func isInAll(sets []*apply.Set, key apply.Key) bool {
	for _, each := range sets {
		if !each.Has(key) {
			return false
		}
	}
	return true
}

// readNamespace declares the objects in a namespace that make the manager keep it.
func (d *directory) readNamespace(namespace string) {
	if namespace == "" {
		return
	}
	for _, each := range d.served.inNamespaces() {
		d.readAll(each, namespace, nil)
	}
}
