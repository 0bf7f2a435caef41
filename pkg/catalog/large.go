package catalog

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
)

const (
	// maxPiece bounds one entry or property of a blob that is read in pieces; etcd could not store a manifest of a third of it.
	maxPiece = 4 << 20
	// maxPieces bounds how many of them are kept, one more than a package may have of entries.
	maxPieces = maxEntries + 1
	// maxScalar bounds a key and a text among the fields of such a blob.
	maxScalar = 64 << 10
	// maxKept bounds what is kept of one such blob before it is decoded.
	maxKept = 8 << 20
)

// largeBlob goes through the JSON object at the stream's position that is larger than its window. Of each entry and property it
// keeps what is read of it later, until it is known that nobody wants the blob; everything else passes through.
type largeBlob struct {
	*stream
	blob blob
	// want and kinds are those of the reading: which packages are kept, and whether kinds of the others are.
	want  func(pkg string) bool
	kinds bool
	// count is how many pieces are kept, taken how much memory for them.
	count, taken int
	// refused is why the pieces are not kept; it matters only when the blob is wanted.
	refused error
	// passed is the type of the property that was passed over last.
	passed string
}

// read returns the blob with what is kept of it. release returns its memory, when it has been used.
func (l *largeBlob) read() (b blob, release func(), err error) {
	l.blob.large = true
	release = func() { l.memory.Return(l.taken) }
	if err := l.fields(); err != nil {
		return l.blob, release, err
	}
	if l.blob.schema == "" {
		return l.blob, release, errors.New("it has no schema")
	}
	l.blob.refused = l.refused
	return l.blob, release, nil
}

// fields goes through the fields.
func (l *largeBlob) fields() error {
	l.pos++ // "{"
	var seen []string
	for first := true; ; first = false {
		end, err := l.next('}', first)
		if err != nil || end {
			return err
		}
		key, err := l.key()
		if err != nil {
			return err
		}
		field := fieldName(key)
		if field != "" && slices.Contains(seen, field) {
			return twice(field)
		}
		if field != "" {
			seen = append(seen, field)
		}
		if err := l.field(field); err != nil {
			return err
		}
	}
}

// next goes to the next member of an object or a list, and says whether it ends instead.
func (l *largeBlob) next(closing byte, first bool) (end bool, err error) {
	c, err := l.peek()
	switch {
	case err != nil:
		return false, err
	case c == closing:
		l.pos++
		return true, nil
	case first:
		return false, nil
	case c != ',':
		return false, errMalformed
	}
	l.pos++
	if c, err = l.peek(); err == nil && c == closing {
		err = errMalformed
	}
	return false, err
}

// key reads a key and the colon after it. A key that is too long is none that is read.
func (l *largeBlob) key() (key []byte, err error) {
	if c, err := l.peek(); err != nil || c != '"' {
		return nil, cmp.Or(err, errMalformed)
	}
	raw, err := l.value(maxScalar)
	if err != nil {
		return nil, err
	}
	if raw != nil {
		decoded, err := text(raw)
		if err != nil {
			return nil, err
		}
		key = []byte(decoded)
	}
	if c, err := l.peek(); err != nil || c != ':' {
		return nil, cmp.Or(err, errMalformed)
	}
	l.pos++
	return key, nil
}

// field reads the value of a field; one without a name passes through.
func (l *largeBlob) field(name string) error {
	c, err := l.peek()
	switch {
	case err != nil:
		return err
	case (name == "entries" || name == "properties") && c == '[':
		return l.list(name)
	case name == "":
		_, err := l.value(0)
		return err
	}
	raw, err := l.value(maxScalar)
	if err != nil {
		return err
	}
	if raw == nil {
		return fmt.Errorf("its %s is longer than %d bytes", name, maxScalar)
	}
	if !json.Valid(raw) {
		return syntaxError(raw)
	}
	l.blob.field([]byte(name), bytes.Clone(raw), &err)
	return err
}

// list reads entries or properties.
func (l *largeBlob) list(name string) error {
	if l.refused != nil || !l.isUseful(name) {
		_, err := l.value(0)
		return err
	}
	l.pos++ // "["
	out := []byte{'['}
	for n := 1; ; n++ {
		end, err := l.next(']', n == 1)
		if err != nil {
			return err
		}
		if end {
			break
		}
		piece, err := l.piece(name, n)
		if err != nil {
			return err
		}
		switch {
		case l.refused != nil:
			return l.rest()
		case piece != nil && len(out) > 1:
			out = append(append(out, ','), piece...)
		default:
			out = append(out, piece...)
		}
	}
	var err error
	l.blob.field([]byte(name), append(out, ']'), &err)
	return err
}

// piece reads one entry or property, and returns what is kept of it.
func (l *largeBlob) piece(name string, n int) ([]byte, error) {
	raw, err := l.value(maxPiece)
	switch {
	case err != nil:
		return nil, err
	case raw == nil:
		if l.refused == nil && (name == "entries" || isRead(l.passed)) {
			l.refused = fmt.Errorf("number %d of its %s is larger than %d MiB", n, name, maxPiece>>20)
		}
		return nil, nil
	case !json.Valid(raw):
		return nil, syntaxError(raw)
	}
	kept := l.reduce(name, raw)
	if kept == nil {
		return nil, nil
	}
	// Twice, because a list that grows is there twice for a moment.
	size := 2 * (len(kept) + 1)
	if l.count++; l.count > maxPieces || l.taken+size > maxKept {
		l.refused = fmt.Errorf("its %s are more than %d, or take more than %d MiB; ask the catalog's publisher to prune it", name, maxPieces, maxKept>>20)
		return nil, nil
	}
	if l.refused = l.memory.Take(size); l.refused != nil {
		l.refused = &memoryError{l.refused}
		return nil, nil
	}
	l.taken += size
	return kept, nil
}

// rest passes over what is left of a list.
func (l *largeBlob) rest() error {
	e := extent{depth: 1}
	if end := e.scan(l.buf, l.pos, l.pos); end >= 0 {
		l.pos = end
		return nil
	}
	return l.pass(&e)
}

// isUseful says whether a list may still be read, as far as the fields before it tell.
func (l *largeBlob) isUseful(name string) bool {
	switch l.blob.schema {
	case "":
	case schemaBundle:
		return name == "properties" && (l.kinds || l.isWanted())
	case schemaChannel, schemaDeprecations:
		return name == "entries" && l.isWanted()
	default:
		return false
	}
	return l.isWanted() || name == "properties" && l.kinds
}

// isWanted says whether the package is wanted, or not known yet.
func (l *largeBlob) isWanted() bool {
	return l.want == nil || l.blob.pkg == "" || l.want(l.blob.pkg)
}

// reduce leaves of an entry or a property what is read of it, nil for nothing. What has not the expected shape stays as it is.
func (l *largeBlob) reduce(name string, raw []byte) []byte {
	keys := []string{"name", "replaces", "skips", "skipRange", "reference", "message"}
	if name == "properties" {
		if kind, _, err := splitProperty(raw); err == nil && (!isRead(kind) || !l.isWanted() && (kind != propertyGVK || len(raw) > maxKindProperty)) {
			return nil
		}
		keys = []string{"type", "value"}
	}
	out := []byte{'{'}
	if err := object(raw, func(key, value []byte) error {
		for _, name := range keys {
			if is(key, name) {
				if len(out) > 1 {
					out = append(out, ',')
				}
				out = append(strconv.AppendQuote(out, name), ':')
				out = append(out, value...)
			}
		}
		return nil
	}); err != nil {
		return bytes.Clone(raw)
	}
	return append(out, '}')
}

// peek goes to the next byte that is no white space.
func (l *largeBlob) peek() (byte, error) {
	for {
		if l.pos = skipSpace(l.buf, l.pos); l.pos < len(l.buf) {
			return l.buf[l.pos], nil
		}
		if err := l.fill(); err != nil {
			return 0, unexpected(err)
		}
	}
}

// value returns the value at the position, valid until the next call, or passes over it and returns nil where it has more bytes
// than the limit or than there is memory for; that is then why the pieces are refused. What type of property was passed over is
// in passed, as far as its beginning tells.
func (l *largeBlob) value(limit int) ([]byte, error) {
	l.limit = max(limit, maxWindow)
	var e extent
	scalar := !bytes.ContainsAny(l.buf[l.pos:l.pos+1], `{["`)
	for scanned := l.pos; ; {
		end := -1
		if !scalar {
			end = e.scan(l.buf, l.pos, scanned)
		} else if i := bytes.IndexAny(l.buf[scanned:], ",]} \t\r\n"); i >= 0 {
			end = scanned + i
		}
		if end >= 0 {
			value := l.buf[l.pos:end]
			l.pos = end
			if len(value) == 0 {
				return nil, errMalformed
			}
			if limit > 0 && len(value) > limit {
				return nil, nil
			}
			return value, nil
		}
		offset := len(l.buf) - l.pos
		if scalar && offset > maxScalar {
			return nil, errMalformed
		}
		full := offset >= limit
		if !full {
			switch err := l.fill(); {
			case errors.As(err, new(*memoryError)):
				if limit > maxScalar {
					l.refused = err
				}
				full = true
			case errors.Is(err, errFull):
				full = true
			case err != nil:
				return nil, unexpected(err)
			}
		}
		if full && !scalar {
			return nil, l.pass(&e)
		}
		if full {
			if err := l.fill(); err != nil {
				return nil, unexpected(err)
			}
		}
		scanned = l.pos + offset
	}
}

// pass drops the rest of a value, of which everything in the buffer has been scanned.
func (l *largeBlob) pass(e *extent) error {
	l.passed = ""
	_ = object(l.buf[l.pos:], func(key, value []byte) (err error) {
		if is(key, "type") {
			l.passed, err = text(value)
		}
		return err
	})
	for {
		// A backslash that the next byte follows stays, so that it is known that it does.
		kept := 0
		if e.inString && escaped(l.buf, l.pos, len(l.buf)) {
			kept = 1
		}
		l.pos = len(l.buf) - kept
		if err := l.fill(); err != nil {
			return unexpected(err)
		}
		if end := e.scan(l.buf, l.pos, l.pos+kept); end >= 0 {
			l.pos = end
			return nil
		}
	}
}

// unexpected makes an error of the end of the stream inside a blob.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
