package http

import (
	"context"
	"crypto/x509"
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
	// maxNamed is the maximum number of packages that are requested one by one, with two requests each. For more packages, one stream of
	// the whole catalog takes less time and memory on both sides.
	maxNamed = 32
	// maxErrorBody is the maximum number of bytes that an error quotes from an error response.
	maxErrorBody = 200
)

// Result is the result of one read.
type Result struct {
	// Packages are sorted by name. Requested packages that are not in the catalog are omitted.
	Packages []catalog.Package
	// Providers holds the kinds that all packages in the catalog provide, requested or not. It is nil if the read did not include all
	// packages.
	Providers *catalog.Providers
	// LastModified is the value to pass as since to the next ReadPackages of the same names; empty if the server did not send it.
	LastModified string
	// NotModified means that the content is unchanged. Then Packages is empty and Providers is nil.
	NotModified bool
}

// Read reads the whole catalog below base (a ClusterCatalog's status.urls.base) as one stream. It returns the packages for which want
// returns true, sorted by name; a nil want selects all. Errors name the URL; if there is an error, there is no result.
func (c *Client) Read(ctx context.Context, base string, want func(pkg string) bool) ([]catalog.Package, error) {
	reading, err := c.do(ctx, base, nil, func(r *request) (Result, error) { return r.readAll(want, "") })
	return reading.Packages, err
}

// ReadPackages reads the named packages: one by one from /api/v1/metas, or from the whole catalog if the server does not have that endpoint
// or if there are more than 32 names. since is the LastModified of an earlier result for the same names. If the content has not changed
// since then, the result is NotModified and the server sends almost nothing. If since is empty, ReadPackages always reads the content.
//
// HTTP times have a resolution of one second and catalogd offers no other validator, so a catalog that changes twice within one second can
// look unchanged. A caller that knows the catalog's resolved digest passes an empty since when the digest has changed.
//
// memory limits what is retained; nil means no limit. The caller closes memory.
func (c *Client) ReadPackages(ctx context.Context, base string, names []string, since string, memory *catalogsource.Reservation) (Result, error) {
	return c.do(ctx, base, memory, func(r *request) (Result, error) {
		if len(names) <= maxNamed {
			reading, err := r.readNamed(names, since)
			if !errors.Is(err, errNoMetas) {
				return reading, err
			}
		}
		return r.readAll(func(pkg string) bool { return slices.Contains(names, pkg) }, since)
	})
}

// ReadProviders reads which packages in the catalog provide which kinds: from the catalog's bundles in /api/v1/metas, or from the whole
// catalog if the server does not have that endpoint. The result contains no packages. memory is as in ReadPackages.
func (c *Client) ReadProviders(ctx context.Context, base string, memory *catalogsource.Reservation) (Result, error) {
	return c.do(ctx, base, memory, func(r *request) (Result, error) {
		reading, err := r.readBundles()
		switch {
		case errors.Is(err, errNoMetas):
			return r.readAll(wantNone, "")
		case err != nil:
			return Result{}, fmt.Errorf("getting all bundles: %w", err)
		}
		return reading, nil
	})
}

// request is one read of a catalog. remaining is the number of bytes that it may still receive, and max the number that it may receive in
// total.
type request struct {
	ctx       context.Context
	client    *http.Client
	base      string
	remaining int64
	max       int64
	// memory limits what is retained; nil means no limit.
	memory *catalogsource.Reservation
}

func (c *Client) do(ctx context.Context, base string, memory *catalogsource.Reservation, read func(*request) (Result, error)) (Result, error) {
	reading, err := func() (Result, error) {
		if u, err := url.Parse(base); err != nil || u.Host == "" || u.Scheme != "https" && (u.Scheme != "http" || c.options.Transport == nil) {
			return Result{}, errors.New("the address is not an https URL; catalogd is read over https only")
		}
		client, err := c.current()
		if err != nil {
			return Result{}, err
		}
		ctx, end := memory.StartRead(ctx, c.options.Timeout)
		defer end()
		reading, err := read(&request{ctx, client, strings.TrimSuffix(base, "/"), c.options.MaxBytes, c.options.MaxBytes, memory})
		// At the deadline, the client closes its connection. The server may then end its response early without an error.
		return reading, c.withAuthorities(catalogsource.Cause(ctx, err))
	}()
	if err != nil {
		return Result{}, fmt.Errorf("reading catalog at %q: %w", base, err)
	}
	return reading, nil
}

// withAuthorities returns err. If err is about a certificate of an unknown authority and CAFile is set, the returned error adds that only
// the authorities in CAFile are trusted.
func (c *Client) withAuthorities(err error) error {
	if c.options.CAFile == "" || !errors.As(err, new(x509.UnknownAuthorityError)) {
		return err
	}
	return fmt.Errorf("%w; only the certificate authorities in the file that flag --catalog-ca-file names are trusted", err)
}

// readAll reads the whole catalog from /api/v1/all. since is as in ReadPackages.
func (r *request) readAll(want func(string) bool, since string) (Result, error) {
	response, err := r.get("/api/v1/all", nil, since)
	if err != nil {
		return Result{}, err
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusNotModified && since != "" {
		return notModified(response, since), nil
	}
	if err := expectOK(response); err != nil {
		return Result{}, fmt.Errorf("getting /api/v1/all: %w", err)
	}
	packages, providers, err := catalog.ReadServed(r.limit(response.Body), want, r.memory)
	if err != nil {
		return Result{}, fmt.Errorf("getting /api/v1/all: %w", err)
	}
	return Result{Packages: packages, Providers: providers, LastModified: response.Header.Get("Last-Modified")}, nil
}

// readBundles reads the bundles of all packages, and returns only the kinds that they provide. The error is errNoMetas if the server lacks
// the endpoint.
func (r *request) readBundles() (Result, error) {
	response, err := r.metas(url.Values{"schema": {"olm.bundle"}}, "")
	if err != nil {
		return Result{}, err
	}
	defer response.Body.Close()
	_, providers, err := catalog.ReadServed(r.limit(response.Body), wantNone, r.memory)
	return Result{Providers: providers, LastModified: response.Header.Get("Last-Modified")}, err
}

func wantNone(string) bool { return false }

// errNoMetas means that the server does not support /api/v1/metas, which is behind a feature gate of catalogd.
var errNoMetas = errors.New("the server has no /api/v1/metas")

// readNamed reads packages one by one. Only the first request is conditional on since. readNamed returns an error if the responses come
// from different contents of the catalog.
func (r *request) readNamed(names []string, since string) (Result, error) {
	var out Result
	for i, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
		condition := ""
		if i == 0 {
			condition = since
		}
		part, err := r.readPackage(name, condition)
		if err != nil {
			return Result{}, fmt.Errorf("getting package %q: %w", name, err)
		}
		switch {
		case part.NotModified:
			return part, nil
		case i == 0:
			out.LastModified = part.LastModified
		case part.LastModified != out.LastModified:
			return Result{}, fmt.Errorf("getting package %q: %w", name, errReplaced)
		}
		out.Packages = append(out.Packages, part.Packages...)
	}
	return out, nil
}

var errReplaced = errors.New("the catalog was replaced during the read; the manager retries")

// readPackage reads one package in two requests, because the server finds an olm.package blob only by its name, and other blobs by their
// package.
func (r *request) readPackage(name, since string) (Result, error) {
	head, err := r.metas(url.Values{"schema": {"olm.package"}, "name": {name}}, since)
	if err != nil {
		return Result{}, err
	}
	defer head.Body.Close()
	if head.StatusCode == http.StatusNotModified {
		return notModified(head, since), nil
	}
	rest, err := r.metas(url.Values{"package": {name}}, "")
	if err != nil {
		return Result{}, err
	}
	defer rest.Body.Close()
	modified := head.Header.Get("Last-Modified")
	if rest.Header.Get("Last-Modified") != modified {
		return Result{}, errReplaced
	}
	packages, _, err := catalog.ReadServed(r.limit(io.MultiReader(head.Body, rest.Body)), func(pkg string) bool { return pkg == name }, r.memory)
	return Result{Packages: packages, LastModified: modified}, err
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

func notModified(response *http.Response, since string) Result {
	reading := Result{NotModified: true, LastModified: response.Header.Get("Last-Modified")}
	if reading.LastModified == "" {
		reading.LastModified = since
	}
	return reading
}

// expectOK returns nil for status 200. For any other status it returns an error that quotes the response, with a hint for status 404.
func expectOK(response *http.Response) error {
	if response.StatusCode == http.StatusOK {
		return nil
	}
	body, _ := io.ReadAll(io.LimitReader(response.Body, maxErrorBody))
	message := strings.Join(strings.Fields(strings.ToValidUTF8(string(body), "�")), " ")
	hint := ""
	if response.StatusCode == http.StatusNotFound {
		hint = "; catalogd returns this until it has unpacked the catalog, or if the replica is not the leader; the manager retries"
	}
	return fmt.Errorf("unexpected status %s (%s)%s", truncate.Quote(response.Status), truncate.Quote(message), hint)
}

// limit returns a reader of body that fails once the whole read has received more than its maximum. It also adds the number of received
// bytes to the reservation.
func (r *request) limit(body io.Reader) io.Reader { return &limitedReader{body, r} }

type limitedReader struct {
	io.Reader
	request *request
}

func (l *limitedReader) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	l.request.memory.AddReceived(n)
	if l.request.remaining -= int64(n); l.request.remaining < 0 {
		return n, fmt.Errorf("the catalog is larger than %d bytes; ask the catalog's publisher to prune it", l.request.max)
	}
	return n, err
}
