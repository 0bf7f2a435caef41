package kinds

import (
	"encoding/json"
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
	openapierrors "k8s.io/kube-openapi/pkg/validation/errors"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/validate"
)

// This file replaces k8s.io/apiextensions-apiserver/pkg/apiserver/validation, which calls the validator of k8s.io/kube-openapi. That package
// links the CEL library of k8s.io/apiserver and its feature gates.

// stringFormats are the formats of strings that kube-apiserver checks, without hyphens.
var stringFormats = sets.New("bsonobjectid", "uri", "email", "hostname", "ipv4", "ipv6", "cidr", "mac", "uuid", "uuid3", "uuid4", "uuid5",
	"isbn", "isbn10", "isbn13", "creditcard", "ssn", "hexcolor", "rgbcolor", "byte", "password", "date", "duration", "datetime",
	"k8sshortname", "k8slongname")

var numberFormats = map[string]sets.Set[string]{"integer": sets.New("int32", "int64"), "number": sets.New("float", "double")}

// removeUnknownFormats removes the formats that kube-apiserver ignores from a schema.
func removeUnknownFormats(s *spec.Schema) {
	if s == nil {
		return
	}
	kind := ""
	if len(s.Type) == 1 {
		kind = s.Type[0]
	}
	known := numberFormats[kind].Has(s.Format)
	if kind == "" || kind == "string" {
		known = stringFormats.Has(strings.ReplaceAll(s.Format, "-", ""))
	}
	if !known {
		s.Format = ""
	}
	for name, property := range s.Properties {
		removeUnknownFormats(&property)
		s.Properties[name] = property
	}
	if s.Items != nil {
		removeUnknownFormats(s.Items.Schema)
	}
	if s.AdditionalProperties != nil {
		removeUnknownFormats(s.AdditionalProperties.Schema)
	}
	removeUnknownFormats(s.Not)
	for _, list := range [][]spec.Schema{s.AllOf, s.AnyOf, s.OneOf} {
		for i := range list {
			removeUnknownFormats(&list[i])
		}
	}
}

// fieldErrors converts the errors of a validation to those of kube-apiserver.
func fieldErrors(result *validate.Result) field.ErrorList {
	var errs field.ErrorList
	for _, err := range result.Errors {
		if invalid, isValidation := err.(*openapierrors.Validation); isValidation { //nolint:errorlint // never wrapped
			errs = append(errs, fieldError(invalid))
			continue
		}
		errs = append(errs, field.Invalid(nil, "", err.Error()))
	}
	return errs
}

func fieldError(err *openapierrors.Validation) *field.Error {
	var path *field.Path
	if name := strings.TrimPrefix(err.Name, "."); name != "" {
		path = field.NewPath(name)
	}
	value := err.Value
	if value == nil {
		value = ""
	}
	switch err.Code() {
	case openapierrors.RequiredFailCode:
		return field.Required(path, "")
	case openapierrors.EnumFailCode:
		return field.NotSupported(path, err.Value, enumValues(err.Values))
	case openapierrors.TooLongFailCode:
		return field.TooLong(path, "", limit(err.Valid))
	case openapierrors.MaxItemsFailCode, openapierrors.TooManyPropertiesCode:
		return field.TooMany(path, limit(err.Value), limit(err.Valid))
	case openapierrors.InvalidTypeCode:
		return field.TypeInvalid(path, value, err.Error())
	}
	return field.Invalid(path, value, err.Error())
}

func enumValues(allowed []any) []string {
	var values []string
	for _, value := range allowed {
		text, isString := value.(string)
		if !isString {
			content, _ := json.Marshal(value) //nolint:errchkjson // a value from a JSON schema
			text = string(content)
		}
		values = append(values, text)
	}
	return values
}

func limit(value any) int {
	if number, isNumber := value.(int64); isNumber {
		return int(number)
	}
	return -1
}
