package signing

import (
	"fmt"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Attachment is where a registry holds the signatures of an image.
type Attachment string

const (
	// ByTag is a tag that has the digest of the image, sha256-….sig.
	ByTag Attachment = "tag"
	// ByReferrer is a manifest whose subject is the image.
	ByReferrer Attachment = "referrer"
)

// layer is the media type of a signature, and artifact the artifact type of a signature referrer.
const (
	layer    types.MediaType = "application/vnd.dev.cosign.simplesigning.v1+json"
	artifact types.MediaType = "application/vnd.dev.cosign.artifact.sig.v1+json"
)

// Attach pushes signatures of an image to the repository of the image. Tags that are there already are replaced.
func Attach(image name.Digest, how Attachment, signatures []Signature, options ...remote.Option) error {
	attached := mutate.MediaType(empty.Image, types.OCIManifestSchema1)
	for _, each := range signatures {
		var err error
		if attached, err = mutate.Append(attached, mutate.Addendum{Layer: static.NewLayer(each.Payload, layer), Annotations: each.Annotations}); err != nil {
			return fmt.Errorf("attaching signatures to image %q: %w", image, err)
		}
	}
	to := image.Context().Tag(strings.Replace(image.DigestStr(), ":", "-", 1) + ".sig").Name()
	if how == ByReferrer {
		subject, err := remote.Head(image, options...)
		if err != nil {
			return fmt.Errorf("attaching signatures to image %q: %w", image, err)
		}
		attached = mutate.ConfigMediaType(attached, artifact)
		refers, ok := mutate.Subject(attached, *subject).(v1.Image)
		if !ok {
			return fmt.Errorf("attaching signatures to image %q: its signatures are no image", image)
		}
		attached = refers
		digest, err := attached.Digest()
		if err != nil {
			return fmt.Errorf("attaching signatures to image %q: %w", image, err)
		}
		to = image.Context().Digest(digest.String()).Name()
	}
	reference, err := name.ParseReference(to, name.Insecure)
	if err != nil {
		return fmt.Errorf("attaching signatures to image %q: %w", image, err)
	}
	if err := remote.Write(reference, attached, options...); err != nil {
		return fmt.Errorf("attaching signatures to image %q: %w", image, err)
	}
	return nil
}
