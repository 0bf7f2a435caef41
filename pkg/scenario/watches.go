package scenario

import (
	"io"
	"sync"
)

// watches are the watches that clients have open.
type watches struct {
	mu   sync.Mutex
	open map[*watchBody]Request
}

// add registers a watch, and returns the body that the client reads its events from.
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

// CutWatches ends the watches whose request matches, as an API server does that restarts, and returns how many there were. A nil match
// ends all. Clients that need the watch begin another one.
func (c *Cluster) CutWatches(match func(Request) bool) int {
	c.watches.mu.Lock()
	defer c.watches.mu.Unlock()
	count := 0
	for body, request := range c.watches.open {
		if match == nil || match(request) {
			body.cut = true
			_ = body.ReadCloser.Close() // which ends the request, and reports nothing
			delete(c.watches.open, body)
			count++
		}
	}
	return count
}

// watchBody is the body of a watch's response.
type watchBody struct {
	io.ReadCloser
	watches *watches
	// cut is guarded by the lock of watches.
	cut bool
}

// Read implements io.Reader. A watch that was cut ends as one whose connection was lost.
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
