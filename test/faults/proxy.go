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
	// maxBody bounds what a request may hold: beyond what an API server takes.
	maxBody = 16 << 20
	// maxRecorded bounds the record of writes; older ones are dropped.
	maxRecorded = 100_000
)

// Proxy passes requests on, until a fault is injected. All methods may be called from any goroutine.
type Proxy struct {
	server *httptest.Server
	next   *httputil.ReverseProxy

	mu         sync.Mutex
	injections []*Injection
	writes     []Write
	dropped    int
	watches    map[*http.Request]func()
}

// Write is a write that was seen.
type Write struct {
	Request
	// Time is when it came.
	Time time.Time
	// Outcome is the answer's status, or what happened instead.
	Outcome string
}

type connKey struct{}

// InFrontOfServer stands in front of an API server, with HTTPS and an authority of its own. Whoever asks is asked for by the
// credentials that come with the request; of the configuration only address and authority are used.
func InFrontOfServer(config *rest.Config) (*Proxy, error) {
	upstream, err := url.Parse(config.Host)
	if err != nil {
		return nil, fmt.Errorf("putting a proxy in front of %q: %w", config.Host, err)
	}
	trust, err := rest.TLSConfigFor(&rest.Config{TLSClientConfig: rest.TLSClientConfig{CAData: config.CAData, CAFile: config.CAFile}})
	if err != nil {
		return nil, fmt.Errorf("putting a proxy in front of %q: reading its authority: %w", config.Host, err)
	}
	p := newProxy(upstream, &http.Transport{TLSClientConfig: trust, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 100})
	p.server.EnableHTTP2 = true // as the API server itself, so that a reset takes the watches along
	p.server.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	p.server.StartTLS()
	return p, nil
}

// InFrontOfRegistry stands in front of a registry on loopback, given as host:port, in plain HTTP.
func InFrontOfRegistry(host string) *Proxy {
	p := newProxy(&url.URL{Scheme: "http", Host: host}, &http.Transport{})
	p.server.Start()
	return p
}

func newProxy(upstream *url.URL, transport http.RoundTripper) *Proxy {
	p := &Proxy{watches: map[*http.Request]func(){}}
	quietly := log.New(io.Discard, "", 0) // requests that are cut short are what this is for
	p.next = &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(upstream) },
		Transport:     transport,
		FlushInterval: -1, // watches
		ErrorLog:      quietly,
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) {
			panic(http.ErrAbortHandler) // a server that is not there answers nothing either
		},
	}
	p.server = httptest.NewUnstartedServer(p)
	p.server.Config.ErrorLog = quietly
	p.server.Config.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
		if secured, ok := conn.(*tls.Conn); ok {
			conn = secured.NetConn()
		}
		return context.WithValue(ctx, connKey{}, conn)
	}
	return p
}

// URL is where the proxy is; Host is the same without the scheme.
func (p *Proxy) URL() string { return p.server.URL }

// Host is where the proxy is, as host:port.
func (p *Proxy) Host() string { return p.server.Listener.Addr().String() }

// Authority vouches for the proxy, in PEM; nil without TLS.
func (p *Proxy) Authority() []byte {
	if p.server.TLS == nil {
		return nil
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: p.server.Certificate().Raw})
}

// Close ends it, and every request that is under way.
func (p *Proxy) Close() {
	p.LiftAll()
	p.CloseWatches()
	p.server.CloseClientConnections()
	p.server.Close()
}

// Inject puts a fault in place until it has happened as often as it says, or is lifted. Of several that pick the same
// request the one that was injected first happens.
func (p *Proxy) Inject(fault Fault) *Injection {
	injection := &Injection{fault: fault, lifted: make(chan struct{}), done: make(chan struct{})}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.injections = append(p.injections, injection)
	return injection
}

// FailDiscovery has discovery of one API group answer 503 until the function that it gives is called. The injection has the
// requests that were refused.
func (p *Proxy) FailDiscovery(group string) (failing *Injection, lift func()) {
	root := func(r Request) bool { return r.Path == "/apis" || r.Path == "/api" }
	plain := p.Inject(Fault{On: root, Times: Always, Do: plainly})
	of := func(r Request) bool { return r.Resource == "" && Below("/apis/"+group+"/")(r) }
	failing = p.Inject(Fault{On: of, Times: Always, Do: Refuse(http.StatusServiceUnavailable, "ServiceUnavailable", 0)})
	return failing, func() {
		failing.Lift()
		plain.Lift()
	}
}

// LiftAll lifts every fault.
func (p *Proxy) LiftAll() {
	p.mu.Lock()
	injections := p.injections
	p.injections = nil
	p.mu.Unlock()
	for _, each := range injections {
		each.Lift()
	}
}

// CloseWatches ends all watches that are under way, and says how many there were.
func (p *Proxy) CloseWatches() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, end := range p.watches {
		end()
	}
	return len(p.watches)
}

// Writes are the writes that were seen after the first skip ones, the oldest first.
func (p *Proxy) Writes(skip int) []Write {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.writes[min(max(skip-p.dropped, 0), len(p.writes)):])
}

// Seen is how many writes were seen so far.
func (p *Proxy) Seen() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dropped + len(p.writes)
}

// ServeHTTP passes a request on, or has happen to it what was injected.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body []byte
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		var err error
		if body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody)); err != nil {
			panic(http.ErrAbortHandler) // the client went away in the middle, or sends what no server takes
		}
	}
	described := describe(r, body)
	if described.Verb == "watch" {
		var end func()
		r, end = p.watched(r)
		defer end()
	}
	e := &Exchange{proxy: p, writer: w, request: r, body: body}
	defer p.record(described, e)()
	injection := p.strike(described)
	if injection == nil {
		e.forward(w, r)
		return
	}
	e.lifted = injection.lifted
	defer injection.finished()
	injection.fault.Do(e)
}

// watched makes a watch one that CloseWatches can end, in the way that a server does whose time for it is up. The function
// that it gives is to be deferred.
func (p *Proxy) watched(r *http.Request) (*http.Request, func()) {
	ctx, cancel := context.WithCancelCause(r.Context())
	r = r.WithContext(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.watches[r] = func() { cancel(errEnded) }
	return r, func() {
		ended := errors.Is(context.Cause(ctx), errEnded)
		cancel(nil)
		p.mu.Lock()
		delete(p.watches, r)
		p.mu.Unlock()
		if ended {
			_ = recover() // the reverse proxy takes the end for a fault, and would have the stream reset
		}
	}
}

// errEnded is why a watch ended that CloseWatches ended.
var errEnded = errors.New("the watch was ended")

// record notes a write, and what became of it once the function that it gives is called.
func (p *Proxy) record(described Request, e *Exchange) (finish func()) {
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

// strike gives the fault that happens to a request: the first that takes it. The others do not count it.
func (p *Proxy) strike(described Request) *Injection {
	p.mu.Lock()
	injections := slices.Clone(p.injections)
	p.mu.Unlock()
	for _, each := range injections {
		if each.takes(described) {
			return each
		}
	}
	return nil
}

// forward passes the request on and its answer back.
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

// carryOut passes the request on, sees to it that it goes through whatever becomes of the client, and gives the status.
func (e *Exchange) carryOut() int {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(e.request.Context()), time.Minute)
	defer cancel()
	answer := httptest.NewRecorder()
	e.forward(answer, e.request.Clone(ctx))
	e.outcome = ""
	return answer.Code
}

// statusWriter remembers the status.
type statusWriter struct {
	http.ResponseWriter
	code int
}

// WriteHeader remembers the status.
func (w *statusWriter) WriteHeader(code int) {
	w.code = code
	w.ResponseWriter.WriteHeader(code)
}

// Unwrap lets watches be flushed.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
