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

// mapKey is the key that "{}" stands for in an empty map.
const mapKey = "example"

// set sets the field at a path in an object. "[]" stands for the first item. set adds missing objects and lists. It returns an error if an
// enclosing value has the wrong type.
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

// setIn returns the current value with the field set. It changes objects and lists in place.
func setIn(current any, elements []string, value any) (any, error) {
	if len(elements) == 0 {
		return value, nil
	}
	if elements[0] == itemSuffix {
		list, isList := current.([]any)
		if current != nil && !isList {
			return nil, errors.New("an enclosing value is not a list")
		}
		if len(list) == 0 {
			list = []any{nil}
		}
		item, err := setIn(list[0], elements[1:], value)
		list[0] = item
		return list, err
	}
	object, isObject := current.(map[string]any)
	if current != nil && !isObject {
		return nil, errors.New("an enclosing value is not an object")
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

// remove removes the field at a path from an object. It does nothing if the field does not exist.
func remove(object map[string]any, path Path) {
	elements := path.elements()
	var current any = object
	for _, element := range elements[:len(elements)-1] {
		switch typed := current.(type) {
		case map[string]any:
			if element == valueSuffix {
				element = firstKey(typed)
			}
			current = typed[element]
		case []any:
			if len(typed) == 0 {
				return
			}
			current = typed[0]
		}
	}
	if object, isObject := current.(map[string]any); isObject {
		delete(object, elements[len(elements)-1])
	}
}

// get returns the value of the field at a path in an object, or nil if the field does not exist.
func get(object map[string]any, path Path) any {
	var current any = object
	for _, element := range path.elements() {
		switch typed := current.(type) {
		case map[string]any:
			if element == valueSuffix {
				element = firstKey(typed)
			}
			current = typed[element]
		case []any:
			if len(typed) == 0 || element != itemSuffix {
				return nil
			}
			current = typed[0]
		default:
			return nil
		}
	}
	return current
}
