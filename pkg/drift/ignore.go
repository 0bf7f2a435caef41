package drift

import (
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// WithLive gives what was declared with the live values of the fields that are ignored, so that applying it leaves them as
// they are. Leaving them out would give them up, and the API server would take away what nobody else owns.
func (c Comparison) WithLive(declared, live *unstructured.Unstructured) *unstructured.Unstructured {
	if len(c.Ignored) == 0 {
		return declared
	}
	mine, others := recordOf(live, c.Manager)
	return &unstructured.Unstructured{Object: c.leaveFields(nil, declared.Object, live.Object, mine.Union(others))}
}

func (c Comparison) leaveFields(at *spot, wanted, live map[string]any, owned *fieldpath.Set) map[string]any {
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

func (c Comparison) leave(at *spot, wanted, found any, owned *fieldpath.Set) any {
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

// counterpart finds the live item of a declared one: by the key that the record of field owners has for it, and in a list
// that is owned as a whole by its index.
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
