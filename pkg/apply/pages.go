package apply

import (
	"context"
	"io"
	"net/http"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
)

const (
	// pageBytes is how much of one answer to a list is read, unless the answer is of one object: objects of users may be of
	// etcd's 1.5 MiB each, and decoded they take several times that.
	pageBytes = 4 << 20
	// firstPage and largestPage are how many objects are asked for at first, and at most.
	firstPage, largestPage = 100, 500
	// pageStep is by how much fewer are asked for when an answer is too large.
	pageStep = 4
)

// eachPage lists objects and hands over one page after the other, none of which has more than pageBytes unless it is of one
// object; the function returns false to stop. The client's transport has to be BoundPages; else a page has largestPage objects at most.
func eachPage(ctx context.Context, client dynamic.ResourceInterface, options metav1.ListOptions, page func(*unstructured.UnstructuredList) (more bool, err error)) error {
	options.Limit = firstPage
	for {
		bound := &pageBound{}
		if options.Limit > 1 {
			bound.limit = pageBytes
		}
		list, err := client.List(context.WithValue(ctx, pageBoundKey{}, bound), options)
		switch {
		case bound.exceeded():
			options.Limit = max(1, options.Limit/pageStep)
			continue
		case err != nil:
			return err
		}
		more, err := page(list)
		if err != nil || !more {
			return err
		}
		if options.Continue = list.GetContinue(); options.Continue == "" {
			return nil
		}
		if bound.read.Load() < pageBytes/pageStep {
			options.Limit = min(options.Limit*2, largestPage)
		}
	}
}

type pageBoundKey struct{}

// pageBound is how much may be read of the answer to one request, without limit when that is 0, and how much was.
type pageBound struct {
	limit int64
	read  atomic.Int64
}

func (b *pageBound) exceeded() bool { return b.limit > 0 && b.read.Load() > b.limit }

// BoundPages wraps the transport of the engine's client, so that an answer to a list that is too large is not read to its end.
// Every other answer is passed on as it is.
func BoundPages(next http.RoundTripper) http.RoundTripper { return boundedTransport{next} }

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

// WrappedRoundTripper gives the transport inside, which client-go looks for.
func (t boundedTransport) WrappedRoundTripper() http.RoundTripper { return t.next }

type boundedBody struct {
	io.ReadCloser
	bound *pageBound
}

// Read implements io.Reader. What is too large ends early, and not with an error, which client-go would log.
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
