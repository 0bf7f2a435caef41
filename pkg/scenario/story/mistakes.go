package story

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// yamlLine matches what the YAML parser says of a line.
var yamlLine = regexp.MustCompile(`^yaml: line (\d+): (.*)$`)

// syntaxError adds the file, and the line if the YAML parser names one, to a parse error.
func syntaxError(file string, err error) error {
	if found := yamlLine.FindStringSubmatch(err.Error()); found != nil {
		return fmt.Errorf("%s:%s: %s", file, found[1], found[2])
	}
	return fmt.Errorf("%s: %w", file, err)
}

// unknownField matches what encoding/json says of a field that a type lacks.
var unknownField = regexp.MustCompile(`json: unknown field "([^"]*)"$`)

// explainDecodeError names the known fields if a field is unknown. Of any other error it only removes the JSON decoder's prefix.
func explainDecodeError(err error, into any) error {
	if err == nil {
		return nil
	}
	if found := unknownField.FindStringSubmatch(err.Error()); found != nil {
		known := slices.Sorted(maps.Keys(fieldsOf(reflect.TypeOf(into))))
		if len(known) == 0 {
			return fmt.Errorf("unknown field %q; this takes no fields, so write {}", found[1])
		}
		return fmt.Errorf("unknown field %q; the fields are %s", found[1], strings.Join(known, ", "))
	}
	const wrapping = "error unmarshaling JSON: while decoding JSON: json: "
	return errors.New(strings.TrimPrefix(err.Error(), wrapping))
}

// fieldsOf returns the names in JSON of a struct's fields, or of the structs that a pointer, list or map leads to.
func fieldsOf(of reflect.Type) map[string]bool {
	fields := map[string]bool{}
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return fieldsOf(of.Elem())
	case reflect.Struct:
		for _, field := range reflect.VisibleFields(of) {
			if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && name != "-" {
				fields[name] = true
			}
		}
	}
	return fields
}

// validate returns what is wrong with an expectation before the story runs.
func (e Expectation) validate() error {
	if e.Absent && len(e.Conditions)+len(e.Fields) > 0 {
		return fmt.Errorf("%s cannot be absent and have conditions or fields", e.Object)
	}
	for _, conditionType := range slices.Sorted(maps.Keys(e.Conditions)) {
		status, _, _ := strings.Cut(e.Conditions[conditionType], "/")
		if !slices.Contains([]string{"True", "False", "Unknown"}, status) {
			return fmt.Errorf("%s: condition %s is %q; write \"True\", \"False\" or \"Unknown\" in quotes, or with a reason: \"False/Reason\"",
				e.Object, conditionType, e.Conditions[conditionType])
		}
	}
	return nil
}
