package aggregatedapi

import (
	"errors"
	"slices"
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
	if err != nil {
		t.Fatalf("discovery: %v", err)
	}
	var resources []string
	for _, list := range lists {
		for _, each := range list.APIResources {
			resources = append(resources, each.Name)
		}
	}
	if want := []string{Resource.Resource}; !slices.Equal(resources, want) {
		t.Errorf("discovery has resources %q, want %q", resources, want)
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
