package image

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"

	"github.com/klauspost/compress/zstd"
)

// maxWindow bounds what a zstd layer makes us hold in memory. Layers are made with windows of 8 MiB and less; the format
// would allow gigabytes.
const maxWindow = 32 << 20

// decompress reads a layer whatever it is compressed with, as its first bytes say: media types are often wrong about it.
func decompress(compressed io.Reader) (io.ReadCloser, error) {
	buffered := bufio.NewReader(compressed)
	magic, err := buffered.Peek(4)
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		return gzip.NewReader(buffered)
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		decoder, err := zstd.NewReader(buffered, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, err
		}
		return decoder.IOReadCloser(), nil
	}
	return io.NopCloser(buffered), nil
}
