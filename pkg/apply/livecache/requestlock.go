package livecache

import "context"

// requestLock is held during a request, so that concurrent callers send only one request. The request may wait for the client's rate limit.
// Unlike with a sync.Mutex, a caller that waits for the lock can stop when its context ends.
type requestLock chan struct{}

func newRequestLock() requestLock { return make(requestLock, 1) }

// acquire waits for the lock. It returns an error if the context ends first.
func (l requestLock) acquire(ctx context.Context) error {
	select {
	case l <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (l requestLock) release() { <-l }
