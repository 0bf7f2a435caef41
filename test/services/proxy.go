// Package services connects the API server of a local cluster, in which no containers run, to servers in the test's process. When the API
// server calls a webhook or an aggregated API, it connects to the Service through the proxy of this package. The proxy forwards the
// connection to the loopback address that a test registered for the Service.
//
// `localcluster up --services-socket` makes the API server use the proxy. The proxy does not interpret the connections, and connects to
// loopback addresses only.
package services

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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
)

// dialLimit is the maximum time for connecting to a loopback address, and for reading the header of a request.
const dialLimit = 5 * time.Second

// Service is one port of a Service.
type Service struct {
	Namespace, Name string
	// Port is the port of the Service, not of a pod.
	Port int32
}

// Proxy is an HTTP CONNECT proxy on a Unix socket. Its methods may be called concurrently.
type Proxy struct {
	client   kubernetes.Interface
	listener net.Listener
	server   *http.Server
	serving  sync.WaitGroup

	lock    sync.Mutex
	backend map[Service]string
	tunnels map[net.Conn]struct{}
	closed  bool
}

// Start starts a proxy on a Unix socket. The proxy finds Services by their cluster IPs, so client must be able to list Services. The caller
// must call Close.
func Start(socket string, client kubernetes.Interface) (*Proxy, error) {
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return nil, fmt.Errorf("starting a proxy for Services on %q: %w", socket, err)
	}
	p := &Proxy{client: client, listener: listener, backend: map[Service]string{}, tunnels: map[net.Conn]struct{}{}}
	p.server = &http.Server{Handler: http.HandlerFunc(p.connect), ReadHeaderTimeout: dialLimit}
	p.serving.Go(func() { _ = p.server.Serve(listener) }) // it ends with Close, which is no error
	return p, nil
}

// Answer registers a loopback address to which the proxy forwards connections to the Service. An empty address removes the
// registration. Answer returns an error for any other address that is not on loopback.
func (p *Proxy) Answer(service Service, address string) error {
	if address != "" && !loopback(address) {
		return fmt.Errorf("forwarding Service %s/%s to %q: not a loopback address", service.Namespace, service.Name, address)
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	if address == "" {
		delete(p.backend, service)
	} else {
		p.backend[service] = address
	}
	return nil
}

// Disconnect closes all forwarded connections, as a network failure does. The proxy keeps running. Clients must connect and do the TLS
// handshake again.
func (p *Proxy) Disconnect() {
	p.lock.Lock()
	defer p.lock.Unlock()
	for conn := range p.tunnels {
		_ = conn.Close()
	}
}

// Close stops the proxy and closes all connections.
func (p *Proxy) Close() error {
	p.lock.Lock()
	p.closed = true
	p.lock.Unlock()
	err := p.server.Close()
	p.Disconnect()
	p.serving.Wait()
	return err
}

func (p *Proxy) connect(w http.ResponseWriter, request *http.Request) {
	if request.Method != http.MethodConnect {
		http.Error(w, "this is a proxy for CONNECT only", http.StatusMethodNotAllowed)
		return
	}
	address, err := p.resolve(request.Context(), request.Host)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	there, err := net.DialTimeout("tcp", address, dialLimit)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	here, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		_ = there.Close()
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if !p.track(here, there) {
		return
	}
	defer p.untrack(here, there)
	if _, err := io.WriteString(here, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	tunnel(here, buffered, there)
}

// resolve returns the loopback address to which the proxy forwards a connection. address is what the API server dials: a Service's cluster
// IP, or the loopback address in the URL of a webhook. resolve returns an error for any other address, and for a port of a Service without
// a registered address.
func (p *Proxy) resolve(ctx context.Context, address string) (string, error) {
	if loopback(address) {
		return address, nil
	}
	host, portText, err := net.SplitHostPort(address)
	if err != nil {
		return "", fmt.Errorf("reading the address %q: %w", address, err)
	}
	port, err := strconv.ParseInt(portText, 10, 32)
	if err != nil {
		return "", fmt.Errorf("reading the port of %q: %w", address, err)
	}
	found, err := p.client.CoreV1().Services(corev1.NamespaceAll).List(ctx, metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector("spec.clusterIP", host).String(),
	})
	if err != nil {
		return "", fmt.Errorf("looking for the Service at %s: %w", address, err)
	}
	for _, service := range found.Items {
		if service.Spec.ClusterIP != host {
			continue
		}
		p.lock.Lock()
		backend := p.backend[Service{service.Namespace, service.Name, int32(port)}]
		p.lock.Unlock()
		if backend == "" {
			return "", fmt.Errorf("no address is registered for port %d of Service %s/%s", port, service.Namespace, service.Name)
		}
		return backend, nil
	}
	return "", fmt.Errorf("no Service has address %s, and other hosts are not contacted", address)
}

func (p *Proxy) track(conns ...net.Conn) bool {
	p.lock.Lock()
	defer p.lock.Unlock()
	for _, conn := range conns {
		if p.closed {
			_ = conn.Close()
		} else {
			p.tunnels[conn] = struct{}{}
		}
	}
	return !p.closed
}

func (p *Proxy) untrack(conns ...net.Conn) {
	p.lock.Lock()
	defer p.lock.Unlock()
	for _, conn := range conns {
		_ = conn.Close()
		delete(p.tunnels, conn)
	}
}

// tunnel copies data in both directions until one side ends, and closes both.
func tunnel(here net.Conn, buffered io.Reader, there net.Conn) {
	var copying sync.WaitGroup
	copying.Go(func() {
		_, _ = io.Copy(there, buffered)
		_ = there.Close()
	})
	copying.Go(func() {
		_, _ = io.Copy(here, there)
		_ = here.Close()
	})
	copying.Wait()
}

func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return err == nil && (host == "localhost" || net.ParseIP(host).IsLoopback())
}
