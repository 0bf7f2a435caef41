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
	case field.Omitted != "" && !field.Whole && len(field.Valid) > 0 && len(field.Reported)+len(field.Refused) > 0:
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
	if by, isOmitted := omittedAt(path, fields); isOmitted {
		k.Omitted[path] = by.Omitted
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

// omittedAt returns the entry of the file with the reason why a field lacks values: the field's own entry or, if the file does not name the
// field, the entry of the nearest enclosing field that has a reason. The last result is false if there is no reason.
func omittedAt(path Path, fields map[Path]fileField) (nearest fileField, found bool) {
	if own, isNamed := fields[path]; isNamed {
		return own, own.Omitted != ""
	}
	at := Path("")
	for other, field := range fields {
		if field.Omitted != "" && other.contains(path) && len(other) > len(at) {
			nearest, at, found = field, other, true
		}
	}
	return nearest, found
}

func isPartOfWhole(path Path, fields map[Path]fileField) bool {
	for other, field := range fields {
		if field.Whole && other != path && other.contains(path) {
			return true
		}
	}
	return false
}

// check returns an error that lists the leaves that the file does not name, and those that lack a valid value or an invalid value that pick
// can choose.
func (k *Kind) check(fields map[Path]fileField) error {
	valid, invalid := k.coveredLeaves()
	var errs []error
	for _, leaf := range k.Leaves {
		omittedBy, isOmitted := omittedAt(leaf, fields)
		_, isNamed := fields[leaf]
		lacksValid := !valid[leaf] && (!isOmitted || len(omittedBy.Valid) > 0)
		switch {
		case !isNamed && !isOmitted && !isPartOfWhole(leaf, fields):
			errs = append(errs, fmt.Errorf("%s is not in the file; add its values, or the reason why it has none: {omitted: …}", leaf))
			continue
		case lacksValid && isOmitted:
			errs = append(errs, fmt.Errorf("%s has no valid value; add it to a valid value of the enclosing field", leaf))
		case lacksValid:
			errs = append(errs, fmt.Errorf("%s has no valid value; add one, or the reason why it has none: {omitted: …}", leaf))
		}
		if !invalid[leaf] && !isOmitted {
			errs = append(errs, fmt.Errorf("%s has no value that is refused or reported; add one, or the reason why it has none: {omitted: …}", leaf))
		}
	}
	return errors.Join(errs...)
}

// coveredLeaves returns the leaves that the valid values contain, and those that the reported and refused values contain. It omits the
// values that pick never chooses.
func (k *Kind) coveredLeaves() (valid, invalid map[Path]bool) {
	valid, invalid = map[Path]bool{}, map[Path]bool{}
	for _, field := range k.Fields {
		for class, values := range field.playable(k.schemas[field.Path]) {
			covered := invalid
			if class == Valid {
				covered = valid
			}
			for _, value := range values {
				for _, leaf := range k.LeavesIn(field.Path, value.Value) {
					covered[leaf] = true
				}
			}
		}
	}
	return valid, invalid
}
