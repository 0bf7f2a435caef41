package image

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/openshift/platform-operators/pkg/signatures"
)

const (
	// maxSignatures is the maximum number of signatures of one image that are read, and maxSignatureBytes their maximum size in bytes, with their
	// annotations. A signature has about 500 bytes, or 10 KiB with a certificate and an entry of a transparency log.
	maxSignatures     = 64
	maxSignatureBytes = 1 << 20
	// maxReferrers is the maximum number of signature referrers of an image that are read.
	maxReferrers = 16
	// signatureArtifact is the artifact type of a signature referrer. Its layers are like those of a signature tag.
	signatureArtifact = "application/vnd.dev.cosign.artifact.sig.v1+json"
)

// signatureReader reads the signatures of an image from its repository. It leaves out what exceeds a limit, so that a signature too many does not
// refuse an image whose other signatures satisfy the policy.
type signatureReader struct {
	fetcher *Fetcher
	image   repositoryImage
	// found are the signatures so far, bytes their size, and omitted the number of those that were left out.
	found   []signatures.Signature
	bytes   int
	omitted int
}

// repositoryImage is the manifest of an image in a repository, with the options of requests for it.
type repositoryImage struct {
	Manifest
	in      name.Repository
	options []remote.Option
}

// readTag reads the signatures in the signature tag of the image, sha256-….sig, if there is such a tag.
func (r *signatureReader) readTag() error {
	tag := strings.Replace(r.image.Digest.String(), ":", "-", 1) + ".sig"
	found, err := r.fetcher.get(r.image.in.Tag(tag), r.image.options)
	switch {
	case err != nil && classOf(err) == NotFound:
		return nil
	case err != nil:
		return fmt.Errorf("its signature tag: %w", &describedError{err})
	}
	return r.read(found)
}

// readReferrers reads the signatures in the signature referrers of the image. It leaves out referrers that cannot be read.
func (r *signatureReader) readReferrers(ctx context.Context) error {
	options := slices.Concat(r.image.options, []remote.Option{remote.WithFilter("artifactType", signatureArtifact)})
	index, err := remote.Referrers(r.image.in.Digest(r.image.Digest.String()), options...)
	if err != nil {
		return fmt.Errorf("its referrers: %w", &describedError{err})
	}
	referrers, err := index.IndexManifest()
	if err != nil {
		return fmt.Errorf("its referrers: %w", err)
	}
	for i, each := range referrers.Manifests {
		if i == maxReferrers {
			r.omitted += len(referrers.Manifests) - maxReferrers
			break
		}
		found, err := r.fetcher.get(r.image.in.Digest(each.Digest.String()), r.image.options)
		if err == nil {
			err = r.read(found)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			r.omitted++
		}
	}
	return nil
}

// read reads the signatures in a signature manifest: one in each layer.
func (r *signatureReader) read(attached Manifest) error {
	manifest, err := v1.ParseManifest(bytes.NewReader(attached.Manifest))
	if err != nil {
		return marked(Unverified, "the signature manifest cannot be read: %w", err)
	}
	image, err := attached.Image()
	if err != nil {
		return marked(Unverified, "the signature manifest cannot be read: %w", err)
	}
	for _, layer := range manifest.Layers {
		if layer.MediaType != signatures.MediaType {
			continue // an attestation, for example
		}
		annotations, size := signatures.Annotations(layer.Annotations)
		size += int(min(max(layer.Size, 0), maxSignatureBytes+1))
		// A layer elsewhere, or with the digest of the configuration, is as suspicious as in a bundle; see checkLayers.
		if len(r.found) == maxSignatures || r.bytes+size > maxSignatureBytes || len(layer.URLs) > 0 || layer.Digest == manifest.Config.Digest {
			r.omitted++
			continue
		}
		payload, err := payloadOf(image, layer)
		if err != nil {
			return fmt.Errorf("signature %s: %w", layer.Digest, err)
		}
		if int64(len(payload)) > layer.Size {
			r.omitted++
			continue
		}
		r.bytes += size
		r.found = append(r.found, signatures.Signature{MediaType: string(layer.MediaType), Payload: payload, Annotations: annotations})
	}
	return nil
}

// omittedText returns a clause about signatures that were left out; empty if there are none.
func (r *signatureReader) omittedText() string {
	if r.omitted == 0 {
		return ""
	}
	return fmt.Sprintf("; %d more signatures or referrers were not read", r.omitted)
}

// payloadOf returns the content of a layer of a signature manifest, up to one byte more than the size in the manifest.
func payloadOf(image v1.Image, descriptor v1.Descriptor) ([]byte, error) {
	layer, err := image.LayerByDigest(descriptor.Digest)
	if err != nil {
		return nil, err
	}
	content, err := layer.Compressed()
	if err != nil {
		return nil, err
	}
	defer content.Close()
	return io.ReadAll(io.LimitReader(content, descriptor.Size+1))
}
