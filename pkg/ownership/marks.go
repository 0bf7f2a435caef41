package ownership

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// Marks are what a live object says of the BundleDeployments that have, or had, to do with it. Each is the name of one.
type Marks struct {
	// Label is the one that the owner labels name; empty without both labels.
	Label string
	// Managers are those whose field managers the record of field managers has.
	Managers []string
	// References are those that an owner reference names, which rukpak set.
	References []string
	// OrphanedFrom is the package that a CustomResourceDefinition was kept from; empty on every other kind.
	OrphanedFrom string
}

var definitionKind = schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}

// MarksOf reads the marks of an object, which is not changed. It decodes no record of field managers: it is asked of every
// object that a watch brings.
func MarksOf(live *unstructured.Unstructured) Marks {
	var marks Marks
	labels := live.GetLabels()
	if labels[corev1alpha2.LabelOwnerKind] == corev1alpha2.OwnerKindBundleDeployment {
		marks.Label = labels[corev1alpha2.LabelOwnerName]
	}
	records, _, _ := unstructured.NestedFieldNoCopy(live.Object, "metadata", "managedFields")
	list, _ := records.([]any)
	for _, each := range list {
		record, _ := each.(map[string]any)
		if subresource, _ := record["subresource"].(string); subresource != "" {
			continue // the manager writes none, and no admission policy sees who writes the scale of our objects
		}
		manager, _ := record["manager"].(string)
		marks.Managers = with(marks.Managers, manager)
	}
	for _, reference := range live.GetOwnerReferences() {
		if reference.Kind == corev1alpha2.OwnerKindBundleDeployment && strings.HasPrefix(reference.APIVersion, corev1alpha2.GroupName+"/") {
			marks.References = append(marks.References, reference.Name)
		}
	}
	if live.GroupVersionKind().GroupKind() == definitionKind {
		marks.OrphanedFrom = live.GetAnnotations()[platformv1alpha1.AnnotationOrphanedFrom]
	}
	return marks
}

// with adds the BundleDeployment that a field manager stands for, once.
func with(names []string, manager string) []string {
	name, ours := strings.CutPrefix(manager, corev1alpha2.FieldManagerPrefix)
	if !ours || name == "" || slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}

// Owner is the BundleDeployment whose the object is by its marks alone; false when it is nobody's.
func (m Marks) Owner() (string, bool) {
	candidates := slices.Concat([]string{m.Label}, m.Managers)
	for _, name := range candidates {
		if name != "" && Decide(m, Claimant{Name: name}, func(string) Standing { return Absent }).Action == Ours {
			return name, true
		}
	}
	return "", false
}
