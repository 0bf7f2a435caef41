package image

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// Limits bound what one image may take of disk and time.
type Limits struct {
	// Bytes is how much all layers may hold together, unpacked.
	Bytes int64
	// FileBytes is how large one file may be.
	FileBytes int64
	// Entries is how many files, directories and links all layers may have together.
	Entries int
	// Layers is how many layers an image may have.
	Layers int
	// Time is how long one resolution or one unpacking may take.
	Time time.Duration
}

// DefaultLimits are far above any bundle that is known (the largest is a few MiB in some hundred files; a bundle built
// upon a whole distribution is about 250 MiB) and far below what would harm a control plane node.
func DefaultLimits() Limits {
	return Limits{Bytes: 512 << 20, FileBytes: 128 << 20, Entries: 50_000, Layers: 128, Time: 10 * time.Minute}
}

// Config is what a Fetcher is built from. Fields that are not set get a default.
type Config struct {
	// Limits default to DefaultLimits.
	Limits Limits
	// Transport speaks to registries; the default is go-containerregistry's, which honours HTTPS_PROXY.
	Transport http.RoundTripper
	// Keychain finds credentials by registry; the default asks for everything anonymously.
	Keychain authn.Keychain
	// Platform is chosen from an index; the default is the one that this program was built for.
	Platform v1.Platform
}

// Fetcher fetches images. It holds no state and is safe for concurrent use.
type Fetcher struct {
	limits   Limits
	platform v1.Platform
	options  []remote.Option
}

// New builds a Fetcher.
func New(config Config) *Fetcher {
	if config.Limits == (Limits{}) {
		config.Limits = DefaultLimits()
	}
	if config.Transport == nil {
		config.Transport = remote.DefaultTransport
	}
	if config.Keychain == nil {
		config.Keychain = anonymous{}
	}
	if config.Platform.OS == "" {
		config.Platform = v1.Platform{OS: "linux", Architecture: runtime.GOARCH}
	}
	return &Fetcher{
		limits:   config.Limits,
		platform: config.Platform,
		options: []remote.Option{
			remote.WithTransport(config.Transport),
			remote.WithAuthFromKeychain(config.Keychain),
			// One try: the controller tries again with its own back-off, and says in between what is wrong.
			remote.WithRetryBackoff(remote.Backoff{Duration: time.Millisecond, Steps: 1}),
		},
	}
}

type anonymous struct{}

func (anonymous) Resolve(authn.Resource) (authn.Authenticator, error) { return authn.Anonymous, nil }

// Resolve gives the reference by digest. A reference that has a digest is returned without asking anybody; a tag costs
// one request. Errors are of type *Error.
func (f *Fetcher) Resolve(ctx context.Context, ref string) (string, error) {
	parsed, err := name.ParseReference(ref)
	if err != nil {
		return "", &Error{Class: Invalid, Action: "resolving", Ref: ref, Err: err}
	}
	if digest, ok := parsed.(name.Digest); ok {
		// A reference may have both a tag and a digest; the digest is what counts.
		return digest.Context().Digest(digest.DigestStr()).Name(), nil
	}
	ctx, cancel := context.WithTimeout(ctx, f.limits.Time)
	defer cancel()
	descriptor, err := remote.Get(parsed, f.with(ctx)...)
	if err != nil {
		return "", classified("resolving", ref, err)
	}
	return parsed.Context().Digest(descriptor.Digest.String()).Name(), nil
}

// Digest gives the digest ("sha256:…") of a reference that Resolve returned.
func Digest(pinned string) (string, error) {
	parsed, err := name.NewDigest(pinned)
	if err != nil {
		return "", &Error{Class: Invalid, Action: "reading the digest of", Ref: pinned, Err: err}
	}
	return parsed.DigestStr(), nil
}

// Unpack writes the files of an image, given by digest, below dir, which exists and is empty. Of an index it takes the
// image for this platform, or the only image there is. After an error dir holds an unfinished tree and is to be removed.
// Errors are of type *Error.
func (f *Fetcher) Unpack(ctx context.Context, pinned, dir string) error {
	parsed, err := name.NewDigest(pinned)
	if err != nil {
		return &Error{Class: Invalid, Action: "pulling", Ref: pinned, Err: err}
	}
	ctx, cancel := context.WithTimeout(ctx, f.limits.Time)
	defer cancel()
	img, err := f.image(ctx, parsed)
	if err != nil {
		return classified("pulling", pinned, err)
	}
	layers, err := img.Layers()
	if err != nil {
		return classified("reading the layers of", pinned, err)
	}
	if len(layers) > f.limits.Layers {
		return classified("unpacking", pinned, refuse("it has %d layers, and %d are allowed", len(layers), f.limits.Layers))
	}
	unpacking, err := newUnpacker(dir, f.limits)
	if err != nil {
		return classified("unpacking", pinned, err)
	}
	defer unpacking.close()
	for i, layer := range layers {
		if err := unpacking.layer(layer); err != nil {
			if ctxErr := ctx.Err(); ctxErr != nil {
				err = errors.Join(ctxErr, err)
			}
			return classified("unpacking", pinned, fmt.Errorf("layer %d of %d: %w", i+1, len(layers), err))
		}
	}
	return nil
}

func (f *Fetcher) with(ctx context.Context) []remote.Option {
	return append(append([]remote.Option{}, f.options...), remote.WithContext(ctx))
}

// image fetches the manifest, and for an index the manifest of the image that fits.
func (f *Fetcher) image(ctx context.Context, ref name.Digest) (v1.Image, error) {
	descriptor, err := remote.Get(ref, f.with(ctx)...)
	if err != nil {
		return nil, asRefusal(err)
	}
	if !descriptor.MediaType.IsIndex() {
		img, err := descriptor.Image()
		return img, asRefusal(err)
	}
	index, err := descriptor.ImageIndex()
	if err != nil {
		return nil, asRefusal(err)
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		return nil, refuse("its index cannot be read: %w", err)
	}
	chosen, err := choose(manifest.Manifests, f.platform)
	if err != nil {
		return nil, err
	}
	child, err := remote.Get(ref.Context().Digest(chosen.String()), f.with(ctx)...)
	if err != nil {
		return nil, asRefusal(err)
	}
	img, err := child.Image()
	return img, asRefusal(err)
}

// choose picks the image for the platform, or the only one: bundle images hold no programs, so that a single-platform
// index is good for every platform.
func choose(manifests []v1.Descriptor, platform v1.Platform) (v1.Hash, error) {
	var images []v1.Descriptor
	var names []string
	for _, manifest := range manifests {
		// Attestations are listed in the index as images of an unknown platform.
		if !manifest.MediaType.IsImage() || manifest.Platform != nil && manifest.Platform.OS == "unknown" {
			continue
		}
		images = append(images, manifest)
		if manifest.Platform == nil {
			continue
		}
		names = append(names, manifest.Platform.String())
		if manifest.Platform.Satisfies(platform) {
			return manifest.Digest, nil
		}
	}
	if len(images) == 1 {
		return images[0].Digest, nil
	}
	return v1.Hash{}, refuse("its index has no image for %s; it has %d images, for %s",
		platform.String(), len(images), listed(names, 8))
}

// asRefusal tells content that is not what its digest says from a registry that cannot be reached.
func asRefusal(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	for _, sign := range []string{"manifest digest:", "error verifying", "unsupported MediaType", "invalid character", "cannot unmarshal"} {
		if strings.Contains(text, sign) {
			return &refusalError{err: err}
		}
	}
	return err
}

func listed(names []string, limit int) string {
	if len(names) == 0 {
		return "no named platform"
	}
	if len(names) > limit {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:limit], ", "), len(names)-limit)
	}
	return strings.Join(names, ", ")
}
