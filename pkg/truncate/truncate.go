// Package truncate shortens what others wrote for a message: a name, a value, an answer. A message quotes so little of it that
// what is wrong and what to do about it are read too. It does not know what the text is; every package that reports on content
// calls it.
package truncate

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxQuoted is how many characters a message quotes of one value at most.
const MaxQuoted = 80

const ellipsis = "…"

// Quote gives a text in double quotes as strconv.Quote does, at most MaxQuoted characters of it between them; an ellipsis after
// the quotes says that there is more.
func Quote[T ~string | ~[]byte](text T) string {
	var quoted strings.Builder
	quoted.WriteByte('"')
	left := MaxQuoted
	// A character has at most 4 bytes, so that what is beyond is not converted.
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

// OneLine turns a text into one line: white space becomes one space, invalid UTF-8 a replacement character. Like Bytes, it cuts the
// line to the given number of bytes, and never within a character: the API server would replace half a character, and the stored text
// would differ from the desired one forever.
func OneLine(text string, most int) string {
	return Bytes(strings.ToValidUTF8(strings.Join(strings.Fields(text), " "), "\uFFFD"), most)
}

// Bytes cuts a text to at most so many bytes, whole characters only; the last of them is an ellipsis when something is missing.
func Bytes(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:max(0, most-len(ellipsis))], "") + ellipsis
}

// Cut is Bytes without an ellipsis: it also drops separators at the end, so that a label value stays valid.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.TrimRight(strings.ToValidUTF8(text[:most], ""), ".-_ ")
}
