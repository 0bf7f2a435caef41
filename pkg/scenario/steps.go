package scenario

import (
	"net/http"
	"testing/synctest"

	"k8s.io/client-go/rest"
)

// StepClientConfig is like ClientConfig, for the steps and checks of a test. Its clients call synctest.Wait before each request, so that the
// immediate effects of earlier steps, such as an update of the authorizer's cache, have happened. The result of a test then does not
// depend on the order in which goroutines run.
//
// Do not use it in the operator under test: a request that is sent while a mutex is locked would deadlock with the goroutines that wait for
// the mutex. While clients with this configuration send requests, neither the test nor another cluster in the bubble may call synctest.Wait.
func (c *Cluster) StepClientConfig(user string) *rest.Config {
	config := c.ClientConfig(user)
	config.Transport = stepTransport{c, config.Transport}
	return config
}

// waitForOthers waits until all other goroutines in the bubble are durably blocked. In a bubble, only one cluster may call it at a time.
func (c *Cluster) waitForOthers() {
	// Concurrent calls of synctest.Wait panic. A goroutine that waits for a channel is durably blocked, unlike one that waits for a mutex.
	c.waiting <- struct{}{}
	synctest.Wait()
	<-c.waiting
}

// stepTransport is an http.RoundTripper that calls Cluster.waitForOthers before it sends a request.
type stepTransport struct {
	cluster *Cluster
	next    http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t stepTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	t.cluster.waitForOthers()
	return t.next.RoundTrip(r)
}
