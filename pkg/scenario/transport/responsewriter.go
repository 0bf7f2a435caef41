package transport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"sync"

	"k8s.io/klog/v2"
)

// responseWriter is the http.ResponseWriter that a Transport passes to its handler. The client can read written bytes immediately.
type responseWriter struct {
	buffer buffer
	header http.Header

	once          sync.Once
	headerWritten chan struct{}
	// status and sent, a copy of the header, are set before headerWritten is closed, and never change afterwards.
	status int
	sent   http.Header
}

func newResponseWriter(ctx context.Context) *responseWriter {
	w := &responseWriter{header: http.Header{}, headerWritten: make(chan struct{})}
	w.buffer.changed.L = &w.buffer.mu
	context.AfterFunc(ctx, func() { w.buffer.end(context.Cause(ctx)) })
	return w
}

// serve calls the handler and ends the response. The response ends with io.EOF if the handler returns, with io.ErrUnexpectedEOF if it
// panics, and with the cause of the request's context if the context has ended.
func (w *responseWriter) serve(handler http.Handler, request *http.Request) {
	err := io.ErrUnexpectedEOF
	defer func() {
		status := http.StatusOK
		if recovered := recover(); recovered != nil {
			status = http.StatusInternalServerError // unless the header was written; the body ends early in any case
			if err, isError := recovered.(error); !isError || !errors.Is(err, http.ErrAbortHandler) {
				klog.Errorf("%s %s: panic: %v\n%s", request.Method, request.URL, recovered, debug.Stack())
			}
		}
		w.WriteHeader(status)
		w.buffer.end(err)
	}()
	handler.ServeHTTP(w, request)
	if err = context.Cause(request.Context()); err == nil {
		err = io.EOF
	}
}

// Header implements http.ResponseWriter.
func (w *responseWriter) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter. Informational statuses are ignored.
func (w *responseWriter) WriteHeader(status int) {
	if status < http.StatusOK {
		return
	}
	w.once.Do(func() {
		w.status, w.sent = status, w.header.Clone()
		close(w.headerWritten)
	})
}

// Write implements http.ResponseWriter.
func (w *responseWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.buffer.write(p)
}

// Flush implements http.Flusher, which an API server requires for a watch.
func (w *responseWriter) Flush() { w.WriteHeader(http.StatusOK) }

// CloseNotify implements http.CloseNotifier, which an API server requires but does not call.
func (w *responseWriter) CloseNotify() <-chan bool { return nil }

// buffer is an unbounded pipe between two goroutines. It needs no bound, because an API server limits the size of its responses.
type buffer struct {
	mu      sync.Mutex
	changed sync.Cond
	bytes   bytes.Buffer
	// err is the error that read returns after it has returned all bytes. It is nil while the writer may still write.
	err error
}

func (b *buffer) write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return 0, fmt.Errorf("writing a response that has ended: %w", b.err)
	}
	defer b.changed.Broadcast()
	return b.bytes.Write(p)
}

func (b *buffer) read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.bytes.Len() == 0 && b.err == nil && len(p) > 0 {
		b.changed.Wait()
	}
	if b.bytes.Len() > 0 || len(p) == 0 {
		return b.bytes.Read(p)
	}
	return 0, b.err
}

// end ends the response with an error. Later calls have no effect.
func (b *buffer) end(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.err = err
		b.changed.Broadcast()
	}
}
