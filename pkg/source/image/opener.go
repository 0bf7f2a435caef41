package image

import (
	"context"
	"strings"
	"time"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/source"
)

// Open returns the image of a spec as a source. It makes Fetcher a source.Opener. Open sets Missing if the spec has no image. It sets no
// PollInterval if the reference has a digest.
func (f *Fetcher) Open(spec corev1alpha2.BundleSource, namespaces source.Namespaces) (source.Opened, error) {
	if spec.Image == nil {
		return source.Opened{Missing: "spec.source.image is missing; set it"}, nil
	}
	opened := source.Opened{
		Name: spec.Image.Ref, Image: spec.Image.Ref,
		Source: content{fetcher: f, image: Source{
			Ref: spec.Image.Ref, PullSecret: spec.Image.PullSecret, SecretNamespace: namespaces.Secrets, PolicyNamespace: namespaces.Policies,
			InsecureSkipTLSVerify: spec.Image.InsecureSkipTLSVerify, CertificateData: spec.Image.CertificateData,
		}},
	}
	if minutes := spec.Image.PollIntervalMinutes; minutes != nil && !strings.Contains(spec.Image.Ref, "@") {
		opened.PollInterval = time.Duration(*minutes) * time.Minute
	}
	return opened, nil
}

// content implements source.Source for an image.
type content struct {
	fetcher *Fetcher
	image   Source
}

// Host returns the image's registry.
func (c content) Host() string { return c.image.Registry() }

// Resolve returns the image by digest.
func (c content) Resolve(ctx context.Context) (source.Pinned, error) {
	reference, err := c.fetcher.Resolve(ctx, c.image)
	if err != nil {
		return source.Pinned{}, err
	}
	digest, err := Digest(reference)
	return source.Pinned{Reference: reference, Digest: digest}, err
}

// At returns the image with a different reference.
func (c content) At(pinned string) source.Source {
	return content{fetcher: c.fetcher, image: c.image.At(pinned)}
}

// CheckAccess requests the image's manifest.
func (c content) CheckAccess(ctx context.Context) error { return c.fetcher.CheckAccess(ctx, c.image) }

// Fetch unpacks the image.
func (c content) Fetch(ctx context.Context, to source.Target) (source.Origin, error) {
	return c.fetcher.Unpack(ctx, c.image, to)
}

// Verify verifies the image's signatures.
func (c content) Verify(ctx context.Context, origin source.Origin) error {
	return c.fetcher.Verify(ctx, c.image, origin.ImageDigest)
}

// Spec returns the image as an API type, without a poll interval.
func (c content) Spec() corev1alpha2.BundleSource {
	return corev1alpha2.BundleSource{Type: corev1alpha2.SourceTypeImage, Image: &corev1alpha2.ImageSource{
		Ref: c.image.Ref, PullSecret: c.image.PullSecret,
		InsecureSkipTLSVerify: c.image.InsecureSkipTLSVerify, CertificateData: c.image.CertificateData,
	}}
}
