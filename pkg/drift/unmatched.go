package drift

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-openapi/jsonpointer"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/truncate"
)

// IsTarget reports whether the target of an entry of drift.ignore selects an object.
func IsTarget(target corev1alpha2.DriftTarget, kind schema.GroupKind, namespace, name string) bool {
	if target.Kind != "" && (target.Kind != kind.Kind || target.Group != kind.Group) {
		return false // if a kind is set, an empty group means the core group
	}
	return (target.Group == "" || target.Group == kind.Group) &&
		(target.Namespace == "" || target.Namespace == namespace) &&
		(target.Name == "" || target.Name == name)
}

// Unmatched is an entry of drift.ignore whose target selects no object, or one of the entry's pointers if the selected objects do not have
// that field.
type Unmatched struct {
	// Entry is the index of the entry in drift.ignore.
	Entry int
	// Pointer is the pointer that selects nothing; empty if the target selects no object.
	Pointer string
	// Object describes the first selected object for a message, and More is the number of further selected objects. Both are empty if the
	// target selects no object.
	Object string
	More   int
	// Existing lists objects or pointers that exist, to suggest them to the user.
	Existing []string
}

// maxSuggestions is the maximum number of objects or pointers that a text about an Unmatched names.
const maxSuggestions = 5

// String returns sentences with the field of the BundleDeployment, what is wrong with it, and what to write instead.
func (u Unmatched) String() string {
	entry := fmt.Sprintf("spec.drift.ignore[%d]", u.Entry)
	if u.Pointer == "" {
		return fmt.Sprintf("The target of %s selects no object of the bundle: correct or remove it. The bundle has %s.", entry, suggestions(u.Existing))
	}
	object := u.Object
	if u.More > 0 {
		object += fmt.Sprintf(" or of %d others", u.More)
	}
	text := fmt.Sprintf("Pointer %s of %s selects no field of %s: correct or remove it.", truncate.Quote(u.Pointer), entry, object)
	if len(u.Existing) > 0 {
		text += " The fields there are " + suggestions(u.Existing) + "."
	}
	return text
}

func suggestions(existing []string) string {
	if more := len(existing) - maxSuggestions; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(existing[:maxSuggestions], ", "), more)
	}
	return strings.Join(existing, ", ")
}

// HasField reports whether an object has the field of a JSON pointer. Pointers in status.drift identify list items that others added by key
// or value instead of index. HasField returns true for such a pointer without looking for the item.
func HasField(object map[string]any, pointer string) bool {
	_, rest := follow(object, pointer)
	return len(rest) == 0
}

// follow resolves a JSON pointer as far as the object has its fields. It returns the value that it reached, and the tokens that it could
// not resolve; none if the object has the whole pointer.
func follow(object map[string]any, pointer string) (at any, rest []string) {
	at, rest = object, strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for len(rest) > 0 {
		var next any
		found := false
		switch value := at.(type) {
		case map[string]any:
			next, found = value[jsonpointer.Unescape(rest[0])]
		case []any:
			index, err := strconv.Atoi(rest[0])
			if err != nil {
				return at, nil
			}
			if found = index >= 0 && index < len(value); found {
				next = value[index]
			}
		}
		if !found {
			return at, rest
		}
		at, rest = next, rest[1:]
	}
	return at, nil
}

// FieldsBeside suggests fields for a pointer that an object does not have. It finds the first missing field of the pointer, and returns
// pointers to the fields that exist beside it. They are sorted by the length of the prefix that they share with the missing name, longest
// first, and then by name.
func FieldsBeside(object map[string]any, pointer string) []string {
	at, rest := follow(object, pointer)
	fields, isMap := at.(map[string]any)
	if len(rest) == 0 || !isMap {
		return nil
	}
	prefix := strings.TrimSuffix(pointer, strings.Join(rest, "/"))
	names := slices.Sorted(maps.Keys(fields))
	slices.SortStableFunc(names, func(a, b string) int {
		return commonPrefix(b, jsonpointer.Unescape(rest[0])) - commonPrefix(a, jsonpointer.Unescape(rest[0]))
	})
	for i, name := range names {
		names[i] = prefix + jsonpointer.Escape(name)
	}
	return names
}

// commonPrefix returns the length of the prefix that two texts have in common, in bytes.
func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
