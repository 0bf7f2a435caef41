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

// maxCanonicalDepth is how deep a value may be nested that is put into canonical form.
const maxCanonicalDepth = 64

// canonical returns the JSON object that value is, in one form for all that are equal as JSON values: keys sorted, no white
// space, nothing escaped that need not be. Numbers are as encoding/json writes a 64-bit float, which is what catalogd and the
// registry's API have made of them already. Identity are fields to be added where the object has them not.
//
// An error says why the value is not one that can be relied on: no object, a key that is there twice (in whatever case).
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
	identify(object, identity)
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(object); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(out.Bytes()), nil
}

// identify gives identity fields their proper spelling, and adds those that are not there.
func identify(object map[string]any, identity map[string]string) {
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

// decodeUnique decodes one value as encoding/json does, but refuses objects in which a key is there twice.
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

// nextToken is a token inside a value, where the end is an error.
func nextToken(decoder *json.Decoder) (json.Token, error) {
	token, err := decoder.Token()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return token, err
}

// decodeObject decodes what follows "{".
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
			return nil, fmt.Errorf("key %s is there twice (keys that differ in case only are the same)", truncate.Quote(key))
		}
		folded[fold] = true
		if object[key], err = decodeUnique(decoder, depth-1); err != nil {
			return nil, err
		}
	}
	_, err := nextToken(decoder)
	return object, err
}

// foldCase gives the same text for all that strings.EqualFold takes for equal.
func foldCase(s string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			least = min(least, other)
		}
		return least
	}, s)
}
