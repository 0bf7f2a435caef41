// Package network is a network in memory: listeners have addresses, and dialing an address connects to its listener without a socket. Real
// servers and clients of HTTP, TLS and gRPC work over it, also in a testing/synctest bubble, where a goroutine that waits for a socket
// would stop virtual time.
package network

import (
	"context"
	"net"
	"strconv"
	"sync"
	"syscall"

	"google.golang.org/grpc/test/bufconn"
)

// Network is a set of listeners. Its zero value is an empty network, ready to use.
type Network struct {
	mu        sync.Mutex
	listeners map[string]*listener
	// lastPort is the last port that was chosen for a listener.
	lastPort int
	// down is whether nothing can be reached, and open are the clients' ends of all connections that were made, unless they are closed.
	down bool
	open map[*conn]bool
}

// bufferSize is how many bytes of a direction of a connection wait to be read. Without a buffer two ends that write at the same time would wait
// for each other, as TLS does when a client refuses the server's certificate.
const bufferSize = 32 << 10

// firstPort is the first port that is chosen for a listener.
const firstPort = 49152 // the first that is not registered, RFC 6335

// Listen returns a listener for an address such as "registry.example:443". With port 0 it chooses a port that was never used. An address
// that is in use is an error.
func (n *Network) Listen(address string) (net.Listener, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if host, port, err := net.SplitHostPort(address); err == nil && port == "0" {
		n.lastPort = max(n.lastPort+1, firstPort)
		address = net.JoinHostPort(host, strconv.Itoa(n.lastPort))
	}
	if n.listeners[address] != nil {
		return nil, opError("listen", address, syscall.EADDRINUSE)
	}
	if n.listeners == nil {
		n.listeners = map[string]*listener{}
	}
	l := &listener{network: n, address: address, connections: bufconn.Listen(bufferSize)}
	n.listeners[address] = l
	return l, nil
}

// SetDown makes the network lose all connections and refuse new ones, until it is called with false.
func (n *Network) SetDown(down bool) {
	n.mu.Lock()
	n.down = down
	lost := n.open
	if down {
		n.open = nil
	}
	n.mu.Unlock()
	if !down {
		return
	}
	for each := range lost {
		_ = each.Conn.Close()
	}
}

// DialContext connects to the listener of an address. It has the signature of net.Dialer's method. Without a listener the
// connection is refused, as by the kernel. The name of the network is ignored.
func (n *Network) DialContext(ctx context.Context, _, address string) (net.Conn, error) {
	n.mu.Lock()
	l := n.listeners[address]
	down := n.down
	n.mu.Unlock()
	if l == nil || down {
		return nil, opError("dial", address, syscall.ECONNREFUSED)
	}
	client, err := l.connections.DialContext(ctx)
	switch {
	case err == nil:
		return n.opened(&conn{Conn: client, network: n, local: addr("client"), remote: addr(address)}), nil
	case ctx.Err() != nil:
		return nil, opError("dial", address, context.Cause(ctx))
	default: // the listener was closed meanwhile
		return nil, opError("dial", address, syscall.ECONNREFUSED)
	}
}

func opError(op, address string, err error) error {
	return &net.OpError{Op: op, Net: "tcp", Addr: addr(address), Err: err}
}

// listener is a net.Listener.
type listener struct {
	network     *Network
	address     string
	connections *bufconn.Listener
	once        sync.Once
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	accepted, err := l.connections.Accept()
	if err != nil {
		return nil, opError("accept", l.address, net.ErrClosed)
	}
	return &conn{Conn: accepted, local: addr(l.address), remote: addr("client")}, nil
}

// Close implements net.Listener. It leaves connections open.
func (l *listener) Close() error {
	err := opError("close", l.address, net.ErrClosed)
	l.once.Do(func() {
		l.network.mu.Lock()
		defer l.network.mu.Unlock()
		delete(l.network.listeners, l.address)
		err = l.connections.Close()
	})
	return err
}

// Addr implements net.Listener.
func (l *listener) Addr() net.Addr { return addr(l.address) }

// addr is a net.Addr.
type addr string

// Network implements net.Addr.
func (addr) Network() string { return "tcp" }

// String implements net.Addr.
func (a addr) String() string { return string(a) }
