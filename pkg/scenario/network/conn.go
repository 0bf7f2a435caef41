package network

import (
	"errors"
	"net"
	"sync"
	"time"
)

// conn is one end of a connection. network is nil at the server's end.
type conn struct {
	net.Conn
	network       *Network
	local, remote addr

	mu sync.Mutex
	// readDeadline is the zero time if reads have no deadline.
	readDeadline time.Time
}

// SetDeadline implements net.Conn.
func (c *conn) SetDeadline(deadline time.Time) error {
	return errors.Join(c.SetReadDeadline(deadline), c.SetWriteDeadline(deadline))
}

// SetReadDeadline implements net.Conn.
func (c *conn) SetReadDeadline(deadline time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.readDeadline = deadline
	return c.Conn.SetReadDeadline(deadline)
}

// Read implements net.Conn. It retries a read that times out before the current deadline, because a bufconn's timer still fires after its
// deadline was replaced. net/http relies on replaced deadlines: it sets a deadline in the past to interrupt a read, and then removes that
// deadline.
func (c *conn) Read(into []byte) (int, error) {
	for {
		n, err := c.Conn.Read(into)
		var timeout net.Error
		if n > 0 || !errors.As(err, &timeout) || !timeout.Timeout() || !c.clearTimeout() {
			return n, err
		}
	}
}

// clearTimeout sets the bufconn's read deadline again if the deadline has not passed, and reports whether the caller may retry the read.
func (c *conn) clearTimeout() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.readDeadline.IsZero() && !time.Now().Before(c.readDeadline) {
		return false
	}
	return c.Conn.SetReadDeadline(c.readDeadline) == nil
}

func (n *Network) opened(c *conn) *conn {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.open == nil {
		n.open = map[*conn]bool{}
	}
	n.open[c] = true
	return c
}

// Close implements net.Conn.
func (c *conn) Close() error {
	if c.network != nil {
		c.network.mu.Lock()
		delete(c.network.open, c)
		c.network.mu.Unlock()
	}
	return c.Conn.Close()
}

// LocalAddr implements net.Conn.
func (c *conn) LocalAddr() net.Addr { return c.local }

// RemoteAddr implements net.Conn.
func (c *conn) RemoteAddr() net.Addr { return c.remote }
