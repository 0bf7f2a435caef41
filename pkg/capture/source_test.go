package capture

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/openshift/platform-operators/pkg/manifestserver"
	"github.com/openshift/platform-operators/pkg/mustgather"
)

var configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}

func configMap(namespace, name string, labels map[string]string) mustgather.Object {
	object := objectOf("ConfigMap", name)
	object.SetNamespace(namespace)
	object.SetLabels(labels)
	return mustgather.Object{Unstructured: &object, Resource: configMaps}
}

// TestBothSourcesReadTheSame reads the same objects from a must-gather and from a cluster.
func TestBothSourcesReadTheSame(t *testing.T) {
	objects := []mustgather.Object{configMap("a", "x", map[string]string{"color": "blue"}), configMap("a", "y", nil), configMap("b", "x", nil)}
	var served []runtime.Object
	for _, each := range objects {
		served = append(served, each.Unstructured)
	}
	client := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{configMaps: "ConfigMapList"}, served...)
	read := func(verb manifestserver.Verb, namespace, name, labels string) manifestserver.Read {
		return manifestserver.Read{Verb: verb, Resource: configMaps, Namespace: namespace, Name: name, LabelSelector: labels}
	}
	for name, test := range map[string]struct {
		read manifestserver.Read
		want string
	}{
		"all":                           {read(manifestserver.VerbList, "", "", ""), "a/x a/y b/x"},
		"those of a namespace":          {read(manifestserver.VerbList, "a", "", ""), "a/x a/y"},
		"those with a label":            {read(manifestserver.VerbList, "", "", "color=blue"), "a/x"},
		"those without a label":         {read(manifestserver.VerbList, "", "", "color!=blue"), "a/y b/x"},
		"one":                           {read(manifestserver.VerbGet, "b", "x", ""), "b/x"},
		"one that does not exist":       {read(manifestserver.VerbGet, "b", "z", ""), ""},
		"a namespace without objects":   {read(manifestserver.VerbList, "c", "", ""), ""},
		"a label that no object has":    {read(manifestserver.VerbList, "", "", "size"), ""},
		"a namespace and a label in it": {read(manifestserver.VerbList, "b", "", "color=blue"), ""},
	} {
		for kind, source := range map[string]Source{"cluster": Cluster{client}, "must-gather": MustGather{&mustgather.Input{Objects: objects}}} {
			found, err := source.Read(t.Context(), test.read)
			var got []string
			for _, each := range found {
				got = append(got, each.GetNamespace()+"/"+each.GetName())
			}
			if err != nil || strings.Join(got, " ") != test.want {
				t.Errorf("%s of a %s: got %q, %v, want %q", name, kind, got, err, test.want)
			}
		}
	}
}

func TestWhatASourceMayLack(t *testing.T) {
	input := &mustgather.Input{Objects: []mustgather.Object{configMap("a", "x", nil)}, NotCollected: mustgather.NotCollected{Resources: []metav1.GroupResource{{Resource: "configmaps"}}}}
	gathered := MustGather{input}
	if found, err := gathered.Read(t.Context(), manifestserver.Read{Verb: manifestserver.VerbList, Resource: configMaps}); !errors.Is(err, errNotCollected) || len(found) != 1 {
		t.Errorf("a list: %d objects, %v", len(found), err)
	}
	if _, err := gathered.Read(t.Context(), manifestserver.Read{Verb: manifestserver.VerbGet, Resource: configMaps, Namespace: "a", Name: "x"}); err != nil {
		t.Errorf("an object that is there: %v", err)
	}
	client := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{configMaps: "ConfigMapList"})
	fails := error(apierrors.NewForbidden(configMaps.GroupResource(), "", errors.New("no right")))
	client.PrependReactor("list", "configmaps", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, fails
	})
	list := manifestserver.Read{Verb: manifestserver.VerbList, Resource: configMaps}
	if _, err := (Cluster{client}).Read(t.Context(), list); !errors.Is(err, errNotCollected) {
		t.Errorf("without the right to list: %v", err)
	}
	fails = errors.New("no connection")
	if _, err := (Cluster{client}).Read(t.Context(), list); err == nil || errors.Is(err, errNotCollected) {
		t.Errorf("without a connection: %v", err)
	}
}

func TestACaptureLacksAllThatItsMustGatherLacks(t *testing.T) {
	services, leases := metav1.GroupResource{Resource: "services"}, metav1.GroupResource{Group: "coordination.k8s.io", Resource: "leases"}
	got := union(mustgather.NotCollected{Resources: []metav1.GroupResource{services}},
		mustgather.NotCollected{Resources: []metav1.GroupResource{leases, services}, Namespaces: []string{"a"}})
	want := mustgather.NotCollected{Resources: []metav1.GroupResource{services, leases}, Namespaces: []string{"a"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
