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
	// timeout bounds one whole read, for callers whose context has no earlier deadline; waits for other readings do not count. A full
	// OpenShift catalog streams in seconds; one that takes minutes is a server that hangs.
	timeout = 2 * time.Minute
	// usualMessage bounds a message at first: the largest blob of the catalogs of OpenShift 4.20 has 194 KiB, and a message may have
	// what is in it twice.
	usualMessage = 512 << 10
	// maxMessage bounds a message where one is larger than that. One reading at a time may have such. The manifests of the largest of
	// the bundles that were looked at have 6.5 MiB.
	maxMessage = 8 << 20
	// usualParts bounds the properties, skips and other parts of a message at first: a bundle of the catalogs of OpenShift 4.20 has
	// some hundred. maxParts bounds them where a message has more, which counts as large too.
	usualParts, maxParts = 2_048, 20_000
	// concurrentCalls is how many bundles are asked for at once: enough to hide the round trip, few enough not to crowd
	// out OLM, which asks the same server. 16 readings hold 16 MiB of messages so.
	concurrentCalls = 2
	// maxHeaders bounds what comes before and after messages: an error's text. grpc-go's own bound is 16 MiB.
	maxHeaders = 64 << 10
)

// Client reads catalogs. Its zero value connects by TCP.
type Client struct {
	// Dial connects to an address; nil connects by TCP.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Read reads the catalog served at address (host:port) and returns the packages that want says yes to, sorted by name; a
// nil want wants all. A package that the catalog does not have is not in the result. Of all packages, wanted or not, it says
// which of them bring which kinds. The connection is closed on return. Errors name the address and what was asked; there is no
// result beside an error. What is kept is taken from memory; nil has no bound. The caller closes it.
func (c Client) Read(ctx context.Context, address string, want func(pkg string) bool, memory *catalogsource.Reading) ([]catalog.Package, *catalog.Providers, error) {
	ctx, end := memory.Begin(ctx, timeout)
	defer end()
	// The address is dialled as it stands, never through a proxy: it is a Service of the cluster.
	connection, err := googlegrpc.NewClient("passthrough:///"+address,
		googlegrpc.WithContextDialer(c.dialer(memory)),
		googlegrpc.WithTransportCredentials(insecure.NewCredentials()),
		googlegrpc.WithNoProxy(),
		googlegrpc.WithMaxHeaderListSize(maxHeaders),
		// What a server may send before it is read. Left to itself, grpc-go raises it to 16 MiB for a fast server.
		googlegrpc.WithStaticStreamWindowSize(usualMessage),
		googlegrpc.WithStaticConnWindowSize(concurrentCalls*usualMessage),
	)
	if err != nil {
		return nil, nil, fmt.Errorf("reading catalog at %q: %w", address, err)
	}
	defer connection.Close()
	usual := newBoundedConnection(connection, usualMessage, usualParts)
	packages, providers, err := readWith(ctx, usual, want, memory, concurrentCalls)
	if status.Code(err) == codes.ResourceExhausted || err != nil && usual.codec.exceeded.Load() {
		packages, providers, err = readLarge(ctx, connection, want, memory)
	}
	// A server that sees our deadline too may end its stream in good order, and short.
	if err = catalogsource.Cause(ctx, err); err != nil {
		return nil, nil, fmt.Errorf("reading catalog at %q: %w", address, err)
	}
	return packages, providers, nil
}

// dialer returns the function that connects to the server. What the server sends is counted.
func (c Client) dialer(memory *catalogsource.Reading) func(context.Context, string) (net.Conn, error) {
	dial := c.Dial
	if dial == nil {
		dial = (&net.Dialer{}).DialContext
	}
	return func(ctx context.Context, address string) (net.Conn, error) {
		connection, err := dial(ctx, "tcp", address)
		if err != nil {
			return nil, err
		}
		return &countedConnection{connection, memory}, nil
	}
}

// countedConnection counts the bytes that come.
type countedConnection struct {
	net.Conn
	memory *catalogsource.Reading
}

// Read reads on.
func (c *countedConnection) Read(buffer []byte) (int, error) {
	n, err := c.Conn.Read(buffer)
	c.memory.Received(n)
	return n, err
}

// readLarge reads a catalog of which a message was too large for the usual bound, from the start.
func readLarge(ctx context.Context, connection googlegrpc.ClientConnInterface, want func(string) bool, memory *catalogsource.Reading) ([]catalog.Package, *catalog.Providers, error) {
	memory.Reset()
	release, err := memory.Large(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer release()
	return readWith(ctx, newBoundedConnection(connection, maxMessage, maxParts), want, memory, 1)
}

// readWith reads over a connection that bounds each message, and makes so many calls at once.
func readWith(ctx context.Context, bounded boundedConnection, want func(string) bool, memory *catalogsource.Reading, calls int) ([]catalog.Package, *catalog.Providers, error) {
	r := &reader{
		client: api.NewRegistryClient(bounded), experimental: api.NewExperimentalRegistryClient(bounded), calls: calls,
		bundles: map[bundleKey]*listed{}, packages: map[string]bool{}, dropped: map[string]bool{}, ruled: map[string]bool{},
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

// boundedConnection bounds the messages of its calls.
type boundedConnection struct {
	googlegrpc.ClientConnInterface
	message int
	codec   boundedCodec
}

// newBoundedConnection bounds a message to so many bytes, and to so many parts.
func newBoundedConnection(connection googlegrpc.ClientConnInterface, message, parts int) boundedConnection {
	return boundedConnection{connection, message, boundedCodec{parts, new(atomic.Bool)}}
}

// bounds are options of a call.
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

// listed is one bundle as the list had it, and one channel to ask for it in.
type listed struct {
	bundle  catalog.Bundle
	channel string
	// known says that the ClusterServiceVersion has been read.
	known bool
	// refused says that the bundle has a property that cannot be read, which is a fault of its package.
	refused bool
	// reserved is how much memory was reserved for it.
	reserved int
}

type reader struct {
	client       api.RegistryClient
	experimental api.ExperimentalRegistryClient
	// calls is how many calls may run at once.
	calls     int
	builder   catalog.Builder
	providers catalog.ProvidersBuilder
	bundles   map[bundleKey]*listed
	packages  map[string]bool
	// dropped are packages of which nothing is kept, because they are too large.
	dropped map[string]bool
	// ruled are the packages that have upgrade rules on a bundle.
	ruled map[string]bool
	// deprecations are the messages for each deprecated thing of a package.
	deprecations map[string]map[catalog.Deprecation]string
	// lock is of builder, while several calls run.
	lock sync.Mutex
}

func (r *reader) read(ctx context.Context, want func(string) bool) error {
	if err := r.list(ctx, want); err != nil {
		return fmt.Errorf("listing bundles: %w", err)
	}
	for pkg := range r.packages {
		answer, err := r.client.GetPackage(ctx, &api.GetPackageRequest{Name: pkg})
		if err != nil {
			return fmt.Errorf("getting package %s: %w", truncate.Quote(pkg), err)
		}
		r.builder.AddPackage(pkg, answer.GetDefaultChannelName())
		r.deprecate(pkg, "olm.package", "", answer.GetDeprecation())
		for _, channel := range answer.GetChannels() {
			r.deprecate(pkg, "olm.channel", channel.GetName(), channel.GetDeprecation())
		}
	}
	r.addDeprecations()
	if err := r.addRules(ctx); err != nil {
		return err
	}
	if err := r.complete(ctx); err != nil {
		return err
	}
	for key, l := range r.bundles {
		// From here on the builder keeps it.
		delete(r.bundles, key)
		r.builder.Release(key.pkg, l.reserved)
		if !l.refused {
			r.builder.AddBundle(key.pkg, l.bundle)
		}
	}
	return nil
}

// list streams the whole catalog once: the only call that carries replaces and skips. A bundle comes once for each
// channel that it is in.
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

// add keeps a bundle of the list.
func (r *reader) add(b *api.Bundle) {
	r.packages[b.GetPackageName()] = true
	if r.dropped[b.GetPackageName()] {
		return
	}
	r.builder.AddChannel(b.GetPackageName(), b.GetChannelName(), catalog.Entry{
		Name:      b.GetCsvName(),
		Replaces:  b.GetReplaces(),
		Skips:     b.GetSkips(),
		SkipRange: b.GetSkipRange(),
	})
	r.deprecate(b.GetPackageName(), "olm.bundle", b.GetCsvName(), b.GetDeprecation())
	key := bundleKey{b.GetPackageName(), b.GetCsvName()}
	if !r.builder.Reserve(key.pkg, 0) {
		r.drop(key.pkg)
		return
	}
	if _, known := r.bundles[key]; known {
		return
	}
	l := &listed{
		bundle:  catalog.Bundle{Name: b.GetCsvName(), Image: b.GetBundlePath(), Version: b.GetVersion()},
		channel: b.GetChannelName(),
	}
	for _, property := range b.GetProperties() {
		if catalog.IsUpgradeSchema(property.GetType()) {
			r.ruled[key.pkg] = true
			r.builder.AddUpgradeRules(key.pkg, property.GetType(), key.name, []byte(property.GetValue()))
			continue
		}
		r.check(key, l, l.bundle.AddProperty(property.GetType(), []byte(property.GetValue())))
	}
	r.bundles[key] = l
	r.addCSV(key, l, b.GetCsvJson())
}

// check records the first error of a bundle as a fault of its package.
func (r *reader) check(key bundleKey, l *listed, err error) {
	if err != nil && !l.refused {
		l.refused = true
		r.builder.AddFault(key.pkg, fmt.Errorf("olm.bundle %s is left out: properties: %w", truncate.Quote(key.name), err))
	}
}

// addCSV takes from the ClusterServiceVersion what is kept of it. The text itself is not: a catalog has hundreds of megabytes.
// Memory for the bundle is reserved; where there is none, nothing of the bundle is kept.
func (r *reader) addCSV(key bundleKey, l *listed, csv string) {
	if csv != "" {
		l.known = true
		if !l.refused {
			r.check(key, l, l.bundle.AddManifest([]byte(csv)))
		}
	}
	more := max(0, l.bundle.Size()-l.reserved)
	if !r.builder.Reserve(key.pkg, more) {
		r.drop(key.pkg)
		return
	}
	l.reserved += more
}

// drop forgets what was listed of a package of which nothing is kept.
func (r *reader) drop(pkg string) {
	if r.dropped[pkg] {
		return
	}
	r.dropped[pkg] = true
	maps.DeleteFunc(r.bundles, func(key bundleKey, _ *listed) bool { return key.pkg == pkg })
	delete(r.deprecations, pkg)
}

// complete gets the ClusterServiceVersion of every bundle that was listed without one.
func (r *reader) complete(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(r.calls)
	for key, l := range maps.Clone(r.bundles) {
		if l.known || l.refused {
			continue
		}
		group.Go(func() error {
			answer, err := r.client.GetBundle(ctx, &api.GetBundleRequest{PkgName: key.pkg, ChannelName: l.channel, CsvName: key.name})
			if err != nil {
				return fmt.Errorf("getting bundle %s of package %s: %w", truncate.Quote(key.name), truncate.Quote(key.pkg), err)
			}
			if answer.GetBundlePath() != l.bundle.Image {
				return fmt.Errorf("getting bundle %s of package %s: its image is now %s and was %s in the list: the catalog was replaced while it was read; reading it again",
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
