package http

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/catalogsource"
	"github.com/openshift/platform-operators/pkg/truncate"
)

const (
	// maxNamed is up to how many packages are asked for one by one (two requests each); above it the whole catalog in
	// one stream is less work for both sides.
	maxNamed = 32
	// maxErrorBody is how much of an error answer is quoted.
	maxErrorBody = 200
)

// Reading is the outcome of one conditional read.
type Reading struct {
	// Packages are sorted by name. A package that was asked for and is not in the catalog is not in the list.
	Packages []catalog.Package
	// Providers says of all packages of the catalog, asked for or not, which bring which kinds; nil where the reading did not go
	// through the whole catalog.
	Providers *catalog.Providers
	// LastModified is to be given to the next ReadPackages for the same names; empty when the server sent none.
	LastModified string
	// NotModified says that nothing has changed since; Packages is then empty.
	NotModified bool
}

// Read reads the whole catalog below base (a ClusterCatalog's status.urls.base) as one stream and returns the packages
// that want says yes to, sorted by name; a nil want wants all. Errors name the URL; there is no result beside an error.
func (c *Client) Read(ctx context.Context, base string, want func(pkg string) bool) ([]catalog.Package, error) {
	reading, err := c.do(ctx, base, nil, func(r *request) (Reading, error) { return r.all(want, "") })
	return reading.Packages, err
}

// ReadPackages reads the named packages: each by itself through /api/v1/metas, or, where the server has not that
// endpoint or the names are many, from the whole catalog. since is the LastModified of an earlier reading for the same
// names; when nothing has changed since then the answer is NotModified and next to nothing is sent. Empty reads in any case.
//
// HTTP times have whole seconds and catalogd has no other validator, so a catalog that changes twice within one second
// can look unchanged: a caller that knows the catalog's resolved digest passes an empty since when that has changed.
//
// What is kept is taken from memory; nil has no bound. The caller closes it.
func (c *Client) ReadPackages(ctx context.Context, base string, names []string, since string, memory *catalogsource.Reading) (Reading, error) {
	return c.do(ctx, base, memory, func(r *request) (Reading, error) {
		if len(names) <= maxNamed {
			reading, err := r.named(names, since)
			if !errors.Is(err, errNoMetas) {
				return reading, err
			}
		}
		return r.all(func(pkg string) bool { return slices.Contains(names, pkg) }, since)
	})
}

// ReadProviders reads who brings which kinds, of all packages of the catalog: from its bundles alone through /api/v1/metas,
// or, where the server has not that endpoint, from the whole catalog. The reading has no packages.
func (c *Client) ReadProviders(ctx context.Context, base string, memory *catalogsource.Reading) (Reading, error) {
	return c.do(ctx, base, memory, func(r *request) (Reading, error) {
		reading, err := r.bundles()
		switch {
		case errors.Is(err, errNoMetas):
			return r.all(noPackage, "")
		case err != nil:
			return Reading{}, fmt.Errorf("getting all bundles: %w", err)
		}
		return reading, nil
	})
}

// request is one read: its context, its client and what it may still receive.
type request struct {
	ctx    context.Context
	client *http.Client
	base   string
	left   int64
	max    int64
	// memory lends what is kept.
	memory *catalogsource.Reading
}

func (c *Client) do(ctx context.Context, base string, memory *catalogsource.Reading, read func(*request) (Reading, error)) (Reading, error) {
	reading, err := func() (Reading, error) {
		if u, err := url.Parse(base); err != nil || u.Scheme != "https" || u.Host == "" {
			return Reading{}, errors.New("the address is not an https URL; catalogd is read over https only")
		}
		client, err := c.current()
		if err != nil {
			return Reading{}, err
		}
		ctx, end := memory.Begin(ctx, c.options.Timeout)
		defer end()
		reading, err := read(&request{ctx, client, strings.TrimSuffix(base, "/"), c.options.MaxBytes, c.options.MaxBytes, memory})
		// When the time is up, the server sees our connection close and may end its answer in good order before we
		// stop listening: a short answer that looks whole.
		return reading, catalogsource.Cause(ctx, err)
	}()
	if err != nil {
		return Reading{}, fmt.Errorf("reading catalog at %q: %w", base, err)
	}
	return reading, nil
}

// all reads /api/v1/all.
func (r *request) all(want func(string) bool, since string) (Reading, error) {
	response, err := r.get("/api/v1/all", nil, since)
	if err != nil {
		return Reading{}, err
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusNotModified && since != "" {
		return notModified(response, since), nil
	}
	if err := expectOK(response); err != nil {
		return Reading{}, fmt.Errorf("getting /api/v1/all: %w", err)
	}
	packages, providers, err := catalog.ReadServed(r.limit(response.Body), want, r.memory)
	if err != nil {
		return Reading{}, fmt.Errorf("getting /api/v1/all: %w", err)
	}
	return Reading{Packages: packages, Providers: providers, LastModified: response.Header.Get("Last-Modified")}, nil
}

// bundles reads the bundles of all packages for what they bring, and keeps nothing else of them.
func (r *request) bundles() (Reading, error) {
	response, err := r.metas(url.Values{"schema": {"olm.bundle"}}, "")
	if err != nil {
		return Reading{}, err
	}
	defer response.Body.Close()
	_, providers, err := catalog.ReadServed(r.limit(response.Body), noPackage, r.memory)
	return Reading{Providers: providers, LastModified: response.Header.Get("Last-Modified")}, err
}

func noPackage(string) bool { return false }

// errNoMetas says that the server does not answer /api/v1/metas, which catalogd has behind a feature gate.
var errNoMetas = errors.New("the server has no /api/v1/metas")

// named reads packages one by one. The first request carries the condition; all answers must be of one content.
func (r *request) named(names []string, since string) (Reading, error) {
	var out Reading
	for i, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
		condition := ""
		if i == 0 {
			condition = since
		}
		part, err := r.one(name, condition)
		if err != nil {
			return Reading{}, fmt.Errorf("getting package %q: %w", name, err)
		}
		switch {
		case part.NotModified:
			return part, nil
		case i == 0:
			out.LastModified = part.LastModified
		case part.LastModified != out.LastModified:
			return Reading{}, fmt.Errorf("getting package %q: %w", name, errReplaced)
		}
		out.Packages = append(out.Packages, part.Packages...)
	}
	return out, nil
}

var errReplaced = errors.New("the catalog was replaced while it was read; reading it again")

// one reads one package in two requests: an olm.package blob is found by its name only, the rest by its package.
func (r *request) one(name, since string) (Reading, error) {
	head, err := r.metas(url.Values{"schema": {"olm.package"}, "name": {name}}, since)
	if err != nil {
		return Reading{}, err
	}
	defer head.Body.Close()
	if head.StatusCode == http.StatusNotModified {
		return notModified(head, since), nil
	}
	rest, err := r.metas(url.Values{"package": {name}}, "")
	if err != nil {
		return Reading{}, err
	}
	defer rest.Body.Close()
	modified := head.Header.Get("Last-Modified")
	if rest.Header.Get("Last-Modified") != modified {
		return Reading{}, errReplaced
	}
	packages, _, err := catalog.ReadServed(r.limit(io.MultiReader(head.Body, rest.Body)), func(pkg string) bool { return pkg == name }, r.memory)
	return Reading{Packages: packages, LastModified: modified}, err
}

func (r *request) metas(query url.Values, since string) (*http.Response, error) {
	response, err := r.get("/api/v1/metas", query, since)
	if err != nil {
		return nil, err
	}
	switch response.StatusCode {
	case http.StatusNotModified:
		if since != "" {
			return response, nil
		}
	case http.StatusNotFound:
		response.Body.Close()
		return nil, errNoMetas
	}
	if err := expectOK(response); err != nil {
		response.Body.Close()
		return nil, err
	}
	return response, nil
}

func (r *request) get(path string, query url.Values, since string) (*http.Response, error) {
	target := r.base + path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	req, err := http.NewRequestWithContext(r.ctx, http.MethodGet, target, nil)
	if err != nil {
		return nil, err
	}
	if since != "" {
		req.Header.Set("If-Modified-Since", since)
	}
	return r.client.Do(req)
}

func notModified(response *http.Response, since string) Reading {
	reading := Reading{NotModified: true, LastModified: response.Header.Get("Last-Modified")}
	if reading.LastModified == "" {
		reading.LastModified = since
	}
	return reading
}

// expectOK turns any other answer into an error that quotes what the server said and what may be done about it.
func expectOK(response *http.Response) error {
	if response.StatusCode == http.StatusOK {
		return nil
	}
	body, _ := io.ReadAll(io.LimitReader(response.Body, maxErrorBody))
	said := strings.Join(strings.Fields(strings.ToValidUTF8(string(body), "�")), " ")
	hint := ""
	if response.StatusCode == http.StatusNotFound {
		hint = "; catalogd answers so until it has unpacked the catalog, and from a replica that is not the leader"
	}
	return fmt.Errorf("unexpected status %s%s (%s)", truncate.Quote(response.Status), hint, truncate.Quote(said))
}

// limit bounds what the whole read may receive, and counts it.
func (r *request) limit(body io.Reader) io.Reader { return &limited{body, r} }

type limited struct {
	io.Reader
	request *request
}

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	l.request.memory.Received(n)
	if l.request.left -= int64(n); l.request.left < 0 {
		return n, fmt.Errorf("the catalog is larger than %d bytes", l.request.max)
	}
	return n, err
}
