package plan

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// maxChanges is the maximum number of changed fields of one object that a plan lists.
const maxChanges = 200

// Change is a field that two declarations of an object have different values for.
type Change struct {
	// Path is the JSON pointer of the field. An item of a list that the list identifies by a name has its index in the declaration that has
	// the item, the new one first.
	Path string
	// From is the former value, and To the new one; nil if the declaration does not have the field.
	From, To any
}

// changesBetween returns the first fields that differ, sorted by path, and the number of the others.
func changesBetween(from, to map[string]any) (changes []Change, more int) {
	var search changeSearch
	search.maps("", from, to)
	slices.SortStableFunc(search.found, func(a, b Change) int { return cmp.Compare(a.Path, b.Path) })
	return search.found, search.more
}

// changeSearch collects the changes between two declarations.
type changeSearch struct {
	found []Change
	more  int
}

func (s *changeSearch) values(path string, from, to any) {
	switch from := from.(type) {
	case map[string]any:
		if to, ok := to.(map[string]any); ok {
			s.maps(path, from, to)
			return
		}
	case []any:
		if to, ok := to.([]any); ok {
			s.lists(path, from, to)
			return
		}
	}
	if !reflect.DeepEqual(from, to) {
		s.add(path, from, to)
	}
}

func (s *changeSearch) add(path string, from, to any) {
	if len(s.found) == maxChanges {
		s.more++
		return
	}
	s.found = append(s.found, Change{Path: path, From: from, To: to})
}

func (s *changeSearch) maps(path string, from, to map[string]any) {
	names := maps.Clone(to)
	if names == nil {
		names = map[string]any{}
	}
	maps.Copy(names, from)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		s.values(path+"/"+pointerToken(name), from[name], to[name])
	}
}

// lists compares lists. Items that have unique names are compared with the item of that name. Other items are compared by their index.
func (s *changeSearch) lists(path string, from, to []any) {
	former, next := indexByName(from), indexByName(to)
	if former == nil || next == nil {
		for i := range max(len(from), len(to)) {
			s.values(path+"/"+strconv.Itoa(i), itemAt(from, i), itemAt(to, i))
		}
		return
	}
	for i, each := range to {
		var before any
		if at, exists := former[nameOf(each)]; exists {
			before = from[at]
		}
		s.values(path+"/"+strconv.Itoa(i), before, each)
	}
	for i, each := range from {
		if _, exists := next[nameOf(each)]; !exists {
			s.values(path+"/"+strconv.Itoa(i), each, nil)
		}
	}
}

func itemAt(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return nil
}

// indexByName returns the index of each item of a list by the item's field name; nil if an item has no such field, or two have the same.
func indexByName(list []any) map[string]int {
	index := make(map[string]int, len(list))
	for i, each := range list {
		name := nameOf(each)
		if _, exists := index[name]; exists || name == "" {
			return nil
		}
		index[name] = i
	}
	return index
}

func nameOf(item any) string {
	fields, _ := item.(map[string]any)
	name, _ := fields["name"].(string)
	return name
}

// escapePointer escapes the characters that are special in a JSON pointer.
var escapePointer = strings.NewReplacer("~", "~0", "/", "~1")

// pointerToken writes a name as one token of a JSON pointer (RFC 6901).
func pointerToken(name string) string { return escapePointer.Replace(name) }
