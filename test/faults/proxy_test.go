package faults

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

// server is a minimal API server. It stores the names of created objects and the Authorization headers, and its watches last until the
// client ends them.
type server struct {
	mu      sync.Mutex
	created []string
	tokens  []string
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.tokens = append(s.tokens, r.Header.Get("Authorization"))
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.URL.Query().Get("watch") == "true":
		fmt.Fprintln(w, `{"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"first"}}}`)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	case r.Method == http.MethodPost:
		var object corev1.ConfigMap
		if err := json.NewDecoder(r.Body).Decode(&object); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if slices.Contains(s.created, object.Name) {
			respond(w, http.StatusConflict, apierrors.NewAlreadyExists(corev1.Resource("configmaps"), object.Name).Status())
			return
		}
		s.created = append(s.created, object.Name)
		respond(w, http.StatusCreated, object)
	default:
		fmt.Fprint(w, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"1"}}`)
	}
}

func respond(w http.ResponseWriter, code int, content any) {
	encoded, err := json.Marshal(content)
	if err != nil {
		code, encoded = http.StatusInternalServerError, []byte(err.Error())
	}
	w.WriteHeader(code)
	_, _ = w.Write(encoded)
}

func (s *server) createdNames() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.created)
}

// startProxy returns a server, a proxy in front of it, and a client of the proxy. It stops server and proxy when the test ends.
func startProxy(t *testing.T) (*server, *Proxy, kubernetes.Interface) {
	t.Helper()
	fake := &server{}
	upstream := httptest.NewUnstartedServer(fake)
	upstream.EnableHTTP2 = true
	upstream.StartTLS()
	t.Cleanup(upstream.Close)
	authority := &Proxy{server: upstream}
	proxy, err := NewAPIServerProxy(&rest.Config{Host: upstream.URL, TLSClientConfig: rest.TLSClientConfig{CAData: authority.CABundle()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proxy.Close)
	client, err := kubernetes.NewForConfig(&rest.Config{
		Host: proxy.URL(), BearerToken: "secret", UserAgent: "tester", QPS: -1, ContentConfig: rest.ContentConfig{ContentType: "application/json"},
		TLSClientConfig: rest.TLSClientConfig{CAData: proxy.CABundle()},
	})
	if err != nil {
		t.Fatal(err)
	}
	return fake, proxy, client
}

func create(ctx context.Context, client kubernetes.Interface, name string) error {
	_, err := client.CoreV1().ConfigMaps("memo").Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	return err
}

func TestActions(t *testing.T) {
	killed := 0
	kill := func() error { killed++; return nil }
	cases := map[string]struct {
		action Action
		// isError checks the client's error; nil expects success.
		isError func(error) bool
		// written is whether the write reached the server.
		written bool
	}{
		"Refuse: the client gets the status":       {Refuse(http.StatusConflict, metav1.StatusReasonConflict, 0), apierrors.IsConflict, false},
		"Reset: the write is not forwarded":        {Reset(), isLost, false},
		"After, Reset: the write is forwarded":     {After(Reset()), isLost, true},
		"After, Refuse: a timeout after the write": {After(Refuse(http.StatusGatewayTimeout, metav1.StatusReasonTimeout, 0)), apierrors.IsTimeout, true},
		"ForwardTwice: the second write conflicts": {ForwardTwice(), apierrors.IsAlreadyExists, true},
		"Delay, Forward: the write is forwarded":   {Delay(10*time.Millisecond, Forward()), nil, true},
		"Kill: the write is not forwarded":         {Kill(kill), isLost, false},
		"After, Kill: the write is forwarded":      {After(Kill(kill)), isLost, true},
		"Truncate: the write is forwarded":         {Truncate(5), isLost, true},
		"AfterHalf, Kill: the write is forwarded":  {AfterHalf(Kill(kill)), isLost, true},
	}
	for name, each := range cases {
		t.Run(name, func(t *testing.T) {
			upstream, proxy, client := startProxy(t)
			injection := proxy.Inject(Fault{On: To("create", "configmaps"), Nth: 2, Do: each.action})
			if err := create(t.Context(), client, "first"); err != nil {
				t.Fatalf("the first write, which no fault affects: %v", err)
			}
			err := create(t.Context(), client, "second")
			if each.isError == nil && err != nil || each.isError != nil && !each.isError(err) {
				t.Errorf("the error of the second write is %v", err)
			}
			<-injection.Done()
			if written := slices.Contains(upstream.createdNames(), "second"); written != each.written {
				t.Errorf("the second write was forwarded: %v, want %v", written, each.written)
			}
			if err := create(t.Context(), client, "third"); err != nil {
				t.Errorf("the third write, which no fault affects: %v", err)
			}
			if affected := injection.Affected(); len(affected) != 1 || affected[0].String() != "create configmaps memo/second" {
				t.Errorf("the fault affected %v", affected)
			}
		})
	}
	if killed != 3 {
		t.Errorf("the manager was killed %d times, want 3", killed)
	}
}

// isLost reports whether the error shows that the client got no response.
func isLost(err error) bool {
	return err != nil && apierrors.ReasonForError(err) == metav1.StatusReasonUnknown
}

func TestHoldResetsTheConnectionWhenTheFaultIsRemoved(t *testing.T) {
	upstream, proxy, client := startProxy(t)
	injection := proxy.Inject(Fault{On: Writes, Do: Hold()})
	result := make(chan error)
	go func() { result <- create(context.Background(), client, "held") }()
	for len(injection.Affected()) == 0 {
		select {
		case err := <-result:
			t.Fatalf("the write was answered: %v", err)
		case <-time.After(time.Millisecond):
		}
	}
	injection.Remove()
	if err := <-result; !isLost(err) {
		t.Errorf("the error of the held write is %v", err)
	}
	if err := create(t.Context(), client, "held"); err != nil {
		t.Errorf("the write after the fault was removed: %v", err)
	}
	if diff := cmp.Diff([]string{"held"}, upstream.createdNames()); diff != "" {
		t.Errorf("created objects (-want +got):\n%s", diff)
	}
}

func TestForwardWhenRemovedForwardsAfterTheClientHasGone(t *testing.T) {
	upstream, proxy, client := startProxy(t)
	injection := proxy.Inject(Fault{On: Writes, Do: ForwardWhenRemoved()})
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error)
	go func() { result <- create(ctx, client, "late") }()
	for len(injection.Affected()) == 0 {
		select {
		case err := <-result:
			t.Fatalf("the write was answered: %v", err)
		case <-time.After(time.Millisecond):
		}
	}
	cancel()
	if err := <-result; err == nil {
		t.Error("a canceled create returned no error")
	}
	if created := upstream.createdNames(); len(created) > 0 {
		t.Fatalf("before the fault was removed, the server created %v", created)
	}
	injection.Remove()
	<-injection.Done()
	for proxy.Writes(0)[0].Outcome == "under way" {
		time.Sleep(time.Millisecond)
	}
	if diff := cmp.Diff([]string{"late"}, upstream.createdNames()); diff != "" {
		t.Errorf("created objects (-want +got):\n%s", diff)
	}
	if outcome := proxy.Writes(0)[0].Outcome; outcome != "late: answered 201" {
		t.Errorf("the outcome is %q, want a late response", outcome)
	}
}

func TestWritesReturnsRecordedWrites(t *testing.T) {
	upstream, proxy, client := startProxy(t)
	proxy.Inject(Fault{On: Writes, Nth: 2, Do: Refuse(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, 0)})
	_ = create(t.Context(), client, "first")
	_ = create(t.Context(), client, "second")
	if _, err := client.CoreV1().ConfigMaps("memo").List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	type entry struct{ request, outcome, agent string }
	var got []entry
	for _, each := range proxy.Writes(0) {
		if !strings.HasPrefix(each.BodyDigest, "sha256:") {
			t.Errorf("%s: the digest is %q", each, each.BodyDigest)
		}
		if each.Time.IsZero() {
			t.Errorf("%s has no time", each)
		}
		got = append(got, entry{each.String(), each.Outcome, each.UserAgent})
	}
	want := []entry{
		{"create configmaps memo/first", "answered 201", "tester"},
		{"create configmaps memo/second", "refused with 429", "tester"},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(entry{})); diff != "" {
		t.Errorf("recorded writes (-want +got):\n%s", diff)
	}
	if rest := proxy.Writes(proxy.WriteCount()); len(rest) != 0 {
		t.Errorf("after the last recorded write, Writes returned %v", rest)
	}
	for _, token := range upstream.tokens {
		if token != "Bearer secret" {
			t.Errorf("the server received Authorization %q", token)
		}
	}
}

func TestCloseWatchesEndsWatches(t *testing.T) {
	_, proxy, client := startProxy(t)
	watch, err := client.CoreV1().ConfigMaps("memo").Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if event := <-watch.ResultChan(); event.Type != "ADDED" {
		t.Fatalf("the first event is %v", event)
	}
	if ended := proxy.CloseWatches(); ended != 1 {
		t.Errorf("CloseWatches ended %d watches, want 1", ended)
	}
	if event, more := <-watch.ResultChan(); more {
		t.Errorf("the watch sent %v after CloseWatches", event)
	}

	proxy.Inject(Fault{On: Watches("configmaps"), Do: ExpireWatch()})
	if watch, err = client.CoreV1().ConfigMaps("memo").Watch(t.Context(), metav1.ListOptions{ResourceVersion: "1"}); err != nil {
		t.Fatal(err)
	}
	if event := <-watch.ResultChan(); !apierrors.IsResourceExpired(apierrors.FromObject(event.Object)) {
		t.Errorf("the watch sent %v, want that its resourceVersion is too old", event)
	}
}

func TestFailDiscoveryAffectsOneGroup(t *testing.T) {
	_, proxy, _ := startProxy(t)
	client := proxy.server.Client()
	get := func(path string) int {
		t.Helper()
		response, err := client.Get(proxy.URL() + path)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		_, _ = io.Copy(io.Discard, response.Body)
		return response.StatusCode
	}
	failing, restore := proxy.FailDiscovery("apps")
	for path, want := range map[string]int{
		"/apis": 200, "/apis/apps/v1": 503, "/apis/batch/v1": 200, "/apis/apps/v1/deployments": 200,
	} {
		if got := get(path); got != want {
			t.Errorf("%s responds with %d, want %d", path, got, want)
		}
	}
	restore()
	if affected := failing.Affected(); len(affected) != 1 || affected[0].Path != "/apis/apps/v1" {
		t.Errorf("the fault affected %v", affected)
	}
	if got := get("/apis/apps/v1"); got != http.StatusOK {
		t.Errorf("after restore, discovery responds with %d", got)
	}
}

func TestNameInReadsJSONAndProtobuf(t *testing.T) {
	object := &corev1.Secret{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"}, ObjectMeta: metav1.ObjectMeta{Name: "memo"}}
	for mediaType, want := range map[string]string{"application/json": "memo", "application/vnd.kubernetes.protobuf": "memo", "text/plain": ""} {
		body := []byte("no object")
		if info, ok := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), mediaType); ok {
			var err error
			if body, err = runtime.Encode(scheme.Codecs.EncoderForVersion(info.Serializer, corev1.SchemeGroupVersion), object); err != nil {
				t.Fatal(err)
			}
		}
		if got := nameIn(body); got != want {
			t.Errorf("nameIn(%s) is %q, want %q", mediaType, got, want)
		}
	}
}

func TestDescribe(t *testing.T) {
	cases := map[string]struct {
		method, url, contentType string
		writes, engine           bool
	}{
		"apply deployments memo/controller":   {"PATCH", "/apis/apps/v1/namespaces/memo/deployments/controller", "application/apply-patch+yaml", true, true},
		"patch clusterroles memo":             {"PATCH", "/apis/rbac.authorization.k8s.io/v1/clusterroles/memo", "application/merge-patch+json", true, true},
		"update bundledeployments/status a":   {"PUT", "/apis/core.rukpak.io/v1alpha2/bundledeployments/a/status", "", true, true},
		"delete namespaces memo":              {"DELETE", "/api/v1/namespaces/memo", "", true, true},
		"update clusteroperators/status a":    {"PUT", "/apis/config.openshift.io/v1/clusteroperators/a/status", "", true, false},
		"create events memo/":                 {"POST", "/api/v1/namespaces/memo/events", "", false, false},
		"watch configmaps ":                   {"GET", "/api/v1/configmaps?watch=true", "", false, false},
		"list configmaps memo/":               {"GET", "/api/v1/namespaces/memo/configmaps", "", false, false},
		"get /apis/apps/v1":                   {"GET", "/apis/apps/v1", "", false, false},
		"get /v2/bundles/memo/blobs/sha256:0": {"GET", "/v2/bundles/memo/blobs/sha256:0", "", false, false},
	}
	for want, each := range cases {
		r := httptest.NewRequest(each.method, each.url, nil)
		r.Header.Set("Content-Type", each.contentType)
		got := describe(r, nil)
		if got.String() != want || Writes(got) != each.writes || EngineWrites(got) != each.engine {
			t.Errorf("%s %s is %q with Writes %v and EngineWrites %v, want %q, %v, %v", each.method, each.url,
				got, Writes(got), EngineWrites(got), want, each.writes, each.engine)
		}
	}
}
