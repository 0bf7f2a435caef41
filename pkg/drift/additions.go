package drift

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// systemManagers are the field managers of Kubernetes' own controllers, OpenShift's service-ca and cert-manager: what they
// add to an object is how a cluster works, and no addition. A name that ends in "*" stands for all that begin so.
var systemManagers = []string{
	"kube-apiserver",
	"kube-controller-manager",
	"kube-scheduler",
	"kubelet",
	"cloud-controller-manager",
	"cluster-policy-controller",
	"openshift-controller-manager",
	"service-ca-operator",
	"service-ca",
	"cainjector",
	"cert-manager*",
}

// bookkeeping are annotations that tools keep for themselves; they say nothing about the object.
var bookkeeping = []string{corev1.LastAppliedConfigAnnotation, "deployment.kubernetes.io/revision"}

// acts are annotations that stand for something that was done: taking them away would do it again. protocol are fields by
// which controllers agree about an object's life. Both are told of and never taken away.
var (
	acts     = []string{"kubectl.kubernetes.io/restartedAt"}
	protocol = []string{"/metadata/finalizers", "/metadata/ownerReferences"}
)

func isSystem(manager string) bool {
	return slices.ContainsFunc(systemManagers, func(name string) bool {
		prefix, all := strings.CutSuffix(name, "*")
		return manager == name || all && strings.HasPrefix(manager, prefix)
	})
}

// Addition is something that is there, was not declared, and has an owner.
type Addition struct {
	Change
	fields fieldpath.Path
}

// Additions gives what others added to an object, each with its manager. A list item is one addition, and so is a map that
// its manager made; else each field is. What is co-owned by several is each one's.
func (c Comparison) Additions(declared, live *unstructured.Unstructured) []Addition {
	var found []Addition
	for _, entry := range live.GetManagedFields() {
		// Subresources (scale, status, approval …) are interfaces for others to use.
		if entry.Manager == c.Manager || entry.Subresource != "" || entry.FieldsV1 == nil || isSystem(entry.Manager) || strings.HasPrefix(entry.Manager, corev1alpha2.FieldManagerPrefix) {
			continue
		}
		fields := &fieldpath.Set{}
		if err := fields.FromJSON(entry.FieldsV1.GetRawReader()); err != nil {
			continue
		}
		var at time.Time
		if entry.Time != nil {
			at = entry.Time.Time
		}
		search := &additionSearch{Comparison: c, manager: entry.Manager, time: at}
		search.below(nil, fields, declared.Object, live.Object)
		found = append(found, search.found...)
	}
	return found
}

type additionSearch struct {
	Comparison
	manager string
	time    time.Time
	found   []Addition
}

// below looks at what the manager owns below a spot.
func (s *additionSearch) below(at *spot, owned *fieldpath.Set, declared, live any) {
	for _, element := range elementsOf(owned) {
		next, wanted, there := resolve(at, element, declared, live)
		if next == nil || s.ignores(next) || at == nil && next.token == "status" {
			continue
		}
		own := owned.Members.Has(element)
		children, hasChildren := owned.Children.Get(element)
		switch {
		case wanted != nil:
			_, isMap := wanted.(map[string]any)
			_, isList := wanted.([]any)
			if hasChildren && (isMap || isList) {
				s.below(next, children, wanted, there)
			}
		case own && (!hasChildren || element.FieldName == nil || !entries(next.token)):
			s.add(next)
		case hasChildren:
			s.below(next, children, nil, there)
		}
	}
}

// entries says whether a map is one that everybody has entries in, so that whoever made it does not own it.
func entries(name string) bool { return name == "labels" || name == "annotations" }

func (s *additionSearch) add(at *spot) {
	if at.element.FieldName != nil && slices.Contains(bookkeeping, *at.element.FieldName) || len(s.found) >= maxDifferences {
		return
	}
	s.found = append(s.found, Addition{Change: Change{Path: at.pointer(), Manager: s.manager, Time: s.time}, fields: at.path()})
}

func elementsOf(set *fieldpath.Set) []fieldpath.PathElement {
	var elements []fieldpath.PathElement
	for element := range set.Members.All() {
		elements = append(elements, element)
	}
	for element := range set.Children.All() {
		if !set.Members.Has(element) {
			elements = append(elements, element)
		}
	}
	slices.SortFunc(elements, fieldpath.PathElement.Compare)
	return elements
}

// resolve finds an element of the record in what was declared (nil where it was not) and in what is there; no spot when it
// is not there. An item that was declared is named by its index, one that was not by its key or value.
func resolve(at *spot, element fieldpath.PathElement, declared, live any) (next *spot, wanted, there any) {
	switch {
	case element.FieldName != nil:
		fields, _ := live.(map[string]any)
		found, ok := fields[*element.FieldName]
		if !ok {
			return nil, nil, nil
		}
		wantedFields, _ := declared.(map[string]any)
		return at.field(*element.FieldName), wantedFields[*element.FieldName], found
	case element.Key != nil:
		items, _ := live.([]any)
		found := itemOf(items, *element.Key)
		if found == nil {
			return nil, nil, nil
		}
		wantedItems, _ := declared.([]any)
		for _, lenient := range []bool{false, true} {
			for i, each := range wantedItems {
				if fields, ok := each.(map[string]any); ok && hasKey(fields, *element.Key, lenient) {
					return at.item(i, element), fields, found
				}
			}
		}
		return &spot{parent: at, token: escape(element.String()), element: element}, nil, found
	case element.Value != nil:
		wantedItems, _ := declared.([]any)
		plain := (*element.Value).Unstructured()
		for i, each := range wantedItems {
			if equal(each, plain) {
				return at.item(i, element), each, plain
			}
		}
		if items, _ := live.([]any); !contains(items, plain) {
			return nil, nil, nil
		}
		return &spot{parent: at, token: escape(element.String()), element: element}, nil, plain
	}
	return nil, nil, nil // by index, which no API server records
}

// Without gives a copy of a live object from which additions are taken away, and those of them that were: all but what must
// not be. With an addition goes the largest part of the object around it that nobody declared and nobody else has anything
// in, because half of a probe or of a volume is nothing that an API server takes.
func (c Comparison) Without(additions []Addition, declared, live *unstructured.Unstructured) (*unstructured.Unstructured, []Addition) {
	trimmed := live.DeepCopy()
	var taken []Addition
	for _, each := range additions {
		if !each.Removable() {
			continue
		}
		path := each.fields
		for shorter := path[:len(path)-1]; len(shorter) > 1; shorter = shorter[:len(shorter)-1] {
			last := shorter[len(shorter)-1]
			if last.FieldName != nil && entries(*last.FieldName) || isDeclared(declared.Object, shorter) || sharedBelow(live, each.Manager, shorter) {
				break
			}
			path = shorter
		}
		cut(trimmed.Object, path)
		taken = append(taken, each)
	}
	return trimmed, taken
}

// Removable says that an addition may be taken away: it is neither something that was done nor an agreement among controllers.
func (a Addition) Removable() bool {
	if slices.ContainsFunc(protocol, func(pointer string) bool { return a.Path == pointer || strings.HasPrefix(a.Path, pointer+"/") }) {
		return false
	}
	last := a.fields[len(a.fields)-1]
	return last.FieldName == nil || !slices.Contains(acts, *last.FieldName)
}

func isDeclared(declared any, path fieldpath.Path) bool {
	for _, element := range path {
		next, wanted, _ := resolve(nil, element, declared, declared)
		if next == nil {
			return false
		}
		declared = wanted
	}
	return true
}

// sharedBelow says whether anybody but a manager has something at a path or below it.
func sharedBelow(live *unstructured.Unstructured, manager string, path fieldpath.Path) bool {
	for _, entry := range live.GetManagedFields() {
		if entry.Manager == manager || entry.FieldsV1 == nil {
			continue
		}
		fields := &fieldpath.Set{}
		if err := fields.FromJSON(entry.FieldsV1.GetRawReader()); err != nil || owns(fields, path) {
			return true
		}
	}
	return false
}

// cut takes a path out of a value, and gives what is left of it.
func cut(from any, path fieldpath.Path) any {
	element := path[0]
	switch value := from.(type) {
	case map[string]any:
		if element.FieldName == nil {
			return from
		}
		below, ok := value[*element.FieldName]
		if ok && len(path) > 1 {
			value[*element.FieldName] = cut(below, path[1:])
		} else {
			delete(value, *element.FieldName)
		}
		return value
	case []any:
		matches := func(each any) bool {
			fields, isMap := each.(map[string]any)
			return element.Key != nil && isMap && hasKey(fields, *element.Key, false) ||
				element.Value != nil && equal(each, (*element.Value).Unstructured())
		}
		if len(path) == 1 {
			return slices.DeleteFunc(value, matches)
		}
		for i, each := range value {
			if matches(each) {
				value[i] = cut(each, path[1:])
			}
		}
		return value
	}
	return from
}
