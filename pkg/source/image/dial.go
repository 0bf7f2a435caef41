package image

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"
)

// viaProxy is the context key that marks requests through a proxy. Its value is the proxy. For these requests, the dialer connects to the proxy that
// the admin configured, which may have a loopback address.
type viaProxy struct{}

// markProxied returns the context of a request. It adds viaProxy if the transport sends the request through a proxy.
func markProxied(transport *http.Transport, request *http.Request) context.Context {
	ctx := request.Context()
	if transport.Proxy == nil {
		return ctx
	}
	if proxy, err := transport.Proxy(request); err == nil && proxy != nil { // the transport returns the error
		return context.WithValue(ctx, viaProxy{}, proxy)
	}
	return ctx
}

// checkProxy returns an error of class Proxy if a proxy answers CONNECT with another status than 200. It has the signature of
// http.Transport.OnProxyConnectResponse.
func checkProxy(_ context.Context, proxy *url.URL, _ *http.Request, response *http.Response) error {
	if response.StatusCode == http.StatusOK {
		return nil
	}
	return marked(Proxy, "proxy %s refused to connect to the registry (%d %s)", proxy.Host, response.StatusCode, http.StatusText(response.StatusCode))
}

// explainProxy returns an error of class Proxy if the response to an HTTPS request through an HTTP proxy is not TLS, for example a login page. A
// SOCKS5 proxy sends no responses of its own.
func explainProxy(ctx context.Context, err error) error {
	proxy, ok := ctx.Value(viaProxy{}).(*url.URL)
	if !ok || proxy.Scheme != "http" && proxy.Scheme != "https" || !errors.As(err, new(tls.RecordHeaderError)) {
		return err
	}
	return marked(Proxy, "the response through proxy %s is not TLS: the proxy answered in place of the registry, or the registry uses plain HTTP: %w", proxy.Host, err)
}

// dialer connects to registries. It checks resolved addresses, because any name can resolve to a loopback address.
type dialer struct {
	resolver *net.Resolver
	// local allows loopback addresses.
	local bool
}

// DialContext connects to an address. It has the signature of net.Dialer's method.
func (d dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second, Resolver: d.resolver}
	if !d.local && ctx.Value(viaProxy{}) == nil {
		dialer.ControlContext = func(_ context.Context, _, resolved string, _ syscall.RawConn) error {
			return refuseLoopback(address, resolved)
		}
	}
	return dialer.DialContext(ctx, network, address)
}

// refuseLoopback returns an error if a name was resolved to a loopback address.
func refuseLoopback(name, resolved string) error {
	target, err := netip.ParseAddrPort(resolved)
	if err != nil {
		return err
	}
	if isLoopbackIP(target.Addr()) {
		return marked(Loopback, "%s, which %s resolves to, %s", target.Addr(), name, loopbackRefused)
	}
	return nil
}

// isLoopbackIP reports whether an address is a loopback address, or the unspecified address, which Linux connects to loopback.
func isLoopbackIP(ip netip.Addr) bool {
	ip = ip.Unmap()
	return ip.IsLoopback() || ip.IsUnspecified()
}
