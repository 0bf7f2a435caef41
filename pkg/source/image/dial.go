package image

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
)

// viaProxy marks the context of a request that a proxy is asked for: what is dialed is then the proxy, which the admin chose and which may
// be on this machine.
type viaProxy struct{}

// markProxied returns the context of a request, marked where the transport sends it to a proxy.
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

// dialer connects to registries. It looks at addresses, since any name can resolve to one of this machine.
type dialer struct {
	resolver *net.Resolver
	// local allows addresses of this machine.
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

// refuseLoopback returns an error where a name was resolved to an address of this machine.
func refuseLoopback(name, resolved string) error {
	target, err := netip.ParseAddrPort(resolved)
	if err != nil {
		return err
	}
	if isLoopbackIP(target.Addr()) {
		return marked(Untrusted, "%s, which %s resolves to, %s", target.Addr(), name, loopbackRefused)
	}
	return nil
}

// isLoopbackIP is whether an address is one of this machine. The unspecified address is: Linux connects it to a loopback one.
func isLoopbackIP(ip netip.Addr) bool {
	ip = ip.Unmap()
	return ip.IsLoopback() || ip.IsUnspecified()
}
