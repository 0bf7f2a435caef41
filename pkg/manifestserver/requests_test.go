package manifestserver_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/yaml"

	"github.com/openshift/platform-operators/pkg/manifestserver"
)

const (
	jsonType  = "application/json"
	apply     = "application/apply-patch+yaml"
	merge     = "application/merge-patch+json"
	jsonPatch = "application/json-patch+json"
	strategic = "application/strategic-merge-patch+json"

	widgets    = "/apis/example.com/v1/namespaces/a/widgets"
	configMaps = "/api/v1/namespaces/a/configmaps"
)

// now is the time of the run.
var now = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// request is a request in a test. ${name.rv} and ${name.uid} in its body and path stand for values in the response to the request of that
// name.
type request struct {
	name, method, path, contentType, body string
}

// response is a response in a test.
type response struct {
	Code     int
	Warnings []string `json:",omitempty"`
	Body     any
}

// client sends requests and remembers objects in the responses.
type client struct {
	*testing.T
	transport http.RoundTripper
	ctx       context.Context
	values    map[string]string
}

func newClient(t *testing.T, transport http.RoundTripper) *client {
	t.Helper()
	return &client{t, transport, t.Context(), map[string]string{}}
}

var placeholder = regexp.MustCompile(`\$\{([^}]+)\}`)

func (c *client) fill(text string) string {
	return placeholder.ReplaceAllStringFunc(text, func(match string) string { return c.values[match[2:len(match)-1]] })
}

func (c *client) send(r request) response {
	c.Helper()
	var body io.Reader
	if r.body != "" {
		body = strings.NewReader(c.fill(r.body))
	}
	sent, err := http.NewRequestWithContext(c.ctx, r.method, "https://server.example"+c.fill(r.path), body)
	if err != nil {
		c.Fatal(err)
	}
	sent.Header.Set("Content-Type", r.contentType)
	sent.Header.Set("Accept", jsonType)
	sent.Header.Set("User-Agent", "tester/v1")
	sent.Header.Set("Authorization", "Bearer system:admin")
	received, err := c.transport.RoundTrip(sent)
	if err != nil {
		c.Fatalf("%s: %v", r.name, err)
	}
	defer received.Body.Close()
	content, err := io.ReadAll(received.Body)
	if err != nil {
		c.Fatal(err)
	}
	result := response{Code: received.StatusCode, Warnings: received.Header.Values("Warning")}
	if json.Unmarshal(content, &result.Body) != nil {
		result.Body = string(content)
	}
	if object, isObject := result.Body.(map[string]any); isObject {
		c.values[r.name+".rv"], _, _ = unstructured.NestedString(object, "metadata", "resourceVersion")
		c.values[r.name+".uid"], _, _ = unstructured.NestedString(object, "metadata", "uid")
	}
	return result
}

// object sends a request and returns the object in the response.
func (c *client) object(r request) *unstructured.Unstructured {
	c.Helper()
	received := c.send(r)
	content, isObject := received.Body.(map[string]any)
	if !isObject || received.Code >= http.StatusBadRequest {
		c.Fatalf("%s %s: %d %v", r.method, r.path, received.Code, received.Body)
	}
	return &unstructured.Unstructured{Object: content}
}

func (c *client) get(path string) *unstructured.Unstructured {
	c.Helper()
	return c.object(request{path: path, method: http.MethodGet})
}

// parse parses a manifest.
func parse(t testing.TB, manifest string) *unstructured.Unstructured {
	t.Helper()
	content, err := yaml.YAMLToJSON([]byte(manifest))
	if err != nil {
		t.Fatal(err)
	}
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(content); err != nil {
		t.Fatal(err)
	}
	return object
}

func widgetDefinition(t testing.TB) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	content, err := os.ReadFile("testdata/widgets.crd.yaml")
	if err != nil {
		t.Fatal(err)
	}
	definition := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(content, definition); err != nil {
		t.Fatal(err)
	}
	return definition
}

const namespaceA = `{apiVersion: v1, kind: Namespace, metadata: {name: a, resourceVersion: "7"}, spec: {finalizers: [kubernetes]}, status: {phase: Active}}`

// serve returns a server with namespace "a", a definition of widgets, and the manifests.
func serve(t testing.TB, manifests ...string) *manifestserver.Server {
	t.Helper()
	return serveWith(t, manifestserver.Options{}, manifests...)
}

func serveWith(t testing.TB, options manifestserver.Options, manifests ...string) *manifestserver.Server {
	t.Helper()
	options.KubernetesVersion, options.Clock = "v1.36.3", clocktesting.NewFakePassiveClock(now)
	options.Definitions = []*apiextensionsv1.CustomResourceDefinition{widgetDefinition(t)}
	for _, manifest := range append([]string{namespaceA}, manifests...) {
		options.Objects = append(options.Objects, parse(t, manifest))
	}
	server, err := manifestserver.New(options)
	if err != nil {
		t.Fatal(err)
	}
	return server
}
