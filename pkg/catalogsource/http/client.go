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
	// DefaultTimeout is what OLM v1's own client allows, after 10 seconds had been too short for large catalogs
	// (OCPBUGS-92037).
	DefaultTimeout = 5 * time.Minute
	// DefaultMaxBytes is several times the largest catalog of OpenShift (about 130 MB as JSON lines).
	DefaultMaxBytes = 1 << 30
)

// maxHeaders bounds the headers of an answer; catalogd's have some hundred bytes.
const maxHeaders = 64 << 10

// Options configure a Client. The zero value trusts the system's authorities.
type Options struct {
	// CAFile is a PEM file with the authorities that may sign catalogd's certificate. It is read again at every catalog
	// read, so that a rotation needs no restart.
	CAFile string
	// RootCAs are trusted where CAFile is empty; nil means the system's.
	RootCAs *x509.CertPool
	// Dial connects to a server; nil connects by TCP.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Timeout bounds one read, all its requests included and waits for other readings not; 0 means DefaultTimeout.
	Timeout time.Duration
	// MaxBytes bounds what one read may receive, after decompression; 0 means DefaultMaxBytes.
	MaxBytes int64
}

// Client reads catalogs. It is safe for concurrent use and keeps connections open between reads for a short time.
type Client struct {
	options Options

	lock sync.Mutex
	// pem is the content of CAFile that client was made with.
	pem    []byte
	client *http.Client
}

// New returns a client. Nothing is read or dialled yet.
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

// Close drops idle connections. The client may be used again.
func (c *Client) Close() {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.client != nil {
		c.client.CloseIdleConnections()
	}
}

// current returns the HTTP client for the authorities that are in CAFile now. Connections that were made under other
// authorities are not used again.
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
		return nil, nil, fmt.Errorf("reading the certificate authorities for catalogs: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(content) {
		return nil, nil, fmt.Errorf("reading the certificate authorities for catalogs: file %q has no PEM certificate in it", c.options.CAFile)
	}
	return roots, content, nil
}

func (c *Client) newHTTPClient(roots *x509.CertPool) *http.Client {
	return &http.Client{
		// No proxy: catalogd is a Service of the cluster. Bodies are compressed and decompressed by the transport.
		Transport: &http.Transport{
			DialContext:           c.options.Dial,
			TLSClientConfig:       &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout:   10 * time.Second,
			ResponseHeaderTimeout: time.Minute,
			IdleConnTimeout:       30 * time.Second,
			// Go's own bound is 10 MiB for each answer.
			MaxResponseHeaderBytes: maxHeaders,
			MaxIdleConnsPerHost:    2,
		},
		// catalogd redirects nobody; whatever does is not to be trusted with where our catalogs come from.
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return errors.New("redirects are not followed")
		},
	}
}
