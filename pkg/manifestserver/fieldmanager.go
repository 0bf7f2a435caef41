package manifestserver

import (
	"cmp"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// track sets the managedFields of an object that replaces live.
func (s *Server) track(w *write, live, object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	manager, err := w.resource.FieldManager(w.subresource)
	if err != nil {
		return nil, err
	}
	tracked, isUnstructured := manager.UpdateNoErrors(live, object, w.fieldManager).(*unstructured.Unstructured)
	if !isUnstructured {
		return nil, fmt.Errorf("tracking the fields of %s: unexpected type", w.resource.GroupVersionKind())
	}
	setTimes(live, tracked, s.now())
	return tracked, nil
}

// apply merges an applied configuration into live.
func (s *Server) apply(w *write, live, applied *unstructured.Unstructured, force bool) (*unstructured.Unstructured, error) {
	manager, err := w.resource.FieldManager(w.subresource)
	if err != nil {
		return nil, err
	}
	merged, err := manager.Apply(live, applied, w.fieldManager, force)
	if err != nil {
		return nil, err
	}
	object, isUnstructured := merged.(*unstructured.Unstructured)
	if !isUnstructured {
		return nil, fmt.Errorf("applying %s: unexpected type %T", w.resource.GroupVersionKind(), merged)
	}
	setTimes(live, object, s.now())
	return object, nil
}

// setTimes replaces the times that the field manager read from the wall clock, and sorts the entries again.
func setTimes(live, object *unstructured.Unstructured, now metav1.Time) {
	entries := object.GetManagedFields()
	if len(entries) == 0 {
		return
	}
	known := map[metav1.ManagedFieldsEntry]metav1.Time{}
	for _, entry := range live.GetManagedFields() {
		if entry.Time != nil {
			known[entryID(entry)] = *entry.Time
		}
	}
	for i, entry := range entries {
		if entry.Time == nil {
			continue
		}
		if before, found := known[entryID(entry)]; !found || !before.Time.Equal(entry.Time.Time) {
			entries[i].Time = &now
		}
	}
	slices.SortFunc(entries, func(a, b metav1.ManagedFieldsEntry) int {
		return cmp.Or(cmp.Compare(a.Operation, b.Operation), cmp.Compare(seconds(a.Time), seconds(b.Time)), cmp.Compare(a.Manager, b.Manager),
			cmp.Compare(a.APIVersion, b.APIVersion), cmp.Compare(a.Subresource, b.Subresource))
	})
	object.SetManagedFields(entries)
}

func entryID(entry metav1.ManagedFieldsEntry) metav1.ManagedFieldsEntry {
	entry.Time, entry.FieldsV1 = nil, nil
	return entry
}

func seconds(time *metav1.Time) int64 {
	if time == nil {
		return 0
	}
	return time.Unix()
}
