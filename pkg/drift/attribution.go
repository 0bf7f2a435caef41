package drift

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Change is a field of an object that was changed or added, and the field manager that made the change, if that is known.
type Change struct {
	// Path is a JSON pointer to the field. It is empty for the whole object.
	Path string
	// Manager is the field manager, and Time is the time of its entry in managedFields. Both are zero if the field manager is not known.
	Manager string
	Time    time.Time
}

// Attributed converts differences into changes, each with the field manager that made it. The field manager is empty if managedFields do
// not contain it: for a field that was removed, or whose field manager has given it up since.
func (c Comparison) Attributed(differences []Difference, live *unstructured.Unstructured) []Change {
	type record struct {
		manager string
		time    time.Time
		fields  *fieldpath.Set
	}
	var others []record
	for _, entry := range live.GetManagedFields() {
		if entry.Manager == c.Manager || entry.Subresource == "status" || entry.FieldsV1 == nil {
			continue
		}
		fields := &fieldpath.Set{}
		if err := fields.FromJSON(entry.FieldsV1.GetRawReader()); err != nil {
			continue
		}
		each := record{manager: entry.Manager, fields: fields}
		if entry.Time != nil {
			each.time = entry.Time.Time
		}
		others = append(others, each)
	}
	var changes []Change
	for _, each := range differences {
		next := Change{Path: each.Path}
		for _, other := range others {
			if !each.Gone && owns(other.fields, each.fields) && (next.Manager == "" || other.time.After(next.Time)) {
				next.Manager, next.Time = other.manager, other.time
			}
		}
		changes = append(changes, next)
	}
	return changes
}

// owns reports whether a set contains a path, or a field below the path.
func owns(set *fieldpath.Set, path fieldpath.Path) bool {
	for i, element := range path {
		if i == len(path)-1 {
			_, below := set.Children.Get(element)
			return below || set.Members.Has(element)
		}
		next, ok := set.Children.Get(element)
		if !ok {
			return false
		}
		set = next
	}
	return false
}
