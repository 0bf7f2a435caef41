// Package network provides in-memory network connections. Dialing an address connects to the listener of that address without a socket.
// Servers and clients of HTTP, TLS and gRPC work over it unchanged. In a testing/synctest bubble, virtual time advances while they wait.
// With a socket, it would not advance.
package network

import (
	"context"
	"net"
	"strconv"
	"sync"
	"syscall"

	"google.golang.org/grpc/test/bufconn"
)

// Network is an in-memory network: a set of listeners and connections. Its zero value is ready to use. Its methods may be called
// concurrently.
type Network struct {
	mu        sync.Mutex
	listeners map[string]*listener
	// lastPort is the port that Listen allocated last.
	lastPort int
	// down makes DialContext fail. open holds the client ends of all open connections.
	down bool
	open map[*conn]bool
}

// bufferSize is the size of a connection's buffer for each direction, in bytes. Without a buffer, two ends that write at the same time
// would deadlock. TLS does that when a client rejects the server's certificate.
const bufferSize = 32 << 10

// firstPort is the port that Listen allocates first: the first dynamic port of RFC 6335.
const firstPort = 49152

// Listen returns a listener for an address such as "registry.example:443". For port 0 it allocates a port that it never allocated before.
// It returns an error if the address is in use.
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

// SetDown closes all connections and refuses new ones if down is true. If down is false, the network accepts new connections again.
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

// DialContext connects to the listener of an address. It has the signature of net.Dialer.DialContext, and ignores the network argument. It
// returns ECONNREFUSED if nothing listens on the address, or if the network is down.
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
	default: // the listener was closed after the lookup
		return nil, opError("dial", address, syscall.ECONNREFUSED)
	}
}

func opError(op, address string, err error) error {
	return &net.OpError{Op: op, Net: "tcp", Addr: addr(address), Err: err}
}

// listener is the net.Listener that Network.Listen returns.
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

// Close implements net.Listener. It leaves connections open. A second call returns net.ErrClosed.
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

// addr is a net.Addr. Its value is the address of a listener, or "client".
type addr string

// Network implements net.Addr.
func (addr) Network() string { return "tcp" }

// String implements net.Addr.
func (a addr) String() string { return string(a) }
