package unpack

import (
	"context"
	"io/fs"

	"github.com/openshift/platform-operators/pkg/source"
)

// Content stores fetched content. *store.Content implements it.
type Content interface {
	// Use calls read with the content of a digest. If the content is not stored, Use calls fetch first. It may call read twice.
	Use(ctx context.Context, digest string, fetch func(context.Context, source.Target) error, read func(files fs.FS) error) error
}

// read calls use with the content of a pinned source.
func read(ctx context.Context, content Content, from source.Source, pinned source.Pinned, use func(files fs.FS) error) error {
	return content.Use(ctx, pinned.Digest, from.At(pinned.Reference).Fetch, use)
}
