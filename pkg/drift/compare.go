package drift

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// Trust is how much is known of who wrote a live object.
type Trust int

const (
	// NothingKnown: plain values have to be the same to the letter, and where they are not the API server has to be asked.
	NothingKnown Trust = iota
	// WrittenBefore: the manager's last write is said to have been what is declared, but an earlier process made it, which
	// may have declared it in another way. Values have to mean the same; the API server writes "1000m" as "1".
	WrittenBefore
	// WrittenNow: this process has seen the object to be what is declared. A plain value that the manager still owns is as it
	// wrote it, because whoever changes a field takes it over.
	WrittenNow
)

// Comparison holds what was declared against what is there. It looks at the API server's record of field owners rather
// than at a schema: the record says which maps and lists are taken as a whole and which are merged, so that a key that
// somebody added to a Service's selector is a change, and one that they added to its labels is not.
type Comparison struct {
	// Manager is the field manager that declared it.
	Manager string
	Trust   Trust
	// Ignored are the pointers of fields that are left to others, whatever is in them.
	Ignored map[string]bool
}

// Difference is one declared field that is not as it was declared, or that the manager owns no longer.
type Difference struct {
	// Path is a JSON pointer to the field as it was declared.
	Path string
	// fields is the same as the record of field owners names it.
	fields fieldpath.Path
	// Found is what is there instead; nil when nothing is.
	Found any
	// Gone: there is nothing in the field's place.
	Gone bool
}

// maxDifferences is how many differences are looked for in one object: more are told to nobody.
const maxDifferences = 64

// Differences gives the declared fields that are not as declared, at most 64, in the order of their names.
func (c Comparison) Differences(declared, live *unstructured.Unstructured) []Difference {
	owned, others := recordOf(live, c.Manager)
	search := &search{Comparison: c}
	wanted := maps.Clone(declared.Object)
	delete(wanted, "apiVersion")
	delete(wanted, "kind")
	if metadata, ok := wanted["metadata"].(map[string]any); ok {
		metadata = maps.Clone(metadata)
		for _, identity := range []string{"name", "namespace", "creationTimestamp"} {
			delete(metadata, identity) // not tracked by the record
		}
		wanted["metadata"] = metadata
	}
	search.fields(nil, wanted, live.Object, owners{owned, others})
	return search.found
}

// owners are the fields below one place that the manager owns, and those that anybody else does.
type owners struct{ mine, others *fieldpath.Set }

// below gives the owners of what is below an element. mine says whether the manager has anything there.
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

// recordOf reads the record of field owners: what the manager owns, by whatever operation, and what anybody else does.
// What cannot be read counts as owned by nobody. Owners of status are left out: nobody declares it.
func recordOf(live *unstructured.Unstructured, manager string) (mine, others *fieldpath.Set) {
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

// spot is where a search is, innermost first.
type spot struct {
	parent  *spot
	token   string
	element fieldpath.PathElement
}

func (s *spot) field(name string) *spot {
	return &spot{parent: s, token: escape(name), element: fieldpath.FieldNameElement(name)}
}

func (s *spot) item(index int, element fieldpath.PathElement) *spot {
	return &spot{parent: s, token: strconv.Itoa(index), element: element}
}

// pointer gives the JSON pointer of a spot.
func (s *spot) pointer() string {
	var tokens []string
	for at := s; at != nil; at = at.parent {
		tokens = append(tokens, at.token)
	}
	slices.Reverse(tokens)
	return "/" + strings.Join(tokens, "/")
}

func (s *spot) path() fieldpath.Path {
	var path fieldpath.Path
	for at := s; at != nil; at = at.parent {
		path = append(path, at.element)
	}
	slices.Reverse(path)
	return path
}

// escape writes a name as one token of a JSON pointer (RFC 6901).
func escape(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

// search is one comparison under way.
type search struct {
	Comparison
	found []Difference
}

func (s *search) differ(at *spot, found any, gone bool) {
	if len(s.found) < maxDifferences {
		s.found = append(s.found, Difference{Path: at.pointer(), fields: at.path(), Found: found, Gone: gone})
	}
}

func (c Comparison) ignores(at *spot) bool {
	return len(c.Ignored) > 0 && c.Ignored[at.pointer()]
}

// fields compares a map that is merged, not replaced.
func (s *search) fields(at *spot, wanted, live map[string]any, owners owners) {
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		found, ok := live[name]
		if next := at.field(name); !s.ignores(next) {
			s.field(next, wanted[name], found, ok, owners)
		}
	}
}

func (s *search) field(at *spot, wanted, found any, present bool, owners owners) {
	if !present {
		list, isList := wanted.([]any)
		if wanted != nil && (!isList || len(list) > 0) {
			s.differ(at, nil, true)
		}
		return
	}
	fields, isMap := wanted.(map[string]any)
	live, liveMap := found.(map[string]any)
	if isMap && len(fields) == 0 {
		if !liveMap { // nothing but its presence is declared
			s.differ(at, found, false)
		}
		return
	}
	below, mine := owners.below(at.element)
	switch {
	case mine:
		s.merged(at, wanted, found, below)
	case isMap && liveMap && (!below.others.Empty() || !owners.mine.Members.Has(at.element) && !owners.others.Members.Has(at.element)):
		// Somebody took over everything in a map that is merged; what is left of the record looks like that of a map that is
		// owned as a whole. And what nobody owns as a whole is merged.
		s.fields(at, fields, live, below)
	case owners.mine.Members.Has(at.element):
		// Without children the field is owned as a whole or not at all.
		if !s.same(at, wanted, found) {
			s.differ(at, found, false)
		}
	default:
		s.differ(at, found, false)
	}
}

// merged compares a value that is merged, not replaced.
func (s *search) merged(at *spot, wanted, found any, owners owners) {
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
		if equal(wanted, found) {
			return
		}
	}
	s.differ(at, found, false)
}

// item compares one item of a merged list, which the record names by the item's key fields or its value.
func (s *search) item(list *spot, index int, wanted any, live []any, owners owners) {
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
		s.differ(at, nil, true)
	case mine && inside:
		s.fields(at, fields, found, below)
	case !mine || !s.same(at, wanted, found):
		s.differ(at, found, false)
	}
}

func (s *search) valueItem(at *spot, wanted any, live []any, owners owners) {
	there := contains(live, wanted)
	for _, set := range []*fieldpath.Set{owners.mine, owners.others} {
		for element := range set.Members.All() {
			if element.Value == nil || !equal(wanted, (*element.Value).Unstructured()) {
				continue
			}
			if set == owners.mine && there {
				return
			}
			at.element = element
		}
	}
	s.differ(at, wanted, !there)
}

// elementFor finds the one element of the record that a declared item can be. Key fields may be missing in what was
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

// hasKey says whether an item has the key's fields; lenient lets the item leave some out.
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

// itemOf finds the item of a live list that a key names; nil when it is not there.
func itemOf(list []any, key value.FieldList) map[string]any {
	for _, each := range list {
		if candidate, ok := each.(map[string]any); ok && hasKey(candidate, key, false) {
			return candidate
		}
	}
	return nil
}
