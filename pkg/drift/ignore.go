package drift

import (
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// WithLive returns the declared object with the live values of ignored fields, so that applying it does not change them. If these fields
// were omitted, the manager would give up their ownership, and the API server would remove the fields that no other field manager owns.
// WithLive returns declared itself if no field is ignored.
func (c Comparison) WithLive(declared, live *unstructured.Unstructured) *unstructured.Unstructured {
	if len(c.Ignored) == 0 {
		return declared
	}
	mine, others := ownedFields(live, c.Manager)
	return &unstructured.Unstructured{Object: c.leaveFields(nil, declared.Object, live.Object, mine.Union(others))}
}

func (c Comparison) leaveFields(at *location, wanted, live map[string]any, owned *fieldpath.Set) map[string]any {
	merged := maps.Clone(wanted)
	for name, each := range wanted {
		other, there := live[name]
		next := at.field(name)
		switch {
		case !c.ignores(next):
			merged[name] = c.leave(next, each, other, childOf(owned, next.element))
		case there:
			merged[name] = other
		default:
			delete(merged, name)
		}
	}
	return merged
}

func (c Comparison) leave(at *location, wanted, found any, owned *fieldpath.Set) any {
	switch wanted := wanted.(type) {
	case map[string]any:
		live, _ := found.(map[string]any)
		return c.leaveFields(at, wanted, live, owned)
	case []any:
		live, _ := found.([]any)
		merged := make([]any, 0, len(wanted))
		for i, each := range wanted {
			element, other, there := counterpart(each, i, live, owned)
			next := at.item(i, element)
			switch {
			case !c.ignores(next):
				merged = append(merged, c.leave(next, each, other, childOf(owned, element)))
			case there:
				merged = append(merged, other)
			}
		}
		return merged
	}
	return wanted
}

// counterpart returns the live item that corresponds to a declared item. It finds the item by its key in managedFields, or in an atomic
// list by its index. there is false if the live list has no such item.
func counterpart(wanted any, index int, live []any, owned *fieldpath.Set) (element fieldpath.PathElement, found any, there bool) {
	element = fieldpath.PathElement{Index: &index}
	if fields, isMap := wanted.(map[string]any); isMap && !owned.Empty() {
		if keyed, ok := elementFor(fields, owned); ok {
			item := itemOf(live, *keyed.Key)
			return keyed, item, item != nil
		}
		return element, nil, false
	}
	if index < len(live) {
		return element, live[index], true
	}
	return element, nil, false
}

func childOf(set *fieldpath.Set, element fieldpath.PathElement) *fieldpath.Set {
	if below, ok := set.Children.Get(element); ok {
		return below
	}
	return &fieldpath.Set{}
}
