// Package pager lists objects in pages of bounded size, because each object that a user creates may be as large as etcd permits.
package pager

import (
	"context"
	"io"
	"net/http"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// MaxBytes is the maximum size of the response to a list request for more than one object, in bytes. A user's object may have the 1.5
	// MiB that etcd permits, and takes several times as much when it is decoded.
	MaxBytes = 4 << 20
	// FirstLimit is the limit of the first list request, and largestLimit the maximum limit of a request, in objects.
	FirstLimit, largestLimit = 100, 500
	// pageStep is the number by which the limit is divided after a response that is too large. A response below MaxBytes/pageStep doubles
	// the limit.
	pageStep = 4
)

// Page is a list of objects, as a client's List returns it, with the token of the next page.
type Page interface{ GetContinue() string }

// Each lists objects with a client's List, and calls page for one page after the other until page returns false or an error. A page of more
// than one object has at most MaxBytes. Bounded must wrap the transport of the client; otherwise a page is limited only by the number of
// its objects.
func Each[P Page](ctx context.Context, list func(context.Context, metav1.ListOptions) (P, error), options metav1.ListOptions, page func(P) (more bool, err error)) error {
	options.Limit = FirstLimit
	for {
		bound := &pageBound{}
		if options.Limit > 1 {
			bound.limit = MaxBytes
		}
		found, err := list(context.WithValue(ctx, pageBoundKey{}, bound), options)
		switch {
		case bound.exceeded():
			options.Limit = max(1, options.Limit/pageStep)
			continue
		case err != nil:
			return err
		}
		more, err := page(found)
		if err != nil || !more {
			return err
		}
		if options.Continue = found.GetContinue(); options.Continue == "" {
			return nil
		}
		if bound.read.Load() < MaxBytes/pageStep {
			options.Limit = min(options.Limit*2, largestLimit)
		}
	}
}

type pageBoundKey struct{}

// pageBound is the state of one response. limit is the maximum number of bytes to read; 0 means no maximum. read is the number of bytes
// that were read.
type pageBound struct {
	limit int64
	read  atomic.Int64
}

func (b *pageBound) exceeded() bool { return b.limit > 0 && b.read.Load() > b.limit }

// Bounded wraps the transport of a client, so that Each stops reading a response that is too large.
// It does not change any other response.
func Bounded(next http.RoundTripper) http.RoundTripper { return boundedTransport{next} }

type boundedTransport struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t boundedTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := t.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	if bound, ok := request.Context().Value(pageBoundKey{}).(*pageBound); ok {
		response.Body = &boundedBody{response.Body, bound}
	}
	return response, nil
}

// WrappedRoundTripper returns the wrapped transport; client-go calls it.
func (t boundedTransport) WrappedRoundTripper() http.RoundTripper { return t.next }

type boundedBody struct {
	io.ReadCloser
	bound *pageBound
}

// Read implements io.Reader. It ends a response that is too large with io.EOF, because client-go would log any other error.
func (b *boundedBody) Read(into []byte) (int, error) {
	if b.bound.exceeded() {
		return 0, io.EOF
	}
	if b.bound.limit > 0 {
		into = into[:min(int64(len(into)), b.bound.limit+1-b.bound.read.Load())]
	}
	n, err := b.ReadCloser.Read(into)
	b.bound.read.Add(int64(n))
	return n, err
}
