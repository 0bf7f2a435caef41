// Package socks5 is a SOCKS5 server for tests. It stands in for the konnectivity sidecar of a hosted control plane, which resolves the
// names of Services in the guest cluster.
package socks5

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"sync"
)

// Server is a SOCKS5 server on the loopback interface. It accepts clients without authentication. Its methods may be called concurrently.
type Server struct {
	listener net.Listener
	resolve  func(address string) (string, error)
	running  sync.WaitGroup

	mu        sync.Mutex
	requested []string
	open      map[net.Conn]struct{}
	isClosed  bool
}

// Start starts a server. resolve returns the address (host:port) to connect to for a requested address, whose host the client has not
// resolved. The caller must close the server.
func Start(resolve func(address string) (string, error)) (*Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("starting a SOCKS5 server: %w", err)
	}
	s := &Server{listener: listener, resolve: resolve, open: map[net.Conn]struct{}{}}
	s.running.Go(s.accept)
	return s, nil
}

// URL returns the URL of the server, such as socks5://127.0.0.1:1080.
func (s *Server) URL() string { return "socks5://" + s.listener.Addr().String() }

// Requested returns the addresses that clients have requested, in the order of the requests.
func (s *Server) Requested() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requested)
}

// Close ends all connections, and waits for the end of the server.
func (s *Server) Close() error {
	s.mu.Lock()
	s.isClosed = true
	for connection := range s.open {
		_ = connection.Close() // the copy that uses it returns
	}
	s.mu.Unlock()
	err := s.listener.Close()
	s.running.Wait()
	return err
}

func (s *Server) accept() {
	for {
		client, err := s.listener.Accept()
		if err != nil {
			return // closed
		}
		s.running.Go(func() { s.serve(client) })
	}
}

func (s *Server) serve(client net.Conn) {
	defer s.track(client)()
	address, err := handshake(client)
	if err != nil {
		return
	}
	s.mu.Lock()
	s.requested = append(s.requested, address)
	s.mu.Unlock()
	target, err := s.resolve(address)
	var server net.Conn
	if err == nil {
		server, err = net.Dial("tcp", target)
	}
	if err != nil {
		_, _ = client.Write(reply(hostUnreachable)) // the client sees the end of the connection otherwise
		return
	}
	defer s.track(server)()
	if _, err := client.Write(reply(succeeded)); err != nil {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(server, client) // ends with either connection
		_ = server.Close()
	}()
	_, _ = io.Copy(client, server)
	_ = client.Close()
	<-done
}

// track registers a connection, which Close closes. It returns a function that closes and forgets the connection.
func (s *Server) track(connection net.Conn) (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[connection] = struct{}{}
	if s.isClosed {
		_ = connection.Close()
	}
	return func() {
		_ = connection.Close()
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.open, connection)
	}
}

// Values of RFC 1928.
const (
	version5, noAuthentication, commandConnect = 5, 0, 1
	typeIPv4, typeName, typeIPv6               = 1, 3, 4
	succeeded, hostUnreachable                 = 0, 4
)

var errUnsupported = errors.New("the client's request is not supported")

// handshake reads a client's greeting and its request, and returns the requested address.
func handshake(client net.Conn) (address string, err error) {
	greeting := make([]byte, 2)
	if _, err := io.ReadFull(client, greeting); err != nil {
		return "", err
	}
	methods := make([]byte, greeting[1])
	if _, err := io.ReadFull(client, methods); err != nil {
		return "", err
	}
	if greeting[0] != version5 || !slices.Contains(methods, noAuthentication) {
		return "", errUnsupported
	}
	if _, err := client.Write([]byte{version5, noAuthentication}); err != nil {
		return "", err
	}
	request := make([]byte, 4)
	if _, err := io.ReadFull(client, request); err != nil {
		return "", err
	}
	if request[0] != version5 || request[1] != commandConnect {
		return "", errUnsupported
	}
	host, err := readHost(client, request[3])
	if err != nil {
		return "", err
	}
	port := make([]byte, 2)
	if _, err := io.ReadFull(client, port); err != nil {
		return "", err
	}
	return net.JoinHostPort(host, strconv.Itoa(int(binary.BigEndian.Uint16(port)))), nil
}

func readHost(client io.Reader, kind byte) (string, error) {
	size := map[byte]int{typeIPv4: net.IPv4len, typeIPv6: net.IPv6len}[kind]
	switch kind {
	case typeIPv4, typeIPv6:
	case typeName:
		length := make([]byte, 1)
		if _, err := io.ReadFull(client, length); err != nil {
			return "", err
		}
		size = int(length[0])
	default:
		return "", errUnsupported
	}
	host := make([]byte, size)
	if _, err := io.ReadFull(client, host); err != nil {
		return "", err
	}
	if kind == typeName {
		return string(host), nil
	}
	return net.IP(host).String(), nil
}

// reply returns a reply with a code. The bound address in it is 0.0.0.0:0.
func reply(code byte) []byte { return []byte{version5, code, 0, typeIPv4, 0, 0, 0, 0, 0, 0} }
