package image

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"path"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
)

// loopbackRefused is the text of the error about a remote registry that refers to a loopback address.
const loopbackRefused = "is an address of this machine; the manager follows one only if the image reference names one"

// maxResponse is the maximum size, in bytes, of a token or manifest, which is held in memory. maxValues is the maximum number of its
// commas, which approximates the number of its values. A value of two bytes may take more than a hundred bytes when it is decoded.
const (
	maxResponse = 8 << 20
	maxValues   = 100_000
)

// transportFor returns the transport for a source, and a function to call after the last request. If the transport is for this source only,
// that function closes its idle connections.
func (f *Fetcher) transportFor(ctx context.Context, source Source) (http.RoundTripper, func(), error) {
	host, _, err := net.SplitHostPort(source.Registry())
	if err != nil {
		host = source.Registry()
	}
	base, local := f.transport, isLoopback(host)
	if local {
		base = f.localTransport
	}
	limited := &limitedTransport{next: base, plain: source.InsecureSkipTLSVerify, local: local, stall: f.limits.Stall}
	authorities, err := f.authorities(ctx, source)
	if err != nil {
		return nil, nil, err
	}
	if !source.InsecureSkipTLSVerify && authorities == nil {
		return limited, func() {}, nil
	}
	own := base.Clone()
	if own.TLSClientConfig == nil {
		own.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	if authorities != nil {
		own.TLSClientConfig.RootCAs = authorities
	}
	// The admin requested this with insecureSkipTLSVerify, or with insecureRegistries of Image "cluster".
	own.TLSClientConfig.InsecureSkipVerify = source.InsecureSkipTLSVerify
	limited.next = own
	return limited, own.CloseIdleConnections, nil
}

// authorities returns the certificate authorities for the registry of a source: those of the system, of the cluster's settings and of the
// source. It returns nil if those of the system suffice.
func (f *Fetcher) authorities(ctx context.Context, source Source) (*x509.CertPool, error) {
	registry := source.Registry()
	if registry == name.DefaultRegistry {
		registry = "docker.io" // its usual name
	}
	authorities, err := f.registries.Authorities(ctx, registry)
	if err != nil {
		return nil, marked(RegistryConfig, "%w", err)
	}
	if source.CertificateData == "" {
		return authorities, nil
	}
	if authorities != nil {
		authorities = authorities.Clone()
	} else if authorities, err = x509.SystemCertPool(); err != nil {
		return nil, fmt.Errorf("reading the system's certificate authorities: %w", err)
	}
	if !authorities.AppendCertsFromPEM([]byte(source.CertificateData)) {
		return nil, marked(Invalid, "spec.source.image.certificateData has no certificate in PEM format")
	}
	return authorities, nil
}

// limitedTransport protects the manager from registries, including their redirects and token requests. It refuses plain HTTP where it is
// not allowed, and loopback addresses unless the reference names one. It ends responses that stall, and responses that are held in memory
// and exceed maxResponse.
type limitedTransport struct {
	next *http.Transport
	// plain allows plain HTTP. local means that the reference has a loopback address, for which plain HTTP is always allowed.
	plain, local bool
	stall        time.Duration
}

// RoundTrip implements http.RoundTripper.
func (l *limitedTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	loopback := isLoopback(request.URL.Hostname())
	if loopback && !l.local {
		return nil, marked(Loopback, "%s, which the registry refers to, %s", request.URL.Host, loopbackRefused)
	}
	if request.URL.Scheme != "https" && !l.plain && !loopback {
		return nil, marked(PlainHTTP, "the request to %s would use plain HTTP, which is not allowed", request.URL.Host)
	}
	ctx, cancel := context.WithCancelCause(markProxied(l.next, request))
	timer := time.AfterFunc(l.stall, func() { cancel(&stallError{l.stall}) })
	response, err := l.next.RoundTrip(request.WithContext(ctx))
	timer.Stop()
	if err != nil {
		err = explainProxy(ctx, stalled(ctx, err))
		cancel(nil)
		return nil, err
	}
	if isPage(response, original(request)) {
		response.Body.Close()
		cancel(nil)
		return nil, marked(UnexpectedResponse, "%s answered with an HTML page to a request for a manifest", request.URL.Host)
	}
	response.Body = &limitedBody{ReadCloser: response.Body, ctx: ctx, cancel: cancel, timer: timer, stall: l.stall, isBlob: isBlob(response, original(request))}
	return response, nil
}

// isBlob reports whether a response is a blob: the path of its request ends in /blobs/<digest>, and the request has no query. A token
// request may have any path, but has a query.
func isBlob(response *http.Response, request *http.Request) bool {
	return response.StatusCode == http.StatusOK && request.URL.RawQuery == "" && path.Base(path.Dir(request.URL.Path)) == "blobs"
}

// isPage reports whether the registry answered a request for a manifest with an HTML page, such as the login page of a proxy. The path of
// such a request ends in /manifests/<tag or digest>.
func isPage(response *http.Response, request *http.Request) bool {
	mediaType, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	return err == nil && mediaType == "text/html" && response.StatusCode == http.StatusOK && path.Base(path.Dir(request.URL.Path)) == "manifests"
}

// original returns the request that the client sent before any redirects.
func original(request *http.Request) *http.Request {
	for request.Response != nil && request.Response.Request != nil {
		request = request.Response.Request
	}
	return request
}

// isLoopback reports whether a host is a loopback name or address. The dialer refuses other names that resolve to a loopback address.
func isLoopback(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && isLoopbackIP(ip)
}

// limitedBody is a response body with limits. The stall timer runs only during reads, so that it does not include the time that the
// manager's own disk takes.
type limitedBody struct {
	io.ReadCloser
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	stall  time.Duration
	isBlob bool // blobs have no size limit here, because they are not held in memory
	bytes  int
	values int
}

// Read implements io.Reader.
func (b *limitedBody) Read(buffer []byte) (int, error) {
	b.timer.Reset(b.stall)
	n, err := b.ReadCloser.Read(buffer)
	b.timer.Stop()
	if err != nil && err != io.EOF {
		return n, stalled(b.ctx, err)
	}
	if b.isBlob {
		return n, err
	}
	if b.bytes += n; b.bytes > maxResponse {
		return n, marked(UnexpectedResponse, "the registry answered with more than %d bytes to a request for a manifest or a token", maxResponse)
	}
	if b.values += bytes.Count(buffer[:n], []byte(",")); b.values > maxValues {
		return n, marked(UnexpectedResponse, "the registry answered with more than %d values to a request for a manifest or a token", maxValues)
	}
	return n, err
}

// Close implements io.Closer.
func (b *limitedBody) Close() error {
	b.timer.Stop()
	err := b.ReadCloser.Close()
	b.cancel(nil)
	return err
}

// stallError is returned when a registry sends nothing for too long.
type stallError struct{ after time.Duration }

func (e *stallError) Error() string { return fmt.Sprintf("the registry sent nothing for %s", e.after) }

// stalled returns the stallError if it was the cause of the cancellation of ctx, and otherwise err.
func stalled(ctx context.Context, err error) error {
	if stall := (*stallError)(nil); errors.As(context.Cause(ctx), &stall) {
		return stall
	}
	return err
}
