package declaredresources

import (
	"cmp"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/multi-operator-manager/pkg/library/libraryinputresources"
	"github.com/openshift/multi-operator-manager/pkg/library/libraryoutputresources"
)

// Declaration lists the objects that the manager reads and writes.
type Declaration struct {
	reads, writes map[entry]bool
	// versions has the API version in which each resource is listed, because multi-operator-manager permits only one.
	versions map[schema.GroupResource]string
	notes    []string
}

// entry is one object, or all objects that a label selects.
type entry struct {
	schema.GroupResource
	// namespace is empty for cluster-scoped objects, and for all namespaces.
	namespace string
	// name is empty for all objects that the label selects. Without a label, these are all objects.
	name, label, labelValue string
}

// Static returns the objects that do not depend on the installed operators.
func Static() *Declaration {
	d := newDeclaration()
	d.notes = []string{"Only the objects that do not depend on installed operators. To list the others too, set --input-dir."}
	return d
}

// newDeclaration returns a Declaration with the objects of Table.
func newDeclaration() *Declaration {
	d := &Declaration{reads: map[entry]bool{}, writes: map[entry]bool{}, versions: map[schema.GroupResource]string{}}
	for _, each := range Table() {
		for _, name := range each.Names {
			d.read(each.GroupVersionResource, each.Namespace, name)
			if each.Writes {
				d.write(each.GroupVersionResource, each.Namespace, name)
			}
		}
		if each.Names == nil {
			d.readAll(each.GroupVersionResource, each.Namespace, each.Selector)
		}
	}
	return d
}

// Notes returns one sentence for each part that the Declaration lacks.
func (d *Declaration) Notes() []string { return d.notes }

func (d *Declaration) entryOf(resource schema.GroupVersionResource, namespace, name string) entry {
	if _, isKnown := d.versions[resource.GroupResource()]; !isKnown {
		d.versions[resource.GroupResource()] = resource.Version
	}
	return entry{GroupResource: resource.GroupResource(), namespace: namespace, name: name}
}

// read adds an object that the manager reads. It does nothing for an empty name.
func (d *Declaration) read(resource schema.GroupVersionResource, namespace, name string) {
	if name != "" {
		d.reads[d.entryOf(resource, namespace, name)] = true
	}
}

// write adds an object that the manager writes. It does nothing for an empty name.
func (d *Declaration) write(resource schema.GroupVersionResource, namespace, name string) {
	if name != "" {
		d.writes[d.entryOf(resource, namespace, name)] = true
	}
}

// readAll adds all objects of a resource that a label selects; all objects if selector is nil.
func (d *Declaration) readAll(resource schema.GroupVersionResource, namespace string, selector map[string]string) {
	all := d.entryOf(resource, namespace, "")
	for key, value := range selector {
		all.label, all.labelValue = key, value
	}
	d.reads[all] = true
}

// isInList reports whether the Declaration lists all objects of an entry's resource in its namespace.
func (d *Declaration) isInList(each entry) bool {
	return d.reads[entry{GroupResource: each.GroupResource}] || d.reads[entry{GroupResource: each.GroupResource, namespace: each.namespace}]
}

// Inputs returns the objects that the manager reads and does not write. multi-operator-manager's command input-resources adds those that it
// writes. All are for apply-configuration.
func (d *Declaration) Inputs() *libraryinputresources.InputResources {
	var list libraryinputresources.ResourceList
	for _, each := range sorted(d.reads) {
		identifier := libraryinputresources.InputResourceTypeIdentifier{Group: each.Group, Version: d.versions[each.GroupResource], Resource: each.Resource}
		switch {
		case each.name == "":
			selected := libraryinputresources.LabelSelectedResource{InputResourceTypeIdentifier: identifier, Namespace: each.namespace}
			if each.label != "" {
				selected.LabelSelector = metav1.LabelSelector{MatchLabels: map[string]string{each.label: each.labelValue}}
			}
			list.LabelSelectedResources = append(list.LabelSelectedResources, selected)
		case !d.writes[each] && !d.isInList(each):
			list.ExactResources = append(list.ExactResources, libraryinputresources.ExactResourceID{
				InputResourceTypeIdentifier: identifier, Namespace: each.namespace, Name: each.name,
			})
		}
	}
	return &libraryinputresources.InputResources{ApplyConfigurationResources: list}
}

// Outputs returns the objects that the manager writes. All are in the list for the configuration cluster, as apply-configuration writes all
// mutations into the folder of that cluster.
func (d *Declaration) Outputs() *libraryoutputresources.OutputResources {
	list := libraryoutputresources.ResourceList{EventingNamespaces: EventNamespaces()}
	for _, each := range sorted(d.writes) {
		list.ExactResources = append(list.ExactResources,
			libraryoutputresources.ExactResource(each.Group, d.versions[each.GroupResource], each.Resource, each.namespace, each.name))
	}
	return &libraryoutputresources.OutputResources{ConfigurationResources: list}
}

func sorted(entries map[entry]bool) []entry {
	return slices.SortedFunc(maps.Keys(entries), func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.namespace, b.namespace),
			cmp.Compare(a.name, b.name), cmp.Compare(a.label, b.label), cmp.Compare(a.labelValue, b.labelValue))
	})
}
