package image

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"k8s.io/utils/clock"

	"github.com/openshift/platform-operators/pkg/source"
)

// Limits limit the disk usage and the time of one image.
type Limits struct {
	// Bytes is the maximum size of all layers together, unpacked.
	Bytes int64
	// FileBytes is the maximum size of one file.
	FileBytes int64
	// Entries is the maximum number of files, directories and links in all layers together.
	Entries int
	// Layers is the maximum number of layers.
	Layers int
	// Time is the maximum time for one resolution or one unpacking.
	Time time.Duration
	// Stall is the maximum time without data from the registry.
	Stall time.Duration
}

// DefaultLimits returns limits that no known bundle reaches and that protect a control plane node. The largest known bundle is a few MiB in
// some hundred files; a bundle that is based on a whole distribution is about 250 MiB.
func DefaultLimits() Limits {
	return Limits{Bytes: 512 << 20, FileBytes: 128 << 20, Entries: 50_000, Layers: 128, Time: 10 * time.Minute, Stall: time.Minute}
}

// Config configures a Fetcher. Fields that are not set get a default.
type Config struct {
	// Limits default to DefaultLimits.
	Limits Limits
	// Find finds images elsewhere than in the registries that their references name. With Find, no request is sent and no credentials are
	// read. An error should be or wrap an Error.
	Find func(name.Reference) (Manifest, error)
	// Transport sends requests to registries. The default is go-containerregistry's, which honors HTTPS_PROXY. If it has its own dialer, the
	// dialer must refuse names that resolve to a loopback address.
	Transport *http.Transport
	// Dial replaces Transport's dialer, and must refuse the same names. With Dial, no proxy is used. If Dial is nil, Transport's dialer is
	// used.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Resolver looks up the names of registries if Transport has no dialer and Dial is nil; nil means the system's resolver.
	Resolver *net.Resolver
	// PullSecrets provides credentials. If it is nil, Keychain does.
	PullSecrets *PullSecrets
	// Keychain provides credentials if PullSecrets is nil. If both are nil, all images are fetched anonymously.
	Keychain authn.Keychain
	// Registries is the cluster's configuration of registries. Nil means none: images are pulled from the registries in their references.
	Registries RegistryConfiguration
	// Clock measures how long a failed location is tried after the others. The default is the system's clock.
	Clock clock.PassiveClock
	// Temporary is a directory for temporary files, which nothing else uses. It is created if it does not exist. Empty means the system's.
	Temporary string
	// Directory is the only directory that is unpacked, such as "configs"; empty means everything. All layers are read in any case.
	Directory string
	// Platform selects the image in an index. The default is Linux on the architecture of this program.
	Platform v1.Platform
}

// Fetcher fetches images. It caches no content, and is safe for concurrent use.
type Fetcher struct {
	limits   Limits
	platform v1.Platform
	find     func(name.Reference) (Manifest, error)
	// transport is for registries, and localTransport for references with a loopback address. They are the same if Config has a dialer;
	// otherwise they share no connections.
	transport, localTransport *http.Transport
	pullSecrets               *PullSecrets
	keychain                  authn.Keychain
	registries                RegistryConfiguration
	failures                  *recentFailures
	verified                  verifiedImages
	directory, temporary      string
	// evaluating has a slot for the evaluation of signatures.
	evaluating chan struct{}
}

// New returns a Fetcher. Fields of Config that are not set get their defaults.
func New(config Config) *Fetcher {
	if config.Limits == (Limits{}) {
		config.Limits = DefaultLimits()
	}
	transport, local := transports(config)
	if config.Clock == nil {
		config.Clock = clock.RealClock{}
	}
	if config.Registries == nil {
		config.Registries = noRegistryConfig{}
	}
	if config.Platform.OS == "" {
		config.Platform = v1.Platform{OS: "linux", Architecture: runtime.GOARCH}
	}
	return &Fetcher{
		limits: config.Limits, platform: config.Platform, find: config.Find, transport: transport, localTransport: local,
		pullSecrets: config.PullSecrets, keychain: config.Keychain, directory: config.Directory,
		registries: config.Registries, failures: newRecentFailures(config.Clock), verified: newVerifiedImages(), temporary: config.Temporary, evaluating: make(chan struct{}, 1),
	}
}

// transports returns the transport for registries, and the one for references with a loopback address. Both are the same if the Config has
// a dialer.
func transports(config Config) (transport, local *http.Transport) {
	dials := config.Transport != nil && config.Transport.DialContext != nil
	transport = config.Transport
	if transport == nil {
		transport, _ = remote.DefaultTransport.(*http.Transport)
	}
	if transport == nil {
		transport = &http.Transport{Proxy: http.ProxyFromEnvironment}
	}
	transport = transport.Clone()
	transport.OnProxyConnectResponse = checkProxy
	switch {
	case config.Dial != nil:
		transport.Proxy, transport.DialContext = nil, config.Dial
		return transport, transport
	case dials:
		return transport, transport
	}
	transport, local = transport.Clone(), transport.Clone()
	transport.DialContext = dialer{resolver: config.Resolver}.DialContext
	local.DialContext = dialer{resolver: config.Resolver, local: true}.DialContext
	return transport, local
}

// Resolve returns the source's reference by digest. It sends no request if the reference has a digest. Otherwise it asks the locations of the
// image in their order. Errors are of type *Error.
func (f *Fetcher) Resolve(ctx context.Context, from Source) (string, error) {
	parsed, err := name.ParseReference(from.Ref, from.options()...)
	if err != nil {
		return "", &Error{Class: Invalid, Action: "resolving", Ref: from.Ref, Err: err}
	}
	if digest, ok := parsed.(name.Digest); ok {
		// A reference may have both a tag and a digest. Then the digest is used.
		return digest.Context().Digest(digest.DigestStr()).Name(), nil
	}
	var found Manifest
	if _, err := f.fromLocations(ctx, "resolving", from, parsed, func(_ context.Context, ref name.Reference, options []remote.Option) (err error) {
		found, err = f.get(ref, options)
		return classified("resolving", from.Ref, err)
	}); err != nil {
		return "", err
	}
	return parsed.Context().Digest(found.Digest.String()).Name(), nil
}

// Digest returns the digest ("sha256:…") of a reference that Resolve returned.
func Digest(pinned string) (string, error) {
	parsed, err := name.NewDigest(pinned)
	if err != nil {
		return "", &Error{Class: Invalid, Action: "reading the digest of", Ref: pinned, Err: err}
	}
	return parsed.DigestStr(), nil
}

// CheckAccess returns an error if no location of a source serves its manifest with the source's credentials. The source's reference must
// have a digest. The manifest must have this digest, so a registry cannot pretend to have the image. Errors are of type *Error.
func (f *Fetcher) CheckAccess(ctx context.Context, from Source) error {
	_, err := f.pull(ctx, from, func(_ context.Context, ref name.Digest, options []remote.Option) error {
		_, err := f.get(ref, options)
		return classified("pulling", from.Ref, err)
	})
	return err
}

// Unpack writes the files of a source to a target, and returns where they are from. The source's reference must have a digest. From an index it
// selects the image of the platform, or else another one. It reads no layer before the image's signatures satisfy the cluster's policy for it, and
// holds no layer in memory. If a location fails, Unpack removes the files and tries the next one. Errors are of type *Error.
func (f *Fetcher) Unpack(ctx context.Context, from Source, target source.Target) (source.Origin, error) {
	policy, err := f.policy(ctx, "pulling", from)
	if err != nil {
		return source.Origin{}, err
	}
	again := newRetryTarget(target)
	var found Manifest
	mirror, err := f.pull(ctx, from, func(ctx context.Context, ref name.Digest, options []remote.Option) (err error) {
		if found, err = f.selectImage(ref, options); err != nil {
			return classified("pulling", from.Ref, err)
		}
		if err := f.verify(ctx, policy, from, repositoryImage{found, ref.Context(), options}); err != nil {
			return classified("verifying", from.Ref, err)
		}
		target, err := again.next()
		if err != nil {
			return classified("unpacking", from.Ref, err)
		}
		return classified("unpacking", from.Ref, f.unpack(ctx, found, target))
	})
	if err != nil {
		return source.Origin{}, err
	}
	return source.Origin{Mirror: mirror, ImageDigest: found.Digest.String()}, nil
}

// pull calls do for the locations of a source, whose reference must have a digest; see fromLocations.
func (f *Fetcher) pull(ctx context.Context, from Source, do func(context.Context, name.Digest, []remote.Option) error) (mirror string, err error) {
	parsed, err := name.NewDigest(from.Ref, from.options()...)
	if err != nil {
		return "", &Error{Class: Invalid, Action: "pulling", Ref: from.Ref, Err: err}
	}
	return f.fromLocations(ctx, "pulling", from, parsed, func(ctx context.Context, ref name.Reference, options []remote.Option) error {
		digest, ok := ref.(name.Digest)
		if !ok { // a location has the digest of the image
			return &Error{Class: Invalid, Action: "pulling", Ref: ref.Name(), Err: errors.New("it has no digest")}
		}
		return do(ctx, digest, options)
	})
}

// begin returns the options of all requests for a source, with the credentials and the transport of the source. The caller must call end
// after the last request.
func (f *Fetcher) begin(ctx context.Context, from Source, isMirror bool) (options []remote.Option, end func(), err error) {
	if f.find != nil {
		return nil, func() {}, nil
	}
	credentials, err := f.credentials(ctx, from, isMirror)
	if err != nil {
		return nil, nil, err
	}
	transport, end, err := f.transportFor(ctx, from)
	if err != nil {
		return nil, nil, err
	}
	return []remote.Option{
		remote.WithContext(ctx),
		remote.WithTransport(transport),
		remote.WithAuthFromKeychain(credentials),
		// One attempt: the controller retries with its own backoff, and reports the error until a retry succeeds.
		remote.WithRetryBackoff(remote.Backoff{Duration: time.Millisecond, Steps: 1}),
	}, end, nil
}

// credentials returns the credentials for a source. For a mirror, they include those of the cluster's global pull secret, because the author
// of the source may not know the cluster's mirrors. The kubelet does the same for Pods.
func (f *Fetcher) credentials(ctx context.Context, from Source, isMirror bool) (authn.Keychain, error) {
	if f.pullSecrets == nil && f.keychain != nil && from.PullSecret == "" {
		return f.keychain, nil
	}
	found, err := f.pullSecrets.keychain(ctx, from)
	if err != nil || !isMirror || from.PullSecret == "" {
		return found, err
	}
	global, err := f.pullSecrets.keychain(ctx, Source{})
	if err != nil {
		return nil, err
	}
	return authn.NewMultiKeychain(found, global), nil
}

// selectImage returns the manifest of a reference. For a reference to an index, it returns that of the first image, in the order of candidates,
// that the registry serves: a mirror may hold only some of them.
func (f *Fetcher) selectImage(ref name.Reference, options []remote.Option) (Manifest, error) {
	found, err := f.get(ref, options)
	if err != nil {
		return Manifest{}, err
	}
	if !found.MediaType.IsIndex() {
		return found, nil
	}
	manifest, err := v1.ParseIndexManifest(bytes.NewReader(found.Manifest))
	if err != nil {
		return Manifest{}, refuse("its index cannot be read: %w", err)
	}
	images := candidates(manifest.Manifests, f.platform)
	if len(images) == 0 {
		return Manifest{}, refuse("its index has no image")
	}
	var first error
	for _, digest := range images {
		child, err := f.get(ref.Context().Digest(digest.String()), options)
		if err == nil {
			return child, nil
		}
		first = cmp.Or(first, err)
		if classOf(err) != NotFound {
			break
		}
	}
	return Manifest{}, first
}

// unpack writes the layers to a target, from the lowest to the highest.
func (f *Fetcher) unpack(ctx context.Context, found Manifest, target source.Target) error {
	img, err := found.Image()
	if err != nil {
		return err
	}
	manifest, err := img.Manifest()
	if err != nil {
		return refuse("its manifest cannot be read: %w", err)
	}
	if err := checkLayers(manifest, f.limits.Layers); err != nil {
		return err
	}
	unpacking, err := newUnpacker(target, f.limits)
	if err != nil {
		return err
	}
	defer unpacking.close()
	unpacking.directory = f.directory
	for i, descriptor := range manifest.Layers {
		if err := unpackLayer(unpacking, img, descriptor); err != nil {
			if ctxErr := ctx.Err(); ctxErr != nil {
				err = errors.Join(ctxErr, err)
			}
			return fmt.Errorf("layer %d of %d: %w", i+1, len(manifest.Layers), err)
		}
	}
	return nil
}

// checkLayers returns an error if there are too many layers, if a layer is not in the registry, or if a layer has the digest of the
// configuration, because such a layer would be read as the configuration.
func checkLayers(manifest *v1.Manifest, limit int) error {
	if len(manifest.Layers) > limit {
		return refuse("it has %d layers, but at most %d are allowed", len(manifest.Layers), limit)
	}
	for i, layer := range manifest.Layers {
		switch {
		case len(layer.URLs) > 0:
			return refuse("layer %d of %d is not in the registry but at external URLs, from which the manager does not fetch", i+1, len(manifest.Layers))
		case layer.Digest == manifest.Config.Digest:
			return refuse("layer %d of %d has the same digest as the image's configuration", i+1, len(manifest.Layers))
		}
	}
	return nil
}

func unpackLayer(unpacking *unpacker, img v1.Image, descriptor v1.Descriptor) error {
	layer, err := img.LayerByDigest(descriptor.Digest)
	if err != nil {
		return err
	}
	compressed, err := layer.Compressed()
	if err != nil {
		return err
	}
	defer compressed.Close()
	content, err := decompress(compressed)
	if err == nil {
		defer content.Close()
		err = unpacking.stream(content)
	}
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	// The digest is verified at the end of the blob, which may be after the end of the compressed data.
	if _, blobErr := io.Copy(io.Discard, compressed); blobErr != nil {
		return blobErr
	}
	if err != nil { // the blob is complete, so the archive itself is truncated
		return refuse("its tar archive cannot be read: %w", err)
	}
	return nil
}

// maxCandidates is the maximum number of images of an index that are requested.
const maxCandidates = 8

// candidates returns the digests of the images of an index in the order in which they are requested: first that of the platform, then the
// others. Any of them will do, because bundle images contain no programs, and the images of an index have the same files otherwise.
func candidates(manifests []v1.Descriptor, platform v1.Platform) []v1.Hash {
	var own, others []v1.Hash
	for _, manifest := range manifests {
		switch {
		// An index lists attestations as images for an unknown platform.
		case !manifest.MediaType.IsImage(), manifest.Platform != nil && manifest.Platform.OS == "unknown":
		case manifest.Platform != nil && manifest.Platform.Satisfies(platform):
			own = append(own, manifest.Digest)
		default:
			others = append(others, manifest.Digest)
		}
	}
	all := append(own, others...)
	return all[:min(len(all), maxCandidates)]
}
