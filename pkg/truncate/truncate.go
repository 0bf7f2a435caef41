// Package truncate shortens text from bundles, catalogs and API responses for messages: names, values, errors. If a message quotes only a
// short text, it has space for the fault and its fix. The package does not interpret the text. Every package that reports on content calls
// it.
package truncate

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxQuoted is the maximum number of characters of one value that a message quotes.
const MaxQuoted = 80

const ellipsis = "…"

// Quote returns a text in double quotes, as strconv.Quote does, with at most MaxQuoted characters between them. An ellipsis after the
// quotes marks a text that was cut.
func Quote[T ~string | ~[]byte](text T) string {
	var quoted strings.Builder
	quoted.WriteByte('"')
	left := MaxQuoted
	// A character has at most 4 bytes, so only the bytes that can be quoted are converted.
	beginning := string(text[:min(len(text), 4*MaxQuoted)])
	var buffer [16]byte // for one character: \U0010ffff in quotes
	for i, r := range beginning {
		each := strconv.AppendQuote(buffer[:0], string(r))
		if r == utf8.RuneError {
			each = append(buffer[:1], string(r)+`"`...)
		}
		each = each[1 : len(each)-1]
		length := utf8.RuneCount(each)
		if left < length || i >= 4*MaxQuoted-4 && len(text) > len(beginning) {
			return quoted.String() + `"` + ellipsis
		}
		left -= length
		quoted.Write(each)
	}
	quoted.WriteByte('"')
	if len(text) > len(beginning) {
		quoted.WriteString(ellipsis)
	}
	return quoted.String()
}

// OneLine returns a text as one line, cut to the given maximum size in bytes like Bytes does. It replaces each run of white space with one
// space, and invalid UTF-8 with a replacement character. Otherwise the API server would replace invalid UTF-8, and the stored text would
// never equal the desired one.
func OneLine(text string, most int) string {
	return Bytes(strings.ToValidUTF8(strings.Join(strings.Fields(text), " "), "\uFFFD"), most)
}

// Bytes returns a text cut to the given maximum size in bytes, at a character boundary. The text ends with an ellipsis if it was cut.
func Bytes(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:max(0, most-len(ellipsis))], "") + ellipsis
}

// Cut returns a text cut to the given maximum size in bytes, without an ellipsis. It also removes separators at the cut, so that a label
// value stays valid.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.TrimRight(strings.ToValidUTF8(text[:most], ""), ".-_ ")
}
