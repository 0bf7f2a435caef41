package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/openshift/platform-operators/pkg/truncate"
)

// This file scans raw JSON without building values. Most of a catalog is descriptions, icons and examples, which are not used, and the
// standard decoder would copy each of them twice. The functions are safe for any input and correct for valid JSON. encoding/json validates
// a blob before any part of it is retained.

var errMalformed = errors.New("malformed JSON")

// object calls f with each key and raw value of the object at the beginning of raw, and returns the first error of f. Key and value are
// valid only during the call.
func object(raw []byte, f func(key, value []byte) error) error {
	i := skipSpace(raw, 0)
	if i >= len(raw) || raw[i] != '{' {
		return fmt.Errorf("an object was expected, found %s", excerpt(raw))
	}
	for i = skipSpace(raw, i+1); i < len(raw) && raw[i] != '}'; i = skipComma(raw, i) {
		keyEnd := skipValue(raw, i)
		if keyEnd < 0 || raw[i] != '"' {
			return errMalformed
		}
		colon := skipSpace(raw, keyEnd)
		if colon >= len(raw) || raw[colon] != ':' {
			return errMalformed
		}
		start := skipSpace(raw, colon+1)
		end := skipValue(raw, start)
		if end < 0 {
			return errMalformed
		}
		key := raw[i+1 : keyEnd-1]
		if !hasNoEscapes(key) {
			decoded, err := text(raw[i:keyEnd])
			if err != nil {
				return err
			}
			key = []byte(decoded)
		}
		if err := f(key, raw[start:end]); err != nil {
			return err
		}
		i = end
	}
	if i >= len(raw) {
		return errMalformed
	}
	return nil
}

// array calls f with each raw element of the array at the beginning of raw, and returns the first error of f. It treats null and nil as an
// empty array.
func array(raw []byte, f func(element []byte) error) error {
	i := skipSpace(raw, 0)
	if raw == nil || bytes.Equal(raw[i:], []byte("null")) {
		return nil
	}
	if i >= len(raw) || raw[i] != '[' {
		return fmt.Errorf("a list was expected, found %s", excerpt(raw))
	}
	for i = skipSpace(raw, i+1); i < len(raw) && raw[i] != ']'; i = skipComma(raw, i) {
		end := skipValue(raw, i)
		if end < 0 {
			return errMalformed
		}
		if err := f(raw[i:end]); err != nil {
			return err
		}
		i = end
	}
	if i >= len(raw) {
		return errMalformed
	}
	return nil
}

// maxShortList is the maximum size of a list that is decoded at once, in bytes. An element of three bytes can take thirty times that size
// in memory.
const maxShortList = 16 << 10

// decodeShortList decodes a whole list in one call, which is much faster than decoding it element by element. It returns false if the list
// is larger than maxShortList or cannot be decoded, for example because an element has the wrong type. The caller must then ignore the
// contents of into.
func decodeShortList(raw []byte, into any) bool {
	return len(raw) <= maxShortList && json.Unmarshal(raw, into) == nil
}

// text decodes a JSON string. It decodes null as the empty string, like encoding/json.
func text(raw []byte) (string, error) {
	if len(raw) < 2 || raw[0] != '"' {
		if bytes.Equal(raw, []byte("null")) {
			return "", nil
		}
		return "", fmt.Errorf("a string was expected, found %s", excerpt(raw))
	}
	if inner := raw[1 : len(raw)-1]; hasNoEscapes(inner) {
		return string(inner), nil
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", err
	}
	return s, nil
}

// hasNoEscapes reports whether the bytes between the quotes of a JSON string need no decoding: they are printable ASCII without
// backslashes.
func hasNoEscapes(inner []byte) bool {
	for _, c := range inner {
		if c == '\\' || c < ' ' || c >= 0x80 {
			return false
		}
	}
	return true
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// skipComma returns the index of the next value, or of the closing bracket, after the value that ends at i.
func skipComma(b []byte, i int) int {
	i = skipSpace(b, i)
	if i < len(b) && b[i] == ',' {
		i = skipSpace(b, i+1)
	}
	return i
}

// skipValue returns the index after the value that begins at i, or -1 if there is no complete value.
func skipValue(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	var e valueScanner
	if b[i] == '{' || b[i] == '[' || b[i] == '"' {
		return e.scan(b, i, i)
	}
	start := i
	for i < len(b) && b[i] != ',' && b[i] != '}' && b[i] != ']' && b[i] > ' ' {
		i++
	}
	if i == start {
		return -1
	}
	return i
}

// valueScanner finds the end of an object, list or string. If the available bytes end first, the scan can continue when there are more.
type valueScanner struct {
	depth    int
	inString bool
}

// scan reads b from index i, in a value that begins at start. It returns the index after the value, or -1 if b ends first.
func (e *valueScanner) scan(b []byte, start, i int) int {
	for i < len(b) {
		if e.inString {
			quote := bytes.IndexByte(b[i:], '"')
			if quote < 0 {
				return -1
			}
			i += quote + 1
			if isEscaped(b, start, i-1) {
				continue
			}
			e.inString = false
			if e.depth == 0 {
				return i
			}
			continue
		}
		switch b[i] {
		case '"':
			e.inString = true
		case '{', '[':
			e.depth++
		case '}', ']':
			e.depth--
			if e.depth <= 0 {
				return i + 1
			}
		}
		i++
	}
	return -1
}

// isEscaped reports whether an odd number of backslashes precedes the quote at i.
func isEscaped(b []byte, start, i int) bool {
	n := 0
	for i-n-1 >= start && b[i-n-1] == '\\' {
		n++
	}
	return n%2 == 1
}

// excerpt returns the beginning of raw in quotes, for a message.
func excerpt(raw []byte) string { return truncate.Quote(bytes.TrimSpace(raw)) }
