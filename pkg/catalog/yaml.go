package catalog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"

	yamlv3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"
)

const (
	// maxYAMLValues is the maximum number of values in one YAML document. It limits the memory of the parser, which takes up to two hundred
	// bytes for each value. The largest document in the OpenShift 4.20 catalogs has about a thousand values.
	maxYAMLValues = 300_000
	// maxYAMLText is the maximum total size of all keys and scalars of one document, in bytes.
	maxYAMLText = 2 * maxDocument
)

// document returns the YAML document that begins at pos, converted to JSON; nil for an empty one. It advances pos beyond the document.
func (s *stream) document() ([]byte, error) {
	if isDocumentMarker(s.buf[s.pos:]) {
		s.pos += 3
		if err := s.skipBlank(); err != nil {
			return nil, err
		}
		if s.buf[s.pos] == '{' || isDocumentMarker(s.buf[s.pos:]) {
			return nil, nil
		}
	}
	s.limit = maxDocument
	end, err := s.documentEnd()
	s.limit = maxWindow
	if errors.Is(err, errFull) {
		return nil, fmt.Errorf("the YAML document that begins with %s is larger than %d bytes; write it as JSON, or split it into several "+
			"documents", excerpt(s.buf[s.pos:]), maxDocument)
	}
	if err != nil {
		return nil, err
	}
	document := s.buf[s.pos:end]
	s.pos = end
	blob, err := toJSON(document)
	if err != nil {
		return nil, fmt.Errorf("reading YAML that begins with %s: %w", excerpt(document), ExplainYAMLError(document, err))
	}
	if bytes.Equal(blob, []byte("null")) {
		return nil, nil
	}
	return blob, nil
}

// documentEnd returns the index in buf of the next line that is a document marker, or of the end of the stream.
func (s *stream) documentEnd() (int, error) {
	for scanned := s.pos; ; {
		line := bytes.IndexByte(s.buf[scanned:], '\n')
		if next := scanned + line + 1; line >= 0 && (len(s.buf)-next >= 4 || s.err == io.EOF) {
			if isDocumentMarker(s.buf[next:]) {
				return next, nil
			}
			scanned = next
			continue
		}
		if line < 0 && s.err == io.EOF {
			return len(s.buf), nil
		}
		offset := scanned - s.pos
		err := s.fill()
		scanned = s.pos + offset
		if err != nil && err != io.EOF {
			return 0, truncated(err, s.buf[s.pos:])
		}
	}
}

// isDocumentMarker reports whether b begins with the line "---", which separates YAML documents.
func isDocumentMarker(b []byte) bool {
	return bytes.HasPrefix(b, []byte("---")) && (len(b) == 3 || b[3] == ' ' || b[3] == '\n' || b[3] == '\r' || b[3] == '\t')
}

// toJSON converts a document. It returns an error for a document that would take much more memory than its size suggests. It first limits
// the number of separators, and then, with checkExpansion, the number, size and depth of the values after alias expansion. The second check
// takes as long as the conversion. A document with few values and no anchor, as nearly all are, does not need it: only the depth of the
// result is checked.
func toJSON(document []byte) ([]byte, error) {
	separators := 0
	for _, each := range [...]string{",", ":", "[", "{", "-", "?", "\n"} {
		separators += bytes.Count(document, []byte(each))
	}
	if separators > maxYAMLValues {
		return nil, fmt.Errorf("it may have %d YAML values, but at most %d are allowed; write it as JSON, or split it into several documents",
			separators, maxYAMLValues)
	}
	// Each separator begins at most two values: an entry of a map without a value has a key and an implied null.
	isSmall := separators < maxYAMLValues/2 && !mayHaveAnchor(document)
	if !isSmall {
		if err := checkExpansion(document); err != nil {
			return nil, err
		}
	}
	blob, err := yaml.YAMLToJSON(document)
	if err == nil && isSmall && nesting(blob) >= maxYAMLDepth {
		err = checkExpansion(document)
	}
	return blob, err
}

var (
	// blockScalar matches a value that begins with the indicator of a block scalar, and captures the rest of its line.
	blockScalar = regexp.MustCompile(`(?m)[:-][ \t]+[>|](.*)$`)
	// blockHeader matches what may follow the indicator: chomping and indentation indicators, and a comment.
	blockHeader = regexp.MustCompile(`^[-+1-9]{0,2}[ \t\r]*(#.*)?$`)
)

// ExplainYAMLError returns err, the error for a document, with the remedy if a value in the document begins like a block scalar and is none,
// as an unquoted version range; else err itself.
func ExplainYAMLError(document []byte, err error) error {
	if err == nil {
		return nil
	}
	for _, match := range blockScalar.FindAllSubmatch(document, -1) {
		if !blockHeader.Match(match[1]) {
			return fmt.Errorf(`%w; a value that begins with > or | must be quoted, like ">=1.4.0"`, err)
		}
	}
	return err
}

// mayHaveAnchor reports whether a document may define an anchor. An ampersand within a word, as in the query of a URL, or before white
// space does not begin an anchor. All other ampersands, even in texts, are taken for anchors.
func mayHaveAnchor(document []byte) bool {
	for i := 0; ; i++ {
		at := bytes.IndexByte(document[i:], '&')
		if at < 0 {
			return false
		}
		i += at
		isInWord := i > 0 && isLetterOrDigit(document[i-1])
		isBeforeSpace := i+1 == len(document) || bytes.IndexByte([]byte(" \t\r\n"), document[i+1]) >= 0
		if !isInWord && !isBeforeSpace {
			return true
		}
	}
}

func isLetterOrDigit(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9'
}

// nesting returns the maximum nesting of objects and lists in valid JSON.
func nesting(blob []byte) int {
	depth, deepest, isText := 0, 0, false
	for i := 0; i < len(blob); i++ {
		switch b := blob[i]; {
		case isText && b == '\\':
			i++ // the escaped character
		case b == '"':
			isText = !isText
		case isText:
		case b == '{' || b == '[':
			depth++
			deepest = max(deepest, depth)
		case b == '}' || b == ']':
			depth--
		}
	}
	return deepest
}

// checkExpansion returns an error for a document with too many, too large or too deeply nested values after alias expansion.
func checkExpansion(document []byte) error {
	var root yamlv3.Node
	if yamlv3.Unmarshal(document, &root) != nil {
		return nil // the conversion returns the error
	}
	e := expansion{}
	return e.add(&root)
}

// expansion holds the number of values in a document after alias expansion, the total size of their text in bytes, and the current depth.
type expansion struct {
	values, text, depth int
}

func (e *expansion) add(node *yamlv3.Node) error {
	e.values++
	e.text += len(node.Value)
	switch {
	case e.values > maxYAMLValues:
		return fmt.Errorf("line %d: it has more than %d values once aliases are expanded; use fewer aliases, or split the document",
			node.Line, maxYAMLValues)
	case e.text > maxYAMLText:
		return fmt.Errorf("line %d: it has more than %d bytes of text once aliases are expanded; use fewer aliases, or split the document",
			node.Line, maxYAMLText)
	case e.depth > maxYAMLDepth:
		return fmt.Errorf("line %d: it is nested deeper than %d", node.Line, maxYAMLDepth)
	}
	e.depth++
	defer func() { e.depth-- }()
	if node.Kind == yamlv3.AliasNode {
		return e.add(node.Alias)
	}
	for _, child := range node.Content {
		if err := e.add(child); err != nil {
			return err
		}
	}
	return nil
}

// maxYAMLDepth is the maximum nesting of a document. This limit also stops the expansion of an alias that contains itself.
const maxYAMLDepth = 256
