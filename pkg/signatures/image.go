package signatures

import (
	"errors"
	"fmt"
	"slices"
)

// Image is an image with its signatures, none of which is trusted before Verify.
type Image struct {
	// Reference is the image as the user names it: "registry/repository:tag" or "registry/repository@digest", whatever mirror served it. A
	// policy compares the identity in a signature with it.
	Reference string
	// Manifest is the image's manifest, and Digest its digest, "sha256:…". Verify checks that they belong together.
	Manifest []byte
	Digest   string
	// Signatures are the signatures that a registry has for this manifest.
	Signatures []Signature
}

// Signature is a signature of an image in the format of cosign's signature tags: a layer of a signature manifest.
type Signature struct {
	// MediaType is the media type of the layer.
	MediaType string
	// Payload is the content of the layer.
	Payload []byte
	// Annotations are those of the layer. They have the signature of the payload, and what proves where the signature is from.
	Annotations map[string]string
}

// MediaType is the media type of a layer that is a signature.
const MediaType = "application/vnd.dev.cosign.simplesigning.v1+json"

// annotations are the keys of the annotations that the policy engine reads.
var annotations = []string{
	"dev.cosignproject.cosign/signature", "dev.sigstore.cosign/bundle", "dev.sigstore.cosign/certificate", "dev.sigstore.cosign/chain",
}

// Annotations returns those of a layer's annotations that the policy engine reads, and their size in bytes.
func Annotations(of map[string]string) (read map[string]string, size int) {
	read = map[string]string{}
	for key, value := range of {
		if slices.Contains(annotations, key) {
			read[key] = value
			size += len(key) + len(value)
		}
	}
	return read, size
}

// RejectedError means that the signatures of an image do not satisfy a policy.
type RejectedError struct{ Reason error }

// Error returns the reason.
func (e *RejectedError) Error() string { return e.Reason.Error() }

// Unwrap returns the reason.
func (e *RejectedError) Unwrap() error { return e.Reason }

// PolicyError means that a policy is invalid, so that no image satisfies it.
type PolicyError struct{ Reason error }

// Error returns the reason.
func (e *PolicyError) Error() string { return fmt.Sprintf("the policy is invalid: %v", e.Reason) }

// Unwrap returns the reason.
func (e *PolicyError) Unwrap() error { return e.Reason }

// ErrNoEngine means that this program has no policy engine, because it was built without the tag containers_image_openpgp.
var ErrNoEngine = errors.New("this build of the manager cannot verify signatures: it lacks the build tag containers_image_openpgp")
