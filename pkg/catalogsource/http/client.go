package http

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// Defaults of Options.
const (
	// DefaultTimeout is the same as the timeout of OLM v1's own client. 10 seconds were too short for large catalogs (OCPBUGS-92037).
	DefaultTimeout = 5 * time.Minute
	// DefaultMaxBytes is the default of Options.MaxBytes. It is several times the size of the largest catalog of OpenShift, about 130 MB as
	// JSON lines.
	DefaultMaxBytes = 1 << 30
)

// maxHeaders is the maximum size of the headers of a response, in bytes. The headers that catalogd sends have about a hundred bytes.
const maxHeaders = 64 << 10

// Options configure a Client. The zero value trusts the system's certificate authorities.
type Options struct {
	// CAFile is a PEM file with the authorities that may sign catalogd's certificate. The file is read again for each read of a catalog, so
	// that a rotation needs no restart. If CAFile is empty, RootCAs applies.
	CAFile string
	// RootCAs are the trusted authorities if CAFile is empty. Nil means the system's authorities.
	RootCAs *x509.CertPool
	// Dial connects to a server. Nil means a connection over TCP.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Transport sends the requests, for example through the API server's proxy. CAFile, RootCAs and Dial are then not used for connections,
	// and base URLs may be http URLs, because the transport determines the encryption. Nil means that the Client makes its own connections.
	Transport http.RoundTripper
	// Timeout is the maximum duration of one read with all its requests, not counting waits for other reads. 0 means DefaultTimeout.
	Timeout time.Duration
	// MaxBytes is the maximum number of bytes that one read receives, after decompression. 0 means DefaultMaxBytes.
	MaxBytes int64
}

// Client reads catalogs. It is safe for concurrent use. It keeps idle connections between reads for a short time.
type Client struct {
	options Options

	lock sync.Mutex
	// pem is the content of CAFile for which client was created.
	pem    []byte
	client *http.Client
}

// New returns a Client. It does not read CAFile and does not connect.
func New(options Options) *Client {
	if options.Timeout <= 0 {
		options.Timeout = DefaultTimeout
	}
	if options.MaxBytes <= 0 {
		options.MaxBytes = DefaultMaxBytes
	}
	if options.Dial == nil {
		options.Dial = (&net.Dialer{Timeout: 10 * time.Second}).DialContext
	}
	return &Client{options: options}
}

// Close closes idle connections. The client may be used again.
func (c *Client) Close() {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.client != nil {
		c.client.CloseIdleConnections()
	}
}

// current returns the HTTP client that trusts the authorities that are in CAFile at the time of the call. It does not reuse connections
// that were made with other authorities.
func (c *Client) current() (*http.Client, error) {
	c.lock.Lock()
	defer c.lock.Unlock()
	roots, content, err := c.authorities()
	if err != nil {
		return nil, err
	}
	if c.client != nil {
		if bytes.Equal(content, c.pem) {
			return c.client, nil
		}
		c.client.CloseIdleConnections()
	}
	c.pem, c.client = content, c.newHTTPClient(roots)
	return c.client, nil
}

func (c *Client) authorities() (*x509.CertPool, []byte, error) {
	if c.options.CAFile == "" {
		return c.options.RootCAs, nil, nil
	}
	content, err := os.ReadFile(c.options.CAFile)
	if err != nil {
		return nil, nil, fmt.Errorf("reading the certificate authorities for catalogs: %w; correct the file that flag "+
			"--catalog-ca-file names", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(content) {
		return nil, nil, fmt.Errorf("reading the certificate authorities for catalogs: file %q has no PEM certificate; correct the file that "+
			"flag --catalog-ca-file names", c.options.CAFile)
	}
	return roots, content, nil
}

func (c *Client) newHTTPClient(roots *x509.CertPool) *http.Client {
	transport := c.options.Transport
	if transport == nil {
		// Without HTTPS_PROXY: catalogd is a Service in the cluster. Options.Dial may use another proxy. The transport compresses and decompresses bodies.
		transport = &http.Transport{
			DialContext:           c.options.Dial,
			TLSClientConfig:       &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout:   10 * time.Second,
			ResponseHeaderTimeout: time.Minute,
			IdleConnTimeout:       30 * time.Second,
			// The default of net/http is 10 MiB for each response.
			MaxResponseHeaderBytes: maxHeaders,
			MaxIdleConnsPerHost:    2,
		}
	}
	return &http.Client{
		Transport: transport,
		// catalogd does not redirect, so a redirect is not trusted.
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return errors.New("redirects are not followed")
		},
	}
}
