// Package proxy connects to catalogs through a SOCKS5 proxy. In a hosted control plane, the manager runs outside of the cluster's network. It
// reaches the Services of catalogs through the konnectivity sidecar of its Pod, which is such a proxy.
package proxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"time"

	"golang.org/x/net/http/httpproxy"
	"golang.org/x/net/proxy"
)

// dialTimeout is the maximum time to connect to a server through the proxy.
const dialTimeout = 30 * time.Second

// Config configures the proxy. OLM reads the same settings from the environment variables GRPC_PROXY and NO_PROXY. The zero value has no proxy.
type Config struct {
	// URL is the URL of a SOCKS5 proxy, such as socks5://127.0.0.1:8090. The proxy resolves the names of servers. If URL is empty, there is
	// no proxy.
	URL string
	// NoProxy lists the servers to which the manager connects without the proxy, in the format of NO_PROXY: host names with their subdomains,
	// IP addresses and CIDRs, separated by commas. It connects to servers on the loopback interface always without the proxy.
	NoProxy string
}

// DialFunc connects to an address (host:port).
type DialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// Dialer returns a function that connects through the proxy, or nil if there is no proxy. It returns an error if URL is not the URL of a
// SOCKS5 proxy. It does not connect.
func (c Config) Dialer() (DialFunc, error) {
	if c.URL == "" {
		return nil, nil
	}
	server, err := url.Parse(c.URL)
	if err != nil || server.Host == "" || server.Scheme != "socks5" && server.Scheme != "socks5h" {
		return nil, errors.New("the value is not the URL of a SOCKS5 proxy; set it to socks5://HOST:PORT, or remove it")
	}
	direct := &net.Dialer{}
	dialer, err := proxy.FromURL(server, direct)
	if err != nil {
		return nil, fmt.Errorf("using proxy %q: %w", server.Host, err)
	}
	proxied, isContextDialer := dialer.(proxy.ContextDialer)
	if !isContextDialer {
		return nil, fmt.Errorf("using proxy %q: the dialer for its scheme has no DialContext; use a socks5 URL", server.Host)
	}
	choose := (&httpproxy.Config{HTTPProxy: c.URL, HTTPSProxy: c.URL, NoProxy: c.NoProxy}).ProxyFunc()
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, dialTimeout)
		defer cancel()
		through, err := choose(&url.URL{Scheme: "https", Host: address})
		switch {
		case err != nil:
			return nil, fmt.Errorf("choosing a proxy for %q: %w", address, err)
		case through == nil:
			return direct.DialContext(ctx, network, address)
		}
		connection, err := proxied.DialContext(ctx, network, address)
		if err != nil {
			return nil, fmt.Errorf("connecting through proxy %q: %w", server.Host, err)
		}
		return connection, nil
	}, nil
}
