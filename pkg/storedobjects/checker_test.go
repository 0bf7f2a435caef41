package storedobjects_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/utils/clock"
	"sigs.k8s.io/yaml"

	"github.com/openshift/platform-operators/pkg/background"
	"github.com/openshift/platform-operators/pkg/crdsafety"
	"github.com/openshift/platform-operators/pkg/storedobjects"
)

// definition returns a CustomResourceDefinition whose objects have a number of at most maximum.
func definition(t *testing.T, plural string, maximum int) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(fmt.Appendf(nil, `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: %[1]s.example.com},
  spec: {group: example.com, scope: Namespaced, names: {kind: Note, plural: %[1]s}, versions: [{name: v1, served: true, storage: true,
  schema: {openAPIV3Schema: {type: object, properties: {number: {type: integer, maximum: %[2]d}}}}}]}}`, plural, maximum), o); err != nil {
		t.Fatal(err)
	}
	return o
}

// change returns a change that permits only numbers up to 10.
func change(t *testing.T, plural string) crdsafety.Change {
	t.Helper()
	return crdsafety.Change{Old: definition(t, plural, 1000000), New: definition(t, plural, 10)}
}

// cluster is an API server with custom resources. It serves pages as an API server does.
type cluster struct {
	// numbers are those of the objects, by plural.
	numbers map[string][]int
	// fail is called before each page, with its plural and the index of its first object.
	fail func(plural string, first int) error

	// padding is the number of bytes that make each object larger.
	padding int

	mu    sync.Mutex
	pages int
	// largest is the largest number of objects on a page.
	largest int
}

// client returns a client that only lists. client-go's fake drops limits and continue tokens.
func (c *cluster) client() dynamic.Interface { return lister{on: c} }

type lister struct {
	dynamic.NamespaceableResourceInterface
	on     *cluster
	plural string
}

func (l lister) Resource(resource schema.GroupVersionResource) dynamic.NamespaceableResourceInterface {
	return lister{on: l.on, plural: resource.Resource}
}

func (l lister) List(_ context.Context, options metav1.ListOptions) (*unstructured.UnstructuredList, error) {
	return l.on.page(l.plural, options)
}

// page returns a list. A continue token is the index of the first object, with "now:" in front if the list is of the current state.
func (c *cluster) page(plural string, options metav1.ListOptions) (*unstructured.UnstructuredList, error) {
	c.mu.Lock()
	c.pages++
	c.mu.Unlock()
	first, _ := strconv.Atoi(strings.TrimPrefix(options.Continue, "now:"))
	if c.fail != nil && !strings.HasPrefix(options.Continue, "now:") {
		if err := c.fail(plural, first); err != nil {
			return nil, err
		}
	}
	numbers := c.numbers[plural]
	last := min(len(numbers), first+int(options.Limit))
	list := &unstructured.UnstructuredList{Object: map[string]any{"apiVersion": "example.com/v1", "kind": "NoteList"}}
	for i := first; i < last; i++ {
		list.Items = append(list.Items, unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "example.com/v1", "kind": "Note", "number": int64(numbers[i]),
			"metadata": map[string]any{"namespace": "ns", "name": fmt.Sprintf("n%d", i)},
		}})
	}
	if c.padding > 0 {
		for i := range list.Items {
			list.Items[i].Object["padding"] = strings.Repeat("x", c.padding)
		}
	}
	c.mu.Lock()
	c.largest = max(c.largest, len(list.Items))
	c.mu.Unlock()
	if last < len(numbers) {
		list.SetContinue(strconv.Itoa(last))
	}
	return list, nil
}

// numbers returns n times 1, and a number that does not fit at each of some indexes.
func numbers(n int, unfit ...int) []int {
	all := slices.Repeat([]int{1}, n)
	for _, i := range unfit {
		all[i] = 11
	}
	return all
}

func violation(plural string, i int) storedobjects.Violation {
	return storedobjects.Violation{CRD: plural + ".example.com", Namespace: "ns", Name: fmt.Sprintf("n%d", i), Field: "number",
		Message: "Invalid value: number in body should be less than or equal to 10"}
}

func TestENG_P4_StoredObjectsAreChecked(t *testing.T) {
	notServed := apierrors.NewNotFound(schema.GroupResource{Group: "example.com", Resource: "notes"}, "")
	for sentence, test := range map[string]struct {
		cluster    *cluster
		violations []storedobjects.Violation
		checked    int
		pages      int
		err        string
	}{
		"no objects":                 {cluster: &cluster{}, pages: 2},
		"all objects fit":            {cluster: &cluster{numbers: map[string][]int{"notes": numbers(701), "memos": numbers(3)}}, checked: 704, pages: 5},
		"objects on different pages": {cluster: &cluster{numbers: map[string][]int{"notes": numbers(300, 0, 299), "memos": numbers(3, 1)}}, checked: 303, pages: 3, violations: []storedobjects.Violation{violation("notes", 0), violation("notes", 299), violation("memos", 1)}},
		"the check ends after five objects": {cluster: &cluster{numbers: map[string][]int{"notes": numbers(3000, 1, 2, 3, 4, 105, 106, 2000), "memos": numbers(3, 1)}}, checked: 106, pages: 2,
			violations: []storedobjects.Violation{violation("notes", 1), violation("notes", 2), violation("notes", 3), violation("notes", 4), violation("notes", 105)}},
		"a kind that the cluster does not serve": {cluster: &cluster{numbers: map[string][]int{"memos": numbers(1)}, fail: func(plural string, _ int) error {
			if plural == "notes" {
				return notServed
			}
			return nil
		}}, checked: 1, pages: 2},
		"a missing permission": {cluster: &cluster{fail: func(string, int) error {
			return apierrors.NewForbidden(schema.GroupResource{Group: "example.com", Resource: "notes"}, "", errors.New("no role"))
		}}, pages: 1, err: `checking the custom resources of CustomResourceDefinition "notes.example.com": notes.example.com is forbidden: no role; ` +
			"grant the verb list on notes.example.com, or set spec.preflight.crdUpgradeSafety.enforcement to None"},
		"an API server that fails": {cluster: &cluster{numbers: map[string][]int{"notes": numbers(150, 1)}, fail: func(_ string, first int) error {
			if first > 0 {
				return errors.New("etcdserver: leader changed")
			}
			return nil
		}}, checked: 100, pages: 2, violations: []storedobjects.Violation{violation("notes", 1)},
			err: `checking the custom resources of CustomResourceDefinition "notes.example.com": etcdserver: leader changed; the manager retries`},
		"a list whose state has expired": {cluster: &cluster{numbers: map[string][]int{"notes": numbers(150, 149)}, fail: func(_ string, first int) error {
			if first == 0 {
				return nil
			}
			expired := apierrors.NewResourceExpired("the continue token is too old")
			expired.ErrStatus.Continue = "now:100"
			return expired
		}}, checked: 150, pages: 4, violations: []storedobjects.Violation{violation("notes", 149)}},
		"a panic": {cluster: &cluster{fail: func(string, int) error { panic("odd input") }}, pages: 1,
			err: `checking the custom resources of CustomResourceDefinition "notes.example.com": internal error of the manager: odd input; report it with the stack trace in the manager's log`},
	} {
		t.Run(sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var answered []string
				checker := storedobjects.New(t.Context(), storedobjects.Config{
					Clock: clock.RealClock{}, Done: func(owner string) { answered = append(answered, owner) }, Tasks: &background.Tasks{Await: true}})
				changes := []crdsafety.Change{change(t, "notes"), {New: definition(t, "drafts", 1)}, change(t, "memos")}
				got, isDone := checker.Check(storedobjects.Request{Owner: "bd", ID: "1", Changes: changes, Client: test.cluster.client()})
				if !isDone || got.Checked != test.checked || test.cluster.pages != test.pages || !slices.Equal(answered, []string{"bd"}) {
					t.Errorf("done: %t, %d objects on %d pages, answered %q", isDone, got.Checked, test.cluster.pages, answered)
				}
				if diff := cmp.Diff(test.violations, got.Violations); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				if text := fmt.Sprint(got.Err); text != test.err && (got.Err != nil || test.err != "") {
					t.Errorf("error %s\nwant %s", text, test.err)
				}
			})
		})
	}
}

// TestENG_P4_AHundredThousandObjects checks that memory does not grow with the number of objects: 100 MB are listed, and a few pages are held.
// An object at the end of the list is found. A check that is forgotten sends no further request.
func TestENG_P4_AHundredThousandObjects(t *testing.T) {
	const count, padding, bound = 100_000, 1024, 20 << 20
	on := &cluster{numbers: map[string][]int{"notes": numbers(count, count-1)}, padding: padding}
	held := func() uint64 {
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	var checker *storedobjects.Checker
	before, most, forgetAt := held(), uint64(0), count
	on.fail = func(_ string, first int) error {
		if first/10_000 != (first-500)/10_000 {
			most = max(most, held())
		}
		if first > forgetAt {
			checker.Forget("bd")
			forgetAt = count
		}
		return nil
	}
	checker = storedobjects.New(t.Context(), storedobjects.Config{Clock: clock.RealClock{}, Done: func(string) {}, Tasks: &background.Tasks{Await: true}})
	ask := func(id string) (storedobjects.Result, bool) {
		return checker.Check(storedobjects.Request{Owner: "bd", ID: id, Changes: []crdsafety.Change{change(t, "notes")}, Client: on.client()})
	}
	got, isDone := ask("1")
	if diff := cmp.Diff([]storedobjects.Violation{violation("notes", count-1)}, got.Violations); !isDone || got.Err != nil || got.Checked != count || diff != "" {
		t.Errorf("done: %t, %d objects, error %v (-want +got):\n%s", isDone, got.Checked, got.Err, diff)
	}
	if on.largest > 500 || on.pages > 250 || most > before+bound {
		t.Errorf("%d pages of at most %d objects, and %d bytes were held, want at most %d", on.pages, on.largest, most-before, bound)
	}
	on.pages, forgetAt = 0, 10_000
	if _, isDone = ask("2"); isDone || on.pages > 30 {
		t.Errorf("done: %t, %d pages for a check that is forgotten after 10000 objects", isDone, on.pages)
	}
}

func TestENG_P4_ViolationsNameTheObject(t *testing.T) {
	const message = "Invalid value: number in body should be less than or equal to 10"
	for want, each := range map[crdsafety.Finding]storedobjects.Violation{
		{CRD: "notes.example.com", Rule: "storedObjects", Path: "ns/n1: number", Message: message}:      violation("notes", 1),
		{CRD: "notes.example.com", Rule: "storedObjects", Path: "n: spec.a", Message: "Required value"}: {CRD: "notes.example.com", Name: "n", Field: "spec.a", Message: "Required value"},
	} {
		if diff := cmp.Diff(want, each.Finding()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestENG_P4_ChangesThatAffectNoObjectCostNoRequest(t *testing.T) {
	same := crdsafety.Change{Old: definition(t, "notes", 1), New: definition(t, "notes", 1)}
	on := &cluster{fail: func(string, int) error { return errors.New("a request") }}
	checker := storedobjects.New(t.Context(), storedobjects.Config{Clock: clock.RealClock{}, Done: func(string) {}, Tasks: &background.Tasks{Await: true}})
	if got, isDone := checker.Check(storedobjects.Request{Owner: "bd", Changes: []crdsafety.Change{same, {New: same.New}}, Client: on.client()}); !isDone || got.Err != nil || on.pages > 0 {
		t.Errorf("%+v, %t", got, isDone)
	}
}

// harness is a Checker whose tasks run in the background, on a cluster whose lists wait until they are released.
type harness struct {
	*storedobjects.Checker
	cluster  *cluster
	release  chan struct{}
	answered []string
	tasks    background.Tasks
}

func start(ctx context.Context, found map[string][]int) *harness {
	h := &harness{release: make(chan struct{})}
	h.cluster = &cluster{numbers: found, fail: func(string, int) error { <-h.release; return nil }}
	h.Checker = storedobjects.New(ctx, storedobjects.Config{Clock: clock.RealClock{}, Done: func(owner string) {
		h.cluster.mu.Lock()
		defer h.cluster.mu.Unlock()
		h.answered = append(h.answered, owner)
	}, Tasks: &h.tasks})
	return h
}

func (h *harness) ask(t *testing.T, owner, id string) (storedobjects.Result, bool) {
	t.Helper()
	return h.Check(storedobjects.Request{Owner: owner, ID: id, Changes: []crdsafety.Change{change(t, "notes")}, Client: h.cluster.client()})
}

func TestENG_P4_ChecksRunInTheBackground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t.Context(), map[string][]int{"notes": numbers(2, 0)})
		for range 3 {
			if _, isDone := h.ask(t, "bd", "1"); isDone {
				t.Error("a result before the list")
			}
		}
		h.release <- struct{}{}
		synctest.Wait()
		want := []storedobjects.Violation{violation("notes", 0)}
		for range 3 { // each sync asks again
			got, isDone := h.ask(t, "bd", "1")
			if diff := cmp.Diff(want, got.Violations); !isDone || diff != "" {
				t.Errorf("done: %t (-want +got):\n%s", isDone, diff)
			}
		}
		if h.cluster.pages != 1 || !slices.Equal(h.answered, []string{"bd"}) {
			t.Errorf("%d pages, answered %q", h.cluster.pages, h.answered)
		}
		// The user corrects the object.
		h.cluster.numbers["notes"] = numbers(2)
		time.Sleep(time.Minute)
		if got, isDone := h.ask(t, "bd", "1"); !isDone || len(got.Violations) == 0 {
			t.Errorf("%+v, done: %t while the next check runs", got, isDone)
		}
		h.release <- struct{}{}
		synctest.Wait()
		time.Sleep(time.Minute)
		if got, isDone := h.ask(t, "bd", "1"); !isDone || len(got.Violations) > 0 {
			t.Errorf("%+v, done: %t", got, isDone)
		}
		pages := h.cluster.pages
		time.Sleep(10 * time.Minute)
		h.ask(t, "bd", "1")
		h.release <- struct{}{}
		synctest.Wait()
		if h.cluster.pages != pages+1 {
			t.Errorf("%d pages after a result of ten minutes", h.cluster.pages-pages)
		}
		close(h.release)
	})
}

func TestENG_P4_AnotherRequestReplacesTheFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t.Context(), map[string][]int{"notes": numbers(150)})
		_, _ = h.ask(t, "bd", "1")
		synctest.Wait()
		_, _ = h.ask(t, "bd", "2")
		close(h.release)
		synctest.Wait()
		if got, isDone := h.ask(t, "bd", "2"); !isDone || got.Err != nil || got.Checked != 150 {
			t.Errorf("%+v, done: %t", got, isDone)
		}
		if !slices.Equal(h.answered, []string{"bd"}) {
			t.Errorf("Done was called for %q; the first request was replaced", h.answered)
		}
	})
}

func TestENG_P4_ForgottenChecksEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t.Context(), map[string][]int{"notes": numbers(150)})
		_, _ = h.ask(t, "bd", "1")
		synctest.Wait()
		h.Forget("bd")
		h.Forget("another")
		close(h.release)
		synctest.Wait()
		if h.cluster.pages != 1 || h.answered != nil {
			t.Errorf("%d pages after the check was forgotten, answered %q", h.cluster.pages, h.answered)
		}
	})
}

func TestENG_P4_AFewDefinitionsAreCheckedAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		h := start(ctx, map[string][]int{"notes": numbers(1)})
		for i := range 8 {
			_, _ = h.ask(t, fmt.Sprintf("bd%d", i), "1")
		}
		synctest.Wait()
		if h.cluster.pages != 3 {
			t.Errorf("%d lists at the same time", h.cluster.pages)
		}
		h.release <- struct{}{}
		synctest.Wait()
		if h.cluster.pages != 4 || len(h.answered) != 1 {
			t.Errorf("%d lists, %q have a result", h.cluster.pages, h.answered)
		}
		cancel(errors.New("the manager ends"))
		close(h.release)
		if err := h.tasks.Wait(t.Context()); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		failed := 0
		for i := range 8 {
			if got, isDone := h.ask(t, fmt.Sprintf("bd%d", i), "1"); isDone && got.Err != nil {
				failed++
			}
		}
		if failed != 7 {
			t.Errorf("%d checks ended with an error", failed)
		}
		synctest.Wait()
	})
}
