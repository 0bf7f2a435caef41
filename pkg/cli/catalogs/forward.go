package catalogs

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/transport/spdy"
	"k8s.io/streaming/pkg/httpstream"
)

// forwardTo returns a dialer whose connections lead to a port of a Pod, through the API server and the kubelet. It does not open a local
// port, because other users of the machine could connect to it.
func (f *Finder) forwardTo(to target) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		connection, err := f.upgrade(ctx, to)
		if err != nil {
			return nil, fmt.Errorf("forwarding to port %d of Pod %q of namespace %q: %w; it needs the permission to create pods/portforward there",
				to.port, to.pod, to.namespace, err)
		}
		forwarded, err := newForwardedConn(connection, to)
		if err != nil {
			_ = connection.Close() // the error that matters is that of the streams
			return nil, fmt.Errorf("forwarding to port %d of Pod %q of namespace %q: %w", to.port, to.pod, to.namespace, err)
		}
		return forwarded, nil
	}
}

// upgrade returns a connection to a Pod over WebSocket or, if the API server or a proxy in front of it does not support that, over SPDY, as
// kubectl does.
func (f *Finder) upgrade(ctx context.Context, to target) (httpstream.Connection, error) {
	base, _, err := rest.DefaultServerUrlFor(f.Connection.Config)
	if err != nil {
		return nil, err
	}
	endpoint := base.JoinPath("api", "v1", "namespaces", to.namespace, "pods", to.pod, "portforward")
	transport, upgrader, err := spdy.RoundTripperFor(f.Connection.Config)
	if err != nil {
		return nil, err
	}
	overWebSocket, err := portforward.NewSPDYOverWebsocketDialerForStreaming(endpoint, f.Connection.Config)
	if err != nil {
		return nil, err
	}
	overSPDY := spdy.NewDialerForStreaming(upgrader, &http.Client{Transport: transport}, http.MethodPost, endpoint)
	dialer := portforward.NewFallbackDialerForStreaming(overWebSocket, overSPDY, func(err error) bool {
		return httpstream.IsUpgradeFailure(err) || httpstream.IsHTTPSProxyError(err)
	})
	type outcome struct {
		connection httpstream.Connection
		err        error
	}
	dialed := make(chan outcome, 1)
	// The dialers do not take a context.
	go func() {
		connection, _, err := dialer.Dial(portforward.PortForwardProtocolV1Name)
		dialed <- outcome{connection, err}
	}()
	select {
	case o := <-dialed:
		return o.connection, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// forwardedConn is a connection to a port of a Pod.
type forwardedConn struct {
	data       httpstream.Stream
	connection httpstream.Connection
	to         target

	lock sync.Mutex
	// failed is the error that the kubelet reported, for example that nothing listens on the port.
	failed error
}

// newForwardedConn creates the two streams of a forwarded connection: for data, and for the kubelet's errors.
func newForwardedConn(connection httpstream.Connection, to target) (*forwardedConn, error) {
	headers := http.Header{}
	headers.Set(corev1.PortHeader, strconv.Itoa(to.port))
	headers.Set(corev1.PortForwardRequestIDHeader, "0")
	headers.Set(corev1.StreamType, corev1.StreamTypeError)
	errors, err := connection.CreateStream(headers)
	if err != nil {
		return nil, err
	}
	headers.Set(corev1.StreamType, corev1.StreamTypeData)
	data, err := connection.CreateStream(headers)
	if err != nil {
		return nil, err
	}
	c := &forwardedConn{data: data, connection: connection, to: to}
	go c.watch(errors)
	return c, nil
}

// watch waits for an error from the kubelet. It then resets the data stream, so that reads and writes fail with that error.
func (c *forwardedConn) watch(errors httpstream.Stream) {
	_ = errors.Close() // the client sends nothing on the error stream
	message, err := io.ReadAll(io.LimitReader(errors, 1024))
	if err != nil || len(message) == 0 {
		return
	}
	c.lock.Lock()
	c.failed = fmt.Errorf("the kubelet reports: %s", message)
	c.lock.Unlock()
	_ = c.data.Reset()
}

// Read implements net.Conn.
func (c *forwardedConn) Read(into []byte) (int, error) {
	n, err := c.data.Read(into)
	return n, c.cause(err)
}

// Write implements net.Conn.
func (c *forwardedConn) Write(from []byte) (int, error) {
	n, err := c.data.Write(from)
	return n, c.cause(err)
}

// cause returns the error to report when the data stream has failed with err: the kubelet's error if there is one, which ended the stream,
// or else err.
func (c *forwardedConn) cause(err error) error {
	c.lock.Lock()
	defer c.lock.Unlock()
	if err != nil && c.failed != nil {
		return c.failed
	}
	return err
}

// Close implements net.Conn.
func (c *forwardedConn) Close() error {
	_ = c.data.Reset()
	return c.connection.Close()
}

// LocalAddr implements net.Conn.
func (c *forwardedConn) LocalAddr() net.Addr { return podAddress{c.to} }

// RemoteAddr implements net.Conn.
func (c *forwardedConn) RemoteAddr() net.Addr { return podAddress{c.to} }

// SetDeadline implements net.Conn. The streams have no deadlines; canceling the context of a read ends the read and closes the connection.
func (c *forwardedConn) SetDeadline(time.Time) error { return nil }

// SetReadDeadline implements net.Conn, like SetDeadline.
func (c *forwardedConn) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline implements net.Conn, like SetDeadline.
func (c *forwardedConn) SetWriteDeadline(time.Time) error { return nil }

// podAddress is the address of a port of a Pod.
type podAddress struct{ target }

// Network implements net.Addr.
func (podAddress) Network() string { return "portforward" }

// String implements net.Addr.
func (a podAddress) String() string { return fmt.Sprintf("%s/%s:%d", a.namespace, a.pod, a.port) }
