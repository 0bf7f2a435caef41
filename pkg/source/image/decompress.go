package image

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"
)

// maxWindow is the maximum window of a zstd layer, which the decoder holds in memory. Common encoders use at most 8 MiB; the format allows
// gigabytes.
const maxWindow = 32 << 20

// decompress returns a reader of the uncompressed layer. It recognizes gzip and zstd by the first bytes, because media types are often
// wrong. It returns the content of any other layer unchanged.
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
			return nil, from.classify(err)
		}
		return &decompressed{ReadCloser: decoder, from: from}, nil
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		decoder, err := zstd.NewReader(buffered, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, from.classify(err)
		}
		return &decompressed{ReadCloser: decoder.IOReadCloser(), from: from}, nil
	}
	return io.NopCloser(buffered), nil
}

// blob is a compressed layer. It stores the error of a failed read, so that classify can tell it from an error of the decoder.
type blob struct {
	io.Reader
	err error
}

// Read implements io.Reader.
func (b *blob) Read(buffer []byte) (int, error) {
	n, err := b.Reader.Read(buffer)
	if err != nil && err != io.EOF {
		b.err = err
	}
	return n, err
}

// classify returns a decoder's error as a refusal, but returns errors from reading the blob unchanged. It also returns an unexpected end
// unchanged: only the digest of the whole blob shows whether the registry or the image caused it.
func (b *blob) classify(err error) error {
	if err == nil || b.err != nil || err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	return refuse("its tar archive cannot be read: %w", err)
}

// decompressed is the uncompressed content of a blob.
type decompressed struct {
	io.ReadCloser
	from *blob
}

// Read implements io.Reader.
func (d *decompressed) Read(buffer []byte) (int, error) {
	n, err := d.ReadCloser.Read(buffer)
	return n, d.from.classify(err)
}
