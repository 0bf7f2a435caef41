package grpc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/operator-framework/operator-registry/pkg/api"
	"golang.org/x/sync/errgroup"
	googlegrpc "google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/catalogsource"
	"github.com/openshift/platform-operators/pkg/truncate"
)

const (
	// timeout is the maximum duration of one read, not counting waits for other reads. A full OpenShift catalog takes seconds; a server
	// that takes minutes is hanging.
	timeout = 2 * time.Minute
	// initialMaxMessage is the maximum size of a message in the first attempt, in bytes. The largest blob in the OpenShift 4.20 catalogs
	// has 194 KiB, and a message may contain its content twice.
	initialMaxMessage = 512 << 10
	// maxMessage is the maximum size of a message in the second attempt, in bytes. Only one read at a time may make a second attempt. The
	// manifests of the largest known bundle have 6.5 MiB.
	maxMessage = 8 << 20
	// initialMaxParts is the maximum number of parts (properties, skips and others) of a message in the first attempt. maxParts is the
	// maximum number in the second attempt. A bundle in the OpenShift 4.20 catalogs has about a hundred.
	initialMaxParts, maxParts = 2_048, 20_000
	// concurrentCalls is the maximum number of concurrent calls in one read. It is high enough to hide the round-trip time, and low enough
	// not to crowd out OLM, which uses the same server. 16 reads then hold 16 MiB of messages.
	concurrentCalls = 2
	// maxHeaders is the maximum size of headers and trailers, which include the text of an error, in bytes. The default of grpc-go is 16
	// MiB.
	maxHeaders = 64 << 10
)

// Client reads catalogs. The zero value connects over TCP.
type Client struct {
	// Dial connects to an address. Nil means a connection over TCP.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// ListedOnly omits the requests for the ClusterServiceVersions of bundles that the server lists without one. MinKubeVersion,
	// SuggestedNamespace, InstallModes and CreatedAt of these bundles are then empty. A full catalog has a thousand such bundles, and the
	// requests take minutes over a slow connection.
	ListedOnly bool
}

// Read reads the catalog at address (host:port) and returns the packages for which want returns true, sorted by name; a nil want selects
// all. It omits packages that are not in the catalog. The Providers include all packages, wanted or not. It closes the connection before it
// returns. Errors name the address and the request; with an error there is no result. memory limits what is retained; nil means no limit.
// The caller closes memory.
func (c Client) Read(ctx context.Context, address string, want func(pkg string) bool, memory *catalogsource.Reservation) ([]catalog.Package, *catalog.Providers, error) {
	ctx, end := memory.StartRead(ctx, timeout)
	defer end()
	// grpc-go must not use HTTPS_PROXY: the address is a Service of the cluster. Dial may use another proxy.
	connection, err := googlegrpc.NewClient("passthrough:///"+address,
		googlegrpc.WithContextDialer(c.dialer(memory)),
		googlegrpc.WithTransportCredentials(insecure.NewCredentials()),
		googlegrpc.WithNoProxy(),
		googlegrpc.WithMaxHeaderListSize(maxHeaders),
		// Limit how much a server may send before the client has read it. By default, grpc-go raises the limit to 16 MiB for a fast server.
		googlegrpc.WithStaticStreamWindowSize(initialMaxMessage),
		googlegrpc.WithStaticConnWindowSize(concurrentCalls*initialMaxMessage),
	)
	if err != nil {
		return nil, nil, fmt.Errorf("reading catalog at %q: %w", address, err)
	}
	defer connection.Close()
	usual := newBoundedConnection(connection, initialMaxMessage, initialMaxParts)
	packages, providers, err := c.readWith(ctx, usual, want, memory, concurrentCalls)
	if usual.isExceeded(err) {
		packages, providers, err = c.readLarge(ctx, connection, want, memory)
	}
	// The server knows the client's deadline, and may end its stream early without an error.
	if err = catalogsource.Cause(ctx, err); err != nil {
		return nil, nil, fmt.Errorf("reading catalog at %q: %w", address, err)
	}
	return packages, providers, nil
}

// dialer returns a function that connects to a server. The connection reports the number of bytes that it receives to memory, with
// AddReceived.
func (c Client) dialer(memory *catalogsource.Reservation) func(context.Context, string) (net.Conn, error) {
	dial := c.Dial
	if dial == nil {
		dial = (&net.Dialer{}).DialContext
	}
	return func(ctx context.Context, address string) (net.Conn, error) {
		connection, err := dial(ctx, "tcp", address)
		if err != nil {
			return nil, err
		}
		return &countingConn{connection, memory}, nil
	}
}

// countingConn is a connection that reports the number of received bytes to a Reservation.
type countingConn struct {
	net.Conn
	memory *catalogsource.Reservation
}

// Read implements net.Conn.
func (c *countingConn) Read(buffer []byte) (int, error) {
	n, err := c.Conn.Read(buffer)
	c.memory.AddReceived(n)
	return n, err
}

// readLarge reads a catalog again after a message exceeded the limits of the first attempt. It first waits until no other catalog with large
// messages is read.
func (c Client) readLarge(ctx context.Context, connection googlegrpc.ClientConnInterface, want func(string) bool, memory *catalogsource.Reservation) ([]catalog.Package, *catalog.Providers, error) {
	memory.Reset()
	release, err := memory.AcquireLarge(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer release()
	large := newBoundedConnection(connection, maxMessage, maxParts)
	packages, providers, err := c.readWith(ctx, large, want, memory, 1)
	if large.isExceeded(err) {
		err = &largeError{err}
	}
	return packages, providers, err
}

// largeError is the error of a read that failed because a message exceeded the limits of the second attempt.
type largeError struct{ error }

// Error returns the problem and the remedy.
func (e *largeError) Error() string {
	return e.error.Error() + "; ask the catalog's publisher to prune it"
}

// Unwrap returns the problem.
func (e *largeError) Unwrap() error { return e.error }

// readWith reads a catalog over a connection that limits the messages. calls is the maximum number of concurrent calls.
func (c Client) readWith(ctx context.Context, bounded boundedConnection, want func(string) bool, memory *catalogsource.Reservation, calls int) ([]catalog.Package, *catalog.Providers, error) {
	r := &reader{
		client: api.NewRegistryClient(bounded), experimental: api.NewExperimentalRegistryClient(bounded), concurrency: calls, listedOnly: c.ListedOnly,
		bundles: map[bundleKey]*listedBundle{}, packages: map[string]bool{}, discarded: map[string]bool{}, hasRules: map[string]bool{},
		deprecations: map[string]map[catalog.Deprecation]string{},
		builder:      catalog.Builder{Memory: memory}, providers: catalog.ProvidersBuilder{Memory: memory},
	}
	err := r.read(ctx, want)
	if err == nil {
		err = r.builder.Err()
	}
	if err != nil {
		return nil, nil, err
	}
	return r.builder.Build(), r.providers.Build(), nil
}

// boundedConnection is a connection that limits the messages that its calls receive. message is the maximum size in bytes, and codec limits
// the number of parts.
type boundedConnection struct {
	googlegrpc.ClientConnInterface
	message int
	codec   boundedCodec
}

// newBoundedConnection returns a connection that limits each message to a number of bytes and a number of parts.
func newBoundedConnection(connection googlegrpc.ClientConnInterface, message, parts int) boundedConnection {
	return boundedConnection{connection, message, boundedCodec{parts, new(atomic.Bool)}}
}

// isExceeded reports whether a read failed with err because a message exceeded the limits of the connection.
func (c boundedConnection) isExceeded(err error) bool {
	return err != nil && (status.Code(err) == codes.ResourceExhausted || c.codec.exceeded.Load())
}

// bounds adds the limits of the connection to the options of a call.
func (c boundedConnection) bounds(options []googlegrpc.CallOption) []googlegrpc.CallOption {
	return append(options, googlegrpc.MaxCallRecvMsgSize(c.message), googlegrpc.ForceCodecV2(c.codec))
}

func (c boundedConnection) Invoke(ctx context.Context, method string, args, reply any, options ...googlegrpc.CallOption) error {
	return c.ClientConnInterface.Invoke(ctx, method, args, reply, c.bounds(options)...)
}

func (c boundedConnection) NewStream(ctx context.Context, desc *googlegrpc.StreamDesc, method string, options ...googlegrpc.CallOption) (googlegrpc.ClientStream, error) {
	return c.ClientConnInterface.NewStream(ctx, desc, method, c.bounds(options)...)
}

type bundleKey struct{ pkg, name string }

// listedBundle is a bundle in the streamed list. It includes the name of one of the bundle's channels, which the request for its
// ClusterServiceVersion needs.
type listedBundle struct {
	bundle  catalog.Bundle
	channel string
	// hasCSV means that the ClusterServiceVersion has been read.
	hasCSV bool
	// invalid means that the bundle has an unreadable property. The bundle is then omitted, and its package gets a fault.
	invalid bool
	// reserved is the memory that is reserved for the bundle, in bytes.
	reserved int
}

type reader struct {
	client       api.RegistryClient
	experimental api.ExperimentalRegistryClient
	// concurrency is the maximum number of concurrent calls. listedOnly is as in Client.
	concurrency int
	listedOnly  bool
	builder     catalog.Builder
	providers   catalog.ProvidersBuilder
	bundles     map[bundleKey]*listedBundle
	packages    map[string]bool
	// discarded holds the names of the packages that are too large. Nothing of these packages is retained.
	discarded map[string]bool
	// hasRules holds the names of the packages of which a bundle has upgrade rules in its properties.
	hasRules map[string]bool
	// deprecations holds the deprecation messages, keyed by package and by the deprecated object, which has no Message.
	deprecations map[string]map[catalog.Deprecation]string
	// lock guards builder, deprecations, and what addCSV changes, during concurrent calls.
	lock sync.Mutex
}

func (r *reader) read(ctx context.Context, want func(string) bool) error {
	if err := r.list(ctx, want); err != nil {
		return fmt.Errorf("listing bundles: %w", err)
	}
	if err := r.getPackages(ctx); err != nil {
		return err
	}
	r.addDeprecations()
	if err := r.addRules(ctx); err != nil {
		return err
	}
	if !r.listedOnly {
		if err := r.fetchCSVs(ctx); err != nil {
			return err
		}
	}
	for key, l := range r.bundles {
		// From here on, the builder retains the bundle.
		delete(r.bundles, key)
		r.builder.Release(key.pkg, l.reserved)
		if !l.invalid {
			r.builder.AddBundle(key.pkg, l.bundle)
		}
	}
	return nil
}

// getPackages requests the default channel and the deprecations of every listed package.
func (r *reader) getPackages(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(r.concurrency)
	for pkg := range r.packages {
		group.Go(func() error {
			answer, err := r.client.GetPackage(ctx, &api.GetPackageRequest{Name: pkg})
			if err != nil {
				return fmt.Errorf("getting package %s: %w", truncate.Quote(pkg), err)
			}
			r.lock.Lock()
			defer r.lock.Unlock()
			r.builder.AddPackage(pkg, answer.GetDefaultChannelName())
			r.addDeprecation(pkg, "olm.package", "", answer.GetDeprecation())
			for _, channel := range answer.GetChannels() {
				r.addDeprecation(pkg, "olm.channel", channel.GetName(), channel.GetDeprecation())
			}
			return nil
		})
	}
	return group.Wait()
}

// list streams the whole catalog once, because no other call returns replaces and skips. A bundle appears once for each of its channels.
func (r *reader) list(ctx context.Context, want func(string) bool) error {
	stream, err := r.client.ListBundles(ctx, &api.ListBundlesRequest{})
	if err != nil {
		return err
	}
	for {
		bundle, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, property := range bundle.GetProperties() {
			r.providers.AddProperty(bundle.GetPackageName(), property.GetType(), property.GetValue())
		}
		if want == nil || want(bundle.GetPackageName()) {
			r.add(bundle)
		}
		if err := cmp.Or(r.builder.Err(), r.providers.Err()); err != nil {
			return err
		}
	}
}

// add adds a bundle from the streamed list. If the bundle was already added for a different channel, add only adds the channel entry.
func (r *reader) add(b *api.Bundle) {
	r.packages[b.GetPackageName()] = true
	if r.discarded[b.GetPackageName()] {
		return
	}
	r.builder.AddChannel(b.GetPackageName(), b.GetChannelName(), catalog.Entry{
		Name:      b.GetCsvName(),
		Replaces:  b.GetReplaces(),
		Skips:     b.GetSkips(),
		SkipRange: b.GetSkipRange(),
	})
	r.addDeprecation(b.GetPackageName(), "olm.bundle", b.GetCsvName(), b.GetDeprecation())
	key := bundleKey{b.GetPackageName(), b.GetCsvName()}
	if !r.builder.Reserve(key.pkg, 0) {
		r.discard(key.pkg)
		return
	}
	if _, known := r.bundles[key]; known {
		return
	}
	l := &listedBundle{
		bundle:  catalog.Bundle{Name: b.GetCsvName(), Image: b.GetBundlePath(), Version: b.GetVersion()},
		channel: b.GetChannelName(),
	}
	for _, property := range b.GetProperties() {
		if catalog.IsUpgradeSchema(property.GetType()) {
			r.hasRules[key.pkg] = true
			r.builder.AddUpgradeRules(key.pkg, property.GetType(), key.name, []byte(property.GetValue()))
			continue
		}
		r.addFault(key, l, l.bundle.AddProperty(property.GetType(), []byte(property.GetValue())))
	}
	r.bundles[key] = l
	r.addCSV(key, l, b.GetCsvJson())
}

// addFault marks a bundle as invalid and adds the error as a fault of its package. It does nothing if err is nil or the bundle is already
// invalid.
func (r *reader) addFault(key bundleKey, l *listedBundle, err error) {
	if err != nil && !l.invalid {
		l.invalid = true
		r.builder.AddFault(key.pkg, fmt.Errorf("olm.bundle %s is left out: properties: %w", truncate.Quote(key.name), err))
	}
}

// addCSV sets the bundle's fields from csv, the text of its ClusterServiceVersion, which may be empty. It does not retain the text, because
// a catalog has hundreds of megabytes of them. It reserves memory for the bundle. If that fails, it discards the package.
func (r *reader) addCSV(key bundleKey, l *listedBundle, csv string) {
	if csv != "" {
		l.hasCSV = true
		if !l.invalid {
			r.addFault(key, l, l.bundle.AddManifest([]byte(csv)))
		}
	}
	more := max(0, l.bundle.Size()-l.reserved)
	if !r.builder.Reserve(key.pkg, more) {
		r.discard(key.pkg)
		return
	}
	l.reserved += more
}

// discard removes the listed bundles and the deprecations of a package that is too large. The reader then ignores any that it receives
// later. discard does nothing if the package was already discarded.
func (r *reader) discard(pkg string) {
	if r.discarded[pkg] {
		return
	}
	r.discarded[pkg] = true
	maps.DeleteFunc(r.bundles, func(key bundleKey, _ *listedBundle) bool { return key.pkg == pkg })
	delete(r.deprecations, pkg)
}

// fetchCSVs requests the ClusterServiceVersion of every bundle that was listed without one.
func (r *reader) fetchCSVs(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(r.concurrency)
	for key, l := range maps.Clone(r.bundles) {
		if l.hasCSV || l.invalid {
			continue
		}
		group.Go(func() error {
			answer, err := r.client.GetBundle(ctx, &api.GetBundleRequest{PkgName: key.pkg, ChannelName: l.channel, CsvName: key.name})
			if err != nil {
				return fmt.Errorf("getting bundle %s of package %s: %w", truncate.Quote(key.name), truncate.Quote(key.pkg), err)
			}
			if answer.GetBundlePath() != l.bundle.Image {
				return fmt.Errorf("getting bundle %s of package %s: its image is now %s and was %s in the list: the catalog was replaced during "+
					"the read; the manager retries",
					truncate.Quote(key.name), truncate.Quote(key.pkg), truncate.Quote(answer.GetBundlePath()), truncate.Quote(l.bundle.Image))
			}
			r.lock.Lock()
			defer r.lock.Unlock()
			r.addCSV(key, l, answer.GetCsvJson())
			return r.builder.Err()
		})
	}
	return group.Wait()
}
