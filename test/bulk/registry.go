package bulk

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// Registry is an in-memory image registry on a loopback address. It counts requests, and can simulate an outage.
type Registry struct {
	server                 *httptest.Server
	down                   atomic.Bool
	manifests, blobs, lost atomic.Int64
}

// Pulls holds the number of GET and HEAD requests for manifests, and of GET requests for blobs.
type Pulls struct{ Manifests, Blobs int64 }

// Since returns the difference between p and earlier.
func (p Pulls) Since(earlier Pulls) Pulls {
	return Pulls{Manifests: p.Manifests - earlier.Manifests, Blobs: p.Blobs - earlier.Blobs}
}

// StartRegistry starts a registry. Close stops it.
func StartRegistry() *Registry {
	r := &Registry{}
	next := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	r.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if r.down.Load() {
			r.lost.Add(1)
			http.Error(w, "the registry is down", http.StatusServiceUnavailable)
			return
		}
		if request.Method == http.MethodGet || request.Method == http.MethodHead {
			switch {
			case strings.Contains(request.URL.Path, "/manifests/"):
				r.manifests.Add(1)
			case strings.Contains(request.URL.Path, "/blobs/") && request.Method == http.MethodGet:
				r.blobs.Add(1)
			}
		}
		next.ServeHTTP(w, request)
	}))
	return r
}

// Close stops the registry.
func (r *Registry) Close() { r.server.Close() }

// SetDown starts an outage if down is true, and ends it if down is false. During an outage, all requests fail with status 503.
func (r *Registry) SetDown(down bool) { r.down.Store(down) }

// Pulls returns the request counts since the registry started.
func (r *Registry) Pulls() Pulls {
	return Pulls{Manifests: r.manifests.Load(), Blobs: r.blobs.Load()}
}

// Refused returns the number of requests that failed because the registry was down.
func (r *Registry) Refused() int64 { return r.lost.Load() }

// Push pushes an image to a repository and returns its reference by digest.
func (r *Registry) Push(ctx context.Context, repository string, image v1.Image) (string, error) {
	parsed, err := name.NewRepository(strings.TrimPrefix(r.server.URL, "http://") + "/" + repository)
	if err != nil {
		return "", fmt.Errorf("pushing to %q: %w", repository, err)
	}
	digest, err := image.Digest()
	if err != nil {
		return "", fmt.Errorf("pushing to %q: %w", repository, err)
	}
	ref := parsed.Digest(digest.String())
	if err := remote.Write(ref, image, remote.WithContext(ctx), remote.WithTransport(&http.Transport{})); err != nil {
		return "", fmt.Errorf("pushing to %q: %w", repository, err)
	}
	return ref.String(), nil
}
