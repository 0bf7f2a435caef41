package drift

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// isSame reports whether an atomic value is as declared. Whatever Trust is, it compares the content of maps and lists, because the
// managedFields of a merged map look like those of an atomic map if other field managers took over every key.
func (c Comparison) isSame(at *location, wanted, found any) bool {
	if len(c.Ignored) > 0 {
		wanted = c.leave(at, wanted, found, &fieldpath.Set{})
	}
	if c.Trust == NothingKnown {
		return isEqual(wanted, found)
	}
	switch wanted.(type) {
	case map[string]any, []any:
		return contains(wanted, found)
	}
	return c.Trust == WrittenNow || isEquivalent(wanted, found)
}

// contains reports whether the live value contains the declared one. Maps may have more fields, because the API server sets defaults. Lists
// must have the same length.
func contains(wanted, found any) bool {
	switch wanted := wanted.(type) {
	case map[string]any:
		found, ok := found.(map[string]any)
		if !ok {
			return false
		}
		for name, each := range wanted {
			if other, ok := found[name]; !ok && each != nil || ok && !contains(each, other) {
				return false
			}
		}
		return true
	case []any:
		found, ok := found.([]any)
		if !ok || len(wanted) != len(found) {
			return false
		}
		for i := range wanted {
			if !contains(wanted[i], found[i]) {
				return false
			}
		}
		return true
	}
	return isEquivalent(wanted, found)
}

// isEquivalent reports whether scalars are equal, or are quantities with the same value.
func isEquivalent(wanted, found any) bool {
	if isEqual(wanted, found) {
		return true
	}
	left, ok := quantity(wanted)
	if !ok {
		return false
	}
	right, ok := quantity(found)
	return ok && left.Cmp(right) == 0
}

func quantity(v any) (resource.Quantity, bool) {
	switch v := v.(type) {
	case string:
		parsed, err := resource.ParseQuantity(v)
		return parsed, err == nil
	case int64:
		return *resource.NewQuantity(v, resource.DecimalSI), true
	}
	return resource.Quantity{}, false
}

func hasItem(list []any, wanted any) bool {
	return slices.ContainsFunc(list, func(each any) bool { return isEqual(each, wanted) })
}

// isEqual reports whether JSON values are equal. Numbers are compared by value, regardless of the type they were decoded into. In maps,
// null equals a missing field, because the API server drops both.
func isEqual(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok {
			return false
		}
		for name, each := range a {
			other, ok := b[name]
			if ok && !isEqual(each, other) || !ok && each != nil {
				return false
			}
		}
		for name, each := range b {
			if _, ok := a[name]; !ok && each != nil {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !isEqual(a[i], b[i]) {
				return false
			}
		}
		return true
	}
	if left, ok := number(a); ok {
		right, ok := number(b)
		return ok && left == right
	}
	switch b.(type) {
	case map[string]any, []any:
		return false
	}
	return a == b
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case int32:
		return float64(v), true
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}
