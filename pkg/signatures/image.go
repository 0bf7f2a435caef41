package signatures

import "fmt"

// Image is an image with its signatures, none of which is trusted before Verify.
type Image struct {
	// Reference is the image as the user names it: "registry/repository:tag" or "registry/repository@digest", whatever mirror served it. A
	// policy compares the identity in a signature with it.
	Reference string
	// Manifest is the image's manifest. The caller has checked its digest.
	Manifest []byte
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

// RejectedError means that the signatures of an image do not satisfy a policy.
type RejectedError struct{ Reason error }

// Error returns the reason.
func (e *RejectedError) Error() string { return fmt.Sprint(e.Reason) }

// Unwrap returns the reason.
func (e *RejectedError) Unwrap() error { return e.Reason }
