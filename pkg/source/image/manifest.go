package image

import (
	"bytes"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"
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
	// The library takes the digest of these manifests from a header, and checks no bytes.
	if descriptor.MediaType == types.DockerManifestSchema1 || descriptor.MediaType == types.DockerManifestSchema1Signed {
		return Manifest{}, refuse("its manifest is of schema 1, which has no layers by digest")
	}
	if actual, _, err := v1.SHA256(bytes.NewReader(descriptor.Manifest)); err != nil || actual != descriptor.Digest {
		return Manifest{}, marked(Corrupt, "the registry sent a manifest with digest %s in place of %s", actual, descriptor.Digest)
	}
	return Manifest{Descriptor: descriptor.Descriptor, Manifest: descriptor.Manifest, Image: descriptor.Image}, nil
}
