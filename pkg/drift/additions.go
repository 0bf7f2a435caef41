package drift

import (
	"slices"
	"strings"
	"time"

	"github.com/go-openapi/jsonpointer"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// systemManagers are the field managers of Kubernetes' own controllers, OpenShift's service-ca and cert-manager. Fields that they add are
// part of how a cluster works, and do not count as additions. A name that ends in "*" is a prefix.
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

// toolAnnotations are annotations in which tools store their own state. They do not count as additions.
var toolAnnotations = []string{corev1.LastAppliedConfigAnnotation, "deployment.kubernetes.io/revision"}

// actionAnnotations are annotations that record an action; removing one would repeat the action. lifecycleFields are fields that
// controllers use to coordinate an object's deletion. Additions of both kinds are reported and never removed.
var (
	actionAnnotations = []string{"kubectl.kubernetes.io/restartedAt"}
	lifecycleFields   = []string{"/metadata/finalizers", "/metadata/ownerReferences"}
)

func isSystem(manager string) bool {
	return slices.ContainsFunc(systemManagers, func(name string) bool {
		prefix, all := strings.CutSuffix(name, "*")
		return manager == name || all && strings.HasPrefix(manager, prefix)
	})
}

// Addition is a field or list item of a live object that is not declared and has a field manager.
type Addition struct {
	Change
	fields fieldpath.Path
}

// Additions returns what other field managers, except systemManagers and those of BundleDeployments, added to an object. A list item counts
// as one addition, and so does a map that its field manager created. Apart from these, each field counts. A field that several field
// managers own counts once for each of them. Additions returns at most 64 additions for each entry in managedFields.
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

// below finds the additions below a location. owned are the fields there that the field manager owns.
func (s *additionSearch) below(at *location, owned *fieldpath.Set, declared, live any) {
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
		case own && (!hasChildren || element.FieldName == nil || !isSharedMap(next.token)):
			s.add(next)
		case hasChildren:
			s.below(next, children, nil, there)
		}
	}
}

// isSharedMap reports whether a map contains entries of many field managers, so that the one that created the map does not own all of it.
func isSharedMap(name string) bool { return name == "labels" || name == "annotations" }

func (s *additionSearch) add(at *location) {
	if at.element.FieldName != nil && slices.Contains(toolAnnotations, *at.element.FieldName) || len(s.found) >= maxDifferences {
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

// resolve finds an element of managedFields in the declared value and in the live value, and returns both. wanted is nil if the element is
// not declared. next, the location of the element, is nil if the live value lacks the element. The location of a declared item contains its
// index; the location of any other item contains its key or value.
func resolve(at *location, element fieldpath.PathElement, declared, live any) (next *location, wanted, there any) {
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
		return &location{parent: at, token: jsonpointer.Escape(element.String()), element: element}, nil, found
	case element.Value != nil:
		wantedItems, _ := declared.([]any)
		plain := (*element.Value).Unstructured()
		for i, each := range wantedItems {
			if isEqual(each, plain) {
				return at.item(i, element), each, plain
			}
		}
		if items, _ := live.([]any); !hasItem(items, plain) {
			return nil, nil, nil
		}
		return &location{parent: at, token: jsonpointer.Escape(element.String()), element: element}, nil, plain
	}
	return nil, nil, nil // elements with an index, which no API server records
}

// Without returns a copy of a live object without the removable additions, and the additions that were removed. An API server refuses half
// of a probe or of a volume. Therefore Without extends each removal to the largest enclosing part of the object that is neither declared
// nor owned by another field manager.
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
			if last.FieldName != nil && isSharedMap(*last.FieldName) || isDeclared(declared.Object, shorter) || isOwnedByOthers(live, each.Manager, shorter) {
				break
			}
			path = shorter
		}
		removePath(trimmed.Object, path)
		taken = append(taken, each)
	}
	return trimmed, taken
}

// Removable reports whether an addition may be removed: it neither records an action nor coordinates the object's deletion.
func (a Addition) Removable() bool {
	if slices.ContainsFunc(lifecycleFields, func(pointer string) bool { return a.Path == pointer || strings.HasPrefix(a.Path, pointer+"/") }) {
		return false
	}
	last := a.fields[len(a.fields)-1]
	return last.FieldName == nil || !slices.Contains(actionAnnotations, *last.FieldName)
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

// isOwnedByOthers reports whether a field manager other than the given one owns a path or a field below it. It also returns true if the
// fields of another field manager cannot be decoded.
func isOwnedByOthers(live *unstructured.Unstructured, manager string, path fieldpath.Path) bool {
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

// removePath removes the field or list item at a path from a value, which it modifies, and returns the modified value. It does nothing if
// the path does not exist.
func removePath(from any, path fieldpath.Path) any {
	element := path[0]
	switch value := from.(type) {
	case map[string]any:
		if element.FieldName == nil {
			return from
		}
		below, ok := value[*element.FieldName]
		if ok && len(path) > 1 {
			value[*element.FieldName] = removePath(below, path[1:])
		} else {
			delete(value, *element.FieldName)
		}
		return value
	case []any:
		matches := func(each any) bool {
			fields, isMap := each.(map[string]any)
			return element.Key != nil && isMap && hasKey(fields, *element.Key, false) ||
				element.Value != nil && isEqual(each, (*element.Value).Unstructured())
		}
		if len(path) == 1 {
			return slices.DeleteFunc(value, matches)
		}
		for i, each := range value {
			if matches(each) {
				value[i] = removePath(each, path[1:])
			}
		}
		return value
	}
	return from
}
