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

// Registry is an image registry on loopback, in memory.
type Registry struct {
	server                 *httptest.Server
	down                   atomic.Bool
	manifests, blobs, lost atomic.Int64
}

// Pulls is what was asked of a registry: how often a manifest was read, or looked for, and how often a layer.
type Pulls struct{ Manifests, Blobs int64 }

// Since is what was asked after an earlier count.
func (p Pulls) Since(earlier Pulls) Pulls {
	return Pulls{Manifests: p.Manifests - earlier.Manifests, Blobs: p.Blobs - earlier.Blobs}
}

// StartRegistry serves until Close.
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

// Close ends it.
func (r *Registry) Close() { r.server.Close() }

// SetDown has every request fail, or no more.
func (r *Registry) SetDown(down bool) { r.down.Store(down) }

// Pulls tells what was asked so far.
func (r *Registry) Pulls() Pulls {
	return Pulls{Manifests: r.manifests.Load(), Blobs: r.blobs.Load()}
}

// Refused tells how many requests came while the registry was down.
func (r *Registry) Refused() int64 { return r.lost.Load() }

// Push stores an image in a repository and returns its reference by digest.
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
