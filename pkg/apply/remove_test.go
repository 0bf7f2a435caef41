package apply

import (
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clocktesting "k8s.io/utils/clock/testing"
)

var namespacesAt = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}

// engineOn gives an engine on a cluster that has these objects, and serves nothing but namespaces and ConfigMaps.
func engineOn(t *testing.T, objects ...*unstructured.Unstructured) (*Engine, *dynamicfake.FakeDynamicClient) {
	t.Helper()
	lists := map[schema.GroupVersionResource]string{definitionsAt: "CustomResourceDefinitionList", namespacesAt: "NamespaceList"}
	for i, kind := range strings.Fields("Pod PersistentVolumeClaim Service ConfigMap Secret ServiceAccount Deployment StatefulSet DaemonSet Job CronJob") {
		lists[occupants[i]] = kind + "List"
	}
	var there []runtime.Object
	for _, each := range objects {
		there = append(there, each)
	}
	client := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), lists, there...)
	clock := clocktesting.NewFakePassiveClock(time.Unix(1000, 0))
	known := newKinds(nil, clock)
	known.versions[schema.GroupVersion{Version: "v1"}] = &served{kinds: map[string]apiResource{
		"Namespace": {namespacesAt, false}, "ConfigMap": {namespacesAt.GroupVersion().WithResource("configmaps"), true},
	}}
	return &Engine{client: client, clock: clock, kinds: known, owners: map[string]*memory{}, changed: func(string) {}}, client
}

func TestENG_D12_NoNamespaceOfABundleIsDeletedWithSomethingInIt(t *testing.T) {
	const (
		space    = `{apiVersion: v1, kind: Namespace, metadata: {name: data}}`
		oursOnly = `{apiVersion: v1, kind: Namespace, metadata: {name: data, labels: {core.rukpak.io/owner-kind: BundleDeployment, core.rukpak.io/owner-name: memo}, managedFields: [{manager: platform-operators/memo}]}}`
		letGo    = `{apiVersion: v1, kind: Namespace, metadata: {name: data, managedFields: [{manager: platform-operators/memo}]}}`
		going    = `{apiVersion: v1, kind: Namespace, metadata: {name: data, deletionTimestamp: "2026-01-01T00:00:00Z", labels: {core.rukpak.io/owner-kind: BundleDeployment, core.rukpak.io/owner-name: memo}, managedFields: [{manager: platform-operators/memo}]}}`
		labelled = `{apiVersion: v1, kind: Namespace, metadata: {name: data, labels: {core.rukpak.io/owner-kind: BundleDeployment, core.rukpak.io/owner-name: memo}}}`
		users    = `{apiVersion: v1, kind: ConfigMap, metadata: {name: users, namespace: data}}`
	)
	kept := newSet(t)
	inside := newSet(t, *object(t, `{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: reader, namespace: data}}`))
	for name, c := range map[string]struct {
		there []string
		keep  []*Set
		gone  bool
		kept  string
	}{
		"an empty one goes at a removal":                             {there: []string{oursOnly}, gone: true},
		"an empty one goes at an upgrade":                            {there: []string{oursOnly}, keep: []*Set{kept}, gone: true},
		"one with users' data stays at a removal":                    {there: []string{oursOnly, users}, kept: `Namespace data: it still holds configmaps "users"`},
		"one with users' data stays at an upgrade":                   {there: []string{oursOnly, users}, keep: []*Set{kept}, kept: `Namespace data: it still holds configmaps "users"`},
		"one that the next version has something in stays":           {there: []string{oursOnly}, keep: []*Set{inside}, kept: "Namespace data: it still holds Role data/reader"},
		"one that was let go of before stays, although we wrote it":  {there: []string{letGo}},
		"one that is being deleted is not waited for":                {there: []string{going, users}},
		"one that the next version has too is not looked at":         {there: []string{oursOnly}, keep: []*Set{newSet(t, *object(t, space))}},
		"one that somebody made before and nobody took over is left": {there: []string{space}},
		"one that somebody put our labels on is left as it is":       {there: []string{labelled}},
	} {
		t.Run(name, func(t *testing.T) {
			var there []*unstructured.Unstructured
			for _, text := range c.there {
				there = append(there, object(t, text))
			}
			engine, client := engineOn(t, there...)
			before, err := client.Resource(namespacesAt).Get(t.Context(), "data", metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			removal, err := engine.Remove(t.Context(), newSet(t, *object(t, space)), RemoveOptions{}, c.keep...)
			if err != nil || !removal.Done || strings.Join(removal.Kept, "; ") != c.kept {
				t.Errorf("%+v, %v; want it done, and kept %q", removal, err, c.kept)
			}
			live, err := client.Resource(namespacesAt).Get(t.Context(), "data", metav1.GetOptions{})
			if apierrors.IsNotFound(err) != c.gone || err != nil && !c.gone {
				t.Fatalf("gone is wanted %v: %v", c.gone, err)
			}
			if c.gone {
				return
			}
			if labelled := len(live.GetLabels()) > 0; labelled != (len(before.GetLabels()) > 0 && c.kept == "") {
				t.Errorf("it stays with labels %v", live.GetLabels())
			}
		})
	}
}
