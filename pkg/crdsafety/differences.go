package crdsafety

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/openshift/platform-operators/pkg/truncate"
)

// maxValue is the maximum size of one value in a message, in bytes.
const maxValue = 120

// differences describes the fields of two schemas that differ, sorted by name.
func differences(old, updated *apiextensionsv1.JSONSchemaProps) string {
	before, after := fieldsOf(old), fieldsOf(updated)
	names := maps.Clone(before)
	maps.Copy(names, after)
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if before[name] != after[name] {
			texts = append(texts, name+" "+transition(before[name], after[name]))
		}
	}
	return "no rule covers the change of " + strings.Join(texts, "; ")
}

// fieldsOf returns the fields of a schema as JSON, keyed by name.
func fieldsOf(schema *apiextensionsv1.JSONSchemaProps) map[string]string {
	var content bytes.Buffer
	encoder := json.NewEncoder(&content)
	encoder.SetEscapeHTML(false) // the text is for people
	err := encoder.Encode(schema)
	fields := map[string]json.RawMessage{}
	if err == nil {
		err = json.Unmarshal(content.Bytes(), &fields)
	}
	if err != nil {
		return map[string]string{"schema": err.Error()}
	}
	texts := make(map[string]string, len(fields))
	for name, value := range fields {
		texts[name] = string(value)
	}
	return texts
}

func transition(before, after string) string {
	switch {
	case before == "":
		return "(added): " + truncate.OneLine(after, maxValue)
	case after == "":
		return "(removed): " + truncate.OneLine(before, maxValue)
	default:
		return fmt.Sprintf("(changed): %s -> %s", truncate.OneLine(before, maxValue), truncate.OneLine(after, maxValue))
	}
}
