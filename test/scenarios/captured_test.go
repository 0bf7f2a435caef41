package scenarios

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/pkg/applyconfiguration"
	"github.com/openshift/platform-operators/pkg/capture"
	"github.com/openshift/platform-operators/pkg/mustgather"
	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/pkg/scenario/story"
)

var capturedDir = flag.String("captured", "", "directory that platform-operators capture has written; TestCaptured runs the story in it (default: those in testdata/captured)")

// TestCaptured runs the stories of captured clusters: those in testdata/captured, and the one in the directory of -captured.
func TestCaptured(t *testing.T) {
	t.Parallel()
	dirs, err := filepath.Glob("testdata/captured/*")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("found %d captures in testdata/captured (error: %v)", len(dirs), err)
	}
	if *capturedDir != "" {
		dirs = []string{*capturedDir}
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			read, err := story.Read(filepath.Join(dir, capture.StoryFile), (&Story{}).verbs())
			if err != nil {
				t.Fatal(err)
			}
			captured, err := readCapture(dir)
			if err != nil {
				t.Fatal(err)
			}
			RunFrom(t, Origin{Recording: captured, Offer: offerNothing}, func(s *Story) {
				s.StartManager()
				s.must(s.run(read, *update))
			})
		})
	}
}

func TestACaptureIsRestoredAtItsLatestTimestamp(t *testing.T) {
	t.Parallel()
	object := map[string]any{
		"metadata": map[string]any{"creationTimestamp": "2026-01-01T00:00:00Z", "managedFields": []any{map[string]any{"time": "2026-01-02T00:00:00Z"}}},
		"status":   map[string]any{"conditions": []any{map[string]any{"lastTransitionTime": "2026-01-03T00:00:00Z"}}, "lifetime": "1h"},
		"spec":     map[string]any{"expires": "2027-01-01T00:00:00Z"},
	}
	if got, want := latest(time.Time{}, object), time.Date(2026, 1, 3, 0, 0, 0, 0, time.UTC); !got.Equal(want) {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestNamespacesThatWereNotCapturedAreCreated(t *testing.T) {
	t.Parallel()
	var objects []*unstructured.Unstructured
	for _, each := range [][3]string{{"Namespace", "", "a"}, {"ConfigMap", "a", "x"}, {"ConfigMap", "b", "x"}, {"ConfigMap", "b", "y"}, {"ClusterRole", "", "c"}} {
		object := &unstructured.Unstructured{}
		object.SetKind(each[0])
		object.SetNamespace(each[1])
		object.SetName(each[2])
		objects = append(objects, object)
	}
	missing := missingNamespaces(objects)
	if len(missing) != 1 || missing[0].GetName() != "b" {
		t.Errorf("got %v", missing)
	}
}

func TestOM_16_AnOverrideThatExpiresIsATimeToRunAgain(t *testing.T) {
	t.Parallel()
	const dir = "testdata/captured/compass-blocks-the-upgrade"
	input, err := mustgather.Read(os.DirFS(dir), nil)
	if err != nil {
		t.Fatal(err)
	}
	expires := time.Date(2026, 12, 13, 0, 0, 0, 0, time.UTC)
	for _, each := range input.Objects {
		if each.GetKind() == "PlatformOperator" && each.GetName() == "compass" {
			override := map[string]any{"openShiftVersion": "5.1", "reason": "reviewed", "expires": expires.Format(time.RFC3339)}
			each.Object["spec"].(map[string]any)["compatibilityOverrides"] = []any{override} //nolint:forcetypeassert // a PlatformOperator has a spec
		}
	}
	options := applyconfiguration.Options{Controllers: []string{"*"}, Now: "2026-11-30T00:00:00Z", Timeout: time.Minute, KubernetesVersion: scenario.DefaultKubernetesVersion}
	output, err := applyconfiguration.Reconcile(t.Context(), input, os.DirFS(dir), options)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(output.RunAgain.Syncs, func(each applyconfiguration.DueSync) bool { return each.At.Equal(expires) }) {
		t.Errorf("no sync is due when the override expires: %+v", output.RunAgain.Syncs)
	}
}

// Each sync that needs what was not collected is listed, and changes nothing, in whatever order the syncs run.
func TestOM_8_NoSyncThatNeedsWhatWasNotCollectedChangesAnything(t *testing.T) {
	t.Parallel()
	for _, lacks := range []metav1.GroupResource{
		{Resource: "services"}, {Resource: "serviceaccounts"}, {Resource: "namespaces"}, {Group: "apps", Resource: "deployments"},
		{Group: "rbac.authorization.k8s.io", Resource: "clusterroles"}, {Group: "apiextensions.k8s.io", Resource: "customresourcedefinitions"},
	} {
		t.Run(lacks.Resource, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(4) {
				output := roundWithout(t, lacks, 1+seed)
				var changed, listed []string
				for _, each := range output.Requests {
					if each.ResourceType.Resource == "bundledeployments" {
						changed = append(changed, each.StringID())
					}
				}
				for _, each := range output.Missing.Objects {
					if each.Controller == "BundleDeploymentController" {
						listed = append(listed, each.Key)
					}
				}
				slices.Sort(listed)
				if listed = slices.Compact(listed); len(changed) > 0 || !slices.Equal(listed, []string{"compass", "sextant"}) {
					t.Errorf("seed %d: the output lists %q and has %q", seed, listed, changed)
				}
			}
		})
	}
}

// roundWithout runs a round on a captured cluster without the objects of a resource.
func roundWithout(t *testing.T, lacks metav1.GroupResource, seed uint64) *applyconfiguration.Output {
	t.Helper()
	const dir = "testdata/captured/compass-blocks-the-upgrade"
	input, err := mustgather.Read(os.DirFS(dir), nil)
	if err != nil {
		t.Fatal(err)
	}
	input.Objects = slices.DeleteFunc(input.Objects, func(each mustgather.Object) bool {
		return each.Resource.GroupResource() == schema.GroupResource(lacks)
	})
	input.NotCollected = mustgather.NotCollected{Resources: []metav1.GroupResource{lacks}}
	options := applyconfiguration.Options{Controllers: []string{"*"}, Now: "2026-11-30T00:00:00Z", Timeout: time.Minute, KubernetesVersion: scenario.DefaultKubernetesVersion, Seed: seed}
	output, err := applyconfiguration.Reconcile(t.Context(), input, os.DirFS(dir), options)
	if err != nil {
		t.Fatal(err)
	}
	return output
}
