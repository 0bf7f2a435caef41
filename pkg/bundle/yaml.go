package bundle

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// visitDocuments calls visit with the root node of every non-empty YAML document in data, which must be valid UTF-8. The line numbers of
// nodes and in errors count from the beginning of data. An error begins with the line at which its document begins.
func visitDocuments(data []byte, visit func(root *yaml.Node) error) error {
	next := 1
	for len(data) > 0 {
		chunk := data[:documentEnd(data)]
		data = data[len(chunk):]
		line := next
		next += bytes.Count(chunk, []byte("\n"))
		if len(chunk) > MaxDocumentBytes {
			return fmt.Errorf("document at line %d: it has %d bytes, but at most %d are allowed", line, len(chunk), MaxDocumentBytes)
		}
		if len(bytes.TrimSpace(chunk)) == 0 {
			continue
		}
		if found := countIndicators(chunk); found > maxIndicators {
			return fmt.Errorf("document at line %d: it may have %d YAML values, but at most %d are allowed; split it into several documents",
				line, found, maxIndicators)
		}
		if err := visitChunk(chunk, line-1, visit); err != nil {
			return fmt.Errorf("document at line %d: %w", line, err)
		}
	}
	return nil
}

// visitChunk calls visit with the root node of every non-empty YAML document in chunk. linesBefore is the number of lines before chunk in
// its file.
func visitChunk(chunk []byte, linesBefore int, visit func(root *yaml.Node) error) error {
	decoder := yaml.NewDecoder(bytes.NewReader(chunk))
	for {
		var document yaml.Node
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return syntaxError(chunk, linesBefore, err)
		}
		if len(document.Content) != 1 || isNull(document.Content[0]) {
			continue
		}
		root := document.Content[0]
		if linesBefore > 0 {
			moveDown(root, linesBefore)
		}
		if err := visit(root); err != nil {
			return err
		}
	}
}

// syntaxError returns the YAML library's error about chunk, with a line number that counts from the beginning of the file. The library
// counts from the beginning of its input, so syntaxError decodes chunk again, after linesBefore empty lines. relative is the error of the
// first attempt.
func syntaxError(chunk []byte, linesBefore int, relative error) error {
	if linesBefore == 0 {
		return relative
	}
	decoder := yaml.NewDecoder(io.MultiReader(strings.NewReader(strings.Repeat("\n", linesBefore)), bytes.NewReader(chunk)))
	for {
		err := decoder.Decode(new(yaml.Node))
		if errors.Is(err, io.EOF) {
			return relative
		}
		if err != nil {
			return err
		}
	}
}

// moveDown adds lines to the line numbers of a node and of all nodes in it.
func moveDown(n *yaml.Node, lines int) {
	n.Line += lines
	for _, each := range n.Content {
		moveDown(each, lines)
	}
}

// countIndicators returns the number of characters that separate values in YAML. Apart from a few values, it is an upper bound on the
// number of values.
func countIndicators(data []byte) int {
	count := 0
	for _, each := range [...]string{",", ":", "[", "{", "-", "?", "\n"} {
		count += bytes.Count(data, []byte(each))
	}
	return count
}

// documentEnd returns the offset at which the next document begins: that of the next "---" marker after the first line of data. If there is
// none, it returns the length of data. A marker in column 0 always begins a document, even inside a block scalar, so splitting there is
// exact.
func documentEnd(data []byte) int {
	const marker = "\n---"
	for from := 0; ; {
		i := bytes.Index(data[from:], []byte(marker))
		if i < 0 {
			return len(data)
		}
		end := from + i + len(marker)
		if end == len(data) || bytes.IndexByte([]byte(" \t\r\n"), data[end]) >= 0 {
			return from + i + 1
		}
		from = end
	}
}

func isNull(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Tag == "!!null"
}

// converter converts YAML nodes directly to the values that JSON decodes to. The result is the same as that of Kubernetes' own conversion
// from YAML to JSON to objects, including YAML 1.1 scalars (yes is true), but no JSON is encoded.
type converter struct {
	// values is the number of values converted so far, with aliases expanded, and text their size in bytes.
	values, text int
	expanding    map[*yaml.Node]bool
}

func (c *converter) convert(n *yaml.Node, depth int) (any, error) {
	if c.values++; c.values > maxValues {
		return nil, fmt.Errorf("line %d: the document has more than %d values after its aliases are expanded", n.Line, maxValues)
	}
	if depth > maxDepth {
		return nil, fmt.Errorf("line %d: the value is nested deeper than %d levels", n.Line, maxDepth)
	}
	if c.text += len(n.Value); c.text > maxText {
		return nil, fmt.Errorf("line %d: the document has more than %d bytes after its aliases are expanded", n.Line, maxText)
	}
	switch n.Kind {
	case yaml.ScalarNode:
		return scalarValue(n)
	case yaml.AliasNode:
		return c.alias(n, depth)
	case yaml.SequenceNode:
		list := make([]any, 0, len(n.Content))
		for _, item := range n.Content {
			v, err := c.convert(item, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	case yaml.MappingNode:
		return c.mapping(n, depth)
	}
	return nil, fmt.Errorf("line %d: unexpected YAML node", n.Line)
}

func (c *converter) alias(n *yaml.Node, depth int) (any, error) {
	if c.expanding[n.Alias] {
		return nil, fmt.Errorf("line %d: alias %q contains itself", n.Line, n.Value)
	}
	if c.expanding == nil {
		c.expanding = map[*yaml.Node]bool{}
	}
	c.expanding[n.Alias] = true
	defer delete(c.expanding, n.Alias)
	return c.convert(n.Alias, depth+1)
}

func (c *converter) mapping(n *yaml.Node, depth int) (any, error) {
	m := make(map[string]any, len(n.Content)/2)
	var merged []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if k.Kind == yaml.ScalarNode && k.Tag == "!!merge" {
			merged = append(merged, v)
			continue
		}
		name, err := keyText(k)
		if err != nil {
			return nil, err
		}
		c.text += len(name)
		value, err := c.convert(v, depth+1)
		if err != nil {
			return nil, err
		}
		m[name] = value
	}
	for _, v := range merged {
		if err := c.merge(m, v, depth+1); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// merge adds the entries of a merge key's value to m, except those whose key is already in m.
func (c *converter) merge(m map[string]any, n *yaml.Node, depth int) error {
	value, err := c.convert(n, depth)
	if err != nil {
		return err
	}
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	for _, item := range list {
		from, ok := item.(map[string]any)
		if !ok {
			return fmt.Errorf("line %d: a merge key (<<) requires a mapping or a list of mappings", n.Line)
		}
		for k, v := range from {
			if _, ok := m[k]; !ok {
				m[k] = v
			}
		}
	}
	return nil
}

// keyText returns the text of a mapping's key. Booleans and numbers become their JSON text, because the keys of JSON objects are strings.
// All other keys are errors.
func keyText(n *yaml.Node) (string, error) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind != yaml.ScalarNode {
		return "", fmt.Errorf("line %d: a key must be a scalar", n.Line)
	}
	value, err := scalarValue(n)
	if err != nil {
		return "", err
	}
	switch v := value.(type) {
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	}
	return "", fmt.Errorf("line %d: a key must not be null", n.Line)
}

// scalarValue returns the JSON value of a scalar: string, bool, int64, float64 or nil. It refuses tags other than !!str, and numbers
// without a JSON form.
func scalarValue(n *yaml.Node) (any, error) {
	const quoted = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	switch {
	case n.Style&yaml.TaggedStyle != 0 && n.Tag != "!!str":
		return nil, fmt.Errorf("line %d: tag %s is not supported; use the plain value", n.Line, n.Tag)
	case n.Style&(quoted|yaml.TaggedStyle) != 0 || n.Tag == "!!merge":
		return n.Value, nil
	}
	v := plainValue(n.Value)
	if f, ok := v.(float64); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
		return nil, fmt.Errorf("line %d: %s has no JSON form; quote it or use a number", n.Line, n.Value)
	}
	return v, nil
}

var floatText = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)

// plainValue resolves an unquoted scalar by the rules of YAML 1.1, which Kubernetes uses for all manifests. The YAML library follows YAML
// 1.2, where yes and 0777 have different meanings.
func plainValue(s string) any {
	if s == "" {
		return nil
	}
	switch first := s[0]; {
	case strings.IndexByte("yYnNtTfFoO~", first) >= 0:
		return wordValue(s)
	case first == '.' || first == '+' || first == '-' || '0' <= first && first <= '9':
		return numberValue(s)
	}
	return s
}

func wordValue(s string) any {
	switch s {
	case "~", "null", "Null", "NULL":
		return nil
	case "y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON":
		return true
	case "n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF":
		return false
	}
	return s
}

func numberValue(s string) any {
	switch s {
	case ".nan", ".NaN", ".NAN":
		return math.NaN()
	case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF":
		return math.Inf(1)
	case "-.inf", "-.Inf", "-.INF":
		return math.Inf(-1)
	}
	digits := s
	if s[0] != '.' {
		digits = strings.ReplaceAll(s, "_", "")
		if i, err := strconv.ParseInt(digits, 0, 64); err == nil {
			return i
		}
		if u, err := strconv.ParseUint(digits, 0, 64); err == nil {
			return float64(u)
		}
	}
	if !floatText.MatchString(digits) {
		return s
	}
	f, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return s
	}
	// JSON writes 4.0 as 4, which is decoded as an integer.
	if f == math.Trunc(f) && math.Abs(f) < 1<<63 {
		return int64(f)
	}
	return f
}
