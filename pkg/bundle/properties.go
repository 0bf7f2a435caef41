package bundle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/openshift/platform-operators/pkg/truncate"
)

// PropertyMaxOpenShiftVersion is the type of the property that declares the highest OpenShift minor version that a bundle supports.
const PropertyMaxOpenShiftVersion = "olm.maxOpenShiftVersion"

// Property is one property that the author of a bundle declared.
type Property struct {
	Type string `json:"type"`
	// Value is the JSON text as the author wrote it, so that a number keeps its digits.
	Value json.RawMessage `json:"value"`
}

// ParseProperties reads metadata/properties.yaml: a mapping whose "properties" is a list of {type, value}. It returns nil if "properties"
// is missing or null. An unquoted number keeps its digits in Value, because a YAML decoder would change 4.10 to 4.1, a different version of
// OpenShift.
func ParseProperties(data []byte) ([]Property, error) {
	var found []Property
	err := visitDocuments(data, func(root *yaml.Node) error {
		list, err := findKey(root, "properties")
		if err != nil || list == nil || isNull(list) {
			return err
		}
		if list.Kind != yaml.SequenceNode {
			return fmt.Errorf("line %d: properties must be a list", list.Line)
		}
		// All properties share one converter, because each may expand the same alias.
		values := &converter{}
		for _, item := range list.Content {
			p, err := parseProperty(item, values)
			if err != nil {
				return err
			}
			found = append(found, p)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

func parseProperty(n *yaml.Node, values *converter) (Property, error) {
	kind, err := findKey(n, "type")
	if err != nil {
		return Property{}, err
	}
	if kind == nil || kind.Kind != yaml.ScalarNode || kind.Value == "" {
		return Property{}, fmt.Errorf("line %d: a property requires a type", n.Line)
	}
	value, err := findKey(n, "value")
	if err != nil {
		return Property{}, err
	}
	if value == nil {
		return Property{}, fmt.Errorf("line %d: property %s has no value", n.Line, truncate.Quote(kind.Value))
	}
	raw, err := rawJSON(value, values)
	if err != nil {
		return Property{}, fmt.Errorf("property %s: %w", truncate.Quote(kind.Value), err)
	}
	return Property{Type: kind.Value, Value: raw}, nil
}

// rawJSON returns the JSON text of a node. An unquoted number that is also valid JSON keeps its notation.
func rawJSON(n *yaml.Node, values *converter) (json.RawMessage, error) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	value, err := values.convert(n, 0)
	if err != nil {
		return nil, err
	}
	switch value.(type) {
	case int64, float64:
		if json.Valid([]byte(n.Value)) {
			return json.RawMessage(n.Value), nil
		}
	}
	return json.Marshal(value)
}

// findKey returns the value of a mapping's key; nil if the mapping does not have the key. It ignores case, as readers of catalogs do. It
// refuses duplicate keys and merge keys, because a property that limits an operator must not be overlooked.
func findKey(n *yaml.Node, name string) (*yaml.Node, error) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("line %d: a mapping with %q is required", n.Line, name)
	}
	var found *yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		switch k := n.Content[i]; {
		case k.Tag == "!!merge":
			return nil, fmt.Errorf("line %d: a merge key (<<) is not supported here; replace it with the entries that it merges", k.Line)
		case strings.EqualFold(k.Value, name) && found != nil:
			return nil, fmt.Errorf("line %d: %q occurs twice; remove one", k.Line, name)
		case strings.EqualFold(k.Value, name):
			found = n.Content[i+1]
		}
	}
	return found, nil
}

// ParsePropertiesAnnotation reads the JSON list of {type, value} that authors put into the annotation olm.properties. It refuses null.
func ParsePropertiesAnnotation(text string) ([]Property, error) {
	var items []json.RawMessage
	if err := json.Unmarshal([]byte(text), &items); err != nil {
		return nil, err
	}
	if items == nil {
		return nil, errors.New("it is null")
	}
	found := make([]Property, len(items))
	for i, item := range items {
		if err := json.Unmarshal(item, &found[i]); err != nil {
			return nil, fmt.Errorf("property %d: %w", i+1, err)
		}
		if err := checkUniqueKeys(item); err != nil {
			return nil, fmt.Errorf("property %d: %w", i+1, err)
		}
		p := found[i]
		if p.Type == "" {
			return nil, fmt.Errorf("property %d requires a type", i+1)
		}
		if len(p.Value) == 0 {
			return nil, fmt.Errorf("property %s has no value", truncate.Quote(p.Type))
		}
	}
	return found, nil
}

// checkUniqueKeys refuses an object with a duplicate key, ignoring case, because encoding/json would ignore the first one. It accepts
// values that are not objects.
func checkUniqueKeys(object json.RawMessage) error {
	decoder := json.NewDecoder(bytes.NewReader(object))
	if start, err := decoder.Token(); err != nil || start != json.Delim('{') {
		return err // null has no keys; the caller reports the missing type
	}
	seen := map[string]bool{}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return err
		}
		name := strings.ToLower(fmt.Sprint(key))
		if seen[name] {
			return fmt.Errorf("%s occurs twice; remove one", truncate.Quote(name))
		}
		seen[name] = true
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return err
		}
	}
	return nil
}

// MaxOpenShiftVersions returns the raw values of olm.maxOpenShiftVersion in the properties of each file. It omits a value that is also in
// an earlier file, because authors repeat a property in metadata/properties.yaml and in the annotation. If one file declares a value twice,
// it keeps both copies, which the upgrade checks refuse as they do in catalogs.
func MaxOpenShiftVersions(files ...[]Property) []string {
	var values []string
	for _, properties := range files {
		before := values
		for _, p := range properties {
			if value := string(bytes.TrimSpace(p.Value)); p.Type == PropertyMaxOpenShiftVersion && !slices.Contains(before, value) {
				values = append(values, value)
			}
		}
	}
	return values
}

// ParseAnnotations reads metadata/annotations.yaml. It returns the map under "annotations", with each value as written. It is an error if
// that map is missing.
func ParseAnnotations(data []byte) (map[string]string, error) {
	found := map[string]string{}
	err := visitDocuments(data, func(root *yaml.Node) error {
		annotations, err := findKey(root, "annotations")
		if err != nil {
			return err
		}
		if annotations == nil || annotations.Kind != yaml.MappingNode {
			return fmt.Errorf("line %d: a mapping %q is required", root.Line, "annotations")
		}
		for i := 0; i+1 < len(annotations.Content); i += 2 {
			k, v := annotations.Content[i], annotations.Content[i+1]
			if v.Kind != yaml.ScalarNode {
				return fmt.Errorf("line %d: annotation %s must be a string", v.Line, truncate.Quote(k.Value))
			}
			found[k.Value] = v.Value
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}
