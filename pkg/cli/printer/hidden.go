package printer

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	yamlv3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"
)

// isHidden reports whether a terminal interprets a character or does not show it. That includes control characters, overrides of the
// writing direction, zero-width characters, line and paragraph separators, and the line break.
func isHidden(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}

// Visible returns text with an escape, such as \u001b, in place of each hidden character except line breaks. It is for text that a user reads
// to approve it: OneLine and Indented would hide that there is such a character.
func Visible(text string) string {
	isEscaped := func(r rune) bool { return r != '\n' && isHidden(r) }
	if !strings.ContainsFunc(text, isEscaped) {
		return text
	}
	var out strings.Builder
	for _, r := range text {
		if isEscaped(r) {
			fmt.Fprintf(&out, `\u%04x`, r)
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}

// hidden matches the hidden characters that encoding/json does not escape.
var hidden = regexp.MustCompile(`[\x{007f}-\x{009f}\p{Cf}\p{Zl}\p{Zp}]`)

// EscapeHidden escapes the hidden characters in JSON, because a terminal that shows the report could interpret them. It returns the same
// slice if there are none.
func EscapeHidden(content []byte) []byte {
	return replaceHidden(content, func(r rune) string {
		if high, low := utf16.EncodeRune(r); high != unicode.ReplacementChar {
			return fmt.Sprintf(`\u%04x\u%04x`, high, low)
		}
		return fmt.Sprintf(`\u%04x`, r)
	})
}

func replaceHidden(content []byte, escaped func(rune) string) []byte {
	if !hidden.Match(content) {
		return content
	}
	return hidden.ReplaceAllFunc(content, func(found []byte) []byte {
		character, _ := utf8.DecodeRune(found)
		return []byte(escaped(character))
	})
}

// toYAML converts JSON to YAML with escapes for hidden characters. YAML allows escapes only in double quotes, so all strings of a document
// with hidden characters are quoted.
func toYAML(content []byte) ([]byte, error) {
	if !hidden.Match(content) {
		return yaml.JSONToYAML(content)
	}
	// YAML cannot escape a character above U+FFFF by two \u escapes as JSON does, so such a character stays unescaped here. The YAML parser
	// refuses other hidden characters.
	readable := replaceHidden(content, func(r rune) string {
		if r > 0xffff {
			return string(r)
		}
		return fmt.Sprintf(`\u%04x`, r)
	})
	var document yamlv3.Node
	if err := yamlv3.Unmarshal(readable, &document); err != nil {
		return nil, err
	}
	unfold(&document)
	var out bytes.Buffer
	encoder := yamlv3.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(&document); err != nil {
		return nil, err
	}
	return replaceHidden(out.Bytes(), func(r rune) string { return fmt.Sprintf(`\U%08x`, r) }), nil
}

// unfold gives the lists and objects of a document that was parsed from JSON the block style of YAML. Strings stay in double quotes.
func unfold(node *yamlv3.Node) {
	if node.Kind != yamlv3.ScalarNode {
		node.Style = 0
	}
	for _, each := range node.Content {
		unfold(each)
	}
}
