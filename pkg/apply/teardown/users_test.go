package teardown

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/bundle"
)

// shelf is an API server that lists the objects of one resource in pages of perPage objects, or fails with err. If version is set, it
// serves only that version. Lists of other resources are empty.
type shelf struct {
	resource string
	version  string
	objects  []unstructured.Unstructured
	perPage  int
	err      error
	// next is the index of the first object of the next page, because the fake client does not pass the continue token.
	next int
}

func (s *shelf) list(action clienttesting.Action) (bool, runtime.Object, error) {
	asked, _ := action.(clienttesting.ListActionImpl)
	list := &unstructured.UnstructuredList{Object: map[string]any{}}
	if asked.Resource.Resource != s.resource {
		return true, list, nil
	}
	if s.version != "" && asked.Resource.Version != s.version {
		return true, nil, apierrors.NewGenericServerResponse(404, "get", asked.Resource.GroupResource(), "", "", 0, true)
	}
	if s.err != nil {
		return true, nil, s.err
	}
	to := min(s.next+s.perPage, len(s.objects))
	list.Items = s.objects[s.next:to]
	s.next = to
	if to < len(s.objects) {
		remaining := int64(len(s.objects) - to)
		list.SetContinue(strconv.Itoa(to))
		list.SetRemainingItemCount(&remaining)
	}
	return true, list, nil
}

// clearing returns a removal of a set on a cluster with the objects of a shelf.
func clearing(t *testing.T, set *object.Set, from shelf) *teardown {
	t.Helper()
	client := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{
		{Group: "example.com", Version: "v1", Resource: "memos"}: "MemoList", {Group: "example.com", Version: "v2", Resource: "memos"}: "MemoList",
	})
	client.PrependReactor("list", "*", from.list)
	return &teardown{manager: client, client: client, owner: set.Owner(), set: set, memory: NewMemory()}
}

func TestUsersOfAKindAreFoundWhateverStandsBeforeThem(t *testing.T) {
	const memo = `{apiVersion: example.com/v1, kind: Memo, metadata: {name: memo-%03d, namespace: memo}}`
	bundled := []unstructured.Unstructured{*parse(t, crdText)}
	for i := range 150 {
		bundled = append(bundled, *parse(t, fmt.Sprintf(memo, i)))
	}
	set := newSet(t, bundled...)
	own, foreign := bundled[1:], *parse(t, `{apiVersion: example.com/v1, kind: Memo, metadata: {name: users, namespace: default}}`)
	definition := bundle.DefinitionOf(&bundled[0])
	defined, both := &definition, definition
	both.Served = []string{"v1", "v2"}
	cases := map[string]struct {
		of   *bundle.Definition
		on   shelf
		want int64
	}{
		"the bundle's own are no users, and be they many":                  {defined, shelf{resource: "memos", perPage: 100, objects: own}, 0},
		"one of a user's behind many of the bundle's own":                  {defined, shelf{resource: "memos", perPage: 100, objects: append(slices.Clone(own), foreign)}, 1},
		"a version that is not served here has none, but the next one may": {&both, shelf{resource: "memos", version: "v2", perPage: 100, objects: []unstructured.Unstructured{foreign}}, 1},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			found, err := clearing(t, set, c.on).users(t.Context(), c.of)
			if err != nil || found.count != c.want {
				t.Errorf("found %v, %v; want %d", found, err, c.want)
			}
		})
	}
}

func TestUsersOfAKindAreCountedAndNamed(t *testing.T) {
	got := users{count: 12, examples: []string{"Memo default/a", "Memo default/b"}}.String()
	want := "12 custom resources (among them Memo default/a, Memo default/b); delete the custom resources, or set spec.deletion.crds to Orphan to keep them"
	if got != want {
		t.Errorf("got %q", got)
	}
}
