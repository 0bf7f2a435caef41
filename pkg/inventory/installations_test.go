package inventory

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/yaml"

	"github.com/openshift/platform-operators/pkg/resolve"
)

func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	result := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &result.Object); err != nil {
		t.Fatal(err)
	}
	return result
}

func subscription(t *testing.T, namespace, name, pkg, csv string) *unstructured.Unstructured {
	return object(t, fmt.Sprintf(`{apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {namespace: %s, name: %s}, spec: {name: %s, channel: stable}, status: {installedCSV: %q}}`,
		namespace, name, pkg, csv))
}

func extension(t *testing.T, name, pkg, version string) *unstructured.Unstructured {
	return object(t, fmt.Sprintf(`{apiVersion: olm.operatorframework.io/v1, kind: ClusterExtension, metadata: {name: %s}, spec: {source: {catalog: {packageName: %s}}}, status: {install: {bundle: {name: b, version: %q}}}}`,
		name, pkg, version))
}

// serving returns the CustomResourceDefinition that serves a resource.
func serving(t *testing.T, resource schema.GroupVersionResource) *unstructured.Unstructured {
	return object(t, fmt.Sprintf(`{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: %s},
		spec: {group: %s, versions: [{name: %s, served: true}]}}`, resource.GroupResource(), resource.Group, resource.Version))
}

// watched runs Installations on a cluster with these objects, until they are synced.
func watched(t *testing.T, objects ...runtime.Object) *Installations {
	t.Helper()
	for _, kind := range kinds {
		objects = append(objects, serving(t, kind.resource))
	}
	client := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{
		kinds[0].resource: "SubscriptionList", kinds[1].resource: "ClusterExtensionList", definitions: "CustomResourceDefinitionList",
	}, objects...)
	k, err := NewKinds(client)
	if err != nil {
		t.Fatal(err)
	}
	i, err := NewInstallations(client, k)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { k.Run(ctx) })
	running.Go(func() { i.Run(ctx) })
	t.Cleanup(func() { cancel(); running.Wait() })
	if !cache.WaitForCacheSync(ctx.Done(), i.HasSynced) {
		t.Fatal("never synced")
	}
	return i
}

func TestInstallationsNameTheInstallerOfAPackage(t *testing.T) {
	i := watched(t,
		subscription(t, "zoo", "quay", "project-quay", "quay-operator.v3.10.1"),
		subscription(t, "apps", "mine", "project-quay", ""),
		subscription(t, "apps", "other", "other", "odd-name"),
		extension(t, "quay", "project-quay", "3.9.0"),
		object(t, `{apiVersion: olm.operatorframework.io/v1, kind: ClusterExtension, metadata: {name: strange}, spec: {source: 7}}`),
	)
	want := []resolve.ExternalPackage{
		{Package: "other", Installer: "Subscription apps/other", Version: "odd-name"},
		{Package: "project-quay", Installer: "ClusterExtension quay", Version: "3.9.0"},
		{Package: "project-quay", Installer: "Subscription apps/mine"},
		{Package: "project-quay", Installer: "Subscription zoo/quay", Version: "3.10.1"},
	}
	if diff := cmp.Diff(want, i.All()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNotificationsForChangedPackagesOnly(t *testing.T) {
	reduce := func(pkg, csv string) any {
		t.Helper()
		kept, err := kinds[0].reduce(subscription(t, "apps", "quay", pkg, csv))
		if err != nil {
			t.Fatal(err)
		}
		return kept
	}
	for name, test := range map[string]struct {
		event    func(cache.ResourceEventHandler)
		notified []string
	}{
		"one that comes": {func(h cache.ResourceEventHandler) { h.OnAdd(reduce("quay", ""), false) }, []string{"quay"}},
		"one that goes":  {func(h cache.ResourceEventHandler) { h.OnDelete(reduce("quay", "")) }, []string{"quay"}},
		"one that went while nobody looked": {func(h cache.ResourceEventHandler) {
			h.OnDelete(cache.DeletedFinalStateUnknown{Key: "apps/quay", Obj: reduce("quay", "")})
		}, []string{"quay"}},
		"one that changes in ways that do not matter": {func(h cache.ResourceEventHandler) {
			h.OnUpdate(reduce("quay", "quay.v1.0.0"), reduce("quay", "quay.v1.0.0"))
		}, nil},
		"one that has installed": {func(h cache.ResourceEventHandler) {
			h.OnUpdate(reduce("quay", ""), reduce("quay", "quay.v1.0.0"))
		}, []string{"quay"}},
		"one that is of another package now": {func(h cache.ResourceEventHandler) {
			h.OnUpdate(reduce("quay", ""), reduce("clair", ""))
		}, []string{"quay", "clair"}},
		"one that names no package": {func(h cache.ResourceEventHandler) { h.OnAdd(reduce("", ""), false) }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var notified []string
			i := &Installations{}
			if _, err := i.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(object any) {
				notified = append(notified, object.(*metav1.PartialObjectMetadata).Name)
			}}); err != nil {
				t.Fatal(err)
			}
			test.event(i.handler())
			if diff := cmp.Diff(test.notified, notified); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestVersionIn(t *testing.T) {
	for name, want := range map[string]string{
		"quay-operator.v3.10.1": "3.10.1", "a.v1.b.v2.0.0-rc.1": "2.0.0-rc.1", "odd": "odd", "x.version": "x.version", "": "", ".v1": ".v1", "x.v": "x.v",
	} {
		if got := versionIn(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
