package scenario

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"time"

	"k8s.io/client-go/rest"

	"github.com/openshift/platform-operators/pkg/scenario/apiserver"
	"github.com/openshift/platform-operators/pkg/scenario/transport"
)

// Process is a client process of the cluster, such as one run of an operator.
type Process struct {
	cluster *Cluster
	number  int
	user    string
	// isOfCluster is true for the cluster's own components. Their requests do not count toward Options.MaxRequestsPerSecond, because other
	// processes' requests cause them.
	isOfCluster bool
	running     context.Context
	kill        context.CancelCauseFunc
}

// loopPause is the delay before a request fails because Options.MaxRequestsPerSecond was exceeded. It lets virtual time advance, so that
// Settle can return the error.
const loopPause = time.Second

// ErrKilled is the error of all requests of a killed process.
var ErrKilled = errors.New("the process was killed")

// NewProcess returns a process whose clients authenticate as user, such as "system:serviceaccount:namespace:name". RBAC authorizes the
// requests of all users except AdminUser and the cluster's own components, which may send any request.
func (c *Cluster) NewProcess(user string) *Process {
	p := &Process{cluster: c, number: int(c.processes.Add(1)), user: user}
	p.running, p.kill = context.WithCancelCause(context.Background())
	return p
}

// Number returns the number of the process in its cluster, counted from 1. The cluster's own components also have numbers.
func (p *Process) Number() int { return p.number }

// ClientConfig returns a configuration for the process's clients. The cluster records the clients' requests.
func (p *Process) ClientConfig() *rest.Config {
	config := p.cluster.server.Load().ClientConfig(p.user)
	config.Transport = processTransport{p}
	// The user agent is the default field manager. client-go's default would be the name of the test binary.
	config.UserAgent = p.user[strings.LastIndex(p.user, ":")+1:]
	return config
}

// Kill fails the requests in flight and all later requests of the process with ErrKilled. The API server may still complete a
// request that was in flight. Kill does not stop the goroutines of the process; the caller must stop them.
func (p *Process) Kill() {
	p.kill(ErrKilled)
	p.cluster.checker.Load().forget(p.number)
}

// IsKilled reports whether Kill was called.
func (p *Process) IsKilled() bool { return p.running.Err() != nil }

// processTransport is the http.RoundTripper of a process's clients. It applies faults to requests, records requests, and fails them after
// Kill.
type processTransport struct{ process *Process }

// RoundTrip implements http.RoundTripper.
func (t processTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	request := ParseRequest(t.process.user, r)
	request.Process = t.process.number
	if err := t.refusal(r.Context(), request); err != nil {
		if r.Body != nil {
			_ = r.Body.Close() // as an http.RoundTripper must
		}
		return nil, err
	}
	t.process.cluster.checker.Load().sending(request, r)
	ctx, cancel := context.WithCancelCause(r.Context())
	stop := context.AfterFunc(t.process.running, func() { cancel(ErrKilled) })
	release := func() {
		stop()
		cancel(nil)
	}
	t.process.cluster.staleLists.delay(ctx, request, r, t.process.cluster.checker.Load().suspend)
	stale := t.process.cluster.staleLists.forRequest(request, r)
	request.IsFaulted = stale != nil
	isSent := false
	response, err := t.roundTrip(ctx, request, func() (*http.Response, error) {
		isSent = true
		return t.process.cluster.send(request, r.WithContext(ctx), stale)
	})
	if err != nil {
		release()
		return nil, err
	}
	response.Body = &responseBody{response.Body, release}
	if request.Verb == "watch" {
		request.Code, request.Reason, request.IsFaulted = response.StatusCode, response.Header.Get(apiserver.ReasonHeader), request.IsFaulted || !isSent
		t.process.cluster.recorder.watch(request)
		response.Body = t.process.cluster.watches.add(request, response.Body)
	}
	return response, nil
}

// send sends a request to the current API server. It returns ECONNRESET if RestoreSnapshot stops the API server during the request, and
// ECONNREFUSED until the API server has restarted. stale is the effect of ServeStaleLists on the request, or nil.
func (c *Cluster) send(request Request, r *http.Request, stale *staleList) (*http.Response, error) {
	if c.restarting.Load() {
		if r.Body != nil {
			_ = r.Body.Close() // as an http.RoundTripper must
		}
		return nil, fmt.Errorf("the API server restarts: %w", syscall.ECONNREFUSED)
	}
	if stale != nil && request.Verb == "watch" {
		return stale.refusal()
	}
	if stale != nil {
		r = stale.rewrite(r)
	}
	response, err := c.server.Load().ClientConfig(request.User).Transport.RoundTrip(r)
	if errors.Is(err, transport.ErrClosed) && c.restarting.Load() {
		return nil, fmt.Errorf("the API server has ended: %w", syscall.ECONNRESET)
	}
	return response, err
}

// refusal returns the error for a request that must not be sent, or nil. It counts the request, unless a component of the cluster sends it.
// If the process was killed, it returns ErrKilled. If there were too many requests, it waits for loopPause and then returns an error.
func (t processTransport) refusal(ctx context.Context, request Request) error {
	if recorder := t.process.cluster.recorder; !t.process.isOfCluster && !recorder.count(request) {
		select {
		case <-time.After(loopPause):
		case <-ctx.Done():
		}
		return recorder.endless()
	}
	if t.process.running.Err() != nil {
		return ErrKilled
	}
	return nil
}

// roundTrip sends a request unless an injected fault prevents that. It records all requests except watches.
func (t processTransport) roundTrip(ctx context.Context, request Request, send Send) (*http.Response, error) {
	c := t.process.cluster
	if request.Verb != "watch" {
		number := c.recorder.begin(request)
		defer func() {
			c.recorder.end(number, request)
			c.checker.Load().ended(request)
		}()
	}
	isSent := false
	response, err := c.faults.apply(ctx, request, func() (*http.Response, error) {
		isSent = true
		return send()
	})
	request.IsFaulted = request.IsFaulted || !isSent
	if err == nil {
		request.Code, request.Reason = response.StatusCode, response.Header.Get(apiserver.ReasonHeader)
	}
	return response, err
}

// responseBody is a response body that releases the request's context when the client closes it.
type responseBody struct {
	io.ReadCloser
	release func()
}

// Close implements io.Closer.
func (b *responseBody) Close() error {
	defer b.release()
	return b.ReadCloser.Close()
}
