package manifestserver_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/yaml"

	"github.com/google/go-cmp/cmp"

	"github.com/openshift/platform-operators/pkg/manifestserver"
	"github.com/openshift/platform-operators/pkg/scenario/apiserver"
	"github.com/openshift/platform-operators/pkg/scenario/builtin"
	"github.com/openshift/platform-operators/pkg/scenario/etcd"
)

// TestAnswersAreThoseOfAnAPIServer sends the same requests to k8s.io/apiserver and to a Server, and compares the answers without uids,
// resourceVersions and times.
func TestAnswersAreThoseOfAnAPIServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := etcd.New()
		defer store.Close()
		reference, err := apiserver.Start(t.Context(), apiserver.Options{Store: store, Version: "v1.36.3"})
		if err != nil {
			t.Fatal(err)
		}
		defer reference.Stop()
		want, got := newClient(t, roundTripper(t, reference)), newClient(t, emptyServer(t))
		prepare(t, want)
		for _, r := range parityRequests {
			expected, actual := scrubbed(want.send(r)), scrubbed(got.send(r))
			if known[r.name] != "" {
				if cmp.Equal(expected, actual) {
					t.Errorf("%s: the answers are equal; remove the known difference", r.name)
				}
				expected, actual = withoutMessage(expected), withoutMessage(actual)
			}
			if diff := cmp.Diff(expected, actual); diff != "" {
				t.Errorf("%s: %s %s (- API server, + manifests):\n%s", r.name, r.method, r.path, diff)
			}
		}
	})
}

func roundTripper(t *testing.T, server *apiserver.Server) http.RoundTripper {
	t.Helper()
	transport, err := rest.TransportFor(server.ClientConfig(apiserver.AdminUser))
	if err != nil {
		t.Fatal(err)
	}
	return transport
}

func emptyServer(t *testing.T) *manifestserver.Server {
	t.Helper()
	server, err := manifestserver.New(manifestserver.Options{
		KubernetesVersion: "v1.36.3", Clock: clock.RealClock{}, Default: builtin.NewScheme().Default,
		Definitions: []*apiextensionsv1.CustomResourceDefinition{widgetDefinition(t)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return server
}

// prepare creates the definition of widgets and waits until they are served.
func prepare(t *testing.T, c *client) {
	t.Helper()
	content, err := yaml.Marshal(widgetDefinition(t))
	if err != nil {
		t.Fatal(err)
	}
	content, err = yaml.YAMLToJSON(content)
	if err != nil {
		t.Fatal(err)
	}
	c.object(request{"definition", http.MethodPost, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", jsonType, string(content)})
	for range 100 {
		time.Sleep(time.Second)
		if c.send(request{"served", http.MethodGet, "/apis/example.com/v1/widgets", jsonType, ""}).Code == http.StatusOK {
			return
		}
	}
	t.Fatal("widgets are not served")
}

// scrubbed removes the values that differ between two servers.
func scrubbed(r response) response {
	r.Body = scrub(r.Body)
	if text, isText := r.Body.(string); isText {
		r.Body = strings.TrimSpace(text)
	}
	return r
}

// withoutMessage reduces a Status to its reason and to the name of the object.
func withoutMessage(r response) response {
	status, isObject := r.Body.(map[string]any)
	if !isObject || status["kind"] != "Status" {
		delete(r.Body.(map[string]any), "spec")
		return r
	}
	details, _ := status["details"].(map[string]any)
	r.Body = map[string]any{"reason": status["reason"], "name": details["name"]}
	return r
}

func scrub(value any) any {
	switch value := value.(type) {
	case map[string]any:
		items, _ := value["items"].([]any)
		for _, item := range items { // only some servers write these in lists
			item, isObject := item.(map[string]any)
			if isObject {
				delete(item, "apiVersion")
				delete(item, "kind")
			}
		}
		if causes, isList := value["causes"].([]any); isList { // kube-apiserver repeats some
			value["causes"] = slices.CompactFunc(causes, func(a, b any) bool { return cmp.Equal(a, b) })
		}
		if meta, isList := value["metadata"].(map[string]any); isList && meta["continue"] == "" {
			delete(meta, "continue")
		}
		for name, child := range value {
			switch name {
			case "uid", "resourceVersion", "creationTimestamp", "deletionTimestamp", "time":
				if text, isText := child.(string); isText && text != "" {
					value[name] = "scrubbed"
				}
			case "storageVersionHash": // a server may omit it
				delete(value, name)
			default:
				value[name] = scrub(child)
			}
		}
	case []any:
		for i := range value {
			value[i] = scrub(value[i])
		}
	case string:
		return uids.ReplaceAllString(value, "uid")
	}
	return value
}

func post(name, path, body string) request {
	return request{name, http.MethodPost, path, jsonType, toJSON(body)}
}

func put(name, path, body string) request {
	return request{name, http.MethodPut, path, jsonType, toJSON(body)}
}

func patch(name, path, contentType, body string) request {
	return request{name, http.MethodPatch, path, contentType, toJSON(body)}
}

func get(name, path string) request { return request{name, http.MethodGet, path, jsonType, ""} }

func remove(name, path, body string) request {
	return request{name, http.MethodDelete, path, jsonType, toJSON(body)}
}

func toJSON(text string) string {
	content, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		panic(fmt.Sprintf("%s: %v", text, err))
	}
	if string(content) == "null" {
		return ""
	}
	return string(content)
}
