package aggregatedapi

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
)

func TestTheServerSpeaksAsAnAPIServerDoes(t *testing.T) {
	server, err := Start()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	server.Add("a", "app")
	server.Add("b", "app")
	config := &rest.Config{Host: server.URL, TLSClientConfig: rest.TLSClientConfig{Insecure: true}}
	discovered, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	lists, err := discovery.ServerPreferredNamespacedResources(discovered)
	if err != nil || len(lists) != 1 || len(lists[0].APIResources) != 1 || lists[0].APIResources[0].Name != Resource.Resource {
		t.Errorf("%+v, %v", lists, err)
	}
	client, err := metadata.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	for namespace, want := range map[string][]string{"": {"a/app", "b/app"}, "b": {"b/app"}, "c": nil} {
		list, err := client.Resource(Resource).Namespace(namespace).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, each := range list.Items {
			got = append(got, each.Namespace+"/"+each.Name)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("in %q (-want +got):\n%s", namespace, diff)
		}
	}
	server.Fail(errors.New("no storage"))
	if list, err := client.Resource(Resource).List(t.Context(), metav1.ListOptions{}); err == nil {
		t.Errorf("a server that fails lists %v", list)
	}
}
