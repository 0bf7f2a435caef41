package unpack

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/openshift/platform-operators/pkg/classlimits"
	"github.com/openshift/platform-operators/pkg/source"
	"github.com/openshift/platform-operators/pkg/store"
)

// Content stores fetched content. *store.Content implements it.
type Content interface {
	// Use calls read with the files of a digest, and the origin that fetch returned for them. If they are not stored, Use calls fetch first. It
	// may call read twice.
	Use(ctx context.Context, digest string, fetch store.Fill, read func(files fs.FS, origin string) error) error
}

// pinnedSource is a source whose reference is pinned, and the limits for the size of its content. If checksAccess is true, content that is
// stored already is read only if the source's own credentials permit it.
type pinnedSource struct {
	from         source.Source
	pinned       source.Pinned
	sizes        classlimits.Sizes
	checksAccess bool
}

// read calls use with the files of a pinned source, and the mirror that served them for this source; empty if none did. It
// returns a *classlimits.SizeError if the files have too many bytes: before it has written them, or, if they were stored for an object of another
// class, before use is called.
func read(ctx context.Context, content Content, of pinnedSource, use func(files fs.FS, mirror string) error) error {
	from := of.from.At(of.pinned.Reference)
	if of.checksAccess {
		if err := from.CheckAccess(ctx); err != nil {
			return err
		}
	}
	// Another reference may have the same content. Its mirror is neither true for this one, nor for everybody to know.
	ofThis := of.pinned.Reference + " "
	fetch := func(ctx context.Context, to source.Target) (origin string, err error) {
		to.CheckBytes = of.sizes.CheckBytes
		mirror, err := from.Fetch(ctx, to)
		if mirror == "" || err != nil {
			return "", err
		}
		return ofThis + mirror, nil
	}
	return content.Use(ctx, of.pinned.Digest, fetch, func(files fs.FS, origin string) error {
		if of.sizes.Bytes > 0 {
			bytes, err := size(files)
			if err != nil {
				return err
			}
			if err := of.sizes.CheckBytes(bytes); err != nil {
				return err
			}
		}
		mirror, ok := strings.CutPrefix(origin, ofThis)
		if !ok {
			mirror = ""
		}
		return use(files, mirror)
	})
}

// exceeded returns the limit of its size that a bundle exceeds; nil if err has another cause.
func exceeded(err error) *classlimits.SizeError {
	var found *classlimits.SizeError
	errors.As(err, &found)
	return found
}
