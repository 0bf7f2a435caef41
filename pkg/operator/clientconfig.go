package operator

import (
	"fmt"
	"net/http"

	"k8s.io/client-go/rest"

	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/pager"
)

// clientQPS and clientBurst are the rate limit of each client except the engine's, in requests per second. They protect the API server from
// a controller in a hot loop. client-go's defaults of 5 and 10 are meant for interactive use. To remove 100 operators at once, one client
// sends a thousand requests; at 50 a second, some would wait for 20 seconds.
const clientQPS, clientBurst = 200, 400

func clientConfig(config *rest.Config, settings Settings) *rest.Config {
	config = rest.CopyConfig(config)
	config.QPS, config.Burst = clientQPS, clientBurst
	if settings.IsUnlimited {
		config.QPS = -1
	}
	return config
}

// engineConfig returns the configuration of the clients that apply bundles. It has no rate limit: at 50 requests a second, a bundle of
// 5,000 objects would take two minutes, and the repair of one operator would wait for the installation of another. The engine limits its
// concurrent requests instead. API Priority and Fairness protects the API server: client-go waits for the time in a 429 response.
func engineConfig(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	config.QPS = -1
	config.WarningHandlerWithContext = apply.WarningHandler()
	config.Wrap(pager.Bounded)
	return config
}

// configOf returns a configuration whose clients use the transport of an HTTP client. NewForConfigAndClient cannot be used, because
// library-go builds its client for the operator resource only from a configuration, and the engine wraps its own transport.
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
