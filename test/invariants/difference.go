package invariants

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// difference returns the JSON pointer of the first declared field that is absent from the live object or has a different value there. It
// returns "" if there is none. It does not compare the fields whose JSON pointers are in ignored.
//
// The comparison needs no schema: a map must contain the declared fields, and a list must contain each declared item, in any order. It
// accepts values that the API server normalizes, such as quantity "1" for "1000m".
func difference(declared, live *unstructured.Unstructured, ignored []string) string {
	for _, name := range slices.Sorted(maps.Keys(declared.Object)) {
		isWriteOnly := declared.GetKind() == "Secret" && name == "stringData"
		if isWriteOnly || slices.Contains([]string{"apiVersion", "kind", "metadata", "status"}, name) {
			continue
		}
		if path := differenceAt("/"+escaped(name), declared.Object[name], live.Object[name], ignored); path != "" {
			return path
		}
	}
	for _, name := range []string{"labels", "annotations"} {
		wanted, _, _ := unstructured.NestedFieldNoCopy(declared.Object, "metadata", name)
		found, _, _ := unstructured.NestedFieldNoCopy(live.Object, "metadata", name)
		if path := differenceAt("/metadata/"+name, wanted, found, ignored); path != "" {
			return path
		}
	}
	return ""
}

// differenceAt returns the JSON pointer of the first difference between two values, or "" if there is none. path is the JSON pointer of the
// values.
func differenceAt(path string, wanted, found any, ignored []string) string {
	if slices.Contains(ignored, path) {
		return ""
	}
	switch wanted := wanted.(type) {
	case nil:
		return ""
	case map[string]any:
		fields, _ := found.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(wanted)) {
			if below := differenceAt(path+"/"+escaped(name), wanted[name], fields[name], ignored); below != "" {
				return below
			}
		}
		return ""
	case []any:
		items, _ := found.([]any)
		for i, each := range wanted {
			at := fmt.Sprintf("%s/%d", path, i)
			if !slices.ContainsFunc(items, func(item any) bool { return differenceAt(at, each, item, ignored) == "" }) && !slices.Contains(ignored, at) {
				return at
			}
		}
		return ""
	}
	if isEqual(wanted, found) {
		return ""
	}
	return path
}

// isEqual reports whether two scalars are equal, or are quantities with the same value. An absent field equals the zero value.
func isEqual(wanted, found any) bool {
	if found == nil {
		return wanted == "" || wanted == false || fmt.Sprint(wanted) == "0"
	}
	left, right := fmt.Sprint(wanted), fmt.Sprint(found)
	if left == right {
		return true
	}
	first, err := resource.ParseQuantity(left)
	if err != nil {
		return false
	}
	second, err := resource.ParseQuantity(right)
	return err == nil && first.Cmp(second) == 0
}

// escaped returns a field's name, escaped for use in a JSON pointer.
func escaped(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }
