package image

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"
)

// maxWindow bounds what a zstd layer makes us hold in memory. Layers are made with windows of 8 MiB and less; the format
// would allow gigabytes.
const maxWindow = 32 << 20

// decompress reads a layer whatever it is compressed with, as its first bytes say: media types are often wrong about it.
func decompress(compressed io.Reader) (io.ReadCloser, error) {
	from := &blob{Reader: compressed}
	buffered := bufio.NewReader(from)
	magic, err := buffered.Peek(4)
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		decoder, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, from.blame(err)
		}
		return &decompressed{ReadCloser: decoder, from: from}, nil
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		decoder, err := zstd.NewReader(buffered, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, from.blame(err)
		}
		return &decompressed{ReadCloser: decoder.IOReadCloser(), from: from}, nil
	}
	return io.NopCloser(buffered), nil
}

// blob remembers whether reading it failed.
type blob struct {
	io.Reader
	err error
}

// Read reads on.
func (b *blob) Read(buffer []byte) (int, error) {
	n, err := b.Reader.Read(buffer)
	if err != nil && err != io.EOF {
		b.err = err
	}
	return n, err
}

// blame makes a refusal of what a decoder does not like in a blob that could be read; what reading it caused stays what it is. So
// does an early end, of which only the whole blob tells whose fault it is.
func (b *blob) blame(err error) error {
	if err == nil || b.err != nil || err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	return refuse("its tar archive cannot be read: %w", err)
}

// decompressed is what a decoder makes of a blob.
type decompressed struct {
	io.ReadCloser
	from *blob
}

// Read reads on.
func (d *decompressed) Read(buffer []byte) (int, error) {
	n, err := d.ReadCloser.Read(buffer)
	return n, d.from.blame(err)
}
