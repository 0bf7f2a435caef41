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

// yamlLine matches the YAML parser's errors that name a line.
var yamlLine = regexp.MustCompile(`^yaml: line (\d+): (.*)$`)

// syntaxError adds the file to an error of the YAML parser, in front of the line if the error names one.
func syntaxError(file string, err error) error {
	if found := yamlLine.FindStringSubmatch(err.Error()); found != nil {
		return fmt.Errorf("%s:%s: %s", file, found[1], found[2])
	}
	return fmt.Errorf("%s: %w", file, err)
}

// unknownField matches encoding/json's error for an unknown field.
var unknownField = regexp.MustCompile(`json: unknown field "([^"]*)"$`)

// explainDecodeError adds the known fields to the error for an unknown field. From other errors it removes the decoder's prefix.
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

// fieldsOf returns the JSON names of a struct's fields. For a pointer, slice or map it returns the fields of the element type.
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

// validate returns an error if the expectation contradicts itself or has a malformed condition.
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
