package apply

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"
)

// shelf answers lists of one resource page by page, as an API server does that is asked for at most perPage objects; of every
// other resource there are none.
type shelf struct {
	resource string
	version  string
	objects  []unstructured.Unstructured
	perPage  int
	err      error
	// next is where the next page begins: the fake client does not pass on what a list is to continue from.
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

// clearing gives a removal of a set on a cluster that has what is on the shelf.
func clearing(t *testing.T, set *Set, from shelf) *taking {
	t.Helper()
	client := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{
		definitionsAt: "CustomResourceDefinitionList",
		{Group: "example.com", Version: "v1", Resource: "memos"}: "MemoList", {Group: "example.com", Version: "v2", Resource: "memos"}: "MemoList",
		occupants[0]: "PodList", occupants[1]: "PersistentVolumeClaimList", occupants[2]: "ServiceList", occupants[3]: "ConfigMapList",
		occupants[4]: "SecretList", occupants[5]: "ServiceAccountList", occupants[6]: "DeploymentList", occupants[7]: "StatefulSetList",
		occupants[8]: "DaemonSetList", occupants[9]: "JobList", occupants[10]: "CronJobList",
	})
	client.PrependReactor("list", "*", from.list)
	return &taking{Engine: &Engine{client: client}, set: set, memory: &memory{gone: map[Key]string{}}}
}

func TestANamespaceIsDeletedOnlyWhenNothingOfOthersIsInIt(t *testing.T) {
	const token = `{apiVersion: v1, kind: Secret, metadata: {name: token-%03d, namespace: memo}, type: kubernetes.io/service-account-token}`
	var tokens []unstructured.Unstructured
	for i := range 120 {
		tokens = append(tokens, *object(t, fmt.Sprintf(token, i)))
	}
	set := newSet(t, *object(t, `{apiVersion: v1, kind: Service, metadata: {name: hook, namespace: memo}}`))
	secret := func(text string) shelf {
		return shelf{resource: "secrets", perPage: 50, objects: []unstructured.Unstructured{*object(t, text)}}
	}
	cases := map[string]struct {
		on   shelf
		want string
	}{
		"there is only what every namespace has":                 {shelf{resource: "secrets", perPage: 50, objects: tokens}, ""},
		"a Secret of others stands behind many of Kubernetes'":   {shelf{resource: "secrets", perPage: 50, objects: append(slices.Clone(tokens), *object(t, `{apiVersion: v1, kind: Secret, metadata: {name: user, namespace: memo}, type: Opaque}`))}, `it still holds secrets "user"`},
		"a pull Secret that OpenShift made for a ServiceAccount": {secret(`{apiVersion: v1, kind: Secret, metadata: {name: builder-dockercfg-x, namespace: memo, annotations: {kubernetes.io/service-account.name: builder}}, type: kubernetes.io/dockercfg}`), ""},
		"a pull Secret that OpenShift made in its newer way":     {secret(`{apiVersion: v1, kind: Secret, metadata: {name: builder-dockercfg-x, namespace: memo, annotations: {openshift.io/internal-registry-auth-token.service-account: builder}}, type: kubernetes.io/dockercfg}`), ""},
		"a pull Secret of a user's":                              {secret(`{apiVersion: v1, kind: Secret, metadata: {name: mine, namespace: memo}, type: kubernetes.io/dockercfg}`), `it still holds secrets "mine"`},
		"a certificate of a Service that was just deleted, which the garbage collector has not got to yet": {
			secret(`{apiVersion: v1, kind: Secret, metadata: {name: hook-cert, namespace: memo, ownerReferences: [{apiVersion: v1, kind: Service, name: hook, uid: u}]}, type: kubernetes.io/tls}`), ""},
		"a certificate of a Service of others": {
			secret(`{apiVersion: v1, kind: Secret, metadata: {name: other-cert, namespace: memo, ownerReferences: [{apiVersion: v1, kind: Service, name: other, uid: u}]}, type: kubernetes.io/tls}`), `it still holds secrets "other-cert"`},
		"what the deleted Service and others share": {
			secret(`{apiVersion: v1, kind: Secret, metadata: {name: both, namespace: memo, ownerReferences: [{apiVersion: v1, kind: Service, name: hook, uid: u}, {apiVersion: v1, kind: Service, name: other, uid: v}]}}`), `it still holds secrets "both"`},
		"custom resources that nobody converts any more": {
			shelf{resource: "configmaps", err: apierrors.NewInternalError(errors.New(`conversion webhook for example.com/v1, Kind=Memo failed: service "gone" not found`))}, "it still holds configmaps, which cannot be read: "},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := clearing(t, set, c.on).occupied(t.Context(), "memo")
			if err != nil || !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
				t.Errorf("got %q, %v; want %q", got, err, c.want)
			}
		})
	}
	t.Run("what cannot be listed for the moment is asked for again", func(t *testing.T) {
		down := shelf{resource: "secrets", err: apierrors.NewInternalError(errors.New("etcdserver: leader changed"))}
		if got, err := clearing(t, set, down).occupied(t.Context(), "memo"); err == nil {
			t.Errorf("got %q and no error", got)
		}
	})
}

func TestUsersOfAKindAreFoundWhateverStandsBeforeThem(t *testing.T) {
	const memo = `{apiVersion: example.com/v1, kind: Memo, metadata: {name: memo-%03d, namespace: memo}}`
	bundled := []unstructured.Unstructured{*object(t, crdText)}
	for i := range 150 {
		bundled = append(bundled, *object(t, fmt.Sprintf(memo, i)))
	}
	set := newSet(t, bundled...)
	own, foreign := bundled[1:], *object(t, `{apiVersion: example.com/v1, kind: Memo, metadata: {name: users, namespace: default}}`)
	defined := definitionOf(&bundled[0])
	both := *defined
	both.served = []string{"v1", "v2"}
	cases := map[string]struct {
		of   *definition
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
