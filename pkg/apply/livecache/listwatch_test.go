package livecache

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/openshift/platform-operators/pkg/pager"
)

var configMapsAt = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}

// tenantsConfigMap returns a ConfigMap with the labels of owner memo, as an API server returns it. number determines its name. bytes is the
// size of its data, which cannot be compressed. managers are its field managers.
func tenantsConfigMap(number, bytes int, managers ...string) *unstructured.Unstructured {
	random := make([]byte, bytes*3/4)
	_, _ = rand.NewChaCha8([32]byte{byte(number), byte(number >> 8)}).Read(random)
	made := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "data": map[string]any{"a": base64.StdEncoding.EncodeToString(random)},
		"metadata": map[string]any{
			"name": fmt.Sprintf("c%05d", number), "namespace": "tenant", "uid": fmt.Sprint("uid-", number), "resourceVersion": fmt.Sprint(100 + number),
			"labels": map[string]any{"core.rukpak.io/owner-kind": "BundleDeployment", "core.rukpak.io/owner-name": "memo"},
		},
	}}
	for _, manager := range managers {
		made.SetManagedFields(append(made.GetManagedFields(), metav1.ManagedFieldsEntry{Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "v1"}))
	}
	return made
}

func encoded(t testing.TB, live *unstructured.Unstructured) json.RawMessage {
	t.Helper()
	text, err := live.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// collection is an API server of ConfigMaps. It serves a list in pages and, if streams is true, a watch that begins with all objects.
type collection struct {
	objects []json.RawMessage
	streams bool
	// lists is the number of list responses.
	lists atomic.Int64
	// events are sent to the watching client.
	events chan change
}

// change is one event of a watch.
type change struct {
	Type    watch.EventType
	content json.RawMessage
}

func (c *collection) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	query := request.URL.Query()
	switch {
	case query.Get("watch") != "true":
		c.list(w, query.Get("limit"), query.Get("continue"))
	case query.Get("sendInitialEvents") != "true":
		c.stream(w, request, nil)
	case c.streams:
		c.stream(w, request, c.objects)
	default:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnprocessableEntity)
		_, _ = io.WriteString(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Invalid","code":422}`)
	}
}

func (c *collection) list(w http.ResponseWriter, limited, token string) {
	c.lists.Add(1)
	limit, err := strconv.Atoi(limited)
	if err != nil || limit == 0 {
		limit = len(c.objects)
	}
	from := 0
	if token != "" {
		if from, err = strconv.Atoi(token); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
	}
	to := min(from+limit, len(c.objects))
	w.Header().Set("Content-Type", "application/json")
	next := ""
	if to < len(c.objects) {
		next = strconv.Itoa(to)
	}
	_, _ = fmt.Fprintf(w, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"99999","continue":%q},"items":[`, next)
	for i, each := range c.objects[from:to] {
		if i > 0 {
			_, _ = io.WriteString(w, ",")
		}
		if _, err := w.Write(each); err != nil {
			return // the client has closed the connection
		}
	}
	_, _ = io.WriteString(w, "]}")
}

func (c *collection) stream(w http.ResponseWriter, request *http.Request, first []json.RawMessage) {
	w.Header().Set("Content-Type", "application/json")
	send := func(kind watch.EventType, object json.RawMessage) {
		_, _ = fmt.Fprintf(w, `{"type":%q,"object":%s}`, kind, object)
		if flusher, ok := w.(http.Flusher); ok {
			flusher.Flush()
		}
	}
	for _, each := range first {
		send(watch.Added, each)
	}
	if first != nil || c.streams {
		send(watch.Bookmark, json.RawMessage(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"resourceVersion":"99999","annotations":{"`+metav1.InitialEventsAnnotationKey+`":"true"}}}`))
	}
	for {
		select {
		case event := <-c.events:
			send(event.Type, event.content)
		case <-request.Context().Done():
			return
		}
	}
}

// received is a transport that measures the responses. most is the largest number of bytes that the client has read of one response.
type received struct {
	next http.RoundTripper
	mu   sync.Mutex
	most int64
}

type countedBody struct {
	io.ReadCloser
	of   *received
	read int64
}

func (r *received) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := r.next.RoundTrip(request)
	if err == nil {
		response.Body = &countedBody{ReadCloser: response.Body, of: r}
	}
	return response, err
}

func (b *countedBody) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	b.read += int64(n)
	b.of.mu.Lock()
	defer b.of.mu.Unlock()
	b.of.most = max(b.of.most, b.read)
	return n, err
}

func clientOf(t testing.TB, served *collection) (dynamic.Interface, *received) {
	t.Helper()
	server := httptest.NewServer(served)
	t.Cleanup(server.CloseClientConnections)
	counted := &received{}
	config := &rest.Config{Host: server.URL, QPS: -1}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { counted.next = next; return counted })
	config.Wrap(pager.Bounded)
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client, counted
}

func TestHRD_B7_APageHasABoundInBytes(t *testing.T) {
	for name, c := range map[string]struct {
		small, large, bytes int
		most                int64
	}{
		"10 of 700 KiB":                            {large: 10, bytes: 700 << 10, most: pager.MaxBytes + 8<<10},
		"200 small ones before 10 of 700 KiB":      {small: 200, large: 10, bytes: 700 << 10, most: pager.MaxBytes + 8<<10},
		"one that is larger than a page":           {small: 10, large: 1, bytes: pager.MaxBytes + 1<<20, most: pager.MaxBytes + 2<<20},
		"nothing at all":                           {most: 1 << 10},
		"small ones, which take few pages of many": {small: 3000, most: pager.MaxBytes},
	} {
		t.Run(name, func(t *testing.T) {
			served := &collection{}
			var want, got []string
			for i := range c.small + c.large {
				bytes := 10
				if i >= c.small {
					bytes = c.bytes
				}
				each := tenantsConfigMap(i, bytes)
				served.objects = append(served.objects, encoded(t, each))
				want = append(want, each.GetName())
			}
			client, counted := clientOf(t, served)
			err := pager.Each(t.Context(), client.Resource(configMapsAt).List, metav1.ListOptions{}, func(page *unstructured.UnstructuredList) (bool, error) {
				for i := range page.Items {
					got = append(got, page.Items[i].GetName())
				}
				return true, nil
			})
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
			if counted.most > c.most {
				t.Errorf("%d bytes of one answer were read, and %d are the bound", counted.most, c.most)
			}
			if lists := served.lists.Load(); c.large == 0 && lists > 10 {
				t.Errorf("%d requests for %d small objects", lists, c.small)
			}
		})
	}
}

func TestAPageIsTheLastOneWhenNoMoreIsWanted(t *testing.T) {
	served := &collection{}
	for i := range 2 * pager.FirstLimit {
		served.objects = append(served.objects, encoded(t, tenantsConfigMap(i, 10)))
	}
	client, _ := clientOf(t, served)
	err := pager.Each(t.Context(), client.Resource(configMapsAt).List, metav1.ListOptions{}, func(*unstructured.UnstructuredList) (bool, error) { return false, nil })
	if lists := served.lists.Load(); err != nil || lists != 1 {
		t.Errorf("%d requests, %v", lists, err)
	}
}

// heapInUse returns the size of the heap after a garbage collection, in bytes.
func heapInUse() int64 {
	var stats runtime.MemStats
	for range 3 {
		runtime.GC()
	}
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

func TestHRD_B7_NothingIsKeptOfWhatHasOnlyAnOwnersLabels(t *testing.T) {
	floodWatch(t, 20, 1<<10)
}

// TestHRD_B7_NothingIsKeptOfWhatHasOnlyAnOwnersLabelsInRealSizes takes long with the race detector, so make test-real runs it without.
//
// Promise HRD-B7: A tenant's 200 ConfigMaps of 700 KiB with the owner labels of a BundleDeployment add less than 8 MiB of heap, and
// do not make the manager reconcile that BundleDeployment.
func TestHRD_B7_NothingIsKeptOfWhatHasOnlyAnOwnersLabelsInRealSizes(t *testing.T) {
	floodWatch(t, 200, 700<<10)
}

// floodWatch tests a watch with objects of tenants that have only an owner's labels. The cache must not keep them. tenants is their number,
// and size the size of each, in bytes.
func floodWatch(t *testing.T, tenants, size int) {
	const ourOwn = 5
	var stored []json.RawMessage
	for i := range tenants {
		stored = append(stored, encoded(t, tenantsConfigMap(i, size, "kubectl")))
	}
	for i := range ourOwn {
		stored = append(stored, encoded(t, tenantsConfigMap(tenants+i, 100, ourManager)))
	}
	for name, streams := range map[string]bool{"as a stream": true, "as a list": false} {
		t.Run(name, func(t *testing.T) {
			served := &collection{objects: stored, streams: streams, events: make(chan change)}
			client, counted := clientOf(t, served)
			var mu sync.Mutex
			woken := map[string]int{}
			before := heapInUse()
			caches := NewCaches(t.Context(), client, clock.RealClock{}, func(owner string) {
				mu.Lock()
				defer mu.Unlock()
				woken[owner]++
			})
			cached, err := caches.Get(t.Context(), "memo", configMapsAt)
			for err != nil && t.Context().Err() == nil { // it takes its time under the race detector
				cached, err = caches.Get(t.Context(), "memo", configMapsAt)
			}
			if err != nil {
				t.Fatal(err)
			}
			if kept := heapInUse() - before; kept > 8<<20 {
				t.Errorf("%d KiB are kept", kept>>10)
			} else {
				t.Logf("%d KiB are kept", kept>>10)
			}
			if got := len(cached.informer.GetStore().ListKeys()); got != ourOwn {
				t.Errorf("%d objects are kept, want %d", got, ourOwn)
			}
			if !streams && counted.most > pager.MaxBytes+8<<10 {
				t.Errorf("%d bytes of one answer were read", counted.most)
			}

			changed := tenantsConfigMap(3, size, "kubectl")
			changed.SetResourceVersion("100000")
			served.events <- change{watch.Modified, encoded(t, changed)}
			gone := tenantsConfigMap(4, size, "kubectl")
			gone.SetResourceVersion("100001")
			served.events <- change{watch.Deleted, encoded(t, gone)}
			last := tenantsConfigMap(tenants+ourOwn, 10, ourManager)
			last.SetResourceVersion("100002")
			served.events <- change{watch.Added, encoded(t, last)}
			for deadline := time.Now().Add(30 * time.Second); ; runtime.Gosched() {
				if _, found, err := cached.informer.GetStore().GetByKey("tenant/" + last.GetName()); err != nil || time.Now().After(deadline) {
					t.Fatalf("the watch does not go on: %v", err)
				} else if found {
					break
				}
			}
			wokenOften := func() int { mu.Lock(); defer mu.Unlock(); return woken["memo"] }
			for deadline := time.Now().Add(30 * time.Second); wokenOften() < ourOwn+1 && time.Now().Before(deadline); {
				runtime.Gosched()
			}
			if got := wokenOften(); got != ourOwn+1 || len(woken) != 1 {
				t.Errorf("woken up %v, want %d times for memo", woken, ourOwn+1)
			}
		})
	}
}

func TestHRD_B7_AnObjectThatIsNotOwnedAnyMoreIsDeletedForTheOwnerThatItHad(t *testing.T) {
	mine, foreign := func() *unstructured.Unstructured { return tenantsConfigMap(1, 10, ourManager) }, func() *unstructured.Unstructured { return tenantsConfigMap(1, 10, "kubectl") }
	relabelled := mine()
	relabelled.SetLabels(map[string]string{"core.rukpak.io/owner-kind": "BundleDeployment", "core.rukpak.io/owner-name": "other"})
	type told struct {
		Type  watch.EventType
		Owner string
		Whole bool
	}
	for name, c := range map[string]struct {
		events []watch.Event
		want   []told
	}{
		"one that is ours":                      {[]watch.Event{{Type: watch.Added, Object: mine()}}, []told{{watch.Added, "memo", true}}},
		"one that is not":                       {[]watch.Event{{Type: watch.Added, Object: foreign()}, {Type: watch.Modified, Object: foreign()}, {Type: watch.Deleted, Object: foreign()}}, nil},
		"ours, which others make theirs":        {[]watch.Event{{Type: watch.Added, Object: mine()}, {Type: watch.Modified, Object: foreign()}, {Type: watch.Modified, Object: foreign()}}, []told{{watch.Added, "memo", true}, {watch.Deleted, "memo", false}}},
		"theirs, which is adopted":              {[]watch.Event{{Type: watch.Added, Object: foreign()}, {Type: watch.Modified, Object: mine()}}, []told{{watch.Modified, "memo", true}}},
		"ours, which is deleted":                {[]watch.Event{{Type: watch.Added, Object: mine()}, {Type: watch.Deleted, Object: mine()}}, []told{{watch.Added, "memo", true}, {watch.Deleted, "memo", false}}},
		"ours, on which another's labels stand": {[]watch.Event{{Type: watch.Added, Object: relabelled}}, []told{{watch.Added, "memo", true}}},
		"a bookmark and an error":               {[]watch.Event{{Type: watch.Bookmark, Object: foreign()}, {Type: watch.Error, Object: &metav1.Status{}}}, []told{{Type: watch.Bookmark}, {Type: watch.Error}}},
	} {
		t.Run(name, func(t *testing.T) {
			source := watch.NewFakeWithChanSize(len(c.events), false)
			for _, each := range c.events {
				source.Action(each.Type, each.Object)
			}
			source.Stop()
			filter := &ownedOnly{passed: map[string]string{}}
			watched := &ownedWatch{list: filter, source: source, result: make(chan watch.Event), stopped: make(chan struct{})}
			go watched.run()
			var got []told
			for event := range watched.ResultChan() {
				next := told{Type: event.Type}
				if live, ok := event.Object.(*unstructured.Unstructured); ok && event.Type != watch.Bookmark {
					kept := packed(t, live)
					next.Owner, next.Whole = kept.Owner, live.Object["data"] != nil
				}
				got = append(got, next)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAWatchThatIsStoppedEndsWhetherOrNotSomebodyListens(t *testing.T) {
	source := watch.NewFakeWithChanSize(1, false)
	source.Add(tenantsConfigMap(1, 10, ourManager))
	watched := &ownedWatch{list: &ownedOnly{passed: map[string]string{}}, source: source, result: make(chan watch.Event), stopped: make(chan struct{})}
	ended := make(chan struct{})
	go func() { watched.run(); close(ended) }()
	watched.Stop()
	watched.Stop()
	<-ended
}
