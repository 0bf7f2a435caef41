package scenario_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"

	"github.com/openshift/platform-operators/pkg/scenario"
)

var widgets = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}

const widgetDefinition = `
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            x-kubernetes-validations: [{rule: "self.size <= 10", message: "a widget of more than 10 does not fit"}]
            properties:
              size: {type: integer, default: 1}
          status: {type: object, x-kubernetes-preserve-unknown-fields: true}
`

// story is a test and its cluster, with clients of scenario.AdminUser.
type story struct {
	*testing.T
	*scenario.Cluster
	admin   kubernetes.Interface
	dynamic dynamic.Interface
}

// run calls test in a bubble with a cluster that starts from a snapshot, or without one if from is nil.
func run(t *testing.T, from *scenario.Snapshot, test func(s story)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		cluster, err := scenario.Start(t.Context(), scenario.Options{From: from})
		if err != nil {
			t.Fatal(err)
		}
		defer cluster.Stop()
		s := story{T: t, Cluster: cluster}
		s.admin, err = kubernetes.NewForConfig(cluster.ClientConfig(scenario.AdminUser))
		s.must(err)
		s.dynamic, err = dynamic.NewForConfig(cluster.ClientConfig(scenario.AdminUser))
		s.must(err)
		test(s)
	})
}

func (s story) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s story) widget(name string, spec map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": name}, "spec": spec,
	}}
}

// withWidget returns a snapshot of a cluster that serves the kind Widget and has Widget "first".
func withWidget(t *testing.T) (snapshot *scenario.Snapshot) {
	t.Helper()
	run(t, nil, func(s story) {
		definition := &apiextensionsv1.CustomResourceDefinition{}
		s.must(yaml.UnmarshalStrict([]byte(widgetDefinition), definition))
		client, err := clientset.NewForConfig(s.ClientConfig(scenario.AdminUser))
		s.must(err)
		_, err = client.ApiextensionsV1().CustomResourceDefinitions().Create(s.Context(), definition, metav1.CreateOptions{})
		s.must(err)
		s.must(s.Settle())
		_, err = s.dynamic.Resource(widgets).Create(s.Context(), s.widget("first", map[string]any{}), metav1.CreateOptions{})
		s.must(err)
		s.must(s.Settle())
		snapshot = s.Snapshot()
	})
	return snapshot
}

func TestACustomResourceIsValidatedAndDefaulted(t *testing.T) {
	run(t, withWidget(t), func(s story) {
		first, err := s.dynamic.Resource(widgets).Get(s.Context(), "first", metav1.GetOptions{})
		s.must(err)
		if size, _, _ := unstructured.NestedInt64(first.Object, "spec", "size"); size != 1 || first.GetGeneration() != 1 {
			t.Errorf("got %v", first)
		}
		_, err = s.dynamic.Resource(widgets).Create(s.Context(), s.widget("large", map[string]any{"size": int64(11)}), metav1.CreateOptions{})
		if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "does not fit") {
			t.Errorf("one that is too large: %v", err)
		}
	})
}

func TestClustersOfOneSnapshotShareNothing(t *testing.T) {
	snapshot := withWidget(t)
	for i := range 3 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			run(t, snapshot, func(s story) {
				s.must(s.dynamic.Resource(widgets).Delete(s.Context(), "first", metav1.DeleteOptions{}))
				_, err := s.dynamic.Resource(widgets).Create(s.Context(), s.widget("second", map[string]any{}), metav1.CreateOptions{})
				s.must(err)
				s.must(s.Settle())
				list, err := s.dynamic.Resource(widgets).List(s.Context(), metav1.ListOptions{})
				s.must(err)
				if len(list.Items) != 1 || list.Items[0].GetName() != "second" || list.Items[0].GetCreationTimestamp().After(time.Now()) {
					t.Errorf("got ConfigMaps %v at %s", list.Items, time.Now())
				}
			})
		})
	}
}

func TestAClusterThatNeverSettlesReportsTheLastWrites(t *testing.T) {
	run(t, nil, func(s story) {
		_, err := s.admin.CoreV1().Namespaces().Create(s.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "busy"}}, metav1.CreateOptions{})
		s.must(err)
		ctx, stop := context.WithCancel(s.Context())
		var writing sync.WaitGroup
		writing.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				time.Sleep(time.Second)
				object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("number-", n)}}
				_, _ = s.admin.CoreV1().ConfigMaps("busy").Create(ctx, object, metav1.CreateOptions{})
			}
		})
		err = s.Settle()
		stop()
		writing.Wait()
		if err == nil || !strings.Contains(err.Error(), "system:admin: create configmaps \"busy/number-") {
			t.Errorf("got %v", err)
		}
	})
}

func TestAQuietClusterSendsNoRequests(t *testing.T) {
	run(t, withWidget(t), func(s story) {
		s.must(s.Settle())
		before := len(s.Requests())
		time.Sleep(3 * time.Hour)
		if after := s.Requests(); len(after) != before {
			t.Errorf("%d requests: %v", len(after)-before, after[before])
		}
	})
}

func TestCompactionExpiresContinueTokens(t *testing.T) {
	run(t, withWidget(t), func(s story) {
		_, err := s.dynamic.Resource(widgets).Create(s.Context(), s.widget("second", map[string]any{}), metav1.CreateOptions{})
		s.must(err)
		page, err := s.dynamic.Resource(widgets).List(s.Context(), metav1.ListOptions{Limit: 1})
		s.must(err)
		s.must(s.dynamic.Resource(widgets).Delete(s.Context(), "second", metav1.DeleteOptions{}))
		s.must(s.Compact())
		_, err = s.dynamic.Resource(widgets).List(s.Context(), metav1.ListOptions{Limit: 1, Continue: page.GetContinue()})
		if !apierrors.IsResourceExpired(err) {
			t.Errorf("the next page: %v", err)
		}
	})
}

func TestAnEmptyClusterHasTheObjectsThatKubeAPIServerCreates(t *testing.T) {
	run(t, nil, func(s story) {
		s.must(s.Settle())
		user, err := kubernetes.NewForConfig(s.ClientConfig("some-user"))
		s.must(err)
		if version, err := user.Discovery().ServerVersion(); err != nil || version.GitVersion != scenario.DefaultKubernetesVersion {
			t.Errorf("every authenticated user may read the version: %v, %v", version, err)
		}
		if _, err := user.CoreV1().Namespaces().List(s.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
			t.Errorf("listing Namespaces without a role: %v", err)
		}
		spaces, err := s.admin.CoreV1().Namespaces().List(s.Context(), metav1.ListOptions{})
		s.must(err)
		var names []string
		for _, space := range spaces.Items {
			names = append(names, space.Name)
		}
		if want := []string{"default", "kube-node-lease", "kube-public", "kube-system"}; !slices.Equal(names, want) {
			t.Errorf("there are the Namespaces %q, want %q", names, want)
		}
	})
}

func TestAnEndlessLoopOfRequestsIsAnError(t *testing.T) {
	get := func(ctx context.Context, client kubernetes.Interface) {
		_, _ = client.CoreV1().ConfigMaps("default").Get(ctx, "none", metav1.GetOptions{})
	}
	for name, c := range map[string]struct {
		request func(ctx context.Context, client kubernetes.Interface)
		killed  bool
		want    string
	}{
		"without a pause":      {get, false, `get configmaps "default/none"`},
		"with a pause of 1 µs": {func(ctx context.Context, client kubernetes.Interface) { get(ctx, client); time.Sleep(time.Microsecond) }, false, `get configmaps "default/none"`},
		"of what was killed":   {get, true, `get configmaps "default/none"`},
		"of watches": {func(ctx context.Context, client kubernetes.Interface) {
			if watch, err := client.CoreV1().ConfigMaps("default").Watch(ctx, metav1.ListOptions{ResourceVersion: "1"}); err == nil {
				watch.Stop()
			}
		}, false, `watch configmaps "default/"`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { endlessLoop(t, c.request, c.killed, c.want) })
		})
	}
}

// endlessLoop calls request in a loop in a new process, and checks that Settle returns an error with that process and the text want. If
// killed is true, it kills the process first.
func endlessLoop(t *testing.T, request func(ctx context.Context, client kubernetes.Interface), killed bool, want string) {
	t.Helper()
	cluster, err := scenario.Start(t.Context(), scenario.Options{MaxRequestsPerSecond: 500})
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Stop()
	if err := cluster.Settle(); err != nil {
		t.Fatal(err)
	}
	process := cluster.NewProcess(scenario.AdminUser)
	client, err := kubernetes.NewForConfig(process.ClientConfig())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		for ctx.Err() == nil {
			request(ctx, client)
		}
	})
	if killed {
		process.Kill()
	}
	err = cluster.Settle()
	cancel()
	running.Wait()
	want = fmt.Sprintf("process %d sends requests in a loop without a back-off, the last one was system:admin: %s", process.Number(), want)
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want one with %s", err, want)
	}
}

func TestALargeNamespaceIsDeletedByOneRequestForEachObject(t *testing.T) {
	const objects = 300
	run(t, nil, func(s story) {
		_, err := s.admin.CoreV1().Namespaces().Create(s.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "large"}}, metav1.CreateOptions{})
		s.must(err)
		for i := range objects {
			configMap := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("a-", i)}}
			_, err := s.admin.CoreV1().ConfigMaps("large").Create(s.Context(), configMap, metav1.CreateOptions{})
			s.must(err)
		}
		s.must(s.Settle())
		before := len(s.Requests())
		s.must(s.admin.CoreV1().Namespaces().Delete(s.Context(), "large", metav1.DeleteOptions{}))
		s.must(s.Settle())
		deletions := 0
		for _, request := range s.Requests()[before:] {
			if request.Verb == "delete" && request.Resource.Resource == "configmaps" {
				deletions++
			}
		}
		if deletions > objects+2 { // 1 for kube-root-ca.crt, 1 for a retry after a conflict
			t.Errorf("deleting %d ConfigMaps took %d delete requests", objects, deletions)
		}
	})
}
