package localcatalog

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
)

// catalogName is the {catalog} of catalogd's paths: a server has one catalog.
const catalogName = "local"

// Options say what a Server serves.
type Options struct {
	// Catalogs are directories of file-based catalogs, a folder a package with YAML or JSON files in it. A package must
	// be in one of them only. Required.
	Catalogs []string
	// Bundles are directories of registry+v1 bundles, laid out as <package>/<version>/{manifests,metadata}. A bundle
	// belongs to the catalog's bundle of the same package whose olm.package property has the same version. The first
	// directory that has it wins. None: the registry answers 404 for every bundle.
	Bundles []string
	// Packages are the names to serve; empty serves all. The filter is applied before anything is built, so a catalog of
	// which one package is wanted starts fast.
	Packages []string
	// WithoutCustomSchemas serves over gRPC as operator-registry did before 1.69: nothing of schemas other than OLM's.
	WithoutCustomSchemas bool
	// ListenHost is the loopback IP address to listen on; empty means 127.0.0.1.
	ListenHost string
	// Network is where to listen; nil is the operating system's network.
	Network Network
	// GRPCPort, HTTPSPort and RegistryPort are the ports to listen on; 0 means any free one.
	GRPCPort, HTTPSPort, RegistryPort int
	// Dir is where the CA file and operator-registry's cache are kept; it is created if absent. Empty means a temporary
	// directory that Close removes.
	Dir string
}

// Network is a network in memory.
type Network interface {
	// Listen listens on an address, as host:port. Port 0 stands for any free one.
	Listen(address string) (net.Listener, error)
	// DialContext connects to an address.
	DialContext(ctx context.Context, network, address string) (net.Conn, error)
}

// systemNetwork is the operating system's.
type systemNetwork struct{ net.Dialer }

// Listen implements Network.
func (*systemNetwork) Listen(address string) (net.Listener, error) { return net.Listen("tcp", address) }

// Server is a running local catalog. All methods may be called from any goroutine.
type Server struct {
	options  Options
	dir      string
	ownsDir  bool
	identity *identity
	registry *imageRegistry

	grpcListener, httpsListener, registryListener net.Listener
	grpcServer                                    *grpc.Server
	httpServers                                   []*http.Server
	serving                                       sync.WaitGroup

	updating sync.Mutex // one Update at a time
	sequence int        // number of the newest generation; guarded by updating
	closed   bool       // guarded by updating

	live     live
	down     atomic.Bool
	requests atomic.Int64
	seen     seen
	// withoutMetas and others are what tests make of HTTPS.
	withoutMetas atomic.Bool
	others       sync.Map // of http.Handler, by catalog
	close        sync.Once
	closeErr     error
}

// Start reads the catalogs, builds the images and serves; it returns when every address answers. The server runs until
// Close, or until ctx is done.
func Start(ctx context.Context, options Options) (*Server, error) {
	if len(options.Catalogs) == 0 {
		return nil, errors.New("starting a local catalog: no catalog directory given; name at least one directory of file-based catalogs")
	}
	if options.ListenHost == "" {
		options.ListenHost = "127.0.0.1"
	}
	if ip := net.ParseIP(options.ListenHost); ip == nil || !ip.IsLoopback() {
		return nil, fmt.Errorf("starting a local catalog: listen host %q is not a loopback IP address; use 127.0.0.1 or ::1", options.ListenHost)
	}
	if options.Network == nil {
		options.Network = &systemNetwork{}
	}
	s := &Server{options: options}
	if err := s.start(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("starting a local catalog of %q: %w", options.Catalogs, err), s.Close())
	}
	context.AfterFunc(ctx, func() { _ = s.Close() })
	return s, nil
}

// start runs the steps of Start in order; what it has begun is undone by Close.
func (s *Server) start(ctx context.Context) error {
	for _, step := range []func() error{
		s.prepareDir, s.listen, s.createIdentity, s.serveRegistry,
		func() error { return s.Update(ctx, s.options.Catalogs...) },
		s.serveGRPC, s.serveHTTPS,
	} {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (s *Server) prepareDir() error {
	s.dir = s.options.Dir
	if s.dir != "" {
		return os.MkdirAll(s.dir, 0o755)
	}
	dir, err := os.MkdirTemp("", "localcatalog-")
	s.dir, s.ownsDir = dir, err == nil
	return err
}

func (s *Server) listen() error {
	for _, l := range []struct {
		port     int
		listener *net.Listener
	}{
		{s.options.GRPCPort, &s.grpcListener},
		{s.options.HTTPSPort, &s.httpsListener},
		{s.options.RegistryPort, &s.registryListener},
	} {
		listener, err := s.options.Network.Listen(net.JoinHostPort(s.options.ListenHost, fmt.Sprint(l.port)))
		if err != nil {
			return err
		}
		*l.listener = listener
	}
	return nil
}

func (s *Server) createIdentity() (err error) {
	s.identity, err = newIdentity(filepath.Join(s.dir, "ca.crt"), s.options.ListenHost)
	return err
}

func (s *Server) serveRegistry() error {
	s.registry = newImageRegistry(s.RegistryHost(), s.options.Network)
	s.serveHTTP(&http.Server{Handler: s.registry, ReadHeaderTimeout: 10 * time.Second}, s.registryListener)
	return nil
}

func (s *Server) serveHTTP(server *http.Server, listener net.Listener) {
	s.httpServers = append(s.httpServers, server)
	s.serving.Go(func() { _ = server.Serve(listener) })
}

// Update replaces the content by that of the given catalog directories; with none, the present directories are read
// again. Bundle directories are read again too, so that new versions have images. A read that has begun ends with the
// content it began with; gRPC and HTTPS change in the same moment. When the new content is not valid, the old one stays.
func (s *Server) Update(ctx context.Context, catalogs ...string) error {
	s.updating.Lock()
	defer s.updating.Unlock()
	if s.closed {
		return errors.New("updating a local catalog: it is closed")
	}
	if len(catalogs) == 0 {
		catalogs = s.options.Catalogs
	}
	next, err := s.build(ctx, catalogs)
	if err != nil {
		return fmt.Errorf("reading local catalogs %q: %w", catalogs, err)
	}
	s.options.Catalogs = slices.Clone(catalogs)
	s.live.replace(next)
	return nil
}

// build makes the next generation; the caller holds updating.
func (s *Server) build(ctx context.Context, catalogs []string) (*generation, error) {
	metas, err := loadMetas(ctx, catalogs, s.options.Packages)
	if err != nil {
		return nil, err
	}
	images, err := s.registry.publish(ctx, s.options.Bundles, s.options.Packages)
	if err != nil {
		return nil, err
	}
	if err := rewriteImages(metas, s.RegistryHost(), images); err != nil {
		return nil, err
	}
	s.sequence++
	return newGeneration(ctx, metas, filepath.Join(s.dir, fmt.Sprintf("generation-%d", s.sequence)), s.live.modified())
}

// Close stops serving and removes what Start created, the CA file included. It may be called more than once.
func (s *Server) Close() error {
	s.close.Do(func() {
		if s.grpcServer != nil {
			s.grpcServer.Stop()
		}
		for _, server := range s.httpServers {
			_ = server.Close()
		}
		for _, listener := range []net.Listener{s.grpcListener, s.httpsListener, s.registryListener} {
			if listener != nil {
				_ = listener.Close() // closed already where it was served
			}
		}
		s.serving.Wait()
		s.updating.Lock() // an update that is under way would leave its files behind
		defer s.updating.Unlock()
		s.closed = true
		s.live.replace(nil)
		s.live.retired.Wait()
		if s.ownsDir {
			s.closeErr = os.RemoveAll(s.dir)
		}
	})
	return s.closeErr
}

// GRPCAddress is where operator-registry's API is served in plaintext, as host:port: what a CatalogSource's
// status.connectionState.address holds.
func (s *Server) GRPCAddress() string { return s.grpcListener.Addr().String() }

// HTTPSBaseURL is what a ClusterCatalog's status.urls.base holds: /api/v1/all and /api/v1/metas are below it.
func (s *Server) HTTPSBaseURL() string {
	return "https://" + s.httpsListener.Addr().String() + "/catalogs/" + catalogName
}

// CAFile is the PEM file of the authority that signed the HTTPS side's certificate.
func (s *Server) CAFile() string { return s.identity.file }

// RegistryHost is the host:port of the registry, which speaks plain http.
func (s *Server) RegistryHost() string { return s.registryListener.Addr().String() }

// ContentDigest names the content served now: "sha256:" and the hash of what /api/v1/all answers.
func (s *Server) ContentDigest() string {
	current, release := s.live.acquire()
	defer release()
	return current.digest
}

// Requests is how many gRPC calls and HTTPS requests were received so far, for tests that count them.
func (s *Server) Requests() int { return int(s.requests.Load()) }

// Unavailable makes gRPC answer code Unavailable and HTTPS answer 503, until it is called with false.
func (s *Server) Unavailable(on bool) { s.down.Store(on) }

// Bundle returns the reference, by digest, of the image made of a bundle directory, and whether there is one.
func (s *Server) Bundle(packageName, version string) (string, bool) {
	return s.registry.bundle(bundleID{packageName, version})
}

// Fail makes every request for the repository of an image (any reference to it, tag or digest) answer the HTTP status;
// 0 ends that.
func (s *Server) Fail(ref string, status int) error { return s.registry.fail(ref, status) }

// RotateCA replaces authority and certificate: CAFile then holds the new authority, and connections made from now on are
// served with a certificate that only it vouches for.
func (s *Server) RotateCA() error { return s.identity.rotate() }
