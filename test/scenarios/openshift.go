package scenarios

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"

	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/test/cvo"
)

// ObjectsFile is the path of the file in which `make scenario-objects` stores the output of `localcluster objects`, relative to the root of
// the checkout.
const ObjectsFile = "_output/scenario-objects.json"

// prepared is a snapshot that is created once per process.
type prepared struct {
	once     sync.Once
	snapshot *scenario.Snapshot
	err      error
}

// get returns the snapshot. The first call creates it with install, in a bubble. If that fails, get fails the test, and so does every later
// call.
func (p *prepared) get(t *testing.T, install func(ctx context.Context) (*scenario.Snapshot, error)) *scenario.Snapshot {
	t.Helper()
	p.once.Do(func() {
		p.err = errors.New("the cluster that stories start from could not be prepared; the first failed test has the cause")
		synctest.Test(t, func(t *testing.T) { p.snapshot, p.err = install(t.Context()) })
	})
	if p.err != nil {
		t.Fatal(p.err)
	}
	return p.snapshot
}

// openshift has, for each topology, the snapshot from which stories start: a cluster with OpenShift's kinds and the applied manifests of the
// payload, without a manager.
var openshift = map[topology]*prepared{standalone: {}, hostedControlPlane: {}}

// snapshot returns the snapshot from which stories with a topology start.
func snapshot(t *testing.T, root string, of topology) *scenario.Snapshot {
	t.Helper()
	manifests, err := manifestsOf(t, root, of)
	if err != nil {
		t.Fatal(err)
	}
	return openshift[of].get(t, func(ctx context.Context) (*scenario.Snapshot, error) {
		objects, err := readObjects(filepath.Join(root, ObjectsFile))
		if err != nil {
			return nil, err
		}
		if err := setTopology(objects, of); err != nil {
			return nil, err
		}
		return install(ctx, objects, manifests)
	})
}

// install creates a cluster with OpenShift's objects and the manifests in a folder, and returns a snapshot of it. It must be called in a
// synctest bubble.
func install(ctx context.Context, objects []unstructured.Unstructured, manifests string) (*scenario.Snapshot, error) {
	cluster, err := scenario.Start(ctx, scenario.Options{})
	if err != nil {
		return nil, err
	}
	defer cluster.Stop()
	if err := create(ctx, cluster, objects); err != nil {
		return nil, err
	}
	config := cluster.ClientConfig(scenario.AdminUser)
	if _, err := cvo.Apply(ctx, config, manifests); err != nil {
		return nil, fmt.Errorf("applying the payload's manifests: %w", err)
	}
	if err := simplifyDefinitions(ctx, config); err != nil {
		return nil, fmt.Errorf("simplifying the payload's CustomResourceDefinitions: %w", err)
	}
	if err := cluster.Settle(); err != nil {
		return nil, err
	}
	allRequests.add(cluster, true)
	return cluster.Snapshot(), nil
}

func readObjects(file string) ([]unstructured.Unstructured, error) {
	content, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w: run `make scenario-objects`", err)
	}
	if err != nil {
		return nil, err
	}
	var list struct{ Items []map[string]any }
	if err := json.Unmarshal(content, &list); err != nil {
		return nil, fmt.Errorf("reading %q: %w", file, err)
	}
	objects := make([]unstructured.Unstructured, len(list.Items))
	for i, item := range list.Items {
		objects[i].Object = item
		simplify(&objects[i])
	}
	return objects, nil
}

// create creates the objects, with their status, in the given order. CustomResourceDefinitions must come first. They are created without
// status, and create waits until their kinds are served before it creates other objects.
func create(ctx context.Context, cluster *scenario.Cluster, objects []unstructured.Unstructured) error {
	config := cluster.ClientConfig(scenario.AdminUser)
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	discoveryClient, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return err
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(discoveryClient))
	definitionsServed := false
	for i := range objects {
		object := &objects[i]
		if object.GetKind() != "CustomResourceDefinition" && !definitionsServed {
			if err := cluster.Settle(); err != nil {
				return err
			}
			mapper.Reset()
			definitionsServed = true
		}
		mapping, err := mapper.RESTMapping(object.GroupVersionKind().GroupKind(), object.GroupVersionKind().Version)
		if err != nil {
			return fmt.Errorf("creating %s %q: %w", object.GetKind(), object.GetName(), err)
		}
		target := client.Resource(mapping.Resource).Namespace(object.GetNamespace())
		created, err := target.Create(ctx, object, metav1.CreateOptions{})
		if err != nil {
			return fmt.Errorf("creating %s %q: %w", object.GetKind(), object.GetName(), err)
		}
		status, hasStatus := object.Object["status"]
		if !hasStatus || object.GetKind() == "CustomResourceDefinition" {
			continue
		}
		created.Object["status"] = status
		if _, err := target.UpdateStatus(ctx, created, metav1.UpdateOptions{}); err != nil {
			return fmt.Errorf("writing the status of %s %q: %w", object.GetKind(), object.GetName(), err)
		}
	}
	return nil
}
