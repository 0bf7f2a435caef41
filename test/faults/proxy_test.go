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

// server is as much of an API server as a proxy can be tried on: it keeps the names of what was created, and its watches
// last until they are ended.
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
			answer(w, http.StatusConflict, apierrors.NewAlreadyExists(corev1.Resource("configmaps"), object.Name).Status())
			return
		}
		s.created = append(s.created, object.Name)
		answer(w, http.StatusCreated, object)
	default:
		fmt.Fprint(w, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"1"}}`)
	}
}

func answer(w http.ResponseWriter, code int, content any) {
	encoded, err := json.Marshal(content)
	if err != nil {
		code, encoded = http.StatusInternalServerError, []byte(err.Error())
	}
	w.WriteHeader(code)
	_, _ = w.Write(encoded)
}

func (s *server) names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.created)
}

// inFront gives a server, a proxy in front of it and a client that asks through the proxy.
func inFront(t *testing.T) (*server, *Proxy, kubernetes.Interface) {
	t.Helper()
	behind := &server{}
	upstream := httptest.NewUnstartedServer(behind)
	upstream.EnableHTTP2 = true
	upstream.StartTLS()
	t.Cleanup(upstream.Close)
	authority := &Proxy{server: upstream}
	proxy, err := InFrontOfServer(&rest.Config{Host: upstream.URL, TLSClientConfig: rest.TLSClientConfig{CAData: authority.Authority()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proxy.Close)
	client, err := kubernetes.NewForConfig(&rest.Config{
		Host: proxy.URL(), BearerToken: "secret", UserAgent: "tester", QPS: -1, ContentConfig: rest.ContentConfig{ContentType: "application/json"},
		TLSClientConfig: rest.TLSClientConfig{CAData: proxy.Authority()},
	})
	if err != nil {
		t.Fatal(err)
	}
	return behind, proxy, client
}

func create(ctx context.Context, client kubernetes.Interface, name string) error {
	_, err := client.CoreV1().ConfigMaps("memo").Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	return err
}

func TestActsDoWhatTheySay(t *testing.T) {
	killed := 0
	kill := func() error { killed++; return nil }
	cases := map[string]struct {
		do Act
		// failed says what the client has to see; nil is success.
		failed func(error) bool
		// there says whether the write has gone through.
		there bool
	}{
		"a refused write is seen as what it was refused with":   {Refuse(http.StatusConflict, metav1.StatusReasonConflict, 0), apierrors.IsConflict, false},
		"a reset write has not gone through":                    {Reset(), isLost, false},
		"a write whose answer is lost has":                      {After(Reset()), isLost, true},
		"a write that timed out may have":                       {After(Refuse(http.StatusGatewayTimeout, metav1.StatusReasonTimeout, 0)), apierrors.IsTimeout, true},
		"a write that is sent twice meets itself":               {Twice(), apierrors.IsAlreadyExists, true},
		"a delayed write goes through":                          {Delay(10*time.Millisecond, Pass()), nil, true},
		"a manager killed before its write has not written":     {Kill(kill), isLost, false},
		"a manager killed after its write has written":          {After(Kill(kill)), isLost, true},
		"an answer that is cut is no answer, but was the write": {Cut(5), isLost, true},
		"a manager killed in the middle of the answer":          {Half(Kill(kill)), isLost, true},
	}
	for name, each := range cases {
		t.Run(name, func(t *testing.T) {
			behind, proxy, client := inFront(t)
			injection := proxy.Inject(Fault{On: To("create", "configmaps"), Nth: 2, Do: each.do})
			if err := create(t.Context(), client, "first"); err != nil {
				t.Fatalf("the first write, which nothing was to happen to: %v", err)
			}
			err := create(t.Context(), client, "second")
			if each.failed == nil && err != nil || each.failed != nil && !each.failed(err) {
				t.Errorf("the second write gave %v", err)
			}
			<-injection.Done()
			if there := slices.Contains(behind.names(), "second"); there != each.there {
				t.Errorf("the write has gone through: %v, want %v", there, each.there)
			}
			if err := create(t.Context(), client, "third"); err != nil {
				t.Errorf("the third write, which nothing was to happen to: %v", err)
			}
			if struck := injection.Struck(); len(struck) != 1 || struck[0].String() != "create configmaps memo/second" {
				t.Errorf("it happened to %v", struck)
			}
		})
	}
	if killed != 3 {
		t.Errorf("the manager was killed %d times, want 3", killed)
	}
}

// isLost says that no answer came.
func isLost(err error) bool {
	return err != nil && apierrors.ReasonForError(err) == metav1.StatusReasonUnknown
}

func TestHeldWritesAreLetGoWhenTheFaultIsLifted(t *testing.T) {
	behind, proxy, client := inFront(t)
	injection := proxy.Inject(Fault{On: Writes, Do: Hold()})
	answered := make(chan error)
	go func() { answered <- create(context.Background(), client, "held") }()
	for len(injection.Struck()) == 0 {
		select {
		case err := <-answered:
			t.Fatalf("the write was answered: %v", err)
		case <-time.After(time.Millisecond):
		}
	}
	injection.Lift()
	if err := <-answered; !isLost(err) {
		t.Errorf("the held write gave %v", err)
	}
	if err := create(t.Context(), client, "held"); err != nil {
		t.Errorf("the next write: %v", err)
	}
	if diff := cmp.Diff([]string{"held"}, behind.names()); diff != "" {
		t.Errorf("what was created (-want +got):\n%s", diff)
	}
}

func TestALateWriteArrivesAfterItsClientHasGone(t *testing.T) {
	behind, proxy, client := inFront(t)
	injection := proxy.Inject(Fault{On: Writes, Do: Late()})
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error)
	go func() { left <- create(ctx, client, "late") }()
	for len(injection.Struck()) == 0 {
		select {
		case err := <-left:
			t.Fatalf("the write was answered: %v", err)
		case <-time.After(time.Millisecond):
		}
	}
	leave()
	if err := <-left; err == nil {
		t.Error("a client that has gone got an answer")
	}
	if there := behind.names(); len(there) > 0 {
		t.Fatalf("before it is lifted there is %v", there)
	}
	injection.Lift()
	<-injection.Done()
	for proxy.Writes(0)[0].Outcome == "under way" {
		time.Sleep(time.Millisecond)
	}
	if diff := cmp.Diff([]string{"late"}, behind.names()); diff != "" {
		t.Errorf("what was created (-want +got):\n%s", diff)
	}
	if outcome := proxy.Writes(0)[0].Outcome; outcome != "late: answered 201" {
		t.Errorf("the outcome is %q", outcome)
	}
}

func TestWritesAreRecorded(t *testing.T) {
	behind, proxy, client := inFront(t)
	proxy.Inject(Fault{On: Writes, Nth: 2, Do: Refuse(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, 0)})
	_ = create(t.Context(), client, "first")
	_ = create(t.Context(), client, "second")
	if _, err := client.CoreV1().ConfigMaps("memo").List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	type line struct{ what, outcome, agent string }
	var got []line
	for _, each := range proxy.Writes(0) {
		if !strings.HasPrefix(each.BodyDigest, "sha256:") {
			t.Errorf("%s: the digest is %q", each, each.BodyDigest)
		}
		if each.Time.IsZero() {
			t.Errorf("%s has no time", each)
		}
		got = append(got, line{each.String(), each.Outcome, each.UserAgent})
	}
	want := []line{
		{"create configmaps memo/first", "answered 201", "tester"},
		{"create configmaps memo/second", "refused with 429", "tester"},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(line{})); diff != "" {
		t.Errorf("recorded writes (-want +got):\n%s", diff)
	}
	if rest := proxy.Writes(proxy.Seen()); len(rest) != 0 {
		t.Errorf("after all of them there are %v", rest)
	}
	for _, token := range behind.tokens {
		if token != "Bearer secret" {
			t.Errorf("the token that arrived is %q", token)
		}
	}
}

func TestWatchesStreamAndCanBeEnded(t *testing.T) {
	_, proxy, client := inFront(t)
	watch, err := client.CoreV1().ConfigMaps("memo").Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if event := <-watch.ResultChan(); event.Type != "ADDED" {
		t.Fatalf("the first event is %v", event)
	}
	if ended := proxy.CloseWatches(); ended != 1 {
		t.Errorf("%d watches were ended, want 1", ended)
	}
	if event, more := <-watch.ResultChan(); more {
		t.Errorf("after its end the watch gave %v", event)
	}

	proxy.Inject(Fault{On: Watches("configmaps"), Do: TooOld()})
	if watch, err = client.CoreV1().ConfigMaps("memo").Watch(t.Context(), metav1.ListOptions{ResourceVersion: "1"}); err != nil {
		t.Fatal(err)
	}
	if event := <-watch.ResultChan(); !apierrors.IsResourceExpired(apierrors.FromObject(event.Object)) {
		t.Errorf("the watch gave %v, want that its resourceVersion is too old", event)
	}
}

func TestDiscoveryOfOneGroupFails(t *testing.T) {
	_, proxy, _ := inFront(t)
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
	failing, lift := proxy.FailDiscovery("apps")
	for path, want := range map[string]int{
		"/apis": 200, "/apis/apps/v1": 503, "/apis/batch/v1": 200, "/apis/apps/v1/deployments": 200,
	} {
		if got := get(path); got != want {
			t.Errorf("%s answers %d, want %d", path, got, want)
		}
	}
	lift()
	if struck := failing.Struck(); len(struck) != 1 || struck[0].Path != "/apis/apps/v1" {
		t.Errorf("it happened to %v", struck)
	}
	if got := get("/apis/apps/v1"); got != http.StatusOK {
		t.Errorf("afterwards discovery answers %d", got)
	}
}

func TestNamesAreReadFromWhatIsSent(t *testing.T) {
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
			t.Errorf("from %s the name is %q, want %q", mediaType, got, want)
		}
	}
}

func TestRequestsAreToldAsKubernetesTellsThem(t *testing.T) {
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
			t.Errorf("%s %s is %q, a write %v, an engine's %v; want %q, %v, %v", each.method, each.url,
				got, Writes(got), EngineWrites(got), want, each.writes, each.engine)
		}
	}
}
