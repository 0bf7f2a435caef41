package scenario

import (
	"net/http"
	"testing/synctest"

	"k8s.io/client-go/rest"
)

// StepClientConfig is ClientConfig for the steps and checks of a story. Before each request is sent, everything else in the bubble comes
// to rest: whatever follows at the same instant from the steps before, such as that the authorizer knows of a changed role, has
// happened. So a story does not depend on which goroutine runs first. Programs that run in the cluster use ClientConfig.
func (c *Cluster) StepClientConfig(user string) *rest.Config {
	config := c.ClientConfig(user)
	config.Transport = stepTransport{c.step, config.Transport}
	return config
}

// stepTransport sends the requests of a story's steps.
type stepTransport struct {
	// waiting has an element while a request waits: synctest.Wait may be called once at a time, and a goroutine that waits for a channel
	// is at rest, unlike one that waits for a mutex.
	waiting chan struct{}
	next    http.RoundTripper
}

// RoundTrip is http.RoundTripper's.
func (t stepTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	t.waiting <- struct{}{}
	synctest.Wait()
	<-t.waiting
	return t.next.RoundTrip(r)
}
