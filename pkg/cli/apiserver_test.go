package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// apiServer is an API server that serves objects as they are in a file: it lists, in pages, and gets. It records the requests.
type apiServer struct {
	// objects are the served objects by path of their resource. A path that is absent is not served.
	objects map[string][]map[string]any
	// forbidden are the paths of resources that the user may not read.
	forbidden []string
	// handlers answer the requests below a path before the objects.
	handlers map[string]http.HandlerFunc

	lock     sync.Mutex
	requests []string
}

// paths are the paths of the resources of each kind that a fixture may have.
var paths = map[string]string{
	"ClusterVersion":          "/apis/config.openshift.io/v1/clusterversions",
	"ClusterOperator":         "/apis/config.openshift.io/v1/clusteroperators",
	"PlatformOperatorManager": "/apis/operator.openshift.io/v1alpha1/platformoperatormanagers",
	"PlatformOperator":        "/apis/platform.openshift.io/v1alpha1/platformoperators",
	"BundleDeployment":        "/apis/core.rukpak.io/v1alpha2/bundledeployments",
	"Lease":                   "/apis/coordination.k8s.io/v1/namespaces/openshift-platform-operators/leases",
	"ClusterCatalog":          "/apis/olm.operatorframework.io/v1/clustercatalogs",
	"CatalogSource":           "/apis/operators.coreos.com/v1alpha1/namespaces/openshift-marketplace/catalogsources",
	"Service":                 "/api/v1/namespaces/openshift-marketplace/services",
	"Pod":                     "/api/v1/namespaces/openshift-marketplace/pods",
	"ConfigMap":               "/api/v1/namespaces/openshift-platform-operators/configmaps",
	"ClusterRole":             "/apis/rbac.authorization.k8s.io/v1/clusterroles",
	"ClusterRoleBinding":      "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
}

// newAPIServer returns a server with the objects of a file in testdata/clusters. It serves the project's kinds in any case.
func newAPIServer(t *testing.T, file string) *apiServer {
	t.Helper()
	server := &apiServer{objects: map[string][]map[string]any{}}
	for _, kind := range []string{"PlatformOperatorManager", "PlatformOperator", "BundleDeployment"} {
		server.objects[paths[kind]] = nil
	}
	addObjects(t, server, file)
	return server
}

// addObjects adds the objects of a file in testdata/clusters.
func addObjects(t *testing.T, server *apiServer, file string) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", "clusters", file))
	if err != nil {
		t.Fatal(err)
	}
	documents := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(content), 4096)
	for {
		var object map[string]any
		if err := documents.Decode(&object); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("reading %s: %v", file, err)
		}
		server.add(object)
	}
}

func (s *apiServer) add(object map[string]any) {
	path := paths[object["kind"].(string)]
	s.objects[path] = append(s.objects[path], object)
}

// start starts the server and returns the arguments that select it.
func (s *apiServer) start(t *testing.T) []string {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	return []string{"--server", server.URL}
}

func (s *apiServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.lock.Lock()
	s.requests = append(s.requests, r.Method+" "+r.URL.Path)
	s.lock.Unlock()
	for path, handler := range s.handlers {
		if strings.HasPrefix(r.URL.Path, path) {
			handler(w, r)
			return
		}
	}
	for path, objects := range s.objects {
		name, isOne := strings.CutPrefix(r.URL.Path, path+"/")
		switch {
		case !isOne && r.URL.Path != path:
			continue
		case slices.Contains(s.forbidden, path):
			resource := path[strings.LastIndex(path, "/")+1:]
			writeStatus(w, http.StatusForbidden, metav1.StatusReasonForbidden,
				resource+` is forbidden: User "eve" cannot read resource "`+resource+`"`)
		case isOne:
			writeObject(w, objects, name)
		default:
			kind, version := kindOf(path)
			writeList(w, r, kind, version, objects)
		}
		return
	}
	http.NotFound(w, r)
}

// kindOf returns the kind and the API version of a resource's path.
func kindOf(path string) (kind, version string) {
	for kind, each := range paths {
		if each == path {
			parts := strings.Split(strings.TrimPrefix(path, "/apis/"), "/")
			if path == strings.TrimPrefix(path, "/apis/") {
				return kind, "v1"
			}
			return kind, parts[0] + "/" + parts[1]
		}
	}
	return "", ""
}

func writeObject(w http.ResponseWriter, objects []map[string]any, name string) {
	for _, object := range objects {
		if object["metadata"].(map[string]any)["name"] == name {
			write(w, object)
			return
		}
	}
	writeStatus(w, http.StatusNotFound, metav1.StatusReasonNotFound, `"`+name+`" not found`)
}

func writeList(w http.ResponseWriter, r *http.Request, kind, apiVersion string, objects []map[string]any) {
	start, _ := strconv.Atoi(r.URL.Query().Get("continue"))
	end := len(objects)
	metadata := map[string]any{"resourceVersion": "1"}
	if limit, _ := strconv.Atoi(r.URL.Query().Get("limit")); limit > 0 && start+limit < end {
		end = start + limit
		metadata["continue"] = strconv.Itoa(end)
	}
	write(w, map[string]any{"kind": kind + "List", "apiVersion": apiVersion, "metadata": metadata, "items": objects[start:end]})
}

func writeStatus(w http.ResponseWriter, code int, reason metav1.StatusReason, message string) {
	writeJSON(w, code, metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure, Code: int32(code), Reason: reason, Message: message,
	})
}

func write(w http.ResponseWriter, value any) { writeJSON(w, http.StatusOK, value) }

func writeJSON(w http.ResponseWriter, code int, value any) {
	content, err := json.Marshal(value)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = w.Write(content)
}
