package generate

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// add adds the values from a file, and the derived values of all leaves.
func (k *Kind) add(read valuesFile) error {
	var errs []error
	for _, path := range slices.Sorted(maps.Keys(read.Fields)) {
		errs = append(errs, k.checkPath(path, read.Fields[path]))
	}
	for prefix, others := range k.with {
		errs = append(errs, k.checkField("with", prefix))
		for other := range others {
			errs = append(errs, k.checkField("with."+string(prefix), other))
		}
	}
	for _, path := range k.immutable {
		errs = append(errs, k.checkField("immutable", path))
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

// checkPath returns an error if the path is not in the schema, or if the field has values that it must not have.
func (k *Kind) checkPath(path Path, field fileField) error {
	if err := k.checkField("fields", path); err != nil {
		return err
	}
	switch {
	case field.Omitted != "" && len(field.Valid) > 0 && len(field.Reported)+len(field.Refused) > 0:
		return fmt.Errorf("fields: %s has valid and invalid values, and a reason why it has none; remove omitted", path)
	case field.Omitted == "" && !field.Whole && !isLeaf(k.schemas[path]):
		return fmt.Errorf("fields: %s has fields below it; name these, or write whole: true", path)
	}
	for _, value := range slices.Concat(field.Valid, field.Reported, field.Refused) {
		if value == nil {
			return fmt.Errorf("fields: %s has the value null; remove it, because generated stories remove fields anyway", path)
		}
	}
	return nil
}

// checkField returns an error if the path is not in the schema. where says where the path is in the file.
func (k *Kind) checkField(where string, path Path) error {
	if k.schemas[path] == nil {
		return fmt.Errorf("%s: %s has no field %s; correct the path", where, k.GroupVersionKind.Kind, path)
	}
	return nil
}

// addField adds a field with its values and the derived values, or the reason why it has none.
func (k *Kind) addField(path Path, fields map[Path]fileField) {
	entry, hasEntry := fields[path]
	if reason := omitted(path, fields); reason != "" {
		k.Omitted[path] = reason
		if len(entry.Valid)+len(entry.Reported)+len(entry.Refused) == 0 {
			return
		}
	}
	if !hasEntry && isPartOfWhole(path, fields) {
		return // values of the enclosing field set the fields below it together
	}
	valid, refused := derive(k.schemas[path])
	field := Field{Path: path}
	field.add(Valid, entry.Valid)
	field.add(Reported, entry.Reported)
	field.add(Refused, entry.Refused)
	field.add(Valid, valid)
	field.add(Refused, refused)
	k.Fields = append(k.Fields, field)
}

// add adds values of a class. It omits each value that the field already has, in this class or a different one.
func (f *Field) add(class Class, values []any) {
	for _, value := range values {
		if !slices.ContainsFunc(f.Values, func(v Value) bool { return reflect.DeepEqual(v.Value, value) }) {
			f.Values = append(f.Values, Value{value, class})
		}
	}
}

// omitted returns the reason why a field has no values: its own reason or, if the file does not contain the field, the reason of an
// enclosing field.
func omitted(path Path, fields map[Path]fileField) string {
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

func isPartOfWhole(path Path, fields map[Path]fileField) bool {
	for other, field := range fields {
		if field.Whole && other != path && other.contains(path) {
			return true
		}
	}
	return false
}

// check returns an error that lists the leaves that lack a valid value and those that lack an invalid value.
func (k *Kind) check() error {
	valid, invalid := map[Path]bool{}, map[Path]bool{}
	for _, field := range k.Fields {
		for _, value := range field.Values {
			if value.Class != Valid {
				k.addLeaves(invalid, field.Path)
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

// addLeaves adds all leaves of the field at a path. An invalid value counts for all of them, because it need not contain every leaf.
func (k *Kind) addLeaves(leaves map[Path]bool, path Path) {
	for _, leaf := range k.Leaves {
		if path.contains(leaf) {
			leaves[leaf] = true
		}
	}
}
