package operator

import (
	"fmt"
	"net/http"

	"k8s.io/client-go/rest"

	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/pager"
)

// clientQPS and clientBurst bound what a controller in a hot loop could do to the API server, and replace client-go's 5 and 10,
// which are meant for a person at a terminal. Removing 100 operators at once takes a thousand requests of one client: at 50 a
// second they would wait 20 seconds for nothing.
const clientQPS, clientBurst = 200, 400

func clientConfig(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	config.QPS, config.Burst = clientQPS, clientBurst
	return config
}

// engineConfig is for the client that bundles are applied with. It has no rate limit: at 50 requests a second a bundle of
// 5,000 objects would take two minutes that the API server spends waiting, and an operator's repair would stand behind
// another's installation. What bounds the engine is how many requests it has under way at once; what protects the server is
// its priority and fairness, which answers 429 with a time to wait, and client-go waits.
func engineConfig(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	config.QPS = -1
	config.WarningHandlerWithContext = apply.WarningHandler()
	config.Wrap(pager.Bounded)
	return config
}

// configOf returns a configuration whose clients send their requests through the transport of an HTTP client. It takes the place of
// NewForConfigAndClient, because library-go's client of the operator resource is only built from a configuration, and the engine wraps
// the transport of its own.
func configOf(client *http.Client, config *rest.Config) (*rest.Config, error) {
	url, _, err := rest.DefaultServerUrlFor(config) // which depends on the TLS options
	if err != nil {
		return nil, fmt.Errorf("reading the host of the API server: %w", err)
	}
	result := rest.AnonymousClientConfig(config)
	result.Host = url.String()
	result.TLSClientConfig = rest.TLSClientConfig{}
	result.Timeout = client.Timeout
	if result.Transport = client.Transport; result.Transport == nil {
		result.Transport = http.DefaultTransport
	}
	return result, nil
}
