package catalog

import (
	"bytes"
	"fmt"
	"io"

	"sigs.k8s.io/yaml"
)

const (
	// maxBlob bounds one blob. The largest in the catalogs of OpenShift 4.20 are a few megabytes (a bundle with its
	// manifests inside); etcd could not store the objects of anything near this.
	maxBlob = 32 << 20
	// firstBuffer holds nearly every blob of real catalogs without growing.
	firstBuffer = 64 << 10
)

// stream cuts a catalog into blobs: JSON objects one after another, or YAML documents.
type stream struct {
	in  io.Reader
	buf []byte
	// pos is the first byte of buf that has not been handed out.
	pos int
	err error
}

func newStream(in io.Reader) *stream {
	return &stream{in: in, buf: make([]byte, 0, firstBuffer)}
}

// next returns the next blob as JSON, valid until the call after, or io.EOF.
func (s *stream) next() ([]byte, error) {
	for {
		if err := s.skipBlank(); err != nil {
			return nil, err
		}
		if s.buf[s.pos] == '{' {
			return s.json()
		}
		document, err := s.yaml()
		if err != nil || document != nil {
			return document, err
		}
	}
}

// skipBlank goes to the next blob: to its first byte if that is "{", else to the start of its line, since indentation
// means something in YAML. White space and byte order marks before it are dropped.
func (s *stream) skipBlank() error {
	for {
		text := skipSpace(s.buf, s.pos)
		if bytes.HasPrefix(s.buf[text:], []byte("\ufeff")) {
			s.pos = text + len("\ufeff")
			continue
		}
		if text == len(s.buf) || s.buf[text] != '{' {
			s.pos += bytes.LastIndexByte(s.buf[s.pos:text], '\n') + 1
		} else {
			s.pos = text
		}
		// Four bytes tell a byte order mark and a document marker; fewer are only there at the very end.
		if len(s.buf)-text >= 4 || s.err == io.EOF && text < len(s.buf) {
			return nil
		}
		if err := s.fill(); err != nil && (err != io.EOF || len(bytes.TrimSpace(s.buf[s.pos:])) == 0) {
			return err
		}
	}
}

// json returns the object that begins at pos.
func (s *stream) json() ([]byte, error) {
	var e extent
	for scanned := s.pos; ; {
		end := e.scan(s.buf, s.pos, scanned)
		if end >= 0 {
			blob := s.buf[s.pos:end]
			s.pos = end
			return blob, nil
		}
		offset := len(s.buf) - s.pos
		if err := s.fill(); err != nil {
			return nil, truncated(err, s.buf[s.pos:])
		}
		scanned = s.pos + offset
	}
}

// yaml returns the document that begins at pos, converted to JSON, or nil for an empty one.
func (s *stream) yaml() ([]byte, error) {
	if marker(s.buf[s.pos:]) {
		s.pos += 3
		if err := s.skipBlank(); err != nil {
			return nil, err
		}
		if s.buf[s.pos] == '{' || marker(s.buf[s.pos:]) {
			return nil, nil
		}
	}
	end, err := s.documentEnd()
	if err != nil {
		return nil, err
	}
	document := s.buf[s.pos:end]
	s.pos = end
	blob, err := yaml.YAMLToJSON(document)
	if err != nil {
		return nil, fmt.Errorf("reading YAML that begins with %s: %w", excerpt(document), err)
	}
	if bytes.Equal(blob, []byte("null")) {
		return nil, nil
	}
	return blob, nil
}

// documentEnd finds the next line that is a document marker, or the end of the stream.
func (s *stream) documentEnd() (int, error) {
	for scanned := s.pos; ; {
		line := bytes.IndexByte(s.buf[scanned:], '\n')
		if next := scanned + line + 1; line >= 0 && (len(s.buf)-next >= 4 || s.err == io.EOF) {
			if marker(s.buf[next:]) {
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

// marker reports whether b begins with a line that separates YAML documents.
func marker(b []byte) bool {
	return bytes.HasPrefix(b, []byte("---")) && (len(b) == 3 || b[3] == ' ' || b[3] == '\n' || b[3] == '\r' || b[3] == '\t')
}

// fill reads more, first dropping what was handed out. Positions held by the caller are relative to pos, which becomes 0.
func (s *stream) fill() error {
	if s.err != nil {
		return s.err
	}
	s.buf = s.buf[:copy(s.buf, s.buf[s.pos:])]
	s.pos = 0
	if len(s.buf) == cap(s.buf) {
		if len(s.buf) >= maxBlob {
			s.err = fmt.Errorf("a blob is larger than %d bytes", maxBlob)
			return s.err
		}
		grown := make([]byte, len(s.buf), min(2*cap(s.buf), maxBlob))
		copy(grown, s.buf)
		s.buf = grown
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

// truncated turns the end of the stream inside a blob into an error that shows where it happened.
func truncated(err error, blob []byte) error {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("reading the blob that begins with %s: %w", excerpt(blob), err)
}
