package scenario

import (
	"net/http"
	"testing/synctest"

	"k8s.io/client-go/rest"
)

// StepClientConfig is ClientConfig for the steps and checks of a story. Before each request is sent, everything else in the bubble comes
// to rest: whatever follows at the same instant from the steps before, such as that the authorizer knows of a changed role, has
// happened. So a story does not depend on which goroutine runs first. Programs that run in the cluster use ClientConfig: if one of their
// goroutines waits for a mutex, the bubble does not come to rest, and a request that is sent under the mutex hangs. While such requests are
// sent, neither the test nor a second cluster in the bubble may call synctest.Wait.
func (c *Cluster) StepClientConfig(user string) *rest.Config {
	config := c.ClientConfig(user)
	config.Transport = stepTransport{c, config.Transport}
	return config
}

// rest waits until everything else in the bubble waits. In a bubble with several clusters, only one may rest at a time.
func (c *Cluster) rest() {
	// synctest.Wait may be called once at a time, and a goroutine that waits for a channel is at rest, unlike one that waits for a mutex.
	c.resting <- struct{}{}
	synctest.Wait()
	<-c.resting
}

// stepTransport sends a request only after everything else in the bubble has come to rest; see Cluster.rest.
type stepTransport struct {
	cluster *Cluster
	next    http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t stepTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	t.cluster.rest()
	return t.next.RoundTrip(r)
}
