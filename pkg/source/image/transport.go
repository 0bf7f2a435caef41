package image

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"path"
	"strings"
	"time"
)

// plainRefused is the error of a registry that does not speak TLS.
const plainRefused = "does not speak TLS, and is not asked in plain HTTP"

// loopbackRefused is the error of a registry elsewhere that refers to an address of this machine.
const loopbackRefused = "is an address of this machine; the manager follows one only if the image reference names one"

// maxAnswer limits responses that are no blob: tokens and manifests, which are held in memory. maxValues limits the values in a response, counted
// by commas: a value of two bytes may take more than a hundred when it is decoded.
const (
	maxAnswer = 8 << 20
	maxValues = 100_000
)

// transportFor returns the transport of a source, and a function that closes its idle connections.
func (f *Fetcher) transportFor(source Source) (http.RoundTripper, func(), error) {
	host, _, err := net.SplitHostPort(source.Registry())
	if err != nil {
		host = source.Registry()
	}
	base, local := f.transport, isLoopback(host)
	if local {
		base = f.localTransport
	}
	limited := &limitedTransport{next: base, plain: source.InsecureSkipTLSVerify, local: local, stall: f.limits.Stall}
	if !source.InsecureSkipTLSVerify && source.CertificateData == "" {
		return limited, func() {}, nil
	}
	own := base.Clone()
	if own.TLSClientConfig == nil {
		own.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	if source.CertificateData != "" {
		authorities, err := x509.SystemCertPool()
		if err != nil {
			return nil, nil, fmt.Errorf("reading the system's certificate authorities: %w", err)
		}
		if !authorities.AppendCertsFromPEM([]byte(source.CertificateData)) {
			return nil, nil, marked(Invalid, "its certificateData holds no certificate in PEM")
		}
		own.TLSClientConfig.RootCAs = authorities
	}
	// This is what the field is for.
	own.TLSClientConfig.InsecureSkipVerify = source.InsecureSkipTLSVerify
	limited.next = own
	return limited, own.CloseIdleConnections, nil
}

// limitedTransport limits what a registry can cause: plain HTTP only where it is allowed, also after a redirect and for tokens; no requests to
// addresses of this machine, unless the reference names one; no silence for longer than stall; no response in memory beyond maxAnswer.
type limitedTransport struct {
	next *http.Transport
	// plain allows plain HTTP. local is true if the reference itself is on a loopback address, where plain HTTP is always allowed.
	plain, local bool
	stall        time.Duration
}

// RoundTrip sends a request, if it is allowed.
func (l *limitedTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	loopback := isLoopback(request.URL.Hostname())
	if loopback && !l.local {
		return nil, marked(Untrusted, "%s, which the registry refers to, %s", request.URL.Host, loopbackRefused)
	}
	if request.URL.Scheme != "https" && !l.plain && !loopback {
		return nil, marked(Untrusted, "%s %s", request.URL.Host, plainRefused)
	}
	ctx, cancel := context.WithCancelCause(markProxied(l.next, request))
	timer := time.AfterFunc(l.stall, func() { cancel(&stallError{l.stall}) })
	response, err := l.next.RoundTrip(request.WithContext(ctx))
	timer.Stop()
	if err != nil {
		err = stalled(ctx, err)
		cancel(nil)
		return nil, err
	}
	response.Body = &limitedBody{ReadCloser: response.Body, ctx: ctx, cancel: cancel, timer: timer, stall: l.stall, isBlob: isBlob(response, first(request))}
	return response, nil
}

// isBlob says whether an answer is a blob and no error: …/blobs/<digest> was asked for. What comes before may be called anything;
// and so may the address of tokens, which are asked for with a query.
func isBlob(answer *http.Response, asked *http.Request) bool {
	return answer.StatusCode == http.StatusOK && asked.URL.RawQuery == "" && path.Base(path.Dir(asked.URL.Path)) == "blobs"
}

// first is the request that led here over redirects.
func first(request *http.Request) *http.Request {
	for request.Response != nil && request.Response.Request != nil {
		request = request.Response.Request
	}
	return request
}

// isLoopback says whether a host is this machine by its name. Other names that resolve to it are refused when they are dialed (dialer).
func isLoopback(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && isLoopbackIP(ip)
}

// limitedBody is the body of an answer. The clock runs only while it is read: that our own disk is slow is not the
// registry's fault.
type limitedBody struct {
	io.ReadCloser
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	stall  time.Duration
	isBlob bool // which is not held in memory
	bytes  int
	values int
}

// Read reads on.
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
	if b.bytes += n; b.bytes > maxAnswer {
		return n, refuse("the registry answers with more than %d bytes where a manifest or a token was asked for", maxAnswer)
	}
	if b.values += bytes.Count(buffer[:n], []byte(",")); b.values > maxValues {
		return n, refuse("the registry answers with more than %d values where a manifest or a token was asked for", maxValues)
	}
	return n, err
}

// Close ends the answer.
func (b *limitedBody) Close() error {
	b.timer.Stop()
	err := b.ReadCloser.Close()
	b.cancel(nil)
	return err
}

// stallError marks a registry that was silent for too long.
type stallError struct{ after time.Duration }

func (e *stallError) Error() string { return fmt.Sprintf("the registry sent nothing for %s", e.after) }

// stalled gives the stall that ended a request in the place of the error that this led to.
func stalled(ctx context.Context, err error) error {
	if stall := (*stallError)(nil); errors.As(context.Cause(ctx), &stall) {
		return stall
	}
	return err
}
