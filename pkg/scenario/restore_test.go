package scenario_test

import (
	"strings"
	"testing"
	"testing/synctest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"

	"github.com/openshift/platform-operators/pkg/scenario"
)

// recorded returns an object whose UID is its name. If owner is not empty, the object has an owner reference to the object of its own kind
// with that name.
func recorded(apiVersion, kind, namespace, name, owner string) *unstructured.Unstructured {
	metadata := map[string]any{"name": name, "uid": name, "creationTimestamp": "1999-12-31T00:00:00Z", "resourceVersion": "7"}
	if namespace != "" {
		metadata["namespace"] = namespace
	}
	if owner != "" {
		metadata["ownerReferences"] = []any{map[string]any{"apiVersion": apiVersion, "kind": kind, "name": owner, "uid": owner}}
	}
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": metadata}}
}

func TestRestoredObjectsAreAsTheyWereAndStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cluster, err := scenario.Start(t.Context(), scenario.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer cluster.Stop()
		// The dependent comes before its owner.
		dependent, owner := recorded("v1", "ConfigMap", "default", "dependent", "owner"), recorded("v1", "ConfigMap", "default", "owner", "")
		if err := cluster.Restore(dependent, owner); err != nil {
			t.Fatal(err)
		}
		if err := cluster.Settle(); err != nil {
			t.Fatal(err)
		}
		client, err := kubernetes.NewForConfig(cluster.ClientConfig(scenario.AdminUser))
		if err != nil {
			t.Fatal(err)
		}
		live, err := client.CoreV1().ConfigMaps("default").Get(t.Context(), "dependent", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if live.UID != "dependent" || live.CreationTimestamp.Year() != 1999 || live.ResourceVersion == "7" || live.ResourceVersion == "" {
			t.Errorf("UID %q, created at %s, resourceVersion %q; want the recorded UID and time, and a new resourceVersion", live.UID, live.CreationTimestamp, live.ResourceVersion)
		}
	})
}

func TestWhatCannotBeRestored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cluster, err := scenario.Start(t.Context(), scenario.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer cluster.Stop()
		for want, object := range map[string]*unstructured.Unstructured{
			`no matches for kind "Widget"`:    recorded("example.com/v1", "Widget", "default", "a", ""),
			`its namespace is ""`:             recorded("v1", "ConfigMap", "", "a", ""),
			`its namespace is "default"`:      recorded("v1", "Namespace", "default", "a", ""),
			`no matches for kind "ConfigMap"`: recorded("v2", "ConfigMap", "default", "a", ""),
		} {
			if err := cluster.Restore(object); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %s", err, want)
			}
		}
	})
}
