package unpack

import (
	"context"
	"io/fs"

	"github.com/openshift/platform-operators/pkg/source"
)

// Content is where fetched content is stored. *store.Content is one.
type Content interface {
	// Use calls read with the content of a digest. If it is not stored, fetch writes it first. Read may be called twice.
	Use(ctx context.Context, digest string, fetch func(context.Context, source.Target) error, read func(files fs.FS) error) error
}

// read has use read the content of a source, which was pinned.
func read(ctx context.Context, content Content, from source.Source, pinned source.Pinned, use func(files fs.FS) error) error {
	return content.Use(ctx, pinned.Digest, from.At(pinned.Reference).Fetch, use)
}
