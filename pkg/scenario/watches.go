package scenario

import (
	"io"
	"sync"
)

// watches holds the open watches of all clients.
type watches struct {
	mu   sync.Mutex
	open map[*watchBody]Request
}

// add registers an open watch and wraps the body of its response. The caller must pass the returned body to the client.
func (w *watches) add(request Request, body io.ReadCloser) io.ReadCloser {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open == nil {
		w.open = map[*watchBody]Request{}
	}
	watched := &watchBody{ReadCloser: body, watches: w}
	w.open[watched] = request
	return watched
}

// CutWatches breaks the connections of the open watches whose requests match, as a restart of the API server does. If match is nil, it
// breaks all open watches. It returns the number of broken watches.
func (c *Cluster) CutWatches(match func(Request) bool) int {
	c.watches.mu.Lock()
	defer c.watches.mu.Unlock()
	count := 0
	for body, request := range c.watches.open {
		if match == nil || match(request) {
			body.cut = true
			_ = body.ReadCloser.Close() // ends the request, and always returns nil
			delete(c.watches.open, body)
			count++
		}
	}
	return count
}

// watchBody is the response body of a watch.
type watchBody struct {
	io.ReadCloser
	watches *watches
	// cut is true after CutWatches ended the watch. watches.mu guards it.
	cut bool
}

// Read implements io.Reader. After CutWatches ended the watch, Read returns io.ErrUnexpectedEOF, as after a lost connection.
func (b *watchBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && b.isCut() {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func (b *watchBody) isCut() bool {
	b.watches.mu.Lock()
	defer b.watches.mu.Unlock()
	return b.cut
}

// Close implements io.Closer.
func (b *watchBody) Close() error {
	b.watches.mu.Lock()
	delete(b.watches.open, b)
	b.watches.mu.Unlock()
	return b.ReadCloser.Close()
}
