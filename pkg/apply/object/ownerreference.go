package object

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// rukpak gave each object an owner reference to its BundleDeployment, and left the removal to the garbage collector: in no order, and
// with every CustomResourceDefinition. The engine removes objects itself, so it removes these references from what rukpak applied.

// HasOwnerReference reports whether an object has an owner reference to the BundleDeployment. If so, the garbage collector would delete the
// object together with the BundleDeployment.
func HasOwnerReference(live *unstructured.Unstructured, owner Owner) bool {
	return len(live.GetOwnerReferences()) > 0 && slices.ContainsFunc(live.GetOwnerReferences(), owner.isReferenced)
}

// WithoutOwnerReference returns a copy of an object without owner references to the BundleDeployment, so that the garbage collector does
// not delete the object together with the BundleDeployment.
func WithoutOwnerReference(live *unstructured.Unstructured, owner Owner) *unstructured.Unstructured {
	copied := live.DeepCopy()
	copied.SetOwnerReferences(slices.DeleteFunc(copied.GetOwnerReferences(), owner.isReferenced))
	return copied
}

func (o Owner) isReferenced(reference metav1.OwnerReference) bool {
	return reference.Kind == corev1alpha2.OwnerKindBundleDeployment && reference.Name == o.Name &&
		strings.HasPrefix(reference.APIVersion, corev1alpha2.GroupName+"/")
}
