package catalogs

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/openshift/platform-operators/pkg/catalog"
)

func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	result := &unstructured.Unstructured{}
	raw, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &result.Object); err != nil { // decodes integers as an API client does
		t.Fatal(err)
	}
	return result
}

func TestCatalogSourceIsReadWhereOLMIsConnected(t *testing.T) {
	ready := `
metadata: {name: red, namespace: ns, uid: u, labels: {tier: gold}}
spec: {priority: -7, image: i, updateStrategy: {registryPoll: {interval: 10m}}}
status: {connectionState: {address: "a:50051", lastObservedState: READY, lastConnect: "2026-01-01T00:00:00Z"}}`
	got := describeCatalogSource(object(t, ready))
	if got.id != (catalog.ID{Kind: "CatalogSource", Namespace: "ns", Name: "red"}) || got.priority != -7 ||
		got.endpoint != "a:50051" || got.notServing != "" || got.poll != 10*time.Minute || got.labels["tier"] != "gold" {
		t.Errorf("read as %+v", got)
	}
	for name, test := range map[string]struct{ from, to, notServing string }{
		"no connection":       {"status: {", "ignored: {", "no address"},
		"not ready":           {"READY", "TRANSIENT_FAILURE", "not \"READY\""},
		"wrong type of field": {`address: "a:50051"`, "address: 7", "no address"},
	} {
		t.Run(name, func(t *testing.T) {
			got := describeCatalogSource(object(t, strings.Replace(ready, test.from, test.to, 1)))
			if !strings.Contains(got.notServing, test.notServing) {
				t.Errorf("not serving because %q, want %q in it", got.notServing, test.notServing)
			}
		})
	}
	for name, test := range map[string]struct{ from, to string }{
		"another address":    {"a:50051", "b:50051"},
		"another image":      {"image: i", "image: j"},
		"another object":     {"uid: u", "uid: v"},
		"another config map": {"status: {", `status: {configMapReference: {resourceVersion: "7"}, `},
	} {
		t.Run(name+" is another thing that is served", func(t *testing.T) {
			if describeCatalogSource(object(t, strings.Replace(ready, test.from, test.to, 1))).source == got.source {
				t.Error("it is the same")
			}
		})
	}
	t.Run("a new connection to the same is told apart", func(t *testing.T) {
		other := describeCatalogSource(object(t, strings.Replace(ready, "2026", "2027", 1)))
		if other.connection == got.connection || other.source != got.source {
			t.Errorf("read as %+v, before as %+v", other, got)
		}
	})
}

func TestClusterCatalogIsReadWhileItServes(t *testing.T) {
	serving := `
metadata: {name: red, uid: u}
spec: {priority: 3}
status: {urls: {base: "https://c/catalogs/red"}, resolvedSource: {image: {ref: "i@sha256:1"}}, conditions: [{type: Progressing, status: "True"}, {type: Serving, status: "True"}]}`
	got := describeClusterCatalog(object(t, serving))
	if got.id != (catalog.ID{Kind: "ClusterCatalog", Name: "red"}) || got.priority != 3 || got.endpoint != "https://c/catalogs/red" || got.notServing != "" {
		t.Errorf("read as %+v", got)
	}
	for name, test := range map[string]struct{ from, to, notServing string }{
		"made unavailable": {"spec: {", "spec: {availabilityMode: Unavailable, ", "Unavailable"},
		"not serving":      {`Serving, status: "True"`, `Serving, status: "False"`, "Serving"},
		"no conditions":    {"conditions: [", "others: [", "Serving"},
		"no URL":           {"urls: {", "others: {", "urls.base"},
	} {
		t.Run(name, func(t *testing.T) {
			got := describeClusterCatalog(object(t, strings.Replace(serving, test.from, test.to, 1)))
			if !strings.Contains(got.notServing, test.notServing) {
				t.Errorf("not serving because %q, want %q in it", got.notServing, test.notServing)
			}
		})
	}
	t.Run("its content is named by the resolved image", func(t *testing.T) {
		other := describeClusterCatalog(object(t, strings.Replace(serving, "sha256:1", "sha256:2", 1)))
		if got.content != "i@sha256:1" || other.content != "i@sha256:2" || other.source != got.source {
			t.Errorf("read as %+v, before as %+v", other, got)
		}
	})
}

func TestParseIDReversesString(t *testing.T) {
	for _, id := range []catalog.ID{{Kind: "CatalogSource", Namespace: "ns", Name: "n"}, {Kind: "ClusterCatalog", Name: "n"}} {
		if got, err := parseID(id.String()); err != nil || got != id {
			t.Errorf("%s reads as %+v, %v", id, got, err)
		}
	}
	for _, key := range []string{"", "key", "CatalogSource/n", "ClusterCatalog/a/b", "Pod/a/b"} {
		if got, err := parseID(key); err == nil {
			t.Errorf("%q reads as %+v", key, got)
		}
	}
}
