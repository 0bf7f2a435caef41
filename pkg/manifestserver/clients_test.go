package manifestserver_test

import (
	"context"
	"runtime"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	machineryruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	configclient "github.com/openshift/client-go/config/clientset/versioned"

	"github.com/openshift/platform-operators/pkg/manifestserver"
)

var widgetResource = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}

func configOf(server *manifestserver.Server) *rest.Config {
	return &rest.Config{Host: "https://server.example", Transport: server, QPS: -1}
}

func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

const widgetW = `{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, namespace: a, labels: {x: "y"}}, spec: {size: 1}}`

func TestInformersSeeTheInputOnly(t *testing.T) {
	before := runtime.NumGoroutine()
	server := serve(t, widgetW)
	client := must(dynamic.NewForConfig(configOf(server)))(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
	informer := factory.ForResource(widgetResource)
	running := informer.Informer()
	factory.Start(ctx.Done())
	if synced := factory.WaitForCacheSync(ctx.Done()); !synced[widgetResource] {
		t.Fatal("the informer does not sync")
	}
	object := must(client.Resource(widgetResource).Namespace("a").Get(ctx, "w", metav1.GetOptions{}))(t)
	object.Object["spec"] = map[string]any{"size": int64(2)}
	must(client.Resource(widgetResource).Namespace("a").Update(ctx, object, metav1.UpdateOptions{}))(t)
	created := object.DeepCopy()
	created.SetName("created")
	created.SetResourceVersion("")
	must(client.Resource(widgetResource).Namespace("a").Create(ctx, created, metav1.CreateOptions{}))(t)

	got := must(client.Resource(widgetResource).Namespace("a").Get(ctx, "w", metav1.GetOptions{}))(t)
	if size, _, _ := unstructured.NestedInt64(got.Object, "spec", "size"); size != 2 {
		t.Errorf("a get shows size %d", size)
	}
	cached := must(informer.Lister().List(labels.Everything()))(t)
	if len(cached) != 1 {
		t.Fatalf("the informer has %d objects", len(cached))
	}
	if size, _, _ := unstructured.NestedInt64(cached[0].(*unstructured.Unstructured).Object, "spec", "size"); size != 1 {
		t.Errorf("the informer has size %d", size)
	}
	second := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
	late := second.ForResource(widgetResource)
	late.Informer()
	second.Start(ctx.Done())
	second.WaitForCacheSync(ctx.Done())
	if cached := must(late.Lister().List(labels.Everything()))(t); len(cached) != 1 {
		t.Errorf("an informer that starts after the writes has %d objects", len(cached))
	}
	if listed := must(client.Resource(widgetResource).List(ctx, metav1.ListOptions{}))(t); len(listed.Items) != 2 {
		t.Errorf("a list has %d objects", len(listed.Items))
	}

	stopped := time.Now()
	cancel()
	factory.Shutdown()
	second.Shutdown()
	if took := time.Since(stopped); took > 5*time.Second || !running.IsStopped() {
		t.Errorf("the informers stopped: %t, after %s", running.IsStopped(), took)
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines before, %d after", before, runtime.NumGoroutine())
}

func TestAWatchEndsWhenItIsClosed(t *testing.T) {
	client := must(kubernetes.NewForConfig(configOf(serve(t))))(t)
	watch := must(client.CoreV1().ConfigMaps("a").Watch(t.Context(), metav1.ListOptions{}))(t)
	watch.Stop()
	if event, open := <-watch.ResultChan(); open {
		t.Errorf("received %v", event)
	}
	yes := true
	_, err := client.CoreV1().ConfigMaps("a").Watch(t.Context(), metav1.ListOptions{
		SendInitialEvents: &yes, AllowWatchBookmarks: true, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
	})
	if !apierrors.IsInvalid(err) {
		t.Errorf("a watch with sendInitialEvents: %v; client-go lists instead only if it is invalid", err)
	}
}

func TestTypedClients(t *testing.T) {
	for name, contentType := range map[string]string{"JSON": machineryruntime.ContentTypeJSON, "Protobuf": machineryruntime.ContentTypeProtobuf} {
		t.Run(name, func(t *testing.T) {
			config := configOf(serve(t))
			config.ContentType, config.AcceptContentTypes = contentType, contentType+",application/json"
			client := must(kubernetes.NewForConfig(config))(t).CoreV1().ConfigMaps("a")
			created := must(client.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "c"}}, metav1.CreateOptions{}))(t)
			created.Data = map[string]string{"k": "v"}
			must(client.Update(t.Context(), created, metav1.UpdateOptions{}))(t)
			must(client.Apply(t.Context(), applycorev1.ConfigMap("c", "a").WithData(map[string]string{"l": "m"}), metav1.ApplyOptions{FieldManager: "m"}))(t)
			list := must(client.List(t.Context(), metav1.ListOptions{}))(t)
			if len(list.Items) != 1 || len(list.Items[0].Data) != 2 {
				t.Errorf("listed %+v", list.Items)
			}
			if err := client.Delete(t.Context(), "c", *metav1.NewPreconditionDeleteOptions(string(created.UID))); err != nil {
				t.Error(err)
			}
			if _, err := client.Get(t.Context(), "c", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
				t.Errorf("the deleted object: %v", err)
			}
		})
	}
}

func TestMetadataClient(t *testing.T) {
	client := must(metadata.NewForConfig(configOf(serve(t, widgetW))))(t).Resource(widgetResource)
	list := must(client.List(t.Context(), metav1.ListOptions{LabelSelector: "x=y"}))(t)
	if len(list.Items) != 1 || list.Items[0].Name != "w" || list.ResourceVersion == "" {
		t.Errorf("listed %+v", list)
	}
	patched := must(client.Namespace("a").Patch(t.Context(), "w", "application/merge-patch+json", []byte(`{"metadata":{"labels":{"x":"z"}}}`), metav1.PatchOptions{}))(t)
	if patched.Labels["x"] != "z" {
		t.Errorf("patched %+v", patched)
	}
	if err := client.Namespace("a").Delete(t.Context(), "w", metav1.DeleteOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := client.Namespace("a").Get(t.Context(), "w", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("the deleted object: %v", err)
	}
}

func TestDiscoveryClient(t *testing.T) {
	for name, legacy := range map[string]bool{"Aggregated": false, "Legacy": true} {
		t.Run(name, func(t *testing.T) {
			client := must(discovery.NewDiscoveryClientForConfig(configOf(serve(t))))(t)
			client.UseLegacyDiscovery = legacy
			_, lists, err := client.ServerGroupsAndResources()
			if err != nil {
				t.Fatal(err)
			}
			found := map[string]metav1.APIResource{}
			for _, list := range lists {
				for _, one := range list.APIResources {
					found[list.GroupVersion+"/"+one.Name] = one
				}
			}
			for _, want := range []string{"v1/configmaps", "v1/namespaces/status", "apps/v1/deployments", "example.com/v1/widgets", "example.com/v2/widgets/status",
				"config.openshift.io/v1/clusterversions", "apiextensions.k8s.io/v1/customresourcedefinitions", "authorization.k8s.io/v1/selfsubjectaccessreviews"} {
				if _, exists := found[want]; !exists {
					t.Errorf("%s is missing", want)
				}
			}
			if widget := found["example.com/v1/widgets"]; !widget.Namespaced || widget.Kind != "Widget" || !slices.Contains(widget.Verbs, "patch") {
				t.Errorf("found %+v", widget)
			}
			version := must(client.ServerVersion())(t)
			if version.GitVersion != "v1.36.3" || version.Minor != "36" {
				t.Errorf("version %+v", version)
			}
		})
	}
}

func TestKindsOfOpenShiftWithoutDefinitions(t *testing.T) {
	server := serve(t, `{apiVersion: config.openshift.io/v1, kind: ClusterOperator, metadata: {name: o}, status: {conditions: [{type: A, status: "True", lastTransitionTime: "2026-01-01T00:00:00Z"}]}}`)
	client := must(configclient.NewForConfig(configOf(server)))(t).ConfigV1()
	if _, err := client.ClusterVersions().Get(t.Context(), "version", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("a missing ClusterVersion: %v", err)
	}
	found := must(client.ClusterOperators().Get(t.Context(), "o", metav1.GetOptions{}))(t)
	found.Status.Versions = nil
	must(client.ClusterOperators().UpdateStatus(t.Context(), found, metav1.UpdateOptions{}))(t)
	c := newClient(t, server)
	c.object(patch("", "/apis/config.openshift.io/v1/clusteroperators/o/status?fieldManager=m", apply,
		`{apiVersion: config.openshift.io/v1, kind: ClusterOperator, metadata: {name: o}, status: {conditions: [{type: B, status: "True"}]}}`))
	if got := must(client.ClusterOperators().Get(t.Context(), "o", metav1.GetOptions{}))(t); len(got.Status.Conditions) != 2 {
		t.Errorf("conditions %+v", got.Status.Conditions)
	}
}
