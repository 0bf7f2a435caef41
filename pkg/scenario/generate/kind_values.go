package generate

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// add adds the fields of a file, and the derived values of all leaves.
func (k *Kind) add(read examples) error {
	var errs []error
	for _, path := range slices.Sorted(maps.Keys(read.Fields)) {
		errs = append(errs, k.checkPath(path, read.Fields[path]))
	}
	for prefix, others := range k.with {
		errs = append(errs, k.known("with", prefix))
		for other := range others {
			errs = append(errs, k.known("with."+string(prefix), other))
		}
	}
	for _, path := range k.immutable {
		errs = append(errs, k.known("immutable", path))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	paths := slices.Concat(k.Leaves, slices.Collect(maps.Keys(read.Fields)))
	slices.Sort(paths)
	for _, path := range slices.Compact(paths) {
		k.addField(path, read.Fields)
	}
	return nil
}

// checkPath returns an error if the schema does not have the path, or if the field has values that it must not have.
func (k *Kind) checkPath(path Path, field fieldExamples) error {
	if err := k.known("fields", path); err != nil {
		return err
	}
	switch {
	case field.Omitted != "" && len(field.Valid) > 0 && len(field.Reported)+len(field.Refused) > 0:
		return fmt.Errorf("fields: %s has valid and invalid values, and a reason why it has not; remove the reason", path)
	case field.Omitted == "" && !field.Whole && !isLeaf(k.schemas[path]):
		return fmt.Errorf("fields: %s has fields below it; name these, or write whole: true", path)
	}
	for _, value := range slices.Concat(field.Valid, field.Reported, field.Refused) {
		if value == nil {
			return fmt.Errorf("fields: %s has the value null; a story removes fields without it", path)
		}
	}
	return nil
}

func (k *Kind) known(where string, path Path) error {
	if k.schemas[path] == nil {
		return fmt.Errorf("%s: %s has no field %s; correct the path", where, k.GroupVersionKind.Kind, path)
	}
	return nil
}

// addField adds a field with its values and the derived values, or the reason why it has none.
func (k *Kind) addField(path Path, fields map[Path]fieldExamples) {
	given, isGiven := fields[path]
	if reason := omitted(path, fields); reason != "" {
		k.Omitted[path] = reason
		if len(given.Valid)+len(given.Reported)+len(given.Refused) == 0 {
			return
		}
	}
	if !isGiven && isPartOfWhole(path, fields) {
		return // otherwise a change would replace what belongs together
	}
	valid, refused := derive(k.schemas[path])
	field := Field{Path: path}
	field.add(Valid, given.Valid)
	field.add(Reported, given.Reported)
	field.add(Refused, given.Refused)
	field.add(Valid, valid)
	field.add(Refused, refused)
	k.Fields = append(k.Fields, field)
}

// add adds the values that the field does not have yet, not even in another class.
func (f *Field) add(class Class, values []any) {
	for _, value := range values {
		if !slices.ContainsFunc(f.Values, func(v Value) bool { return reflect.DeepEqual(v.Value, value) }) {
			f.Values = append(f.Values, Value{value, class})
		}
	}
}

// omitted returns the reason why a field has no values: its own, or that of a field around it. Values of the field itself take precedence.
func omitted(path Path, fields map[Path]fieldExamples) string {
	if own, found := fields[path]; found {
		return own.Omitted
	}
	for other, field := range fields {
		if field.Omitted != "" && other.contains(path) {
			return field.Omitted
		}
	}
	return ""
}

func isPartOfWhole(path Path, fields map[Path]fieldExamples) bool {
	for other, field := range fields {
		if field.Whole && other != path && other.contains(path) {
			return true
		}
	}
	return false
}

// check returns an error that lists the leaves without a valid value, without an invalid value, or without both.
func (k *Kind) check() error {
	valid, invalid := map[Path]bool{}, map[Path]bool{}
	for _, field := range k.Fields {
		for _, value := range field.Values {
			if value.Class != Valid {
				k.mark(invalid, field.Path)
				continue
			}
			for _, leaf := range k.LeavesIn(field.Path, value.Value) {
				valid[leaf] = true
			}
		}
	}
	var errs []error
	for _, leaf := range k.Leaves {
		if _, isOmitted := k.Omitted[leaf]; isOmitted {
			continue
		}
		if !valid[leaf] {
			errs = append(errs, fmt.Errorf("%s has no valid value; add one, or the reason why it has none: {omitted: …}", leaf))
		}
		if !invalid[leaf] {
			errs = append(errs, fmt.Errorf("%s has no value that is refused or reported; add one, or the reason why it has none: {omitted: …}", leaf))
		}
	}
	return errors.Join(errs...)
}

// mark marks all leaves of a field, because an invalid value need not be complete.
func (k *Kind) mark(leaves map[Path]bool, path Path) {
	for _, leaf := range k.Leaves {
		if path.contains(leaf) {
			leaves[leaf] = true
		}
	}
}
