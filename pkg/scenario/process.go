package scenario

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"k8s.io/client-go/rest"

	"github.com/openshift/platform-operators/pkg/scenario/apiserver"
)

// Process is a program that uses the cluster, such as one run of an operator.
type Process struct {
	cluster *Cluster
	number  int
	user    string
	// isOfCluster is whether the process belongs to the cluster itself, whose requests follow from those of others.
	isOfCluster bool
	running     context.Context
	kill        context.CancelCauseFunc
}

// loopPause is how long each request waits once requests are sent in an endless loop: so that Settle can tell of it.
const loopPause = time.Second

// ErrKilled is why the requests of a process that was killed fail.
var ErrKilled = errors.New("the process was killed")

// NewProcess returns a process that acts as a user, such as "system:serviceaccount:namespace:name". AdminUser may do everything, others
// what RBAC allows.
func (c *Cluster) NewProcess(user string) *Process {
	p := &Process{cluster: c, number: int(c.processes.Add(1)), user: user}
	p.running, p.kill = context.WithCancelCause(context.Background())
	return p
}

// Number is the process's number in its cluster, counted from 1.
func (p *Process) Number() int { return p.number }

// ClientConfig returns a configuration of the process's clients. Their requests are recorded.
func (p *Process) ClientConfig() *rest.Config {
	config := p.cluster.server.ClientConfig(p.user)
	config.Transport = processTransport{p, config.Transport}
	// Without this it is the name of the test's binary, which fields that are changed without a field manager get.
	config.UserAgent = p.user[strings.LastIndex(p.user, ":")+1:]
	return config
}

// Kill ends the requests of the process, and refuses those that it sends later, as if the program had been killed. The API server may
// still carry out a request that was in flight. The program's goroutines go on until they are stopped by other means.
func (p *Process) Kill() { p.kill(ErrKilled) }

// processTransport sends the requests of a process.
type processTransport struct {
	process *Process
	next    http.RoundTripper
}

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
	ctx, cancel := context.WithCancelCause(r.Context())
	stop := context.AfterFunc(t.process.running, func() { cancel(ErrKilled) })
	release := func() {
		stop()
		cancel(nil)
	}
	response, err := t.roundTrip(ctx, request, func() (*http.Response, error) { return t.next.RoundTrip(r.WithContext(ctx)) })
	if err != nil {
		release()
		return nil, err
	}
	response.Body = &responseBody{response.Body, release}
	if request.Verb == "watch" {
		request.Code = response.StatusCode
		t.process.cluster.recorder.watch(request)
		response.Body = t.process.cluster.watches.add(request, response.Body)
	}
	return response, nil
}

// refusal returns why a request is not sent: its process was killed, or there were too many. It counts the request.
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

// roundTrip applies the cluster's faults to a request, and records it.
func (t processTransport) roundTrip(ctx context.Context, request Request, send Send) (*http.Response, error) {
	c := t.process.cluster
	if request.Verb != "watch" {
		number := c.recorder.begin(request)
		defer func() { c.recorder.end(number, request) }()
	}
	isSent := false
	response, err := c.faults.apply(ctx, request, func() (*http.Response, error) {
		isSent = true
		return send()
	})
	request.IsFaulted = !isSent
	if err == nil {
		request.Code, request.Reason = response.StatusCode, response.Header.Get(apiserver.ReasonHeader)
	}
	return response, err
}

// responseBody releases a request's context when the client closes the body.
type responseBody struct {
	io.ReadCloser
	release func()
}

// Close implements io.Closer.
func (b *responseBody) Close() error {
	defer b.release()
	return b.ReadCloser.Close()
}
