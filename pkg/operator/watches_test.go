package operator

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"k8s.io/component-base/metrics"
	"k8s.io/utils/clock"

	"github.com/openshift/library-go/pkg/operator/events"
)

// emptyServer is an API server that serves the kinds of OLM v0 and v1 and of image configuration, has only their CustomResourceDefinitions, and
// denies writes. It records which kinds were listed.
type emptyServer struct {
	lock   sync.Mutex
	listed map[string]bool
}

// served maps the resources of other components that the manager watches to their group and version.
var served = map[string]string{
	"catalogsources": "operators.coreos.com/v1alpha1", "subscriptions": "operators.coreos.com/v1alpha1",
	"clustercatalogs": "olm.operatorframework.io/v1", "clusterextensions": "olm.operatorframework.io/v1",
	"imagedigestmirrorsets": "config.openshift.io/v1", "imagetagmirrorsets": "config.openshift.io/v1", "images": "config.openshift.io/v1",
	"clusterimagepolicies": "config.openshift.io/v1", "imagepolicies": "config.openshift.io/v1",
	"imagecontentsourcepolicies": "operator.openshift.io/v1alpha1",
}

// singular maps a resource to its kind, for resources whose lists need the kind of their items.
var singular = map[string]string{
	"platformoperators": "PlatformOperator", "bundledeployments": "BundleDeployment", "bundles": "Bundle", "provisionerclasses": "ProvisionerClass",
	"platformoperatormanagers": "PlatformOperatorManager", "clusterversions": "ClusterVersion", "clusteroperators": "ClusterOperator",
	"configmaps": "ConfigMap", "secrets": "Secret",
}

// isOfNamespace reports whether the manager lists a resource in its namespace only.
func isOfNamespace(resource string) bool { return resource == "configmaps" || resource == "secrets" }

func (s *emptyServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	resource := path.Base(r.URL.Path)
	whole := len(parts) == 4 || parts[0] == "api" && (len(parts) == 3 || isOfNamespace(resource))
	switch query := r.URL.Query(); {
	case r.URL.Path == "/version":
		fmt.Fprint(w, `{"major":"1","minor":"34","gitVersion":"v1.34.0"}`)
	case r.Method != http.MethodGet:
		s.answer(w, http.StatusForbidden, metav1.StatusReasonForbidden)
	case !whole:
		s.answer(w, http.StatusNotFound, metav1.StatusReasonNotFound)
	case query.Get("sendInitialEvents") == "true":
		s.answer(w, http.StatusUnprocessableEntity, metav1.StatusReasonInvalid) // like a server without streaming lists, so that the client lists instead
	case query.Get("watch") != "":
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	default:
		s.lock.Lock()
		s.listed[resource] = true
		s.lock.Unlock()
		version := strings.Join(parts[1:len(parts)-1], "/")
		if isOfNamespace(resource) {
			version = "v1"
		}
		fmt.Fprintf(w, `{"apiVersion":%q,"kind":"%sList","metadata":{"resourceVersion":"1"},"items":[%s]}`, version, singular[resource], s.items(resource))
	}
}

func (s *emptyServer) answer(w http.ResponseWriter, code int, reason metav1.StatusReason) {
	w.WriteHeader(code)
	fmt.Fprintf(w, `{"apiVersion":"v1","kind":"Status","status":"Failure","code":%d,"reason":%q}`, code, reason)
}

// items returns the items of a list: the CustomResourceDefinitions, or none.
func (s *emptyServer) items(resource string) string {
	if resource != "customresourcedefinitions" {
		return ""
	}
	var items []string
	for _, each := range slices.Sorted(maps.Keys(served)) {
		group, version, _ := strings.Cut(served[each], "/")
		items = append(items, fmt.Sprintf(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"%s.%s","resourceVersion":"1"},
			"spec":{"group":%q,"names":{"plural":%q,"kind":%q},"versions":[{"name":%q,"served":true}]}}`, each, group, group, each, each, version))
	}
	return strings.Join(items, ",")
}

func (s *emptyServer) kinds() []string {
	s.lock.Lock()
	defer s.lock.Unlock()
	return slices.Sorted(maps.Keys(s.listed))
}

// inputFrom returns an Input whose clients request JSON from a server.
func inputFrom(t *testing.T, server *httptest.Server) *Input {
	t.Helper()
	options := NewOptions()
	options.ContentDir = t.TempDir()
	input, err := HTTPInput(server.Client(), &rest.Config{Host: server.URL}, Settings{
		Options: *options, Namespace: "openshift-platform-operators", Clock: clock.RealClock{}, Recorder: events.NewInMemoryRecorder("test", clock.RealClock{}),
	})
	if err != nil {
		t.Fatal(err)
	}
	registry := metrics.NewKubeRegistry()
	input.Register, input.RegisterCollector = registry.Register, registry.CustomRegister
	return input
}

// TestDeniedWatchesOfEveryKindAreReported shows that WatchesDegraded reports a denied list of every kind that the manager lists while
// nothing is installed, except ClusterRoles.
func TestDeniedWatchesOfEveryKindAreReported(t *testing.T) {
	answers := &emptyServer{listed: map[string]bool{}}
	server := httptest.NewServer(answers)
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	b, err := newBuilder(ctx, inputFrom(t, server).withDefaults())
	if err != nil {
		t.Fatal(err)
	}
	built, err := b.build()
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		built.Run(ctx)
	}()
	expected := slices.Concat(slices.Collect(maps.Keys(served)), slices.Collect(maps.Keys(singular)), []string{"pods", "customresourcedefinitions"})
	err = wait.PollUntilContextTimeout(ctx, 10*time.Millisecond, 30*time.Second, true, func(context.Context) (bool, error) {
		listed := answers.kinds()
		return !slices.ContainsFunc(expected, func(each string) bool { return !slices.Contains(listed, each) }), nil
	})
	cancel()
	server.CloseClientConnections()
	<-ended
	if err != nil {
		t.Fatalf("the manager listed only %v: %v", answers.kinds(), err)
	}
	for _, each := range answers.kinds() {
		if each == "clusterroles" {
			continue // the watch revokes leftover grants of namespace checks; an admin may take the permission away, which is no degradation
		}
		if b.watchErrorSetters[each] == nil {
			t.Errorf("%s are listed, but a denied list is not reported", each)
		}
	}
	for each := range b.watchErrorSetters {
		if !slices.Contains(answers.kinds(), each) {
			t.Errorf("no informer lists %s", each)
		}
	}
}
