package widgets_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"

	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/pkg/scenario/story"
	"github.com/openshift/platform-operators/test/widgets"
)

var update = flag.Bool("update", false, "write the golden files of stories")

func TestMain(m *testing.M) {
	scenario.PrepareProcess()
	os.Exit(m.Run())
}

// operatorUser is the ServiceAccount that manifests/rbac.yaml binds to a role.
const operatorUser = "system:serviceaccount:widgets:operator"

// Promise OM-15: A second, small operator runs stories of its own with the scenario library.
func TestOM_15_AnotherOperatorRunsStories(t *testing.T) {
	from := prepared(t)
	files, err := filepath.Glob("stories/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d stories, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				if err := run(t, from, file); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// prepared returns a snapshot of a cluster with the operator's manifests.
func prepared(t *testing.T) (snapshot *scenario.Snapshot) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		cluster, err := scenario.Start(t.Context(), scenario.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer cluster.Stop()
		client, err := dynamic.NewForConfig(cluster.StepClientConfig(scenario.AdminUser))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{"manifests/crd.yaml", "manifests/rbac.yaml"} {
			if err := create(t.Context(), client, file); err != nil {
				t.Fatal(err)
			}
		}
		if err := cluster.Settle(); err != nil {
			t.Fatal(err)
		}
		snapshot = cluster.Snapshot()
	})
	return snapshot
}

// resources are the resources of the kinds in the manifests.
var resources = map[string]schema.GroupVersionResource{
	"CustomResourceDefinition": {Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"},
	"Namespace":                {Version: "v1", Resource: "namespaces"},
	"ClusterRole":              {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles"},
	"ClusterRoleBinding":       {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterrolebindings"},
}

func create(ctx context.Context, client dynamic.Interface, file string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for document := range bytes.SplitSeq(content, []byte("\n---\n")) {
		object := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(document, &object.Object); err != nil {
			return fmt.Errorf("reading %s: %w", file, err)
		}
		if _, err := client.Resource(resources[object.GetKind()]).Create(ctx, object, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("creating %s %q: %w", object.GetKind(), object.GetName(), err)
		}
	}
	return nil
}

// run runs the story in file with the operator, in a cluster that is a copy of from. It compares the report with the golden file, or
// writes the golden file if the flag update is set.
func run(t *testing.T, from *scenario.Snapshot, file string) error {
	t.Helper()
	cluster, err := scenario.Start(t.Context(), scenario.Options{From: from})
	if err != nil {
		return err
	}
	defer cluster.Stop()
	ctx, stop := context.WithCancel(t.Context())
	var operators sync.WaitGroup
	defer operators.Wait()
	defer stop()

	runner := story.Runner{Cluster: cluster, Verbs: story.Verbs(), Processes: map[string]*scenario.Process{}, State: state(cluster), Operator: []string{operatorUser}}
	start := func() {
		process := cluster.NewProcess(operatorUser)
		runner.Processes["operator"] = process
		operators.Go(func() {
			if err := widgets.Run(ctx, process.ClientConfig()); err != nil {
				t.Errorf("the operator ended: %v", err)
			}
		})
	}
	runner.Verbs["operator"] = func(_ context.Context, _ *story.Runner, step story.Step) error {
		var what string
		if err := step.Arguments.Into(&what); err != nil {
			return err
		}
		if what != "start" {
			return fmt.Errorf("unknown argument %q; write operator: start", what)
		}
		start()
		return nil
	}
	read, err := story.Read(file, runner.Verbs)
	if err != nil {
		return err
	}
	start()
	report, err := runner.Run(ctx, read)
	if err != nil {
		t.Logf("the report up to the error:\n%s", report)
		return err
	}
	return story.Golden(strings.TrimSuffix(file, ".yaml")+".golden", report, *update)
}

// state returns a function that describes all Widgets with their conditions.
func state(cluster *scenario.Cluster) func(ctx context.Context) ([]story.Description, error) {
	return func(ctx context.Context) ([]story.Description, error) {
		client, err := dynamic.NewForConfig(cluster.StepClientConfig(scenario.AdminUser))
		if err != nil {
			return nil, err
		}
		list, err := client.Resource(schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}).List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, err
		}
		var state []story.Description
		for _, each := range list.Items {
			described := story.Description{Object: "Widget/" + each.GetName()}
			conditions, _, err := unstructured.NestedSlice(each.Object, "status", "conditions")
			if err != nil {
				return nil, err
			}
			for _, entry := range conditions {
				if condition, isObject := entry.(map[string]any); isObject {
					described.Lines = append(described.Lines, fmt.Sprintf("%v=%v %v: %v", condition["type"], condition["status"], condition["reason"], condition["message"]))
				}
			}
			slices.Sort(described.Lines)
			state = append(state, described)
		}
		return state, nil
	}
}
