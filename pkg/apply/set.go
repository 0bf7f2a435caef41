package apply

import (
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/plan"
)

// Owner is the BundleDeployment that objects are applied for.
type Owner struct {
	// Name of the BundleDeployment.
	Name string
	// Package that its bundle belongs to, empty when nobody knows: CustomResourceDefinitions that were kept for a package are taken
	// up by it again.
	Package string
}

// Manager is the field manager of everything that is applied for the owner.
func (o Owner) Manager() string { return corev1alpha2.FieldManagerPrefix + o.Name }

// Key names an object, whatever its version.
type Key struct {
	schema.GroupKind
	Namespace, Name string
}

// String gives "Deployment memo/controller", or "ClusterRole memo" without a namespace.
func (k Key) String() string {
	if k.Namespace == "" {
		return k.Kind + " " + k.Name
	}
	return k.Kind + " " + k.Namespace + "/" + k.Name
}

// describe gives the command by which a person looks at the object. The group is named where another kind may have the name.
func (k Key) describe() string {
	kind := strings.ToLower(k.Kind)
	if strings.Contains(k.Group, ".") {
		kind += "." + k.Group
	}
	if k.Namespace == "" {
		return fmt.Sprintf("kubectl describe %s %s", kind, k.Name)
	}
	return fmt.Sprintf("kubectl describe -n %s %s %s", k.Namespace, kind, k.Name)
}

func keyOf(object *unstructured.Unstructured) Key {
	return Key{object.GroupVersionKind().GroupKind(), object.GetNamespace(), object.GetName()}
}

// Set is what should be there for one owner: the objects of one revision in their phases, and before them what the engine
// itself adds. It is made once a revision and never changed, so that it may be shared.
type Set struct {
	owner  Owner
	phases []phase
	keys   map[Key]bool
	// namespace is the install namespace.
	namespace string
}

type phase struct {
	name  string
	items []*item
}

// NewSet labels the objects of a revision as the owner's. It adds the install namespace, in the place of one that the revision
// has itself, and a ClusterRole by which the
// manager may read the custom resources of the CustomResourceDefinitions among the objects: without it nobody could tell,
// at removal, whether users still have some. An object that is there twice is an error.
func NewSet(owner Owner, installNamespace string, phases []plan.Phase) (*Set, error) {
	set := &Set{owner: owner, keys: map[Key]bool{}, namespace: installNamespace}
	// The role comes first, so that it goes last: the namespace is only deleted after a look at what it holds.
	namespace := namespaceObject(installNamespace, phases)
	for _, added := range append(readerRole(owner, phases), namespace) {
		entry, err := set.item(added)
		if err != nil {
			return nil, err
		}
		entry.own, entry.given = true, entry.kind.Kind == "Namespace"
		set.phases = append(set.phases, phase{name: "prerequisites", items: []*item{entry}})
	}
	for _, planned := range phases {
		next := phase{name: planned.Name}
		for i := range planned.Objects {
			if keyOf(&planned.Objects[i]) == keyOf(namespace) {
				continue // the bundle brings its own namespace along, which is there by then, with what it declares of it
			}
			entry, err := set.item(&planned.Objects[i])
			if err != nil {
				return nil, err
			}
			next.items = append(next.items, entry)
		}
		set.phases = append(set.phases, next)
	}
	return set, nil
}

func (s *Set) item(object *unstructured.Unstructured) (*item, error) {
	entry, err := newItem(s.owner, object)
	if err != nil {
		return nil, err
	}
	if s.keys[entry.key] {
		return nil, fmt.Errorf("ordering the objects of BundleDeployment %q: %s is there twice", s.owner.Name, entry.key)
	}
	s.keys[entry.key] = true
	return entry, nil
}

// Without gives a set of the objects that are not among the first phases of another one. It is what is left of an earlier
// revision while a later one rolls out: kept as it was until the later one takes over.
func (s *Set) Without(other *Set, phases int) *Set {
	taken := map[Key]bool{}
	for _, later := range other.phases[:min(phases, len(other.phases))] {
		for _, entry := range later.items {
			taken[entry.key] = true
		}
	}
	rest := &Set{owner: s.owner, keys: map[Key]bool{}, namespace: s.namespace}
	for _, earlier := range s.phases {
		kept := phase{name: earlier.name}
		for _, entry := range earlier.items {
			if !taken[entry.key] {
				kept.items = append(kept.items, entry)
				rest.keys[entry.key] = true
			}
		}
		if len(kept.items) > 0 {
			rest.phases = append(rest.phases, kept)
		}
	}
	return rest
}

// Union makes one set of several of one owner's, for taking everything down in one order. Where sets have an object in
// common the first one's counts. The union of one set is that set; any other is made anew of every object, which takes about as long
// as NewSet does.
func Union(installNamespace string, sets ...*Set) (*Set, error) {
	if len(sets) == 1 && sets[0].namespace == installNamespace {
		return sets[0], nil
	}
	var owner Owner
	var objects []unstructured.Unstructured
	seen := map[Key]bool{}
	for _, set := range sets {
		if owner.Name == "" {
			owner = set.owner
		}
		for _, each := range set.phases {
			for _, entry := range each.items {
				if !seen[entry.key] && !entry.own {
					seen[entry.key] = true
					objects = append(objects, *entry.declared())
				}
			}
		}
	}
	return NewSet(owner, installNamespace, plan.Phases(objects))
}

// Has says whether the set has an object of the key's kind and name.
func (s *Set) Has(key Key) bool { return s.keys[key] }

// lists says whether an object of the key is the owner's once the set was applied completely. The install namespace is not: it
// may have been there before.
func (s *Set) lists(key Key) bool {
	return s.keys[key] && (!isNamespace(key.GroupKind) || key.Name != s.namespace)
}

// Len is the number of objects that come from the bundle.
func (s *Set) Len() int {
	count := 0
	for _, each := range s.phases {
		for _, entry := range each.items {
			if !entry.own {
				count++
			}
		}
	}
	return count
}

// namespaceObject gives the install namespace, with the labels and annotations of the bundle's own Namespace of that name, if it
// has one: security and monitoring go by them. As any install namespace it may be there already, and is then left as it is.
func namespaceObject(name string, phases []plan.Phase) *unstructured.Unstructured {
	namespace := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name},
	}}
	for _, each := range phases {
		for i := range each.Objects {
			if keyOf(&each.Objects[i]) == keyOf(namespace) {
				namespace.SetLabels(each.Objects[i].GetLabels())
				namespace.SetAnnotations(each.Objects[i].GetAnnotations())
			}
		}
	}
	return namespace
}

// readerRole gives the ClusterRole by which the custom resources of a bundle may be read; none without its own kinds.
func readerRole(owner Owner, phases []plan.Phase) []*unstructured.Unstructured {
	resources := map[string][]string{}
	for _, resource := range customResources(phases) {
		resources[resource.Group] = append(resources[resource.Group], resource.Resource)
	}
	if len(resources) == 0 {
		return nil
	}
	role := &rbacv1.ClusterRole{
		TypeMeta: metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRole"},
		ObjectMeta: metav1.ObjectMeta{
			Name:   rolePrefix + owner.Name + ":custom-resources",
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
	return []*unstructured.Unstructured{{Object: content}}
}

// rolePrefix begins the names of the ClusterRoles that the engine adds.
const rolePrefix = "platform-operators:"

// Reserved says whether an object has a name that the engine keeps for what it adds itself. A bundle that had such an
// object would take its own role away, or another deployment's.
func Reserved(object *unstructured.Unstructured) bool {
	return keyOf(object).GroupKind == schema.GroupKind{Group: rbacv1.GroupName, Kind: "ClusterRole"} &&
		strings.HasPrefix(object.GetName(), rolePrefix)
}

// customResources are the resources that the CustomResourceDefinitions among the objects define.
func customResources(phases []plan.Phase) []schema.GroupResource {
	var resources []schema.GroupResource
	for _, each := range phases {
		for i := range each.Objects {
			if !isCRD(keyOf(&each.Objects[i]).GroupKind) {
				continue
			}
			if d := definitionOf(&each.Objects[i]); d.kind.Group != "" && d.plural != "" {
				resources = append(resources, schema.GroupResource{Group: d.kind.Group, Resource: d.plural})
			}
		}
	}
	return resources
}

// definitionKind is the kind of CustomResourceDefinitions.
var definitionKind = schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}

func isCRD(kind schema.GroupKind) bool { return kind == definitionKind }
