// Package deflate compresses the objects that the engine keeps in memory.
package deflate

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"sync"
)

// writers is a pool of compressors. They are reused, because a compressor takes more memory than most objects.
var writers = sync.Pool{New: func() any {
	writer, err := flate.NewWriter(nil, flate.BestSpeed)
	if err != nil {
		return nil // the level is a valid constant
	}
	return writer
}}

// Compress returns the compressed content. Decompress reverses it.
func Compress(content []byte) ([]byte, error) {
	writer, ok := writers.Get().(*flate.Writer)
	if !ok {
		return nil, fmt.Errorf("no compressor at level %d", flate.BestSpeed)
	}
	defer writers.Put(writer)
	var compressed bytes.Buffer
	writer.Reset(&compressed)
	if _, err := writer.Write(content); err != nil {
		return nil, err
	}
	if err := writer.Close(); err != nil {
		return nil, err
	}
	return bytes.Clone(compressed.Bytes()), nil
}

// Decompress returns the original content from the result of Compress.
func Decompress(compressed []byte) ([]byte, error) {
	return io.ReadAll(flate.NewReader(bytes.NewReader(compressed)))
}
