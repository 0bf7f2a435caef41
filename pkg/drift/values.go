package drift

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// same compares a value that is owned as a whole. Of maps and lists it wants to see the content even when trusted: a map
// that is merged, and of which somebody took over every key, leaves the same record as one that is owned as a whole.
func (c Comparison) same(at *spot, wanted, found any) bool {
	if len(c.Ignored) > 0 {
		wanted = c.leave(at, wanted, found, &fieldpath.Set{})
	}
	if c.Trust == NothingKnown {
		return equal(wanted, found)
	}
	switch wanted.(type) {
	case map[string]any, []any:
		return within(wanted, found)
	}
	return c.Trust == WrittenNow || alike(wanted, found)
}

// within says whether a value holds another one, with whatever the API server filled up in maps.
func within(wanted, found any) bool {
	switch wanted := wanted.(type) {
	case map[string]any:
		found, ok := found.(map[string]any)
		if !ok {
			return false
		}
		for name, each := range wanted {
			if other, ok := found[name]; !ok && each != nil || ok && !within(each, other) {
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
			if !within(wanted[i], found[i]) {
				return false
			}
		}
		return true
	}
	return alike(wanted, found)
}

// alike compares plain values by what they mean: as quantities, where both are.
func alike(wanted, found any) bool {
	if equal(wanted, found) {
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

func contains(list []any, wanted any) bool {
	return slices.ContainsFunc(list, func(each any) bool { return equal(each, wanted) })
}

// equal compares JSON values. Numbers are equal by value, whatever decoded them; null and what is empty are not told
// apart inside of maps, because the API server drops both.
func equal(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok {
			return false
		}
		for name, each := range a {
			other, ok := b[name]
			if ok && !equal(each, other) || !ok && each != nil {
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
			if !equal(a[i], b[i]) {
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
