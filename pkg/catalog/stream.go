package catalog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

const (
	// initialBuffer is the initial size of a stream's buffer, in bytes. Nearly every blob of real catalogs fits.
	initialBuffer = 64 << 10
	// maxWindow is the maximum size of a JSON blob that is held in memory as a whole, in bytes. No blob of the OpenShift 4.20 catalogs
	// exceeds it. A larger blob is read in parts (largeBlob).
	maxWindow = 512 << 10
	// maxDocument is the maximum size of one YAML document, in bytes. A document cannot be read in parts.
	maxDocument = 4 << 20
)

// errLarge means that the JSON object at the stream's position is larger than the window, or than the memory budget permits.
var errLarge = errors.New("the blob is larger than the window")

// errNotJSON means that a served catalog has content other than JSON objects.
var errNotJSON = errors.New("a served catalog must be a sequence of JSON objects")

// errHTML means that a server answered with an HTML page for people. It wraps errNotJSON.
var errHTML error = htmlError{}

// htmlError is the type of errHTML. Its text omits the wrapped error, so that it ends with the remedy.
type htmlError struct{}

// Error returns the problem and the remedy.
func (htmlError) Error() string {
	return "the server sent an HTML page instead of a catalog; check the catalog's address, and any proxy or login page in front of it"
}

// Unwrap returns errNotJSON.
func (htmlError) Unwrap() error { return errNotJSON }

// errUTF16 means that a file is in UTF-16, in which some editors save files. The YAML parser would read only the first document of such a
// file.
var errUTF16 = errors.New("the file is in UTF-16; save it as UTF-8")

// errFull means that the buffer is full and already has its maximum size.
var errFull = errors.New("there is more in one piece than is held in memory")

// stream splits a catalog into blobs: JSON objects, or YAML documents if yaml is true.
type stream struct {
	in io.Reader
	// yaml permits YAML documents among the JSON objects.
	yaml   bool
	memory MemoryBudget
	buf    []byte
	// pos is the index in buf of the first byte that has not been returned.
	pos int
	// limit is the current maximum size of buf.
	limit int
	err   error
	// hasBegun means that the encoding of the first bytes was checked.
	hasBegun bool
}

// isUTF16 reports whether text begins with a UTF-16 byte order mark, or with an ASCII character that is encoded in two bytes.
func isUTF16(text []byte) bool {
	if len(text) < 2 {
		return false
	}
	return text[0] == 0 != (text[1] == 0) || bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff"))
}

// newStream returns a stream that reads from in. The caller must close it. It returns an error if the memory budget does not permit the
// initial buffer.
func newStream(in io.Reader, memory MemoryBudget) (*stream, error) {
	s := &stream{in: in, memory: orUnlimited(memory), limit: maxWindow}
	return s, s.resize(initialBuffer)
}

// close releases the memory of the stream's buffer.
func (s *stream) close() {
	s.memory.Release(cap(s.buf))
	s.buf = nil
}

// next returns the next blob as JSON, valid until the next call. Its error is io.EOF at the end of the stream, and errLarge for a JSON
// object that the caller must read in parts.
func (s *stream) next() ([]byte, error) {
	if err := s.shrink(); err != nil {
		return nil, err
	}
	for {
		if err := s.skipBlank(); err != nil {
			return nil, err
		}
		if !s.hasBegun && isUTF16(s.buf[s.pos:]) {
			return nil, errUTF16
		}
		s.hasBegun = true
		if s.buf[s.pos] == '{' {
			return s.json()
		}
		if !s.yaml && s.buf[s.pos] == '<' {
			return nil, errHTML
		}
		if !s.yaml {
			return nil, fmt.Errorf("a JSON object was expected, found %s: %w", excerpt(s.buf[s.pos:]), errNotJSON)
		}
		document, err := s.document()
		if err != nil || document != nil {
			return document, err
		}
	}
}

// skipBlank drops white space and byte order marks before the next blob. It advances to the first byte of a JSON object, otherwise to the
// start of the line, because indentation is significant in YAML. It returns io.EOF if nothing follows.
func (s *stream) skipBlank() error {
	for {
		text := skipSpace(s.buf, s.pos)
		if bytes.HasPrefix(s.buf[text:], []byte("\ufeff")) {
			s.pos = text + len("\ufeff")
			continue
		}
		if s.yaml && (text == len(s.buf) || s.buf[text] != '{') {
			s.pos += bytes.LastIndexByte(s.buf[s.pos:text], '\n') + 1
		} else {
			s.pos = text
		}
		// A byte order mark and a document marker can be identified by four bytes. Fewer are left only at the end of the stream.
		if len(s.buf)-text >= 4 || s.err == io.EOF && text < len(s.buf) {
			return nil
		}
		if err := s.fill(); err != nil && (err != io.EOF || len(bytes.TrimSpace(s.buf[s.pos:])) == 0) {
			return err
		}
	}
}

// json returns the JSON object that begins at pos, and advances pos beyond it. The slice is valid until the next fill. It returns errLarge
// for an object that does not fit.
func (s *stream) json() ([]byte, error) {
	var e valueScanner
	for scanned := s.pos; ; {
		end := e.scan(s.buf, s.pos, scanned)
		if end >= 0 {
			blob := s.buf[s.pos:end]
			s.pos = end
			return blob, nil
		}
		offset := len(s.buf) - s.pos
		switch err := s.fill(); {
		case errors.Is(err, errFull), errors.As(err, new(*memoryError)):
			return nil, errLarge
		case err != nil:
			return nil, truncated(err, s.buf[s.pos:])
		}
		scanned = s.pos + offset
	}
}

// fill drops the bytes before pos, sets pos to 0, and reads more bytes. If the buffer is full, fill enlarges it; at the maximum size it
// returns errFull. Indexes into buf become invalid, except relative to pos.
func (s *stream) fill() error {
	if s.err != nil {
		return s.err
	}
	if s.pos > 0 { // otherwise each of many small reads would copy the buffer onto itself
		s.buf = s.buf[:copy(s.buf, s.buf[s.pos:])]
		s.pos = 0
	}
	if len(s.buf) == cap(s.buf) {
		if len(s.buf) >= s.limit {
			return errFull
		}
		if err := s.resize(min(2*cap(s.buf), s.limit)); err != nil {
			return err
		}
	}
	for empty := 0; ; empty++ {
		n, err := s.in.Read(s.buf[len(s.buf):cap(s.buf)])
		s.buf = s.buf[:len(s.buf)+n]
		if err != nil {
			s.err = err
		}
		switch {
		case n > 0:
			return nil
		case err != nil:
			return err
		case empty >= 100:
			s.err = io.ErrNoProgress
			return s.err
		}
	}
}

// resize replaces the buffer with one of a different size, copies the bytes from pos on, and sets pos to 0.
func (s *stream) resize(size int) error {
	if err := s.memory.Reserve(size); err != nil {
		return &memoryError{err}
	}
	before := cap(s.buf)
	resized := make([]byte, len(s.buf)-s.pos, size)
	copy(resized, s.buf[s.pos:])
	s.buf, s.pos = resized, 0
	s.memory.Release(before)
	return nil
}

// shrink is called after a blob has been read. It replaces a buffer that is larger than the window, unless the remaining bytes exceed the
// window.
func (s *stream) shrink() error {
	s.limit = maxWindow
	if left := len(s.buf) - s.pos; cap(s.buf) > maxWindow && left <= maxWindow {
		return s.resize(max(left, initialBuffer))
	}
	return nil
}

// truncated returns err with the beginning of the blob that was being read when the stream ended or failed.
func truncated(err error, blob []byte) error {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("reading the blob that begins with %s: %w", excerpt(blob), err)
}
