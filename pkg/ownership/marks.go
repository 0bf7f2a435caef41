package ownership

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// Marks are the names of the BundleDeployments that own, or owned, a live object according to its metadata.
type Marks struct {
	// Label is the name in the owner labels; empty unless the object has both labels.
	Label string
	// Managers are the names in the field managers of managedFields.
	Managers []string
	// References are the names in owner references, which rukpak set.
	References []string
	// OrphanedFrom is the mark of the previous owner of a retained CustomResourceDefinition, as PackageMark or DeploymentMark returns it.
	// It is empty for objects of other kinds.
	OrphanedFrom string
}

var definitionKind = schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}

// MarksOf reads the marks of an object without changing it. It does not decode the fields in managedFields, because it is called for every
// object that a watch delivers.
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
			continue // the manager writes no subresources, and no admission policy covers the scale subresource
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
		marks.OrphanedFrom = normalizeMark(live.GetAnnotations()[platformv1alpha1.AnnotationOrphanedFrom])
	}
	return marks
}

// Equal reports whether m and other are equal, including the order of Managers and References.
func (m Marks) Equal(other Marks) bool {
	return m.Label == other.Label && m.OrphanedFrom == other.OrphanedFrom &&
		slices.Equal(m.Managers, other.Managers) && slices.Equal(m.References, other.References)
}

// with appends the name of the BundleDeployment to which a field manager belongs. It returns names unchanged if the field manager belongs
// to no BundleDeployment, or if names already contains the name.
func with(names []string, manager string) []string {
	name, ours := strings.CutPrefix(manager, corev1alpha2.FieldManagerPrefix)
	if !ours || name == "" || slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}

// Owner returns the BundleDeployment that owns the object according to the marks alone, without knowledge of revisions; false if there is
// none.
func (m Marks) Owner() (string, bool) {
	candidates := slices.Concat([]string{m.Label}, m.Managers)
	for _, name := range candidates {
		if name != "" && Decide(m, Claimant{Name: name}, func(string) Standing { return Absent }).Action == Ours {
			return name, true
		}
	}
	return "", false
}
