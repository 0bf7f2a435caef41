package object

import (
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/plan"
)

// namespaceObject returns the install namespace with the labels and annotations that the bundle declares for a Namespace of that name. Pod
// security and monitoring depend on them.
func namespaceObject(name string, phases []plan.Phase) *unstructured.Unstructured {
	namespace := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name},
	}}
	for _, phase := range phases {
		for i := range phase.Objects {
			if KeyOf(&phase.Objects[i]) == KeyOf(namespace) {
				namespace.SetLabels(phase.Objects[i].GetLabels())
				namespace.SetAnnotations(phase.Objects[i].GetAnnotations())
			}
		}
	}
	return namespace
}

// ReaderRole returns the ClusterRole that permits the manager to get and list the custom resources of the CustomResourceDefinitions in the
// phases; nil if the phases contain no CustomResourceDefinition.
func ReaderRole(owner Owner, phases []plan.Phase) *unstructured.Unstructured {
	resources := customResources(phases)
	if len(resources) == 0 {
		return nil
	}
	role := &rbacv1.ClusterRole{
		TypeMeta: metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRole"},
		ObjectMeta: metav1.ObjectMeta{
			Name:   ReaderRoleName(owner),
			Labels: map[string]string{corev1alpha2.LabelAggregateToBundles: "true"},
		},
	}
	for group, names := range resources {
		slices.Sort(names)
		role.Rules = append(role.Rules, rbacv1.PolicyRule{
			APIGroups: []string{group}, Resources: slices.Compact(names), Verbs: []string{"get", "list"},
		})
	}
	slices.SortFunc(role.Rules, func(a, b rbacv1.PolicyRule) int { return slices.Compare(a.APIGroups, b.APIGroups) })
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(role)
	if err != nil {
		return nil // a ClusterRole of strings can be converted
	}
	unstructured.RemoveNestedField(content, "metadata", "creationTimestamp")
	return &unstructured.Unstructured{Object: content}
}

// ReaderRoleName returns the name of an owner's ReaderRole.
func ReaderRoleName(owner Owner) string { return rolePrefix + owner.Name + ":custom-resources" }

// customResources returns the resources that the CustomResourceDefinitions in the phases define, keyed by API group.
func customResources(phases []plan.Phase) map[string][]string {
	resources := map[string][]string{}
	for _, phase := range phases {
		for i := range phase.Objects {
			if !IsCRD(KeyOf(&phase.Objects[i]).GroupKind) {
				continue
			}
			if d := bundle.DefinitionOf(&phase.Objects[i]); d.Kind.Group != "" && d.Plural != "" {
				resources[d.Kind.Group] = append(resources[d.Kind.Group], d.Plural)
			}
		}
	}
	return resources
}

// rolePrefix is the prefix of the names of the ClusterRoles that NewSet adds.
const rolePrefix = "platform-operators:"

// IsReserved reports whether an object has a name that is reserved for the ClusterRoles that NewSet adds. A bundle with such an object
// could remove the ClusterRole of its own BundleDeployment, or that of a different one.
func IsReserved(declared *unstructured.Unstructured) bool {
	return isClusterRole(KeyOf(declared)) && strings.HasPrefix(declared.GetName(), rolePrefix)
}

func isClusterRole(key Key) bool {
	return key.GroupKind == schema.GroupKind{Group: rbacv1.GroupName, Kind: "ClusterRole"}
}
