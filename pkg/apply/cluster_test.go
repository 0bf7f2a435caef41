package apply_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/utils/clock"
	"sigs.k8s.io/yaml"

	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/background"
	"github.com/openshift/platform-operators/pkg/plan"
	"github.com/openshift/platform-operators/pkg/scenario"
)

// engineUser is the user of the engine. It has all permissions, so that only injected faults deny a request.
const engineUser = "system:serviceaccount:platform:engine"

const (
	engineRole    = `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: engine}, rules: [{apiGroups: ["*"], resources: ["*"], verbs: ["*"]}, {nonResourceURLs: ["*"], verbs: ["*"]}]}`
	engineBinding = `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: engine}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: engine},
		subjects: [{kind: ServiceAccount, namespace: platform, name: engine}]}`
)

var memo = apply.Owner{Name: "memo", Package: "memo"}

// fixture is a test cluster with an engine.
type fixture struct {
	t       *testing.T
	cluster *scenario.Cluster
	engine  *apply.Engine
	// admin is the client of a user whose requests have no injected faults.
	admin dynamic.Interface
}

// on runs a test on a cluster in memory, at virtual time, and returns the state of the cluster afterwards. It starts with the state from,
// or with an empty cluster if from is nil.
func on(t *testing.T, from *scenario.Snapshot, run func(f *fixture)) (after *scenario.Snapshot) {
	t.Helper()
	cluster, err := scenario.Start(t.Context(), scenario.Options{From: from})
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Stop()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	f := &fixture{t: t, cluster: cluster}
	f.engine = f.startEngine(ctx, &background.Tasks{})
	f.admin = f.client(dynamic.NewForConfig(cluster.StepClientConfig(scenario.AdminUser)))
	if from == nil {
		f.create(roles, engineRole)
		f.create(bindings, engineBinding)
		if err := cluster.Settle(); err != nil { // until the API server's authorizer has seen them
			t.Fatal(err)
		}
	}
	run(f)
	stop()
	if err := cluster.Settle(); err != nil {
		t.Fatal(err)
	}
	return cluster.Snapshot()
}

// startEngine returns an engine, which runs until the context ends.
func (f *fixture) startEngine(ctx context.Context, tasks *background.Tasks) *apply.Engine {
	f.t.Helper()
	config := f.cluster.ClientConfig(engineUser)
	config.QPS = -1
	config.WarningHandlerWithContext = apply.WarningHandler()
	client := f.client(dynamic.NewForConfig(config))
	metadataClient, err := metadata.NewForConfig(config)
	if err != nil {
		f.t.Fatal(err)
	}
	discoveryClient, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		f.t.Fatal(err)
	}
	engine, err := apply.New(ctx, apply.Config{
		Dynamic: client, Metadata: metadataClient, Discovery: memory.NewMemCacheClient(discoveryClient), Clock: clock.RealClock{},
		Changed: func(string) {}, Deployed: func(string) (time.Time, bool) { return time.Time{}, false }, Tasks: tasks,
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return engine
}

func (f *fixture) client(client dynamic.Interface, err error) dynamic.Interface {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
	return client
}

// maxCalls is the maximum number of calls of the engine in one step.
const maxCalls = 200

// repeat calls a step until it is done, as the controller does. It returns the errors and the reasons to wait. The test fails if the step
// is not done after maxCalls.
func (f *fixture) repeat(step func(ctx context.Context) (done bool, waiting string, after time.Duration, err error)) []error {
	f.t.Helper()
	var problems []error
	for range maxCalls {
		done, waiting, after, err := step(f.t.Context())
		if done && err == nil {
			return problems
		}
		if err != nil {
			problems = append(problems, err)
		}
		if waiting != "" {
			problems = append(problems, errors.New(waiting))
		}
		time.Sleep(max(after, time.Second))
	}
	f.t.Fatalf("not done after %d calls: %v", maxCalls, problems[max(0, len(problems)-3):])
	return nil
}

// apply applies a set until it is complete and ready. It returns the errors and the reasons to wait.
func (f *fixture) apply(set *apply.Set, options apply.Options) []error {
	f.t.Helper()
	return f.repeat(func(ctx context.Context) (bool, string, time.Duration, error) {
		report, err := f.engine.Apply(ctx, set, options)
		return report.Complete && len(report.Unready) == 0, report.Waiting, report.RetryAfter, err
	})
}

// prune removes the objects of a set that the set keep does not have. It returns the errors and the reasons to wait.
func (f *fixture) prune(set *apply.Set, keep *apply.Set) []error {
	f.t.Helper()
	return f.repeat(func(ctx context.Context) (bool, string, time.Duration, error) {
		removal, err := f.engine.Remove(ctx, set, apply.RemoveOptions{Applied: []*apply.Set{set}}, keep)
		return removal.Done, removal.Waiting, 0, err
	})
}

// remove removes a set with its CustomResourceDefinitions. At the end, it revokes the permissions that a check of the namespace left, as
// the start of the next process does.
func (f *fixture) remove(set *apply.Set) []error {
	f.t.Helper()
	defer f.engine.CleanUp(f.t.Context())
	return f.repeat(func(ctx context.Context) (bool, string, time.Duration, error) {
		removal, err := f.engine.Remove(ctx, set, apply.RemoveOptions{CRDs: "Delete", Applied: []*apply.Set{set}})
		return removal.Done, removal.Waiting, 0, err
	})
}

// setOf returns a set of BundleDeployment memo with the objects of manifests.
func setOf(t *testing.T, manifests ...string) *apply.Set {
	t.Helper()
	var objects []unstructured.Unstructured
	for _, each := range manifests {
		objects = append(objects, *parse(t, each))
	}
	set, err := apply.NewSet(memo, memo.Name, plan.Phases(objects))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func parse(t *testing.T, manifest string) *unstructured.Unstructured {
	t.Helper()
	encoded, err := yaml.YAMLToJSON([]byte(manifest))
	if err != nil {
		t.Fatal(err)
	}
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(encoded); err != nil {
		t.Fatal(fmt.Errorf("reading %s: %w", manifest, err))
	}
	return object
}

var (
	configMaps  = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	accounts    = schema.GroupVersionResource{Version: "v1", Resource: "serviceaccounts"}
	namespaces  = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	roles       = schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles"}
	bindings    = schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterrolebindings"}
	definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	memos       = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "memos"}
)

func (f *fixture) create(resource schema.GroupVersionResource, manifest string) {
	f.t.Helper()
	object := parse(f.t, manifest)
	client := f.admin.Resource(resource).Namespace(object.GetNamespace())
	if _, err := client.Create(f.t.Context(), object, metav1.CreateOptions{}); err != nil {
		f.t.Fatal(err)
	}
}

// patch changes an object in namespace memo as the admin, with another field manager than the engine's.
func (f *fixture) patch(resource schema.GroupVersionResource, name, patch string) {
	f.t.Helper()
	_, err := f.admin.Resource(resource).Namespace("memo").Patch(f.t.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{FieldManager: "somebody"})
	if err != nil {
		f.t.Fatal(err)
	}
}

// delete deletes an object in namespace memo as the admin.
func (f *fixture) delete(resource schema.GroupVersionResource, name string) {
	f.t.Helper()
	if err := f.admin.Resource(resource).Namespace("memo").Delete(f.t.Context(), name, metav1.DeleteOptions{}); err != nil {
		f.t.Fatal(err)
	}
}

// state returns the content of all objects, as JSON by their names. The content of objects in namespace users includes their
// resourceVersion, because only users may write them.
func (f *fixture) state() map[string]string {
	f.t.Helper()
	if err := f.cluster.Settle(); err != nil {
		f.t.Fatal(err)
	}
	content := map[string]string{}
	for _, resource := range []schema.GroupVersionResource{configMaps, accounts, namespaces, deployments, roles, bindings, definitions, memos} {
		list, err := f.admin.Resource(resource).List(f.t.Context(), metav1.ListOptions{})
		if apierrors.IsNotFound(err) && resource == memos {
			continue // its definition does not exist
		}
		if err != nil {
			f.t.Fatal(err)
		}
		for _, object := range list.Items {
			encoded, err := json.Marshal(comparable(&object))
			if err != nil {
				f.t.Fatal(err)
			}
			content[resource.Resource+" "+object.GetNamespace()+"/"+object.GetName()] = string(encoded)
		}
	}
	return content
}

// comparable removes the fields of an object that differ between runs, and returns its content.
func comparable(object *unstructured.Unstructured) map[string]any {
	unstructured.RemoveNestedField(object.Object, "status")
	unstructured.RemoveNestedField(object.Object, "metadata", "annotations", "deployment.kubernetes.io/revision")
	for _, field := range []string{"creationTimestamp", "generation", "managedFields", "uid", "resourceVersion"} {
		if field != "resourceVersion" || object.GetNamespace() != "users" {
			unstructured.RemoveNestedField(object.Object, "metadata", field)
		}
	}
	return object.Object
}
