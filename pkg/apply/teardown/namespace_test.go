package teardown

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/openshift/platform-operators/pkg/apply/identity"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/namespaceuse"
)

func TestENG_D12_NoNamespaceOfABundleIsDeletedWithSomethingInIt(t *testing.T) {
	const (
		space    = `{apiVersion: v1, kind: Namespace, metadata: {name: data}}`
		oursOnly = `{apiVersion: v1, kind: Namespace, metadata: {name: data, labels: {core.rukpak.io/owner-kind: BundleDeployment, core.rukpak.io/owner-name: memo}, managedFields: [{manager: platform-operators/memo}]}}`
		letGo    = `{apiVersion: v1, kind: Namespace, metadata: {name: data, managedFields: [{manager: platform-operators/memo}]}}`
		going    = `{apiVersion: v1, kind: Namespace, metadata: {name: data, deletionTimestamp: "2026-01-01T00:00:00Z", labels: {core.rukpak.io/owner-kind: BundleDeployment, core.rukpak.io/owner-name: memo}, managedFields: [{manager: platform-operators/memo}]}}`
		labelled = `{apiVersion: v1, kind: Namespace, metadata: {name: data, labels: {core.rukpak.io/owner-kind: BundleDeployment, core.rukpak.io/owner-name: memo}}}`
		users    = `{apiVersion: v1, kind: ConfigMap, metadata: {name: users, namespace: data}}`
	)
	down := errors.New("the API server is down")
	empty, used := namespaceuse.Answer{}, namespaceuse.Answer{InUse: `it still holds configmaps "users"`}
	kept := newSet(t)
	inside := newSet(t, *parse(t, `{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: reader, namespace: data}}`))
	for name, c := range map[string]struct {
		there []string
		// answer is the result of the check of the namespace; nil while there is none.
		answer *namespaceuse.Answer
		keep   []*object.Set
		gone   bool
		kept   string
		// waiting is the expected Removal.Waiting. err is the error that Remove must return.
		waiting string
		err     error
	}{
		"an empty one goes at a removal":                             {there: []string{oursOnly}, answer: &empty, gone: true},
		"an empty one goes at an upgrade":                            {there: []string{oursOnly}, answer: &empty, keep: []*object.Set{kept}, gone: true},
		"one with users' data stays at a removal":                    {there: []string{oursOnly, users}, answer: &used, kept: `Namespace data: it still holds configmaps "users"`},
		"one with users' data stays at an upgrade":                   {there: []string{oursOnly, users}, answer: &used, keep: []*object.Set{kept}, kept: `Namespace data: it still holds configmaps "users"`},
		"one that is still being checked is waited for":              {there: []string{oursOnly}, waiting: "waiting for Namespace data to be gone: Namespace data is being checked for objects of other owners; if it holds any, it is kept"},
		"one that cannot be checked stays for the moment":            {there: []string{oursOnly}, answer: &namespaceuse.Answer{Err: down}, err: down},
		"one that the next version has something in stays":           {there: []string{oursOnly}, keep: []*object.Set{inside}, kept: "Namespace data: it still holds Role data/reader"},
		"one that was let go of before stays, although we wrote it":  {there: []string{letGo}},
		"one that is being deleted is not waited for":                {there: []string{going, users}},
		"one that the next version has too is not looked at":         {there: []string{oursOnly}, keep: []*object.Set{newSet(t, *parse(t, space))}},
		"one that somebody made before and nobody took over is left": {there: []string{space}},
		"one that somebody put our labels on is left as it is":       {there: []string{labelled}},
	} {
		t.Run(name, func(t *testing.T) {
			var there []*unstructured.Unstructured
			for _, text := range c.there {
				there = append(there, parse(t, text))
			}
			on := newCluster(t, there...)
			if c.answer != nil {
				on.namespaces = answers{"data": *c.answer}
			}
			before, err := on.client.Resource(namespaces).Get(t.Context(), "data", metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			removal, err := on.remove(t, newSet(t, *parse(t, space)), c.keep...)
			if !errors.Is(err, c.err) || removal.Done != (c.waiting == "" && c.err == nil) || removal.Waiting != c.waiting || strings.Join(removal.Kept, "; ") != c.kept {
				t.Errorf("%+v, %v; want %v, it waiting for %q, and kept %q", removal, err, c.err, c.waiting, c.kept)
			}
			live, err := on.client.Resource(namespaces).Get(t.Context(), "data", metav1.GetOptions{})
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

func TestWhatDependsOnDeletedObjectsKeepsNoNamespace(t *testing.T) {
	const service = `{apiVersion: v1, kind: ConfigMap, metadata: {name: %s, namespace: memo, uid: %[1]s-uid, resourceVersion: "7", labels: {core.rukpak.io/owner-kind: BundleDeployment, core.rukpak.io/owner-name: memo}%s}}`
	const written = ", managedFields: [{manager: platform-operators/memo}]"
	on := newCluster(t, parse(t, fmt.Sprintf(service, "ours", written)), parse(t, fmt.Sprintf(service, "copied", "")))
	set := newSet(t, configMap(t, "ours"), configMap(t, "copied"))
	if removal, err := on.remove(t, set); err != nil || !removal.Done {
		t.Fatalf("%+v, %v", removal, err)
	}
	removed := (&teardown{owner: set.Owner(), set: set, memory: on.memory}).namespaceQuestion("memo").Removed
	for uid, want := range map[types.UID]bool{"ours-uid": true, "copied-uid": false, "of-the-next-with-this-name": false} {
		if got := removed(metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: "ours", UID: uid}); got != want {
			t.Errorf("%s: %v, want %v", uid, got, want)
		}
	}
}

func TestENG_P7_AServiceAccountNeedNotReadItsNamespace(t *testing.T) {
	on := newCluster(t, parse(t, `{apiVersion: v1, kind: Namespace, metadata: {name: memo}}`))
	as := dynamicfake.NewSimpleDynamicClient(runtime.NewScheme())
	as.PrependReactor("*", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(namespaces.GroupResource(), "memo", errors.New("no role"))
	})
	set, err := object.NewScopedSet(object.Owner{Name: "memo", Package: "memo-package"}, "memo", nil)
	if err != nil {
		t.Fatal(err)
	}
	removal, err := on.Remove(t.Context(), set, Options{As: identity.Identity{Name: "deployer", Dynamic: as}, Memory: on.memory})
	if err != nil || !removal.Done || len(as.Actions()) > 0 {
		t.Errorf("%+v, %v, requests of the ServiceAccount: %v", removal, err, as.Actions())
	}
}
