package generate

import (
	"errors"
	"fmt"
	"strings"
)

// Path is a path to a field, such as "spec.package.name" or "spec.items[].name". "[]" stands for an item of a list, and "{}" for a value
// of a map.
type Path string

const (
	itemSuffix  = "[]"
	valueSuffix = "{}"
)

// elements returns the names, "[]" and "{}" of the path, in order.
func (p Path) elements() []string {
	var elements []string
	for name := range strings.SplitSeq(string(p), ".") {
		var suffixes []string
		for {
			if rest, found := strings.CutSuffix(name, itemSuffix); found {
				name, suffixes = rest, append(suffixes, itemSuffix)
			} else if rest, found := strings.CutSuffix(name, valueSuffix); found {
				name, suffixes = rest, append(suffixes, valueSuffix)
			} else {
				break
			}
		}
		elements = append(elements, name)
		for i := range suffixes {
			elements = append(elements, suffixes[len(suffixes)-1-i])
		}
	}
	return elements
}

// contains reports whether other is p or below p.
func (p Path) contains(other Path) bool {
	rest, found := strings.CutPrefix(string(other), string(p))
	return found && (rest == "" || rest[0] == '.' || rest[0] == '[' || rest[0] == '{')
}

// mapKey is the key for "{}" where a map has no entry.
const mapKey = "example"

// set sets the field at a path in an object. "[]" stands for the first item. Objects and lists that are missing are added. It returns an
// error if a value in the way is neither.
func set(object map[string]any, path Path, value any) error {
	result, err := setIn(object, path.elements(), value)
	if err != nil {
		return fmt.Errorf("setting %s: %w", path, err)
	}
	if _, isObject := result.(map[string]any); !isObject {
		return fmt.Errorf("setting %s: the path does not begin with a field", path)
	}
	return nil
}

// setIn returns the value in which the field is set. It changes objects and lists in place where it can.
func setIn(in any, elements []string, value any) (any, error) {
	if len(elements) == 0 {
		return value, nil
	}
	if elements[0] == itemSuffix {
		list, isList := in.([]any)
		if in != nil && !isList {
			return nil, errors.New("a value in the way is not a list")
		}
		if len(list) == 0 {
			list = []any{nil}
		}
		item, err := setIn(list[0], elements[1:], value)
		list[0] = item
		return list, err
	}
	object, isObject := in.(map[string]any)
	if in != nil && !isObject {
		return nil, errors.New("a value in the way is not an object")
	}
	if object == nil {
		object = map[string]any{}
	}
	name := elements[0]
	if name == valueSuffix {
		name = firstKey(object)
	}
	field, err := setIn(object[name], elements[1:], value)
	object[name] = field
	return object, err
}

// firstKey returns the first key of a map in alphabetical order, or mapKey if the map is empty.
func firstKey(object map[string]any) string {
	first := ""
	for key := range object {
		if first == "" || key < first {
			first = key
		}
	}
	if first == "" {
		return mapKey
	}
	return first
}

// remove removes the field at a path from an object. It does nothing if there is none.
func remove(object map[string]any, path Path) {
	elements := path.elements()
	var in any = object
	for _, element := range elements[:len(elements)-1] {
		switch typed := in.(type) {
		case map[string]any:
			if element == valueSuffix {
				element = firstKey(typed)
			}
			in = typed[element]
		case []any:
			if len(typed) == 0 {
				return
			}
			in = typed[0]
		}
	}
	if object, isObject := in.(map[string]any); isObject {
		delete(object, elements[len(elements)-1])
	}
}

// get returns the value of the field at a path in an object, or nil if there is none.
func get(object map[string]any, path Path) any {
	var in any = object
	for _, element := range path.elements() {
		switch typed := in.(type) {
		case map[string]any:
			if element == valueSuffix {
				element = firstKey(typed)
			}
			in = typed[element]
		case []any:
			if len(typed) == 0 || element != itemSuffix {
				return nil
			}
			in = typed[0]
		default:
			return nil
		}
	}
	return in
}
