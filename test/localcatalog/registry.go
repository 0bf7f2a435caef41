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

// Registry is a registry that is independent of a Server. It can require credentials, use a private certificate authority, and delay its
// responses. Its methods may be called concurrently.
type Registry struct {
	server *httptest.Server
	images http.Handler

	lock           sync.Mutex
	user, password string
	// held is the channel that Hold closes when waiting requests may continue. It is nil if requests do not wait.
	held chan struct{}
	// waiting is the number of waiting requests.
	waiting atomic.Int64
	// handlers are the handlers that respond in place of images, keyed by "<repository>/manifests" or "<repository>/blobs".
	handlers map[string]http.HandlerFunc
	requests map[string]int
}

// StartRegistry starts an empty registry on a free loopback port, with TLS or plain HTTP. The caller must close it.
func StartRegistry(withTLS bool) *Registry {
	r := newRegistry()
	r.start(withTLS)
	return r
}

// StartRegistryOn starts an empty registry on a network, for example in memory, with TLS or plain HTTP. The caller must close it.
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
	r := &Registry{images: registry.New(registry.Logger(log.New(io.Discard, "", 0))), handlers: map[string]http.HandlerFunc{}, requests: map[string]int{}}
	r.server = httptest.NewUnstartedServer(r)
	r.server.Config.ErrorLog = discardLog() // tests provoke TLS errors
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

// Close stops the registry and ends waiting requests.
func (r *Registry) Close() {
	r.Hold(false)
	r.server.CloseClientConnections()
	r.server.Close()
}

// Host returns the registry's address as host:port.
func (r *Registry) Host() string { return r.server.Listener.Addr().String() }

// Authority returns the registry's certificate authority in PEM, or "" without TLS.
func (r *Registry) Authority() string {
	if r.server.TLS == nil {
		return ""
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: r.server.Certificate().Raw}))
}

// Require makes the registry respond with 401 to requests without these credentials. An empty user removes the requirement.
func (r *Registry) Require(user, password string) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.user, r.password = user, password
}

// Hold makes all requests wait if on is true. A call with false lets them continue. Requests without the required credentials do not wait.
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

// Waiting returns the number of requests that wait because of Hold.
func (r *Registry) Waiting() int { return int(r.waiting.Load()) }

// Handle makes a handler respond to GET requests for the manifests or blobs of a repository. what is the repository's name and "/manifests"
// or "/blobs", as in "bundles/memo/blobs". A nil handler restores the registry's own response.
func (r *Registry) Handle(what string, answer http.HandlerFunc) {
	r.lock.Lock()
	defer r.lock.Unlock()
	if answer == nil {
		delete(r.handlers, what)
		return
	}
	r.handlers[what] = answer
}

// Requests returns the number of GET requests for a repository's manifests or blobs; what is "manifests" or "blobs". It does not count
// refused and waiting requests.
func (r *Registry) Requests(repository, what string) int {
	r.lock.Lock()
	defer r.lock.Unlock()
	return r.requests[repository+"/"+what]
}

// Push pushes the image of a bundle directory to repository:tag, and returns its references by tag and by digest. It overwrites
// an existing tag and needs no credentials.
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

// ServeHTTP checks credentials, waits if Hold is on, counts the request and serves it.
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

// count counts a request if it is a GET request for manifests or blobs, and returns the handler that Handle set for such requests, or nil.
func (r *Registry) count(request *http.Request) http.HandlerFunc {
	r.lock.Lock()
	defer r.lock.Unlock()
	for _, what := range []string{"manifests", "blobs"} {
		repository, _, found := strings.Cut(strings.TrimPrefix(request.URL.Path, "/v2/"), "/"+what+"/")
		if found && request.Method == http.MethodGet {
			r.requests[repository+"/"+what]++
			return r.handlers[repository+"/"+what]
		}
	}
	return nil
}

// pusher is a transport that passes requests to the registry's images, bypassing the network, the credentials and Hold.
type pusher struct{ registry *Registry }

// RoundTrip passes a request to the registry's images and returns their response.
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
