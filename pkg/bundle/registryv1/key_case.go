package registryv1

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/openshift/platform-operators/pkg/truncate"
)

// correctCase renames keys of content that differ from a JSON field of target's type only in case, at any depth and in place. OLM reads
// bundles and catalogs without regard to case, and the manager reads catalogs in this way. With a key such as MinKubeVersion, a bundle and
// its catalog would otherwise declare different limits. A key in the right case takes precedence. Two other spellings of one field are an
// error, because the order of the keys would decide which of them takes effect.
func correctCase(content map[string]any, target any) error {
	corrector := keyCorrector{fields: map[reflect.Type]fieldTypes{}}
	return corrector.correct(content, reflect.TypeOf(target))
}

// fieldTypes maps the JSON names of a struct's fields to their types.
type fieldTypes map[string]reflect.Type

// keyCorrector caches the fields of the types that it has visited.
type keyCorrector struct{ fields map[reflect.Type]fieldTypes }

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// correct corrects the keys in value, which will be decoded into the type into. It ignores values that do not fit the type, because
// decoding reports them.
func (c keyCorrector) correct(value any, into reflect.Type) error {
	for into.Kind() == reflect.Pointer {
		into = into.Elem()
	}
	if reflect.PointerTo(into).Implements(unmarshaler) {
		return nil
	}
	switch v := value.(type) {
	case []any:
		if into.Kind() != reflect.Slice {
			return nil
		}
		for _, item := range v {
			if err := c.correct(item, into.Elem()); err != nil {
				return err
			}
		}
	case map[string]any:
		switch into.Kind() {
		case reflect.Struct:
			return c.correctFields(v, c.fieldsOf(into))
		case reflect.Map:
			for _, item := range v {
				if err := c.correct(item, into.Elem()); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (c keyCorrector) correctFields(content map[string]any, fields fieldTypes) error {
	var others []string
	for key := range content {
		if fields[key] == nil {
			others = append(others, key)
		}
	}
	slices.Sort(others) // the error is the same each time
	renamed := map[string]string{}
	for _, key := range others {
		name := fields.fold(key)
		if name == "" {
			continue
		}
		if first, twice := renamed[name]; twice {
			return fmt.Errorf("keys %s and %s are both the field %s; remove one", truncate.Quote(first), truncate.Quote(key), name)
		}
		if _, has := content[name]; has {
			continue
		}
		renamed[name] = key
	}
	for name, key := range renamed {
		content[name] = content[key]
		delete(content, key)
	}
	for key, value := range content {
		if into := fields[key]; into != nil {
			if err := c.correct(value, into); err != nil {
				return err
			}
		}
	}
	return nil
}

// fold returns the name of the field that a key matches if case is ignored; empty if there is none.
func (f fieldTypes) fold(key string) string {
	for name := range f {
		if strings.EqualFold(name, key) {
			return name
		}
	}
	return ""
}

// fieldsOf returns the fields of a struct, including those of embedded structs that have no name in JSON.
func (c keyCorrector) fieldsOf(of reflect.Type) fieldTypes {
	if known, ok := c.fields[of]; ok {
		return known
	}
	found := fieldTypes{}
	c.fields[of] = found
	for i := range of.NumField() {
		field := of.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-" || !field.IsExported():
		case name == "" && field.Anonymous && field.Type.Kind() == reflect.Struct:
			maps.Copy(found, c.fieldsOf(field.Type))
		case name == "":
			found[field.Name] = field.Type
		default:
			found[name] = field.Type
		}
	}
	return found
}
