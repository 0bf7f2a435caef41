package apply

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// rukpak, whose BundleDeployments are taken over as they are, gave each object an owner reference to its BundleDeployment and
// left the removal to the garbage collector: in no order, and with every CustomResourceDefinition, whatever its policy says
// now. The engine removes by itself, and takes such references off before they can do that.

// tied says whether the garbage collector would delete an object with its BundleDeployment.
func tied(live *unstructured.Unstructured, owner Owner) bool {
	return len(live.GetOwnerReferences()) > 0 && slices.ContainsFunc(live.GetOwnerReferences(), owner.isIn)
}

// withoutTies gives a copy that the garbage collector leaves alone when the BundleDeployment goes.
func withoutTies(live *unstructured.Unstructured, owner Owner) *unstructured.Unstructured {
	untied := live.DeepCopy()
	untied.SetOwnerReferences(slices.DeleteFunc(untied.GetOwnerReferences(), owner.isIn))
	return untied
}

func (o Owner) isIn(reference metav1.OwnerReference) bool {
	return reference.Kind == corev1alpha2.OwnerKindBundleDeployment && reference.Name == o.Name &&
		strings.HasPrefix(reference.APIVersion, corev1alpha2.GroupName+"/")
}
