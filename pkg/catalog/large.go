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
	// maxElement is the maximum size of one entry or property of a large blob, in bytes. etcd could not store a manifest of a third of that
	// size.
	maxElement = 4 << 20
	// maxElements is the maximum number of elements that are retained: one more than the entries that a package may have, so that the
	// excess is detected.
	maxElements = maxEntries + 1
	// maxScalar is the maximum size of a key or a scalar value among the fields of a large blob, in bytes.
	maxScalar = 64 << 10
	// maxRetained is the maximum size of the parts of one large blob that are retained before the blob is decoded, in bytes.
	maxRetained = 8 << 20
)

// largeBlob reads a JSON object that is larger than the stream's window. It retains the used parts of each entry and property, except for a
// package that is known to be unwanted. It skips everything else.
type largeBlob struct {
	*stream
	blob blob
	// want and kinds are the options of the read. want reports whether a package is retained; nil retains all. kinds is true if the
	// provided kinds of all packages are retained.
	want  func(pkg string) bool
	kinds bool
	// count is the number of retained elements. reserved is their size in memory, in bytes.
	count, reserved int
	// omittedErr is the reason why elements are not retained; nil if all are. It is ignored if the blob is not wanted.
	omittedErr error
	// skippedType is the type of the value that was skipped last; empty if the type was not at the beginning of the value.
	skippedType string
}

// read returns the blob with its retained parts. The caller must call release after it has used the blob, even after an error.
func (l *largeBlob) read() (b blob, release func(), err error) {
	l.blob.large = true
	release = func() { l.memory.Release(l.reserved) }
	if err := l.readFields(); err != nil {
		return l.blob, release, err
	}
	if l.blob.schema == "" {
		return l.blob, release, errors.New("it has no schema")
	}
	l.blob.omittedErr = l.omittedErr
	return l.blob, release, nil
}

// readFields reads the fields of the object at the stream's position into l.blob.
func (l *largeBlob) readFields() error {
	l.pos++ // "{"
	var hasField []string
	for first := true; ; first = false {
		end, err := l.nextMember('}', first)
		if err != nil || end {
			return err
		}
		key, err := l.readKey()
		if err != nil {
			return err
		}
		field := fieldName(key)
		if field != "" && slices.Contains(hasField, field) {
			return duplicateField(field)
		}
		if field != "" {
			hasField = append(hasField, field)
		}
		if err := l.readField(field); err != nil {
			return err
		}
	}
}

// nextMember advances to the next member of an object or a list. If the object or list ends instead, it advances beyond closing and returns
// true.
func (l *largeBlob) nextMember(closing byte, first bool) (end bool, err error) {
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

// readKey reads a key and the colon after it. It returns an empty key if the key is longer than maxScalar, because no such key is used.
func (l *largeBlob) readKey() (readKey []byte, err error) {
	if c, err := l.peek(); err != nil || c != '"' {
		return nil, cmp.Or(err, errMalformed)
	}
	raw, err := l.readValue(maxScalar)
	if err != nil {
		return nil, err
	}
	if raw != nil {
		decoded, err := text(raw)
		if err != nil {
			return nil, err
		}
		readKey = []byte(decoded)
	}
	if c, err := l.peek(); err != nil || c != ':' {
		return nil, cmp.Or(err, errMalformed)
	}
	l.pos++
	return readKey, nil
}

// readField reads the value of a field into l.blob. It skips the value if the name is empty.
func (l *largeBlob) readField(name string) error {
	c, err := l.peek()
	switch {
	case err != nil:
		return err
	case (name == "entries" || name == "properties") && c == '[':
		return l.readList(name)
	case name == "":
		_, err := l.readValue(0)
		return err
	}
	raw, err := l.readValue(maxScalar)
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

// readList reads the list of entries or properties into l.blob. It skips the list if it is not needed or its elements cannot be retained.
func (l *largeBlob) readList(name string) error {
	if l.omittedErr != nil || !l.mayBeNeeded(name) {
		_, err := l.readValue(0)
		return err
	}
	l.pos++ // "["
	out := []byte{'['}
	for n := 1; ; n++ {
		end, err := l.nextMember(']', n == 1)
		if err != nil {
			return err
		}
		if end {
			break
		}
		element, err := l.readElement(name, n)
		if err != nil {
			return err
		}
		switch {
		case l.omittedErr != nil:
			return l.skipList()
		case element != nil && len(out) > 1:
			out = append(append(out, ','), element...)
		default:
			out = append(out, element...)
		}
	}
	var err error
	l.blob.field([]byte(name), append(out, ']'), &err)
	return err
}

// singular maps the name of each list that readList reads to the name of one of its elements, for errors.
var singular = map[string]string{"entries": "entry", "properties": "property"}

// readElement reads entry or property number n, and returns its retained parts. It returns nil if the element is not used or cannot be
// retained. In the latter case it sets omittedErr.
func (l *largeBlob) readElement(name string, n int) ([]byte, error) {
	raw, err := l.readValue(maxElement)
	switch {
	case err != nil:
		return nil, err
	case raw == nil:
		if l.omittedErr == nil && (name == "entries" || isRead(l.skippedType)) {
			l.omittedErr = fmt.Errorf("%s %d is larger than %d MiB", singular[name], n, maxElement>>20)
		}
		return nil, nil
	case !json.Valid(raw):
		return nil, syntaxError(raw)
	}
	kept := l.reduce(name, raw)
	if kept == nil {
		return nil, nil
	}
	// The size is doubled, because a growing list is in memory twice while it is copied.
	size := 2 * (len(kept) + 1)
	if l.count++; l.count > maxElements || l.reserved+size > maxRetained {
		l.omittedErr = fmt.Errorf("it has more than %d %s, or they take more than %d MiB; ask the catalog's publisher to prune it", maxElements,
			name, maxRetained>>20)
		return nil, nil
	}
	if l.omittedErr = l.memory.Reserve(size); l.omittedErr != nil {
		l.omittedErr = &memoryError{l.omittedErr}
		return nil, nil
	}
	l.reserved += size
	return kept, nil
}

// skipList skips the rest of a list.
func (l *largeBlob) skipList() error {
	e := valueScanner{depth: 1}
	if end := e.scan(l.buf, l.pos, l.pos); end >= 0 {
		l.pos = end
		return nil
	}
	return l.skipRest(&e)
}

// mayBeNeeded reports whether the list of this name may be needed. It returns true if the fields read so far do not tell.
func (l *largeBlob) mayBeNeeded(name string) bool {
	switch l.blob.schema {
	case "":
	case schemaBundle:
		return name == "properties" && (l.kinds || l.mayBeWanted())
	case schemaChannel, schemaDeprecations:
		return name == "entries" && l.mayBeWanted()
	default:
		return false
	}
	return l.mayBeWanted() || name == "properties" && l.kinds
}

// mayBeWanted reports whether the package of the blob is wanted. It returns true if the package is not known yet.
func (l *largeBlob) mayBeWanted() bool {
	return l.want == nil || l.blob.pkg == "" || l.want(l.blob.pkg)
}

// reduce returns the used parts of an entry or a property; nil if nothing is used. It returns a value of an unexpected shape unchanged, so
// that decoding reports it.
func (l *largeBlob) reduce(name string, raw []byte) []byte {
	keys := []string{"name", "replaces", "skips", "skipRange", "reference", "message"}
	if name == "properties" {
		if kind, _, err := splitProperty(raw); err == nil && (!isRead(kind) || !l.mayBeWanted() && (kind != propertyGVK || len(raw) > maxKindProperty)) {
			return nil
		}
		keys = []string{"type", "value"}
	}
	out := []byte{'{'}
	if err := object(raw, func(key, value []byte) error {
		for _, name := range keys {
			if matchesKey(key, name) {
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

// peek advances to the next byte that is not white space, and returns the byte.
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

// readValue returns the value at the current position and advances past it. The returned slice is valid until the next call.
//
// If the value exceeds limit bytes or the memory budget, readValue skips it and returns nil. It then sets skippedType if the value begins
// with its type, and omittedErr if the memory budget was the reason. Callers that ignore the value pass a limit of 0.
func (l *largeBlob) readValue(limit int) ([]byte, error) {
	l.limit = max(limit, maxWindow)
	var e valueScanner
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
					l.omittedErr = err
				}
				full = true
			case errors.Is(err, errFull):
				full = true
			case err != nil:
				return nil, unexpected(err)
			}
		}
		if full && !scalar {
			return nil, l.skipRest(&e)
		}
		if full {
			if err := l.fill(); err != nil {
				return nil, unexpected(err)
			}
		}
		scanned = l.pos + offset
	}
}

// skipRest skips the rest of a value that begins at the current position and extends beyond the buffer. e has already scanned the buffered
// part. If that part contains the type of the value, skipRest stores it in skippedType; otherwise skippedType is empty.
func (l *largeBlob) skipRest(e *valueScanner) error {
	l.skippedType = ""
	_ = object(l.buf[l.pos:], func(key, value []byte) (err error) {
		if matchesKey(key, "type") {
			l.skippedType, err = text(value)
		}
		return err
	})
	for {
		// Retain a final backslash, so that the scanner sees that it escapes the next byte.
		kept := 0
		if e.inString && isEscaped(l.buf, l.pos, len(l.buf)) {
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

// unexpected returns io.ErrUnexpectedEOF for io.EOF, and any other error unchanged.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
