package store

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/openshift/platform-operators/pkg/revision"
)

// Header is the stored data of a revision besides its objects.
type Header = revision.Header

// Revision is a bundle rendered to objects.
type Revision struct {
	Header
	Objects []unstructured.Unstructured
}

const (
	// partBytes is the maximum size of one Secret's data, in bytes. It is below etcd's limit of 1.5 MiB for a request and the API server's
	// limit of 1 MiB for a Secret, with space for metadata.
	partBytes = 900 << 10
	// maxParts is the maximum number of parts of a revision: 56 MiB compressed, which is several hundred MiB of manifests.
	maxParts = 64
	// maxObjectBytes is the maximum size of one object's line, in bytes. The API server accepts no object above etcd's 1.5 MiB.
	maxObjectBytes = 4 << 20
	// maxRevisionBytes is the maximum uncompressed size of a revision that Load accepts, in bytes.
	maxRevisionBytes = 512 << 20
)

// Digest returns the SHA-256 digest of the objects' JSON lines.
func Digest(objects []unstructured.Unstructured) (string, error) {
	hash := sha256.New()
	if _, err := writeLines(hash, objects); err != nil {
		return "", err
	}
	return formatDigest(hash.Sum(nil)), nil
}

func formatDigest(hash []byte) string { return "sha256:" + hex.EncodeToString(hash) }

func writeLines(w io.Writer, objects []unstructured.Unstructured) (int64, error) {
	var total int64
	for i := range objects {
		line, err := json.Marshal(objects[i].Object)
		if err != nil {
			return total, fmt.Errorf("encoding %s %q: %w", objects[i].GetKind(), objects[i].GetName(), err)
		}
		if len(line) > maxObjectBytes {
			return total, fmt.Errorf("encoding %s %q: it has %d bytes, but at most %d are allowed", objects[i].GetKind(), objects[i].GetName(), len(line), maxObjectBytes)
		}
		n, err := w.Write(append(line, '\n'))
		total += int64(n)
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

// encode compresses objects into parts of at most limit bytes, and sets the header's Digest, Parts and Bytes. Equal objects result in equal
// parts.
func encode(revision *Revision, limit int) ([][]byte, error) {
	var packed bytes.Buffer
	hash := sha256.New()
	compressor := gzip.NewWriter(&packed)
	total, err := writeLines(io.MultiWriter(compressor, hash), revision.Objects)
	if err != nil {
		return nil, err
	}
	if err := compressor.Close(); err != nil {
		return nil, err
	}
	var parts [][]byte
	for rest := packed.Bytes(); len(rest) > 0; {
		size := min(len(rest), limit)
		parts = append(parts, rest[:size])
		rest = rest[size:]
	}
	if len(parts) > maxParts {
		return nil, fmt.Errorf("it needs %d Secrets, but at most %d are allowed", len(parts), maxParts)
	}
	revision.Digest, revision.Parts, revision.Bytes = formatDigest(hash.Sum(nil)), len(parts), total
	return parts, nil
}

// errCorrupt means that a stored revision differs from the saved one.
var errCorrupt = errors.New("it is not what was saved")

// decode decompresses parts and compares them with the header's digest. Its errors wrap errCorrupt.
func decode(header Header, parts [][]byte) (*Revision, error) {
	readers := make([]io.Reader, 0, len(parts))
	for _, part := range parts {
		readers = append(readers, bytes.NewReader(part))
	}
	unpacked, err := gzip.NewReader(io.MultiReader(readers...))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errCorrupt, err)
	}
	hash := sha256.New()
	lines := bufio.NewReaderSize(io.TeeReader(io.LimitReader(unpacked, min(header.Bytes+1, maxRevisionBytes)), hash), 64<<10)
	revision := &Revision{Header: header}
	decoder := json.NewDecoder(lines)
	for {
		// Unstructured's own decoder preserves integers, which encoding/json converts to floats.
		var line json.RawMessage
		if err := decoder.Decode(&line); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("%w: %w", errCorrupt, err)
		}
		object := unstructured.Unstructured{}
		if err := object.UnmarshalJSON(line); err != nil {
			return nil, fmt.Errorf("%w: %w", errCorrupt, err)
		}
		revision.Objects = append(revision.Objects, object)
	}
	if got := formatDigest(hash.Sum(nil)); got != header.Digest {
		return nil, fmt.Errorf("%w: its digest is %s, and was %s", errCorrupt, got, header.Digest)
	}
	return revision, nil
}
