package image

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
)

// viaProxy is the context key that marks requests through a proxy. For these requests, the dialer connects to the proxy that the admin
// configured, which may have a loopback address.
type viaProxy struct{}

// markProxied returns the context of a request. It adds viaProxy if the transport sends the request through a proxy.
func markProxied(transport *http.Transport, request *http.Request) context.Context {
	ctx := request.Context()
	if transport.Proxy == nil {
		return ctx
	}
	if proxy, err := transport.Proxy(request); err == nil && proxy != nil { // the transport returns the error
		return context.WithValue(ctx, viaProxy{}, true)
	}
	return ctx
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
