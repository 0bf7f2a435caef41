package image

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/openshift/platform-operators/pkg/signatures"
)

const (
	// maxSignatures is the maximum number of signatures of one image that are read, and maxPayload the maximum size of a signature's payload, in
	// bytes. A payload has the digest and the name of the image, and seldom more than 300 bytes.
	maxSignatures = 64
	maxPayload    = 64 << 10
	// maxReferrers is the maximum number of signature referrers of an image that are read.
	maxReferrers = 16
	// signatureArtifact is the artifact type of a signature referrer. Its layers are like those of a signature tag.
	signatureArtifact = "application/vnd.dev.cosign.artifact.sig.v1+json"
)

// signaturesFromTag returns the signatures of an image from its signature tag, sha256-….sig; none if there is no such tag.
func (f *Fetcher) signaturesFromTag(image imageAt) ([]signatures.Signature, error) {
	tag := strings.Replace(image.Digest.String(), ":", "-", 1) + ".sig"
	found, err := f.get(image.in.Tag(tag), image.options)
	switch {
	case err != nil && classOf(err) == NotFound:
		return nil, nil
	case err != nil:
		return nil, err
	}
	return signaturesIn(found)
}

// signaturesFromReferrers returns the signatures of an image from its referrers; none if there are none.
func (f *Fetcher) signaturesFromReferrers(image imageAt) ([]signatures.Signature, error) {
	index, err := remote.Referrers(image.in.Digest(image.Digest.String()), slices.Concat(image.options, []remote.Option{remote.WithFilter("artifactType", signatureArtifact)})...)
	if err != nil {
		return nil, err
	}
	referrers, err := index.IndexManifest()
	if err != nil {
		return nil, marked(UnexpectedResponse, "the list of referrers cannot be read: %w", err)
	}
	var all []signatures.Signature
	for i, each := range referrers.Manifests {
		if i == maxReferrers {
			return nil, marked(Unverified, "the image has more than %d signature referrers", maxReferrers)
		}
		found, err := f.get(image.in.Digest(each.Digest.String()), image.options)
		if err != nil {
			return nil, err
		}
		some, err := signaturesIn(found)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// signaturesIn returns the signatures in a signature manifest: one in each layer.
func signaturesIn(attached Manifest) ([]signatures.Signature, error) {
	manifest, err := v1.ParseManifest(bytes.NewReader(attached.Manifest))
	if err != nil {
		return nil, marked(Unverified, "the signature manifest cannot be read: %w", err)
	}
	image, err := attached.Image()
	if err != nil {
		return nil, marked(Unverified, "the signature manifest cannot be read: %w", err)
	}
	var all []signatures.Signature
	for _, layer := range manifest.Layers {
		if layer.MediaType != signatures.MediaType {
			continue // an attestation, for example
		}
		if len(all) == maxSignatures {
			return nil, marked(Unverified, "the image has more than %d signatures", maxSignatures)
		}
		payload, err := payloadOf(image, layer.Digest)
		if err != nil {
			return nil, fmt.Errorf("signature %s: %w", layer.Digest, err)
		}
		all = append(all, signatures.Signature{MediaType: string(layer.MediaType), Payload: payload, Annotations: layer.Annotations})
	}
	return all, nil
}

// payloadOf returns the content of a layer of a signature manifest.
func payloadOf(image v1.Image, digest v1.Hash) ([]byte, error) {
	layer, err := image.LayerByDigest(digest)
	if err != nil {
		return nil, err
	}
	content, err := layer.Compressed()
	if err != nil {
		return nil, err
	}
	defer content.Close()
	payload, err := io.ReadAll(io.LimitReader(content, maxPayload+1))
	if err != nil {
		return nil, err
	}
	if len(payload) > maxPayload {
		return nil, marked(Unverified, "its payload has more than %d bytes", maxPayload)
	}
	return payload, nil
}
