package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata/fake"

	"github.com/openshift/platform-operators/test/steady"
)

func TestRemovalPart(t *testing.T) {
	p := removalPart(removals{
		operators: 100, ours: 12, gone: 30, plain: 6, foreground: 10, deletions: 700, polls: 50,
		requests: steady.Requests{Writes: 1000, Gets: 300, Lists: 200, Watches: 7, Leases: 9},
	})
	want := []figure{
		{name: "100 operators, until removed (c02a7af: 75 s)", unit: seconds, ours: 12, baseline: 6, n: 1},
		{name: "100 operators, until removed; baseline with foreground deletion", unit: seconds, ours: 12, baseline: 10, n: 1},
		{name: "100 operators, until their namespaces are gone", unit: seconds, ours: 30, baseline: 6, n: 1},
		{name: "100 operators, requests per operator (c02a7af: 139)", unit: count, ours: 15, baseline: 7.5, n: 1},
		{name: "100 operators, writes per operator", unit: count, ours: 10, baseline: 7, n: 1},
		{name: "100 operators, GETs and LISTs per operator", unit: count, ours: 5, baseline: 0.5, n: 1},
	}
	if diff := cmp.Diff(want, p.figures, cmp.AllowUnexported(figure{})); diff != "" {
		t.Errorf("figures (-want +got):\n%s", diff)
	}
}

func TestFootprintGone(t *testing.T) {
	namespaces := schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	roles := schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles"}
	object := func(apiVersion, kind, name string) runtime.Object {
		return &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: apiVersion, Kind: kind}, ObjectMeta: metav1.ObjectMeta{Name: name}}
	}
	namespace := func(name string) runtime.Object { return object("v1", "Namespace", name) }
	going := &metav1.PartialObjectMetadata{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
		ObjectMeta: metav1.ObjectMeta{Name: "a", DeletionTimestamp: &metav1.Time{Time: time.Unix(1, 0)}, Finalizers: []string{"kubernetes"}},
	}
	role := func(name string) runtime.Object { return object("rbac.authorization.k8s.io/v1", "ClusterRole", name) }
	for name, tc := range map[string]struct {
		found []runtime.Object
		// parts of the errors; empty for none
		notComplete, notRemoved, notGone string
	}{
		"all of it":                         {[]runtime.Object{namespace("a"), role("a-role")}, "", "namespaces still exist: a", "namespaces still exist: a"},
		"all but one":                       {[]runtime.Object{namespace("a")}, "1 clusterroles are missing: a-role", "namespaces still exist: a", "namespaces still exist: a"},
		"a namespace that is being deleted": {[]runtime.Object{going, role("a-role-of-others")}, "1 clusterroles are missing: a-role", "", "namespaces still exist: a"},
		"the last of it":                    {[]runtime.Object{role("a-role")}, "1 namespaces are missing: a", "clusterroles still exist: a-role", "clusterroles still exist: a-role"},
		"what others have does not count":   {[]runtime.Object{namespace("b"), role("admin")}, "1 namespaces are missing: a", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			scheme := fake.NewTestScheme()
			if err := metav1.AddMetaToScheme(scheme); err != nil {
				t.Fatal(err)
			}
			f := footprint{client: fake.NewSimpleMetadataClient(scheme, tc.found...), names: map[schema.GroupVersionResource]map[string]bool{}}
			f.add(namespaces, "a")
			f.add(roles, "a-role")
			for what, check := range map[string]struct {
				err  error
				want string
			}{"complete": {f.complete(t.Context()), tc.notComplete}, "removed": {f.removed(t.Context()), tc.notRemoved}, "gone": {f.gone(t.Context()), tc.notGone}} {
				if (check.err == nil) != (check.want == "") || check.err != nil && !strings.Contains(check.err.Error(), check.want) {
					t.Errorf("%s: got %v, want %q", what, check.err, check.want)
				}
			}
		})
	}
}

func TestFirstNames(t *testing.T) {
	for want, names := range map[string][]string{"": nil, "a, b": {"a", "b"}, "a, b, c, d, e, …": {"a", "b", "c", "d", "e", "f", "g"}} {
		if got := firstNames(names); got != want {
			t.Errorf("%q: got %q, want %q", names, got, want)
		}
	}
}
