package image

import (
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// Manifest is the manifest of an image, or of an index of images.
type Manifest struct {
	// Descriptor has the digest, and the media type, which tells an image from an index.
	v1.Descriptor
	// Manifest is the content.
	Manifest []byte
	// Image returns the image. It must fail for content whose digest is wrong, at the latest when the content has been read.
	Image func() (v1.Image, error)
}

// get returns the manifest of a reference. The options are those of begin.
func (f *Fetcher) get(ref name.Reference, options []remote.Option) (Manifest, error) {
	if f.find != nil {
		return f.find(ref)
	}
	descriptor, err := remote.Get(ref, options...)
	if err != nil {
		return Manifest{}, err
	}
	return Manifest{Descriptor: descriptor.Descriptor, Manifest: descriptor.Manifest, Image: descriptor.Image}, nil
}
