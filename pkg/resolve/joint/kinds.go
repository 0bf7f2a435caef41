package joint

import (
	"slices"

	"github.com/openshift/platform-operators/pkg/catalog"
)

// sortedKinds sorts kinds in place and returns them without duplicates.
func sortedKinds(kinds []catalog.GVK) []catalog.GVK {
	slices.SortFunc(kinds, catalog.GVK.Compare)
	return slices.Compact(kinds)
}

// intersect returns the kinds in both of two sorted lists.
func intersect(a, b []catalog.GVK) (both []catalog.GVK) {
	for len(a) > 0 && len(b) > 0 {
		switch order := a[0].Compare(b[0]); {
		case order < 0:
			a = a[1:]
		case order > 0:
			b = b[1:]
		default:
			both = append(both, a[0])
			a, b = a[1:], b[1:]
		}
	}
	return both
}

// subtract returns the kinds that are not in others, which must be sorted.
func subtract(kinds, others []catalog.GVK) []catalog.GVK {
	return slices.DeleteFunc(slices.Clone(kinds), func(gvk catalog.GVK) bool {
		_, in := slices.BinarySearchFunc(others, gvk, catalog.GVK.Compare)
		return in
	})
}
