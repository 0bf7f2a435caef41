// Package transport connects an HTTP client to a handler in the same process, without a connection. In a testing/synctest bubble a
// goroutine that waits for such a response is durably blocked, so that virtual time goes on.
//
// An API server is called thousands of times in a scenario, so that its requests go straight to its handler: no framing, no
// goroutines of an HTTP server and client. What must speak a wire protocol (gRPC, TLS) uses package network instead.
package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
)

// Transport is an http.RoundTripper that answers requests by calling a handler. Responses are streamed: RoundTrip returns with the
// header, and the body gives what the handler writes when it writes it. A request ends when its context ends, when the client
// closes the response's body, or when the Transport is closed.
type Transport struct {
	handler http.Handler
	context context.Context
	close   context.CancelCauseFunc
	// calls are those of the handler that have not returned.
	calls sync.WaitGroup
}

// ErrClosed is what requests fail with after Close.
var ErrClosed = errors.New("the server in memory is closed")

// New returns a transport to the handler.
func New(handler http.Handler) *Transport {
	t := &Transport{handler: handler}
	t.context, t.close = context.WithCancelCause(context.Background())
	return t
}

// Close ends all requests, and returns when no call of the handler is under way.
func (t *Transport) Close() {
	t.close(ErrClosed)
	t.calls.Wait()
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(request *http.Request) (*http.Response, error) {
	if t.context.Err() != nil {
		closeBody(request)
		return nil, ErrClosed
	}
	// The handler must not see the values of the client's context: an API server that calls itself would take its own request's
	// user for the new one's.
	ctx, cancel := context.WithCancelCause(t.context)
	stop := context.AfterFunc(request.Context(), func() { cancel(context.Cause(request.Context())) })
	writer := newResponseWriter(ctx)
	received := request.Clone(ctx)
	received.RequestURI = request.URL.RequestURI()
	received.RemoteAddr = "192.0.2.1:1234" // for documentation, RFC 5737
	received.Proto, received.ProtoMajor, received.ProtoMinor = "HTTP/1.1", 1, 1
	if received.Host == "" {
		received.Host = request.URL.Host
	}
	if received.Body == nil {
		received.Body = http.NoBody
	}
	t.calls.Go(func() {
		defer stop()
		defer closeBody(request)
		writer.serve(t.handler, received)
	})
	select {
	case <-writer.headerWritten:
	case <-ctx.Done():
	}
	if err := context.Cause(ctx); err != nil { // also when the handler wrote its header because the request ended
		cancel(err)
		return nil, err
	}
	return &http.Response{
		Status: fmt.Sprintf("%d %s", writer.status, http.StatusText(writer.status)), StatusCode: writer.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: writer.sent, ContentLength: -1, Request: request,
		Body: &body{buffer: &writer.buffer, cancel: cancel},
	}, nil
}

func closeBody(request *http.Request) {
	if request.Body != nil {
		_ = request.Body.Close() // RoundTrip must close it, and nobody can use what that says
	}
}

// body is a response's body as the client reads it.
type body struct {
	buffer *buffer
	cancel context.CancelCauseFunc
}

var errBodyClosed = errors.New("the client closed the response's body")

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) { return b.buffer.read(p) }

// Close implements io.Closer. It ends the request.
func (b *body) Close() error {
	b.cancel(errBodyClosed)
	return nil
}

var _ io.ReadCloser = &body{}
