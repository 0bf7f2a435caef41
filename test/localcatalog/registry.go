package localcatalog

import (
	"context"
	"crypto/tls"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// Registry is a registry of its own, beside that of a Server, that can be private, have a certificate that nobody knows, and
// keep its clients waiting. All methods may be called from any goroutine.
type Registry struct {
	server *httptest.Server
	images http.Handler

	lock           sync.Mutex
	user, password string
	// held is open while clients are kept waiting.
	held chan struct{}
	// waiting is how many are kept waiting now.
	waiting atomic.Int64
	// instead answers by repository what is not to be served.
	instead  map[string]http.HandlerFunc
	requests map[string]int
}

// StartRegistry serves an empty registry on a free loopback port, with TLS or in plain HTTP, until Close.
func StartRegistry(withTLS bool) *Registry {
	r := newRegistry()
	r.start(withTLS)
	return r
}

// StartRegistryOn serves an empty registry on a network in memory, with TLS or in plain HTTP, until Close.
func StartRegistryOn(network Network, withTLS bool) (*Registry, error) {
	listener, err := network.Listen("127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("starting a registry: %w", err)
	}
	r := newRegistry()
	r.server.Listener.Close()
	r.server.Listener = listener
	r.start(withTLS)
	return r, nil
}

func newRegistry() *Registry {
	r := &Registry{images: registry.New(registry.Logger(log.New(io.Discard, "", 0))), instead: map[string]http.HandlerFunc{}, requests: map[string]int{}}
	r.server = httptest.NewUnstartedServer(r)
	r.server.Config.ErrorLog = discardLog() // a client that does not trust the authority is a test's business
	return r
}

func (r *Registry) start(withTLS bool) {
	if withTLS {
		r.server.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
		r.server.StartTLS()
	} else {
		r.server.Start()
	}
}

// Close stops serving, also those who are kept waiting.
func (r *Registry) Close() {
	r.Hold(false)
	r.server.CloseClientConnections()
	r.server.Close()
}

// Host is where the registry is, as host:port.
func (r *Registry) Host() string { return r.server.Listener.Addr().String() }

// Authority is the certificate authority that vouches for the registry, in PEM; empty without TLS.
func (r *Registry) Authority() string {
	if r.server.TLS == nil {
		return ""
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: r.server.Certificate().Raw}))
}

// Require makes the registry serve those only who have these credentials; an empty user lets everybody in.
func (r *Registry) Require(user, password string) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.user, r.password = user, password
}

// Hold keeps everybody who reads waiting, until it is called with false.
func (r *Registry) Hold(on bool) {
	r.lock.Lock()
	defer r.lock.Unlock()
	switch {
	case on && r.held == nil:
		r.held = make(chan struct{})
	case !on && r.held != nil:
		close(r.held)
		r.held = nil
	}
}

// Waiting returns how many requests Hold keeps waiting.
func (r *Registry) Waiting() int { return int(r.waiting.Load()) }

// Instead has a function answer for the manifests or the blobs of a repository ("bundles/memo/blobs"), until it is called with
// nil.
func (r *Registry) Instead(what string, answer http.HandlerFunc) {
	r.lock.Lock()
	defer r.lock.Unlock()
	if answer == nil {
		delete(r.instead, what)
		return
	}
	r.instead[what] = answer
}

// Requests is how often something of a repository was asked for that is served: "manifests" or "blobs".
func (r *Registry) Requests(repository, what string) int {
	r.lock.Lock()
	defer r.lock.Unlock()
	return r.requests[repository+"/"+what]
}

// Push stores a bundle directory as an image under repository:tag, which may be there already, and returns its references by
// tag and by digest. The credentials that the registry requires are not needed for it.
func (r *Registry) Push(ctx context.Context, repository, tag, folder string) (byTag, byDigest string, err error) {
	image, err := bundleImage(os.DirFS(folder))
	if err != nil {
		return "", "", fmt.Errorf("pushing bundle directory %q: %w", folder, err)
	}
	ref, err := name.NewTag(r.Host() + "/" + repository + ":" + tag)
	if err != nil {
		return "", "", err
	}
	digest, err := image.Digest()
	if err != nil {
		return "", "", err
	}
	err = remote.Write(ref, image, remote.WithContext(ctx), remote.WithTransport(&pusher{r}))
	return ref.Name(), ref.Context().Digest(digest.String()).Name(), err
}

// ServeHTTP serves what may be read now.
func (r *Registry) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	r.lock.Lock()
	user, password, held := r.user, r.password, r.held
	r.lock.Unlock()
	if gotUser, gotPassword, _ := request.BasicAuth(); user != "" && (gotUser != user || gotPassword != password) {
		w.Header().Set("WWW-Authenticate", `Basic realm="registry"`)
		http.Error(w, http.StatusText(http.StatusUnauthorized), http.StatusUnauthorized)
		return
	}
	if held != nil {
		r.waiting.Add(1)
		defer r.waiting.Add(-1)
		select {
		case <-held:
		case <-request.Context().Done():
			return
		}
	}
	if answer := r.count(request); answer != nil {
		answer(w, request)
		return
	}
	r.images.ServeHTTP(w, request)
}

// count counts a request, and gives the function that answers it, if there is one.
func (r *Registry) count(request *http.Request) http.HandlerFunc {
	r.lock.Lock()
	defer r.lock.Unlock()
	for _, what := range []string{"manifests", "blobs"} {
		repository, _, found := strings.Cut(strings.TrimPrefix(request.URL.Path, "/v2/"), "/"+what+"/")
		if found && request.Method == http.MethodGet {
			r.requests[repository+"/"+what]++
			return r.instead[repository+"/"+what]
		}
	}
	return nil
}

// pusher hands requests to the registry's images without the network, and without what guards them.
type pusher struct{ registry *Registry }

// RoundTrip answers one request.
func (p *pusher) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Body == nil {
		request.Body = http.NoBody
	}
	if request.URL.Host != p.registry.Host() {
		return nil, errors.New("pushing to another registry")
	}
	recorder := httptest.NewRecorder()
	p.registry.images.ServeHTTP(recorder, request)
	answer := recorder.Result()
	answer.Request = request
	return answer, nil
}
