// Package services answers, in the test's own process, for Services of a local cluster on which no container ever runs: the
// API server asks it for a connection to a Service whenever it calls a webhook or an aggregated API, and is given one to
// whoever registered for that Service on loopback.
//
// It is the other side of `localcluster up --services-socket`. It does not know what is spoken over the connections, and
// connects to nothing but loopback addresses. Tests of webhooks are its callers.
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

// dialLimit bounds how long somebody on loopback may take to accept.
const dialLimit = 5 * time.Second

// Service is one port of a Service.
type Service struct {
	Namespace, Name string
	// Port is the Service's own port, not a pod's.
	Port int32
}

// Proxy is an HTTP CONNECT proxy on a Unix socket. All methods may be called from any goroutine.
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

// Start serves on the socket. The client finds which Service an address is of; it needs to list Services.
func Start(socket string, client kubernetes.Interface) (*Proxy, error) {
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return nil, fmt.Errorf("answering for the cluster's Services on %q: %w", socket, err)
	}
	p := &Proxy{client: client, listener: listener, backend: map[Service]string{}, tunnels: map[net.Conn]struct{}{}}
	p.server = &http.Server{Handler: http.HandlerFunc(p.connect), ReadHeaderTimeout: dialLimit}
	p.serving.Go(func() { _ = p.server.Serve(listener) }) // it ends with Close, which is no error
	return p, nil
}

// Answer has connections to the Service go to an address, which must be a loopback one; an empty address ends that.
func (p *Proxy) Answer(service Service, address string) error {
	if address != "" && !loopback(address) {
		return fmt.Errorf("answering for Service %s/%s at %q: that is no loopback address", service.Namespace, service.Name, address)
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

// Disconnect closes every connection that is open, as a network that fails for a moment does. Who wants one again gets a
// new one, and with it a new TLS handshake.
func (p *Proxy) Disconnect() {
	p.lock.Lock()
	defer p.lock.Unlock()
	for conn := range p.tunnels {
		_ = conn.Close()
	}
}

// Close ends the proxy and every connection through it.
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
	if !p.remember(here, there) {
		return
	}
	defer p.forget(here, there)
	if _, err := io.WriteString(here, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	tunnel(here, buffered, there)
}

// resolve finds who answers at what the API server dials: a ClusterIP, or the address of a webhook that was given by URL.
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
			return "", fmt.Errorf("nobody answers for port %d of Service %s/%s", port, service.Namespace, service.Name)
		}
		return backend, nil
	}
	return "", fmt.Errorf("no Service is at %s, and nothing beyond this machine is asked", address)
}

func (p *Proxy) remember(conns ...net.Conn) bool {
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

func (p *Proxy) forget(conns ...net.Conn) {
	p.lock.Lock()
	defer p.lock.Unlock()
	for _, conn := range conns {
		_ = conn.Close()
		delete(p.tunnels, conn)
	}
}

// tunnel copies both ways until both sides have ended; one that ends takes the other along.
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
