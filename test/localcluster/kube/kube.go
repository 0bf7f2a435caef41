// Package kube is a small Kubernetes client on net/http. The launcher only applies, reads and updates a few known objects. Therefore it
// does not use client-go, which would multiply its compile time.
package kube

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

// maxBody is the maximum size of a response body, in bytes. The largest object is a CRD of less than 2 MB.
const maxBody = 16 << 20

// FieldManager is the launcher's field manager.
const FieldManager = "localcluster"

// Client connects to an API server as the administrator.
type Client struct {
	server string
	http   *http.Client
}

// New returns a Client for the API server at a URL. The other arguments are the paths of PEM files: the cluster's certificate authority,
// and the administrator's certificate and key.
func New(server, caFile, certFile, keyFile string) (*Client, error) {
	ca, err := os.ReadFile(caFile)
	if err != nil {
		return nil, fmt.Errorf("reading the cluster's authority: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(ca) {
		return nil, fmt.Errorf("reading the cluster's authority %q: no certificate in it", caFile)
	}
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		return nil, fmt.Errorf("reading the administrator's certificate: %w", err)
	}
	transport := &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: pool, Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2: true,
	}
	return &Client{server: server, http: &http.Client{Transport: transport, Timeout: 30 * time.Second}}, nil
}

// StatusError is the error for a response with a status code of 300 or above.
type StatusError struct {
	Code    int
	Message string // one line
}

func (e *StatusError) Error() string { return fmt.Sprintf("%s (HTTP %d)", e.Message, e.Code) }

// NotFound reports whether err is or wraps a StatusError with code 404.
func NotFound(err error) bool {
	var status *StatusError
	return errors.As(err, &status) && status.Code == http.StatusNotFound
}

// Get returns the object at path. For a status code of 300 or above, Get and the other methods return an error that wraps a StatusError.
func (c *Client) Get(ctx context.Context, path string) (map[string]any, error) {
	body, err := c.Raw(ctx, path)
	if err != nil {
		return nil, err
	}
	return parse(path, body)
}

// Raw returns the body of the response to a GET request for path.
func (c *Client) Raw(ctx context.Context, path string) ([]byte, error) {
	return c.do(ctx, http.MethodGet, path, "", nil)
}

// Apply applies an object at path with forced server-side apply, and returns the live object. A path that ends in /status applies the
// status.
func (c *Client) Apply(ctx context.Context, path string, object map[string]any) (map[string]any, error) {
	return c.write(ctx, http.MethodPatch, path+"?force=true&fieldManager="+FieldManager, "application/apply-patch+yaml", object)
}

// Update updates an object at path, and returns the live object. It fails if the object changed since it was read.
func (c *Client) Update(ctx context.Context, path string, object map[string]any) (map[string]any, error) {
	return c.write(ctx, http.MethodPut, path+"?fieldManager="+FieldManager, "application/json", object)
}

func (c *Client) write(ctx context.Context, method, path, contentType string, object map[string]any) (map[string]any, error) {
	body, err := json.Marshal(object)
	if err != nil {
		return nil, fmt.Errorf("writing %q: %w", path, err)
	}
	answer, err := c.do(ctx, method, path, contentType, body)
	if err != nil {
		return nil, err
	}
	return parse(path, answer)
}

func (c *Client) do(ctx context.Context, method, path, contentType string, body []byte) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.server+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("%s %q: %w", method, path, err)
	}
	request.Header.Set("Accept", "application/json, text/plain")
	request.Header.Set("User-Agent", "localcluster")
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(io.LimitReader(response.Body, maxBody+1))
	if err != nil {
		return nil, fmt.Errorf("%s %q: %w", method, path, err)
	}
	if len(content) > maxBody {
		return nil, fmt.Errorf("%s %q: the answer is longer than %d bytes", method, path, maxBody)
	}
	if response.StatusCode >= 300 {
		return nil, fmt.Errorf("%s %q: %w", method, path, &StatusError{Code: response.StatusCode, Message: message(content)})
	}
	return content, nil
}

// message returns the message of a Kubernetes Status, or the whole body if content is not a Status. The result is on one line and at most
// about 1000 bytes long.
func message(content []byte) string {
	var status struct{ Message string }
	text := string(content)
	if json.Unmarshal(content, &status) == nil && status.Message != "" {
		text = status.Message
	}
	text = strings.Join(strings.Fields(text), " ")
	const limit = 1000
	if len(text) > limit {
		text = strings.ToValidUTF8(text[:limit], "") + "…"
	}
	return text
}

func parse(path string, content []byte) (map[string]any, error) {
	var object map[string]any
	if err := json.Unmarshal(content, &object); err != nil {
		return nil, fmt.Errorf("reading the answer for %q: %w", path, err)
	}
	return object, nil
}

// Path returns the path of an object. namespace is empty for cluster-scoped objects. apiVersion is "v1" or "<group>/<version>".
func Path(apiVersion, resource, namespace, name string) string {
	prefix := "/apis/" + apiVersion
	if !strings.Contains(apiVersion, "/") {
		prefix = "/api/" + apiVersion
	}
	if namespace != "" {
		prefix += "/namespaces/" + namespace
	}
	return prefix + "/" + resource + "/" + name
}
