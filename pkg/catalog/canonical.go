package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/openshift/platform-operators/pkg/truncate"
)

// maxCanonicalDepth is the maximum nesting of a value that is converted to canonical form.
const maxCanonicalDepth = 64

// canonical returns a JSON object in a form that is the same for all equal JSON values: keys sorted, no white space, no needless escapes.
// Numbers are formatted as encoding/json formats a float64, because catalogd and the registry's API have already converted them. It adds
// the fields in identity that the object does not have.
//
// It returns an error if the value is not an object, has a duplicate key (ignoring case), is nested deeper than maxCanonicalDepth, or is
// followed by something else.
func canonical(value []byte, identity map[string]string) ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(value))
	decoded, err := decodeUnique(decoder, maxCanonicalDepth)
	if err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the value")
	}
	object, ok := decoded.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("an object was expected, found %s", excerpt(value))
	}
	setIdentity(object, identity)
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(object); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(out.Bytes()), nil
}

// setIdentity changes the keys of identity fields to their canonical spelling, and adds missing fields with the values in identity.
func setIdentity(object map[string]any, identity map[string]string) {
	for name, absent := range identity {
		if _, ok := object[name]; ok {
			continue
		}
		object[name] = absent
		for key, is := range object {
			if key != name && strings.EqualFold(key, name) {
				object[name] = is
				delete(object, key)
				break
			}
		}
	}
}

// decodeUnique decodes one value as encoding/json does, but returns an error for duplicate keys and for nesting beyond depth.
func decodeUnique(decoder *json.Decoder, depth int) (any, error) {
	token, err := nextToken(decoder)
	if err != nil {
		return nil, err
	}
	delimiter, ok := token.(json.Delim)
	if !ok {
		return token, nil
	}
	if depth == 0 {
		return nil, fmt.Errorf("it is nested deeper than %d", maxCanonicalDepth)
	}
	if delimiter == '[' {
		list := []any{}
		for decoder.More() {
			element, err := decodeUnique(decoder, depth-1)
			if err != nil {
				return nil, err
			}
			list = append(list, element)
		}
		_, err := nextToken(decoder)
		return list, err
	}
	return decodeObject(decoder, depth)
}

// nextToken returns the next token inside a value. At the end of the input, the error is io.ErrUnexpectedEOF.
func nextToken(decoder *json.Decoder) (json.Token, error) {
	token, err := decoder.Token()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return token, err
}

// decodeObject decodes an object after its "{".
func decodeObject(decoder *json.Decoder, depth int) (any, error) {
	object, folded := map[string]any{}, map[string]bool{}
	for decoder.More() {
		token, err := nextToken(decoder)
		if err != nil {
			return nil, err
		}
		key, ok := token.(string)
		if !ok {
			return nil, errMalformed
		}
		fold := foldCase(key)
		if folded[fold] {
			return nil, fmt.Errorf("key %s occurs twice (keys are compared without regard to case)", truncate.Quote(key))
		}
		folded[fold] = true
		if object[key], err = decodeUnique(decoder, depth-1); err != nil {
			return nil, err
		}
	}
	_, err := nextToken(decoder)
	return object, err
}

// foldCase returns the same text for all texts that are equal under strings.EqualFold.
func foldCase(s string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			least = min(least, other)
		}
		return least
	}, s)
}
