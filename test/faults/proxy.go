package faults

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"sync"
	"time"

	"k8s.io/client-go/rest"
)

const (
	// maxBody is the maximum size of a request body, in bytes. The proxy aborts requests with larger bodies.
	maxBody = 16 << 20
	// maxRecorded is the maximum number of recorded writes. When it is reached, the proxy drops the older half.
	maxRecorded = 100_000
)

// Proxy is a reverse proxy that forwards requests and injects faults. Its methods may be called concurrently.
type Proxy struct {
	server *httptest.Server
	next   *httputil.ReverseProxy

	mu         sync.Mutex
	injections []*Injection
	writes     []Write
	dropped    int
	watches    map[*http.Request]func()
}

// Write is a write that the proxy received.
type Write struct {
	Request
	// Time is the time at which the proxy received the write.
	Time time.Time
	// Outcome is the status of the response, or a description of what the fault did instead. It is "under way" until the request has ended.
	Outcome string
}

type connKey struct{}

// NewAPIServerProxy starts an HTTPS proxy in front of an API server, with its own certificate authority. It forwards the client's
// credentials. It uses only the address and the certificate authority of config. The caller must close the proxy.
func NewAPIServerProxy(config *rest.Config) (*Proxy, error) {
	upstream, err := url.Parse(config.Host)
	if err != nil {
		return nil, fmt.Errorf("starting a proxy for API server %q: %w", config.Host, err)
	}
	trust, err := rest.TLSConfigFor(&rest.Config{TLSClientConfig: rest.TLSClientConfig{CAData: config.CAData, CAFile: config.CAFile}})
	if err != nil {
		return nil, fmt.Errorf("starting a proxy for API server %q: reading its certificate authority: %w", config.Host, err)
	}
	p := newProxy(upstream, &http.Transport{TLSClientConfig: trust, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 100})
	p.server.EnableHTTP2 = true // like the API server, so that a reset ends all watches
	p.server.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	p.server.StartTLS()
	return p, nil
}

// NewRegistryProxy starts an HTTP proxy in front of the registry at host, a loopback address as host:port. The caller must close the proxy.
func NewRegistryProxy(host string) *Proxy {
	p := newProxy(&url.URL{Scheme: "http", Host: host}, &http.Transport{})
	p.server.Start()
	return p
}

func newProxy(upstream *url.URL, transport http.RoundTripper) *Proxy {
	p := &Proxy{watches: map[*http.Request]func(){}}
	discard := log.New(io.Discard, "", 0) // aborted requests are expected
	p.next = &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(upstream) },
		Transport:     transport,
		FlushInterval: -1, // send watch events at once
		ErrorLog:      discard,
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) {
			panic(http.ErrAbortHandler) // as if the server were not reachable
		},
	}
	p.server = httptest.NewUnstartedServer(p)
	p.server.Config.ErrorLog = discard
	p.server.Config.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
		if secured, ok := conn.(*tls.Conn); ok {
			conn = secured.NetConn()
		}
		return context.WithValue(ctx, connKey{}, conn)
	}
	return p
}

// URL returns the proxy's address with the scheme.
func (p *Proxy) URL() string { return p.server.URL }

// Host returns the proxy's address as host:port.
func (p *Proxy) Host() string { return p.server.Listener.Addr().String() }

// CABundle returns the certificate that clients of the proxy must trust, in PEM. It is nil for plain HTTP.
func (p *Proxy) CABundle() []byte {
	if p.server.TLS == nil {
		return nil
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: p.server.Certificate().Raw})
}

// Close removes all faults, ends all requests and stops the proxy.
func (p *Proxy) Close() {
	p.RemoveAll()
	p.CloseWatches()
	p.server.CloseClientConnections()
	p.server.Close()
}

// Inject activates a fault until it has affected Times requests or is removed. If several faults would affect a request, only the one that
// was injected first affects it.
func (p *Proxy) Inject(fault Fault) *Injection {
	injection := &Injection{fault: fault, removed: make(chan struct{}), done: make(chan struct{})}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.injections = append(p.injections, injection)
	return injection
}

// FailDiscovery makes discovery of one API group fail with 503 until restore is called. Until then, the proxy turns off aggregated
// discovery, so that clients request each group separately. failing lists the failed requests.
func (p *Proxy) FailDiscovery(group string) (failing *Injection, restore func()) {
	root := func(r Request) bool { return r.Path == "/apis" || r.Path == "/api" }
	plain := p.Inject(Fault{On: root, Times: Always, Do: forwardWithoutAggregation})
	of := func(r Request) bool { return r.Resource == "" && PathPrefix("/apis/"+group+"/")(r) }
	failing = p.Inject(Fault{On: of, Times: Always, Do: Refuse(http.StatusServiceUnavailable, "ServiceUnavailable", 0)})
	return failing, func() {
		failing.Remove()
		plain.Remove()
	}
}

// RemoveAll removes all faults.
func (p *Proxy) RemoveAll() {
	p.mu.Lock()
	injections := p.injections
	p.injections = nil
	p.mu.Unlock()
	for _, each := range injections {
		each.Remove()
	}
}

// CloseWatches ends all open watches, as a server does when they time out, and returns their number.
func (p *Proxy) CloseWatches() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, end := range p.watches {
		end()
	}
	return len(p.watches)
}

// Writes returns the recorded writes, oldest first. It leaves out the first skip writes since the start, and writes that the proxy has
// dropped.
func (p *Proxy) Writes(skip int) []Write {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.writes[min(max(skip-p.dropped, 0), len(p.writes)):])
}

// WriteCount returns the number of writes since the start, including dropped ones. Passed to Writes, this number selects the writes after
// the call of WriteCount.
func (p *Proxy) WriteCount() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dropped + len(p.writes)
}

// ServeHTTP forwards a request, or runs the action of the fault that affects it.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body []byte
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		var err error
		if body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody)); err != nil {
			panic(http.ErrAbortHandler) // the client is gone, or the body is too large
		}
	}
	described := describe(r, body)
	if described.Verb == "watch" {
		var end func()
		r, end = p.trackWatch(r)
		defer end()
	}
	e := &Exchange{proxy: p, writer: w, request: r, body: body}
	defer p.recordWrite(described, e)()
	injection := p.faultFor(described)
	if injection == nil {
		e.forward(w, r)
		return
	}
	e.removed = injection.removed
	defer injection.finished()
	injection.fault.Do(e)
}

// trackWatch returns a copy of the request with a context that CloseWatches can cancel. The caller must defer the returned function, which
// forgets the watch. After CloseWatches, that function makes the stream of the watch end normally.
func (p *Proxy) trackWatch(r *http.Request) (*http.Request, func()) {
	ctx, cancel := context.WithCancelCause(r.Context())
	r = r.WithContext(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.watches[r] = func() { cancel(errWatchEnded) }
	return r, func() {
		ended := errors.Is(context.Cause(ctx), errWatchEnded)
		cancel(nil)
		p.mu.Lock()
		delete(p.watches, r)
		p.mu.Unlock()
		if ended {
			_ = recover() // the reverse proxy panics on a canceled request, which would reset the stream
		}
	}
}

// errWatchEnded is the cancellation cause of a watch that CloseWatches ended.
var errWatchEnded = errors.New("the watch was ended")

// recordWrite records the request if it is a write. After the request, the caller must call finish, which records the outcome.
func (p *Proxy) recordWrite(described Request, e *Exchange) (finish func()) {
	if !described.Mutating() {
		return func() {}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.writes) == maxRecorded {
		p.writes, p.dropped = slices.Clone(p.writes[maxRecorded/2:]), p.dropped+maxRecorded/2
	}
	p.writes = append(p.writes, Write{Request: described, Time: time.Now(), Outcome: "under way"})
	number := p.dropped + len(p.writes) - 1
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if at := number - p.dropped; at >= 0 {
			p.writes[at].Outcome = e.outcome
		}
	}
}

// faultFor returns the first fault that affects the request, or nil. Faults that were injected after that one do not count the request.
func (p *Proxy) faultFor(described Request) *Injection {
	p.mu.Lock()
	injections := slices.Clone(p.injections)
	p.mu.Unlock()
	for _, each := range injections {
		if each.claimRequest(described) {
			return each
		}
	}
	return nil
}

// forward forwards the request to the upstream server, and the response to w. It sets the outcome unless it is already set.
func (e *Exchange) forward(w http.ResponseWriter, r *http.Request) {
	if e.body != nil {
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(e.body)), int64(len(e.body))
	}
	seen := &statusWriter{ResponseWriter: w}
	defer func() {
		if e.outcome == "" {
			e.outcome = fmt.Sprintf("answered %d", seen.code)
		}
	}()
	e.proxy.next.ServeHTTP(seen, r)
}

// forwardDetached forwards the request even if the client is gone, and returns the status code of the response. It drops the response and
// takes at most a minute.
func (e *Exchange) forwardDetached() int {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(e.request.Context()), time.Minute)
	defer cancel()
	answer := httptest.NewRecorder()
	e.forward(answer, e.request.Clone(ctx))
	e.outcome = ""
	return answer.Code
}

// statusWriter is a ResponseWriter that stores the status code.
type statusWriter struct {
	http.ResponseWriter
	code int
}

// WriteHeader stores and sends the status code.
func (w *statusWriter) WriteHeader(code int) {
	w.code = code
	w.ResponseWriter.WriteHeader(code)
}

// Unwrap lets http.ResponseController flush watch events.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
