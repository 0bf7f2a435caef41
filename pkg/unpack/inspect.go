package unpack

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/bundle/formats"
	"github.com/openshift/platform-operators/pkg/classlimits"
	"github.com/openshift/platform-operators/pkg/panics"
	"github.com/openshift/platform-operators/pkg/source"
	"github.com/openshift/platform-operators/pkg/store"
)

// Inspection is the result of Inspect.
type Inspection struct {
	// Pinned is the pinned reference of the content, and Mirror the mirror that served it; empty if none did.
	Pinned   source.Pinned
	Mirror   string
	Format   string
	Metadata bundle.Metadata
	// Objects is the number of objects in the manifests. Bytes is the size of all files.
	Objects int
	Bytes   int64
	// Exceeded is the limit of its size that the bundle exceeds; nil if there is none. If it is set, only Pinned is known.
	Exceeded *classlimits.SizeError
}

// Inspect fetches a source and reads it as a bundle of a format. Of the sizes, only that in bytes applies. Its errors include a remedy.
func Inspect(ctx context.Context, content Content, from source.Source, format string, sizes classlimits.Sizes) (*Inspection, error) {
	pinned, err := from.Resolve(ctx)
	if err != nil {
		return nil, err
	}
	var found *Inspection
	err = read(ctx, content, pinnedSource{from: from, pinned: pinned, sizes: sizes}, func(files fs.FS, mirror string) error {
		return panics.ToError("reading "+pinned.Reference, func() (err error) {
			if found, err = inspect(files, format); err == nil {
				found.Mirror = mirror
			}
			return err
		})
	})
	if size := exceeded(err); size != nil {
		return &Inspection{Pinned: pinned, Exceeded: size}, nil
	}
	if err != nil {
		return nil, err
	}
	found.Pinned = pinned
	return found, nil
}

func inspect(files fs.FS, name string) (*Inspection, error) {
	loaded, err := formats.Load(files, name)
	var format *bundle.FormatError
	switch {
	case store.IsDiskError(err):
		return nil, err
	case errors.As(err, &format) && format.Class() != "":
		return nil, fmt.Errorf("%w. Delete the Bundle and create it again with %q in spec.provisionerClassName, the class that reads that format", err, format.Class())
	case errors.As(err, &format) && format.ActualErr == nil:
		return nil, fmt.Errorf("%w. Create a new Bundle for an image with a %s or %s bundle",
			err, corev1alpha2.FormatRegistryV1, corev1alpha2.FormatPlainV0)
	case err != nil:
		return nil, fmt.Errorf("%w; ask the bundle's author to publish a corrected image, and create a new Bundle for it", err)
	}
	bytes, err := size(files)
	return &Inspection{Format: name, Metadata: loaded.Metadata(), Objects: loaded.Manifests(), Bytes: bytes}, err
}

// size returns the total size of all regular files, in bytes.
func size(files fs.FS) (total int64, err error) {
	err = fs.WalkDir(files, ".", func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		total += info.Size()
		return nil
	})
	return total, err
}
