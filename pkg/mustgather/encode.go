package mustgather

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"sigs.k8s.io/yaml"
)

var errNotSame = errors.New("its YAML would not be read as the same object; " +
	`leave the object out, or remove what YAML cannot express, such as the key "<<"`)

// marshal returns YAML with sorted keys, as yaml.Marshal does. yaml.Marshal reads JSON as if it were YAML, and so rejects or changes
// characters that JSON permits and YAML does not. These are escaped before. What the YAML library still changes is an error.
func marshal(content map[string]any) ([]byte, error) {
	before, err := json.Marshal(content)
	if err != nil {
		return nil, err
	}
	text, err := yaml.JSONToYAML(escapeNotYAML(before))
	if err != nil {
		return nil, err
	}
	decoded, err := decode(text)
	if err != nil {
		return nil, errNotSame
	}
	after, err := json.Marshal(decoded)
	if err != nil || !bytes.Equal(before, after) {
		return nil, errNotSame
	}
	return text, nil
}

// escapeNotYAML escapes characters of JSON that YAML does not have. They are in strings only.
func escapeNotYAML(text []byte) []byte {
	if !bytes.ContainsFunc(text, isNotYAML) {
		return text
	}
	var escaped bytes.Buffer
	for _, r := range string(text) {
		if isNotYAML(r) {
			fmt.Fprintf(&escaped, `\u%04x`, r)
		} else {
			escaped.WriteRune(r)
		}
	}
	return escaped.Bytes()
}

// isNotYAML reports whether YAML has no such character, or takes it for a line break or the beginning of a text.
func isNotYAML(r rune) bool {
	return '\x7f' <= r && r <= '\u009f' || r == '\ufeff' || r == '\ufffe' || r == '\uffff'
}
