// Package transport provides an http.RoundTripper that calls an http.Handler in the same process, without a connection. In a
// testing/synctest bubble, a goroutine that waits for such a response is durably blocked, so virtual time advances.
//
// A test sends thousands of requests to the API server. Calling its handler directly avoids the cost of HTTP's framing and of the
// goroutines of an HTTP server. Servers that need a wire protocol (gRPC, TLS) use package network instead.
package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
)

// Transport is an http.RoundTripper that calls an http.Handler. It streams responses: RoundTrip returns when the handler writes the header,
// and the client can read the body while the handler writes it. A request ends when its context ends, when the client closes the
// response's body, or when the Transport is closed.
type Transport struct {
	handler http.Handler
	context context.Context
	close   context.CancelCauseFunc
	// calls counts the calls of the handler that have not returned.
	calls sync.WaitGroup
}

// ErrClosed is the error of requests that are in flight when the Transport is closed, or are sent later.
var ErrClosed = errors.New("the server in memory is closed")

// New returns a Transport that calls the handler.
func New(handler http.Handler) *Transport {
	t := &Transport{handler: handler}
	t.context, t.close = context.WithCancelCause(context.Background())
	return t
}

// Close ends all requests with ErrClosed, and returns when all calls of the handler have returned.
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
	// The handler must not see the values of the client's context. Otherwise, when an API server calls itself, the request that it sends
	// would have the user of the request that it handles.
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
		_ = request.Body.Close() // RoundTrip must close it; no caller could handle the error
	}
}

// body is the response body that the client reads.
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
