package grpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/operator-framework/operator-registry/pkg/api"
	"golang.org/x/sync/errgroup"
	googlegrpc "google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/catalogsource"
	"github.com/openshift/platform-operators/pkg/truncate"
)

const (
	// timeout bounds one whole read, for callers whose context has no earlier deadline. A full OpenShift catalog streams
	// in seconds; one that takes minutes is a server that hangs.
	timeout = 2 * time.Minute
	// maxMessage bounds one bundle on the wire. grpc-go's own 4 MiB is less than a bundle that carries its manifests.
	maxMessage = 64 << 20
	// concurrentCalls is how many bundles are asked for at once: enough to hide the round trip, few enough not to crowd
	// out OLM, which asks the same server.
	concurrentCalls = 4
)

// Read reads the catalog served at address (host:port) and returns the packages that want says yes to, sorted by name; a
// nil want wants all. A package that the catalog does not have is not in the result. Of all packages, wanted or not, it says
// which of them bring which kinds. The connection is closed on return. Errors name the address and what was asked; there is no
// result beside an error. What is kept is taken from memory; nil has no bound. The caller closes it.
func Read(ctx context.Context, address string, want func(pkg string) bool, memory *catalogsource.Reading) ([]catalog.Package, *catalog.Providers, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	// The address is dialled as it stands, never through a proxy: it is a Service of the cluster.
	connection, err := googlegrpc.NewClient("passthrough:///"+address,
		googlegrpc.WithTransportCredentials(insecure.NewCredentials()),
		googlegrpc.WithNoProxy(),
		googlegrpc.WithDefaultCallOptions(googlegrpc.MaxCallRecvMsgSize(maxMessage)),
	)
	if err != nil {
		return nil, nil, fmt.Errorf("reading catalog at %q: %w", address, err)
	}
	defer connection.Close()
	r := reader{
		client: api.NewRegistryClient(connection), experimental: api.NewExperimentalRegistryClient(connection),
		bundles: map[bundleKey]*listed{}, packages: map[string]bool{}, ruled: map[string]bool{},
		deprecations: map[string]map[catalog.Deprecation]string{},
		memory:       memory, builder: catalog.Builder{Memory: memory},
	}
	err = r.read(ctx, want)
	if err == nil {
		err = ctx.Err() // a server that sees our deadline too may end its stream in good order, and short
	}
	if err != nil {
		return nil, nil, fmt.Errorf("reading catalog at %q: %w", address, err)
	}
	if err := r.builder.Err(); err != nil {
		return nil, nil, fmt.Errorf("reading catalog at %q: %w", address, err)
	}
	return r.builder.Build(), r.providers.Build(), nil
}

type bundleKey struct{ pkg, name string }

// listed is one bundle as the list had it, and one channel to ask for it in.
type listed struct {
	bundle  catalog.Bundle
	channel string
	// known says that the ClusterServiceVersion has been read.
	known bool
	err   error
	// taken is how much memory was taken for it.
	taken int
}

type reader struct {
	client       api.RegistryClient
	experimental api.ExperimentalRegistryClient
	builder      catalog.Builder
	providers    catalog.ProvidersBuilder
	bundles      map[bundleKey]*listed
	packages     map[string]bool
	// ruled are the packages that have upgrade rules on a bundle.
	ruled map[string]bool
	// deprecations are the messages for each deprecated thing of a package.
	deprecations map[string]map[catalog.Deprecation]string
	// memory lends what is kept.
	memory *catalogsource.Reading
}

func (r *reader) read(ctx context.Context, want func(string) bool) error {
	if err := r.list(ctx, want); err != nil {
		return fmt.Errorf("listing bundles: %w", err)
	}
	for pkg := range r.packages {
		answer, err := r.client.GetPackage(ctx, &api.GetPackageRequest{Name: pkg})
		if err != nil {
			return fmt.Errorf("getting package %q: %w", pkg, err)
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
		r.memory.Return(l.taken)
		if l.err != nil {
			r.builder.AddFault(key.pkg, fmt.Errorf("olm.bundle %s is left out: properties: %w", truncate.Quote(key.name), l.err))
			continue
		}
		r.builder.AddBundle(key.pkg, l.bundle)
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
			if err := r.add(bundle); err != nil {
				return fmt.Errorf("keeping package %s: %w", truncate.Quote(bundle.GetPackageName()), err)
			}
		}
	}
}

// add keeps a bundle of the list. An error is that there is no memory for it.
func (r *reader) add(b *api.Bundle) error {
	r.packages[b.GetPackageName()] = true
	r.builder.AddChannel(b.GetPackageName(), b.GetChannelName(), catalog.Entry{
		Name:      b.GetCsvName(),
		Replaces:  b.GetReplaces(),
		Skips:     b.GetSkips(),
		SkipRange: b.GetSkipRange(),
	})
	r.deprecate(b.GetPackageName(), "olm.bundle", b.GetCsvName(), b.GetDeprecation())
	key := bundleKey{b.GetPackageName(), b.GetCsvName()}
	if _, known := r.bundles[key]; known {
		return r.builder.Err()
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
		if err := l.bundle.AddProperty(property.GetType(), []byte(property.GetValue())); err != nil && l.err == nil {
			l.err = err
		}
	}
	r.bundles[key] = l
	if err := r.addCSV(l, b.GetCsvJson()); err != nil {
		return err
	}
	return r.builder.Err()
}

// addCSV takes from the ClusterServiceVersion what is kept of it. The text itself is not: a catalog has hundreds of megabytes.
// The memory for the bundle is taken; an error is that there is none.
func (r *reader) addCSV(l *listed, csv string) error {
	if csv != "" {
		l.known = true
		if l.err == nil {
			l.err = l.bundle.AddManifest([]byte(csv))
		}
	}
	size := l.bundle.Size()
	if size <= l.taken {
		return nil
	}
	if err := r.memory.Take(size - l.taken); err != nil {
		return err
	}
	l.taken = size
	return nil
}

// complete gets the ClusterServiceVersion of every bundle that was listed without one.
func (r *reader) complete(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(concurrentCalls)
	for key, l := range r.bundles {
		if l.known || l.err != nil {
			continue
		}
		group.Go(func() error {
			answer, err := r.client.GetBundle(ctx, &api.GetBundleRequest{PkgName: key.pkg, ChannelName: l.channel, CsvName: key.name})
			if err != nil {
				return fmt.Errorf("getting bundle %q of package %q: %w", key.name, key.pkg, err)
			}
			if answer.GetBundlePath() != l.bundle.Image {
				return fmt.Errorf("getting bundle %q of package %q: its image is now %q and was %q in the list: the catalog was replaced while it was read; reading it again",
					key.name, key.pkg, answer.GetBundlePath(), l.bundle.Image)
			}
			if err := r.addCSV(l, answer.GetCsvJson()); err != nil {
				return fmt.Errorf("keeping package %s: %w", truncate.Quote(key.pkg), err)
			}
			return nil
		})
	}
	return group.Wait()
}
