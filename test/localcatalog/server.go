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

// catalogName is the name of a server's own catalog in the paths of catalogd's API.
const catalogName = "local"

// Options configure a Server.
type Options struct {
	// Catalogs are directories of file-based catalogs, with a folder of YAML or JSON files for each package. A package must be in only one
	// of them. Required.
	Catalogs []string
	// Bundles are directories of registry+v1 bundles, as <package>/<version>/{manifests,metadata}. A bundle directory belongs to the
	// catalog's bundle whose olm.package property has the same package and version. If several directories contain a bundle, the first is
	// used. Without bundles the registry responds with 404 to all requests.
	Bundles []string
	// Packages are the names of the packages to serve; empty serves all. With few packages, Start is fast.
	Packages []string
	// WithoutCustomSchemas makes gRPC serve only OLM's schemas, as operator-registry before 1.69 did.
	WithoutCustomSchemas bool
	// ListenHost is the loopback IP address to listen on; empty means 127.0.0.1.
	ListenHost string
	// Network is the network to listen on; nil is the operating system's network.
	Network Network
	// GRPCPort, HTTPSPort and RegistryPort are the ports to listen on; 0 selects a free port.
	GRPCPort, HTTPSPort, RegistryPort int
	// Dir is the directory for the CA file and operator-registry's cache. It is created if it does not exist. Empty selects a
	// temporary directory, which Close removes.
	Dir string
}

// Network is a network that creates listeners and connections, for example in memory.
type Network interface {
	// Listen listens on an address, as host:port. Port 0 selects a free port.
	Listen(address string) (net.Listener, error)
	// DialContext connects to an address.
	DialContext(ctx context.Context, network, address string) (net.Conn, error)
}

// systemNetwork is the operating system's network.
type systemNetwork struct{ net.Dialer }

// Listen listens on a TCP address. It implements Network.
func (*systemNetwork) Listen(address string) (net.Listener, error) { return net.Listen("tcp", address) }

// Server is a running local catalog. Its methods may be called concurrently.
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

	currentGeneration currentGeneration
	down              atomic.Bool
	requests          atomic.Int64
	requestCounter    requestCounter
	// withoutMetas is set by WithoutMetas. otherCatalogs is filled by HandleCatalog.
	withoutMetas  atomic.Bool
	otherCatalogs sync.Map // http.Handler, keyed by catalog name
	close         sync.Once
	closeErr      error
}

// Start reads the catalogs, builds the images and starts the servers. It returns when every address accepts connections. The server runs
// until Close is called or ctx is done. If Start fails, it stops what it started.
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

// start runs the steps of Start in order. The caller must call Close after an error.
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

// Update replaces the content with that of the given catalog directories. Without arguments, it re-reads the current catalog directories.
// It always re-reads the bundle directories. gRPC and HTTPS change at the same time, and requests that have already begun get the old
// content. If the new content is invalid, Update returns an error and the old content stays.
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
	s.currentGeneration.replace(next)
	return nil
}

// build creates the next generation. The caller must hold updating.
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
	return newGeneration(ctx, metas, filepath.Join(s.dir, fmt.Sprintf("generation-%d", s.sequence)), s.currentGeneration.modified())
}

// Close stops the server and removes its cache. If Options.Dir is empty, it removes the temporary directory with the CA file; otherwise it
// keeps the CA file. It may be called more than once.
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
				_ = listener.Close() // already closed if a server used it
			}
		}
		s.serving.Wait()
		s.updating.Lock() // waits for a running update, which would otherwise leave files behind
		defer s.updating.Unlock()
		s.closed = true
		s.currentGeneration.replace(nil)
		s.currentGeneration.retired.Wait()
		if s.ownsDir {
			s.closeErr = os.RemoveAll(s.dir)
		}
	})
	return s.closeErr
}

// GRPCAddress returns the address of operator-registry's API without TLS, as host:port, for a CatalogSource's
// status.connectionState.address.
func (s *Server) GRPCAddress() string { return s.grpcListener.Addr().String() }

// HTTPSBaseURL returns the URL for a ClusterCatalog's status.urls.base. The endpoints /api/v1/all and /api/v1/metas are below it.
func (s *Server) HTTPSBaseURL() string {
	return "https://" + s.httpsListener.Addr().String() + "/catalogs/" + catalogName
}

// CAFile returns the path of the PEM file with the HTTPS API's certificate authority.
func (s *Server) CAFile() string { return s.identity.file }

// RegistryHost returns the address of the registry, which uses plain HTTP, as host:port.
func (s *Server) RegistryHost() string { return s.registryListener.Addr().String() }

// ContentDigest returns the digest of the content of /api/v1/all, as "sha256:…". It is empty after Close.
func (s *Server) ContentDigest() string {
	current, release := s.currentGeneration.acquire()
	defer release()
	return current.digest
}

// Requests returns the number of gRPC calls and HTTPS requests that the server has received.
func (s *Server) Requests() int { return int(s.requests.Load()) }

// Unavailable makes gRPC calls fail with code Unavailable, and HTTPS respond with 503, if on is true. A call with false ends that.
func (s *Server) Unavailable(on bool) { s.down.Store(on) }

// Bundle returns a bundle's image reference, which contains the digest. The bool is false if the bundle's directory was not published.
func (s *Server) Bundle(packageName, version string) (string, bool) {
	return s.registry.bundle(bundleID{packageName, version})
}

// Fail makes GET and HEAD requests for the repository of an image fail with an HTTP status. ref is any reference to the image. Status 0
// ends the failure. It returns an error if ref is invalid.
func (s *Server) Fail(ref string, status int) error { return s.registry.fail(ref, status) }

// Disconnect makes the registry refuse all requests without a password, as if only the host that has the password were in its network. The
// server's own requests, which publish images, have it.
func (s *Server) Disconnect(password string) {
	s.registry.lock.Lock()
	defer s.registry.lock.Unlock()
	s.registry.password = password
}

// RefusedRequests returns the number of requests that were refused after Disconnect.
func (s *Server) RefusedRequests() int {
	s.registry.lock.RLock()
	defer s.registry.lock.RUnlock()
	return s.registry.refused
}

// RotateCA replaces the certificate authority and the certificate. CAFile then contains the new authority, and new connections use the new
// certificate.
func (s *Server) RotateCA() error { return s.identity.rotate() }
