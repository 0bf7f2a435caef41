package apply

import (
	"crypto/sha256"
	"encoding/json"
	"maps"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// comparison holds what was declared against what is there. It looks at the API server's record of field owners rather
// than at a schema: the record says which maps and lists are taken as a whole and which are merged, so that a key that
// somebody added to a Service's selector is a change, and one that they added to its labels is not.
type comparison struct {
	manager string
	// trusted: the manager's last write is known to have been what is declared now. Then a field that the manager still
	// owns is as it wrote it, because whoever changes a field takes it over, and plain values, which the API server may
	// write in its own way ("1000m" as "1"), need no comparing, nor what it filled up with defaults.
	trusted bool
}

// settled says whether a live object still holds everything that was declared, as the manager wrote it. It errs to one
// side only: where it cannot tell it says no, and the caller lets the API server decide by applying.
func (c comparison) settled(declared, live *unstructured.Unstructured) bool {
	owned := ownedFields(live, c.manager)
	if owned == nil {
		return false
	}
	for name, wanted := range declared.Object {
		switch name {
		case "apiVersion", "kind":
			continue
		case "metadata":
			fields, ok := wanted.(map[string]any)
			if !ok {
				return false
			}
			fields = maps.Clone(fields)
			for _, identity := range []string{"name", "namespace", "creationTimestamp"} {
				delete(fields, identity) // not tracked by the record
			}
			wanted = fields
		}
		if !c.keepsField(name, wanted, live.Object, owned) {
			return false
		}
	}
	return true
}

// ownedFields is everything that the manager owns of an object, by whatever operation; nil if that is nothing.
func ownedFields(live *unstructured.Unstructured, manager string) *fieldpath.Set {
	var owned *fieldpath.Set
	for _, entry := range live.GetManagedFields() {
		if entry.Manager != manager || entry.Subresource != "" || entry.FieldsV1 == nil {
			continue
		}
		fields := &fieldpath.Set{}
		if err := fields.FromJSON(entry.FieldsV1.GetRawReader()); err != nil {
			return nil
		}
		if owned == nil {
			owned = fields
		} else {
			owned = owned.Union(fields)
		}
	}
	return owned
}

func (c comparison) keepsField(name string, wanted any, live map[string]any, owned *fieldpath.Set) bool {
	element := fieldpath.FieldNameElement(name)
	found, ok := live[name]
	if !ok {
		list, isList := wanted.([]any)
		return wanted == nil || isList && len(list) == 0
	}
	below, hasBelow := owned.Children.Get(element)
	if fields, isMap := wanted.(map[string]any); isMap && len(fields) == 0 {
		_, isMap = found.(map[string]any)
		return isMap // nothing but its presence is declared
	}
	if hasBelow {
		return c.keeps(wanted, found, below)
	}
	// Without children the field is owned as a whole or not at all.
	return owned.Members.Has(element) && c.same(wanted, found)
}

// same compares a value that is owned as a whole. Of maps and lists it wants to see the content even when trusted: a map
// that is merged, and of which somebody took over every key, leaves the same record as one that is owned as a whole.
func (c comparison) same(wanted, found any) bool {
	if !c.trusted {
		return equal(wanted, found)
	}
	switch wanted.(type) {
	case map[string]any, []any:
		return within(wanted, found)
	}
	return true
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
	return equal(wanted, found)
}

// keeps compares a value that is merged, not replaced.
func (c comparison) keeps(wanted, found any, owned *fieldpath.Set) bool {
	switch wanted := wanted.(type) {
	case map[string]any:
		live, ok := found.(map[string]any)
		if !ok {
			return false
		}
		for name, each := range wanted {
			if !c.keepsField(name, each, live, owned) {
				return false
			}
		}
		return true
	case []any:
		live, ok := found.([]any)
		if !ok {
			return false
		}
		for _, each := range wanted {
			if !c.keepsElement(each, live, owned) {
				return false
			}
		}
		return true
	}
	return equal(wanted, found)
}

// keepsElement compares one element of a merged list, which the record names by the element's key fields or its value.
func (c comparison) keepsElement(wanted any, live []any, owned *fieldpath.Set) bool {
	fields, isMap := wanted.(map[string]any)
	if !isMap {
		for element := range owned.Members.All() {
			if element.Value != nil && equal(wanted, (*element.Value).Unstructured()) {
				return contains(live, wanted)
			}
		}
		return false
	}
	element, ok := elementFor(fields, owned)
	if !ok {
		return false
	}
	below, hasFields := owned.Children.Get(element)
	for _, each := range live {
		candidate, ok := each.(map[string]any)
		if !ok || !hasKey(candidate, *element.Key, false) {
			continue
		}
		if !hasFields {
			return c.same(wanted, each)
		}
		return c.keeps(fields, candidate, below)
	}
	return false
}

// elementFor finds the one element of the record that a declared element can be. Key fields may be missing in what was
// declared, because the API server fills in defaults (a port's protocol); if that leaves a choice there is no answer.
func elementFor(fields map[string]any, owned *fieldpath.Set) (fieldpath.PathElement, bool) {
	var found fieldpath.PathElement
	count := 0
	consider := func(element fieldpath.PathElement) {
		if element.Key != nil && hasKey(fields, *element.Key, true) && !found.Equals(element) {
			found = element
			count++
		}
	}
	for element := range owned.Members.All() {
		consider(element)
	}
	for element := range owned.Children.All() {
		consider(element)
	}
	return found, count == 1
}

// hasKey says whether an element has the key's fields; lenient lets the element leave some out.
func hasKey(fields map[string]any, key value.FieldList, lenient bool) bool {
	matched := 0
	for _, each := range key {
		got, ok := fields[each.Name]
		if !ok && lenient {
			continue
		}
		if !ok || !equal(got, each.Value.Unstructured()) {
			return false
		}
		matched++
	}
	return matched > 0
}

func contains(list []any, wanted any) bool {
	for _, each := range list {
		if equal(each, wanted) {
			return true
		}
	}
	return false
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

// trim drops what the cache does not need of a live object: the record of other managers' fields, often half of an
// object, and the copy that kubectl leaves in an annotation.
func trim(live *unstructured.Unstructured) {
	entries := live.GetManagedFields()
	kept := entries[:0:0]
	for _, entry := range entries {
		if strings.HasPrefix(entry.Manager, managerPrefix) {
			kept = append(kept, entry)
		}
	}
	live.SetManagedFields(kept)
	if annotations := live.GetAnnotations(); annotations[lastApplied] != "" {
		delete(annotations, lastApplied)
		live.SetAnnotations(annotations)
	}
}

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// liveDigest is equal for two states of an object between which nothing changed that applying could concern: status,
// versions and times are left out.
func liveDigest(live *unstructured.Unstructured) [sha256.Size]byte {
	content := maps.Clone(live.Object)
	delete(content, "status")
	if fields, ok := content["metadata"].(map[string]any); ok {
		fields = maps.Clone(fields)
		for _, name := range []string{"resourceVersion", "generation", "managedFields"} {
			delete(fields, name)
		}
		var records []any
		for _, entry := range live.GetManagedFields() {
			if strings.HasPrefix(entry.Manager, managerPrefix) && entry.FieldsV1 != nil {
				records = append(records, []any{entry.Manager, string(entry.Operation), entry.FieldsV1.GetRawString()})
			}
		}
		fields["managedFields"] = records
		content["metadata"] = fields
	}
	encoded, err := json.Marshal(content)
	if err != nil {
		return [sha256.Size]byte{}
	}
	return sha256.Sum256(encoded)
}
