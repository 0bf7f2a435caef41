package livecache

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/platform-operators/pkg/apply/object"
)

// pages is an API server that serves only discovery.
type pages struct {
	mu    sync.Mutex
	pages map[string]any // by path; an int is the status of an error response
	asked []string
}

func (p *pages) set(path string, page any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pages[path] = page
}

// questions returns the paths of the requests since its last call.
func (p *pages) questions() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	asked := p.asked
	p.asked = nil
	return asked
}

func (p *pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, r.URL.Path)
	page, found := p.pages[r.URL.Path]
	if status, ok := page.(int); ok || !found {
		http.Error(w, "not now", max(status, http.StatusNotFound))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(page); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

func resources(names ...string) metav1.APIResourceList {
	var list metav1.APIResourceList
	for _, each := range names {
		kind, plural, _ := strings.Cut(each, "=")
		list.APIResources = append(list.APIResources, metav1.APIResource{Kind: kind, Name: plural, Namespaced: true})
	}
	return list
}

func newTestMapper(t *testing.T, served map[string]any) (*Mapper, *pages, *clocktesting.FakePassiveClock) {
	server := &pages{pages: served}
	listener := httptest.NewServer(server)
	t.Cleanup(listener.Close)
	client, err := discovery.NewDiscoveryClientForConfig(&rest.Config{Host: listener.URL, QPS: -1})
	if err != nil {
		t.Fatal(err)
	}
	clock := clocktesting.NewFakePassiveClock(time.Unix(1000, 0))
	return NewMapper(PagesOf(client.RESTClient()), clock), server, clock
}

var memoKind = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Memo"}

func TestAKindThatIsServedIsAskedForOnce(t *testing.T) {
	mapper, server, _ := newTestMapper(t, map[string]any{"/apis/example.com/v1": resources("Memo=memos", "Memo=memos/status")})
	for range 3 {
		found, err := mapper.Mapping(context.Background(), "a", memoKind)
		if err != nil || found.Resource.Resource != "memos" || found.Scope != meta.RESTScopeNamespace {
			t.Fatalf("got %+v, %v", found, err)
		}
	}
	if diff := cmp.Diff([]string{"/apis/example.com/v1"}, server.questions()); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

func TestAKindThatIsNeverServedIsAskedForLessAndLessOften(t *testing.T) {
	mapper, server, clock := newTestMapper(t, map[string]any{})
	asked := 0
	for range 3600 * 4 { // an hour of looking four times a second
		_, err := mapper.Mapping(context.Background(), "a", memoKind)
		var waiting *object.WaitError
		if !errors.As(err, &waiting) || waiting.After < minInterval || waiting.After > maxInterval {
			t.Fatalf("got %v", err)
		}
		if !strings.Contains(err.Error(), "kind Memo of example.com/v1") {
			t.Fatalf("%q does not name the kind", err)
		}
		clock.SetTime(clock.Now().Add(250 * time.Millisecond))
	}
	for _, path := range server.questions() {
		if path != "/apis/example.com/v1" {
			t.Errorf("asked for %s", path)
		}
		asked++
	}
	if want := int(time.Hour / maxInterval); asked < want*5/6 || asked > want*7/6 {
		t.Errorf("asked %d times in an hour, want about one each %s", asked, maxInterval)
	}
}

func TestAKindIsFoundAtOnceWhenItsDefinitionAppears(t *testing.T) {
	mapper, server, clock := newTestMapper(t, map[string]any{})
	ctx := context.Background()
	for range 1000 {
		_, _ = mapper.Mapping(ctx, "waiter", memoKind)
		clock.SetTime(clock.Now().Add(time.Second))
	}
	if owners := mapper.invalidateGroup("other.com"); len(owners) != 0 {
		t.Errorf("another group's definition wakes %v", owners)
	}
	server.set("/apis/example.com/v1", resources("Memo=memos"))
	if diff := cmp.Diff([]string{"waiter"}, mapper.invalidateGroup("example.com")); diff != "" {
		t.Errorf("woken (-want +got):\n%s", diff)
	}
	if _, err := mapper.Mapping(ctx, "waiter", memoKind); err != nil {
		t.Errorf("after its definition appeared: %v", err)
	}
	if owners := mapper.invalidateGroup("example.com"); len(owners) != 0 {
		t.Errorf("%v are woken again, who wait for nothing", owners)
	}
}

func TestAGroupThatCannotBeDiscoveredHoldsUpNoOther(t *testing.T) {
	mapper, server, _ := newTestMapper(t, map[string]any{
		"/apis/broken.io/v1": http.StatusServiceUnavailable, "/apis/broken.io": http.StatusServiceUnavailable,
		"/apis/example.com/v1": resources("Memo=memos"),
	})
	ctx := context.Background()
	broken := schema.GroupVersionKind{Group: "broken.io", Version: "v1", Kind: "Thing"}
	if _, err := mapper.Mapping(ctx, "a", broken); err == nil || object.IsWait(err) {
		t.Errorf("a group that answers 503: %v, want a fault", err)
	}
	if found, err := mapper.MappingInAnyVersion(ctx, broken); err == nil || found != nil {
		t.Errorf("in any version: %v, %v, want a fault and not that it is gone", found, err)
	}
	if _, err := mapper.Mapping(ctx, "a", memoKind); err != nil {
		t.Errorf("another group: %v", err)
	}
	server.set("/apis/broken.io/v1", resources("Thing=things"))
	if _, err := mapper.Mapping(ctx, "a", broken); err != nil {
		t.Errorf("once it answers: %v", err)
	}
}

func TestAKindIsFoundInWhateverVersionIsServed(t *testing.T) {
	mapper, _, _ := newTestMapper(t, map[string]any{
		"/apis/example.com": metav1.APIGroup{
			PreferredVersion: metav1.GroupVersionForDiscovery{Version: "v3"},
			Versions:         []metav1.GroupVersionForDiscovery{{Version: "v3"}, {Version: "v2"}},
		},
		"/apis/example.com/v3": resources("Other=others"),
		"/apis/example.com/v2": resources("Memo=memos"),
		"/api":                 metav1.APIVersions{Versions: []string{"v1"}},
		"/api/v1":              resources("ConfigMap=configmaps"),
	})
	cases := map[string]struct {
		kind schema.GroupVersionKind
		want string
	}{
		"a version that is gone":         {memoKind, "example.com/v2, Resource=memos"},
		"no version, of the core group":  {schema.GroupVersionKind{Kind: "ConfigMap"}, "/v1, Resource=configmaps"},
		"a kind that no version has":     {schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Poem"}, ""},
		"a group that nobody has":        {schema.GroupVersionKind{Group: "nowhere.com", Version: "v1", Kind: "Poem"}, ""},
		"a kind that the core lacks too": {schema.GroupVersionKind{Version: "v1", Kind: "Poem"}, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			found, err := mapper.MappingInAnyVersion(context.Background(), c.kind)
			got := ""
			if found != nil {
				got = found.Resource.String()
			}
			if err != nil || got != c.want {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
		})
	}
}

func TestWhatContradictsTheAPIServerIsAskedAgain(t *testing.T) {
	mapper, server, _ := newTestMapper(t, map[string]any{"/apis/example.com/v1": resources("Memo=memos")})
	ctx := context.Background()
	if _, err := mapper.Mapping(ctx, "a", memoKind); err != nil {
		t.Fatal(err)
	}
	server.set("/apis/example.com/v1", http.StatusNotFound)
	mapper.Invalidate(memoKind.GroupVersion())
	if _, err := mapper.Mapping(ctx, "a", memoKind); !object.IsWait(err) {
		t.Errorf("got %v, want to wait for what is gone", err)
	}
}

func TestAnObjectIsNotTakenForGoneUponAnOldAnswer(t *testing.T) {
	mapper, server, _ := newTestMapper(t, map[string]any{})
	if _, err := mapper.Mapping(context.Background(), "a", memoKind); err == nil {
		t.Fatal("a kind was found that nobody serves")
	}
	server.set("/apis/example.com/v1", resources("Memo=memos"))
	if found, err := mapper.MappingInAnyVersion(context.Background(), memoKind); err != nil || found == nil || found.Resource.Resource != "memos" {
		t.Errorf("got %+v, %v, though it is served by now", found, err)
	}
}

func TestWhatCannotBeAGroupOrAVersionIsNotServedAndNotAskedFor(t *testing.T) {
	for name, kind := range map[string]schema.GroupVersionKind{
		"a group that is a path":   {Group: "..", Version: "healthz", Kind: "Memo"},
		"a version that is a path": {Group: "example.com", Version: "..", Kind: "Memo"},
		"no version":               {Group: "example.com", Kind: "Memo"},
	} {
		t.Run(name, func(t *testing.T) {
			mapper, server, _ := newTestMapper(t, map[string]any{"/healthz": "ok", "/apis": "no list"})
			if _, err := mapper.Mapping(t.Context(), "memo", kind); !object.IsWait(err) || !meta.IsNoMatchError(err) {
				t.Errorf("looking for it to apply it: %v, want that it is waited for", err)
			}
			if found, err := mapper.MappingInAnyVersion(t.Context(), kind); found != nil || err != nil {
				t.Errorf("looking for it to remove it: %v, %v", found, err)
			}
			for _, asked := range server.questions() {
				if asked != "/apis/example.com" {
					t.Errorf("asked for %s", asked)
				}
			}
		})
	}
}

func TestOnlyTheKindsThatAreListedAreServed(t *testing.T) {
	mapper, _, _ := newTestMapper(t, map[string]any{"/apis/example.com/v1": resources("Memo=memos", "Scale=memos/scale")})
	for _, kind := range []string{"MemoList", "memo", "List", "Scale"} {
		if found, err := mapper.Mapping(t.Context(), "a", memoKind.GroupVersion().WithKind(kind)); !meta.IsNoMatchError(err) {
			t.Errorf("%s: got %v, %v", kind, found, err)
		}
	}
}
