package drift

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-openapi/jsonpointer"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// Trust is how much is known about the manager's last write to a live object.
type Trust int

const (
	// NothingKnown is for an object of which it is not known that the manager has written it. Scalars must be identical. If they are not,
	// only a dry run can show whether they are equivalent.
	NothingKnown Trust = iota
	// WrittenBefore is for an object that an earlier process wrote as declared, perhaps in another notation. Scalars must be equivalent: the API
	// server stores "1000m" as "1".
	WrittenBefore
	// WrittenNow is for an object that this process wrote as declared, or found to be as declared. A scalar that the manager still owns is
	// unchanged, because a change to a field transfers its ownership.
	WrittenNow
)

// Comparison compares a declared object with the live one. It uses managedFields instead of a schema, because managedFields show which maps
// and lists are atomic and which are merged. A key that was added to a Service's selector is a difference; a key that was added to its
// labels is not.
type Comparison struct {
	// Manager is the field manager that applies the declared object.
	Manager string
	Trust   Trust
	// Ignored holds the JSON pointers of the fields that are not compared; if it is nil, all fields are compared.
	Ignored map[string]bool
}

// Difference is a declared field that is missing, that has another value, or that the field manager of the Comparison no longer owns.
type Difference struct {
	// Path is a JSON pointer to the field in the declared object.
	Path string
	// fields is the same path in the notation of managedFields.
	fields fieldpath.Path
	// Found is the live value; nil if the field does not exist.
	Found any
	// Gone is true if the field does not exist.
	Gone bool
}

// maxDifferences is the maximum number of reported differences in one object, and of reported additions for each entry in its
// managedFields.
const maxDifferences = 64

// Differences returns the declared fields whose live values are not as declared, at most 64, in the order of their names.
func (c Comparison) Differences(declared, live *unstructured.Unstructured) []Difference {
	owned, others := ownedFields(live, c.Manager)
	search := &search{Comparison: c}
	wanted := maps.Clone(declared.Object)
	delete(wanted, "apiVersion")
	delete(wanted, "kind")
	if metadata, ok := wanted["metadata"].(map[string]any); ok {
		metadata = maps.Clone(metadata)
		for _, identity := range []string{"name", "namespace", "creationTimestamp"} {
			delete(metadata, identity) // not in managedFields
		}
		wanted["metadata"] = metadata
	}
	search.fields(nil, wanted, live.Object, owners{owned, others})
	return search.found
}

// owners holds the fields below a location, separated into those that the field manager of the Comparison owns and those that others own.
type owners struct{ mine, others *fieldpath.Set }

// below returns the owners of the fields below an element. mine is true if the field manager of the Comparison owns any of these fields.
func (o owners) below(element fieldpath.PathElement) (next owners, mine bool) {
	next.mine, mine = o.mine.Children.Get(element)
	if !mine {
		next.mine = &fieldpath.Set{}
	}
	next.others, _ = o.others.Children.Get(element)
	if next.others == nil {
		next.others = &fieldpath.Set{}
	}
	return next, mine
}

// ownedFields returns the fields that a field manager owns, by apply or by update, and the fields that the others own. It skips entries
// that cannot be decoded, entries for the status, which is never declared, and this field manager's entries for other subresources.
func ownedFields(live *unstructured.Unstructured, manager string) (mine, others *fieldpath.Set) {
	mine, others = &fieldpath.Set{}, &fieldpath.Set{}
	for _, entry := range live.GetManagedFields() {
		if entry.Subresource == "status" || entry.FieldsV1 == nil || entry.Manager == manager && entry.Subresource != "" {
			continue
		}
		fields := &fieldpath.Set{}
		if err := fields.FromJSON(entry.FieldsV1.GetRawReader()); err != nil {
			continue
		}
		if entry.Manager == manager {
			mine = mine.Union(fields)
		} else {
			others = others.Union(fields)
		}
	}
	return mine, others
}

// location is a place in an object, linked to the place that encloses it. A nil location is the object itself.
type location struct {
	parent  *location
	token   string
	element fieldpath.PathElement
}

func (s *location) field(name string) *location {
	return &location{parent: s, token: jsonpointer.Escape(name), element: fieldpath.FieldNameElement(name)}
}

func (s *location) item(index int, element fieldpath.PathElement) *location {
	return &location{parent: s, token: strconv.Itoa(index), element: element}
}

// pointer returns the JSON pointer of a location.
func (s *location) pointer() string {
	var tokens []string
	for at := s; at != nil; at = at.parent {
		tokens = append(tokens, at.token)
	}
	slices.Reverse(tokens)
	return "/" + strings.Join(tokens, "/")
}

func (s *location) path() fieldpath.Path {
	var path fieldpath.Path
	for at := s; at != nil; at = at.parent {
		path = append(path, at.element)
	}
	slices.Reverse(path)
	return path
}

// search collects the differences that one comparison finds.
type search struct {
	Comparison
	found []Difference
}

func (s *search) add(at *location, found any, gone bool) {
	if len(s.found) < maxDifferences {
		s.found = append(s.found, Difference{Path: at.pointer(), fields: at.path(), Found: found, Gone: gone})
	}
}

func (c Comparison) ignores(at *location) bool {
	return len(c.Ignored) > 0 && c.Ignored[at.pointer()]
}

// fields compares the declared fields of a merged map with its live fields.
func (s *search) fields(at *location, wanted, live map[string]any, owners owners) {
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		found, ok := live[name]
		if next := at.field(name); !s.ignores(next) {
			s.field(next, wanted[name], found, ok, owners)
		}
	}
}

func (s *search) field(at *location, wanted, found any, present bool, owners owners) {
	if !present {
		list, isList := wanted.([]any)
		if wanted != nil && (!isList || len(list) > 0) {
			s.add(at, nil, true)
		}
		return
	}
	fields, isMap := wanted.(map[string]any)
	live, liveMap := found.(map[string]any)
	if isMap && len(fields) == 0 {
		if !liveMap { // the declaration has only an empty map
			s.add(at, found, false)
		}
		return
	}
	below, mine := owners.below(at.element)
	switch {
	case mine:
		s.merged(at, wanted, found, below)
	case isMap && liveMap && (!below.others.Empty() || !owners.mine.Members.Has(at.element) && !owners.others.Members.Has(at.element)):
		// If other field managers took over all fields of a merged map, managedFields look like those of an atomic map. Therefore a map
		// that no field manager owns as a whole counts as merged.
		s.fields(at, fields, live, below)
	case owners.mine.Members.Has(at.element):
		// A field without children is atomic.
		if !s.isSame(at, wanted, found) {
			s.add(at, found, false)
		}
	default:
		s.add(at, found, false)
	}
}

// merged compares a value below which the field manager owns single fields or items, so that the API server merges the value instead of
// replacing it.
func (s *search) merged(at *location, wanted, found any, owners owners) {
	switch wanted := wanted.(type) {
	case map[string]any:
		if live, ok := found.(map[string]any); ok {
			s.fields(at, wanted, live, owners)
			return
		}
	case []any:
		if live, ok := found.([]any); ok {
			for i, each := range wanted {
				s.item(at, i, each, live, owners)
			}
			return
		}
	default:
		if isEqual(wanted, found) {
			return
		}
	}
	s.add(at, found, false)
}

// item compares one item of a merged list. managedFields identify the item by its key fields or its value.
func (s *search) item(list *location, index int, wanted any, live []any, owners owners) {
	at := list.item(index, fieldpath.PathElement{Index: &index})
	if s.ignores(at) {
		return
	}
	fields, isMap := wanted.(map[string]any)
	if !isMap {
		s.valueItem(at, wanted, live, owners)
		return
	}
	element, mine := elementFor(fields, owners.mine)
	if !mine {
		if theirs, ok := elementFor(fields, owners.others); ok {
			at.element = theirs
		}
	} else {
		at.element = element
	}
	var found map[string]any
	if at.element.Key != nil {
		found = itemOf(live, *at.element.Key)
	}
	switch below, inside := owners.below(at.element); {
	case found == nil:
		s.add(at, nil, true)
	case mine && inside:
		s.fields(at, fields, found, below)
	case !mine || !s.isSame(at, wanted, found):
		s.add(at, found, false)
	}
}

func (s *search) valueItem(at *location, wanted any, live []any, owners owners) {
	there := hasItem(live, wanted)
	for _, set := range []*fieldpath.Set{owners.mine, owners.others} {
		for element := range set.Members.All() {
			if element.Value == nil || !isEqual(wanted, (*element.Value).Unstructured()) {
				continue
			}
			if set == owners.mine && there {
				return
			}
			at.element = element
		}
	}
	s.add(at, wanted, !there)
}

// elementFor returns the element of managedFields that identifies a declared list item. The declared item may lack key fields that the API
// server defaults, such as a port's protocol. elementFor returns false if no element, or more than one, can identify the item.
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

// hasKey reports whether an item has the key's fields. If lenient is true, the item may lack some of the fields, but not all.
func hasKey(fields map[string]any, key value.FieldList, lenient bool) bool {
	matched := 0
	for _, each := range key {
		got, ok := fields[each.Name]
		if !ok && lenient {
			continue
		}
		if !ok || !isEqual(got, each.Value.Unstructured()) {
			return false
		}
		matched++
	}
	return matched > 0
}

// itemOf returns the item of a live list that has this key, or nil.
func itemOf(list []any, key value.FieldList) map[string]any {
	for _, each := range list {
		if candidate, ok := each.(map[string]any); ok && hasKey(candidate, key, false) {
			return candidate
		}
	}
	return nil
}
