package scenarios

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/namespaceuse"
	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/pkg/scenario/harness"
	"github.com/openshift/platform-operators/pkg/scenario/story"
	"github.com/openshift/platform-operators/pkg/scenario/workloads"
	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/samples"
)

// harnessPorts are the ports of the catalogs. Runs that are compared need the same ports, because image references contain them.
var harnessPorts = catalogPorts{GRPC: 49152, HTTPS: 49153, Registry: 49154}

// restInterval is the longest time for which a manager with unfinished work does not write. It exceeds the longest back-off of the
// manager's controllers.
const restInterval = 15 * time.Minute

// externalState is the state that is not in the cluster's storage.
type externalState struct {
	// samples are the sample operators that the catalog offers, as files.
	samples fs.FS
	// networkDown is whether the network of the catalog and the registry is down.
	networkDown bool
	// pods is the behavior of Pods.
	pods func(*corev1.Pod) workloads.Behavior
}

// underTest returns the manager as a harness.Operator. It must be called outside of a bubble, because it prepares a snapshot in a bubble.
func underTest(t *testing.T) harness.Operator {
	t.Helper()
	return underTestBy(t, nil)
}

// underTestBy is like underTest, with rounds in place of the manager's process unless rounds is nil.
func underTestBy(t *testing.T, rounds rounds) harness.Operator {
	t.Helper()
	root, err := environment.Root()
	if err != nil {
		t.Fatal(err)
	}
	initial := snapshot(t, root, standalone)
	return harness.Operator{
		Users: []string{managerUser}, Interval: restInterval,
		Normalize: normalizeCompared, NormalizeHistory: removeHistory, IsCounted: isCounted,
		Open: func(ctx context.Context, from harness.Checkpoint) (*harness.System, error) {
			if from.Cluster == nil {
				from.Cluster = initial
			}
			return openSystem(ctx, t, from, rounds)
		},
	}
}

// openSystem starts a cluster and a catalog from a checkpoint.
func openSystem(ctx context.Context, t *testing.T, from harness.Checkpoint, rounds rounds) (*harness.System, error) {
	t.Helper()
	saved, isSaved := from.ExternalState.(externalState)
	offer := sampleWriter([]samples.Operator{{Package: "unused", Version: "1.0.0"}})
	if isSaved {
		offer = func(dir string) error { return os.CopyFS(dir, saved.samples) }
	}
	origin := Origin{Cluster: from.Cluster, Offer: offer, NoManager: true, Ports: harnessPorts, Rounds: rounds}
	s := newStory(t, origin)
	s.isUntraced = true
	if err := s.start(ctx, origin); err != nil {
		return nil, errors.Join(err, s.end())
	}
	if isSaved {
		s.network.SetDown(saved.networkDown)
		s.networkDown = saved.networkDown
		if err := s.SetPodBehavior(saved.pods); err != nil {
			return nil, errors.Join(err, s.end())
		}
	}
	runner := &story.Runner{Cluster: s.Cluster, Verbs: s.verbs(), Pods: podBehavior, Processes: map[string]*scenario.Process{}}
	return &harness.System{
		Runner: runner,
		StartOperator: func() error {
			runner.Processes["manager"] = s.StartManager().process
			return nil
		},
		IsOperatorRunning: func() bool { return s.Manager != nil && s.Manager.IsRunning() && !s.Manager.process.IsKilled() },
		Save:              s.saveExternalState,
		Stop:              func() error { return errors.Join(s.endRounds(ctx), s.end()) },
	}, nil
}

func (s *Story) saveExternalState() (any, error) {
	samples, err := readFiles(s.Environment.SamplesDir)
	return externalState{samples: samples, networkDown: s.networkDown, pods: s.PodBehavior()}, err
}

// readFiles returns a copy of the files in a directory.
func readFiles(dir string) (fs.FS, error) {
	files := fstest.MapFS{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Join(dir, path))
		files[path] = &fstest.MapFile{Data: content, Mode: 0o644}
		return err
	})
	return files, err
}

// notCompared are the kinds whose objects differ between two runs, because their names are random or they count earlier changes.
var notCompared = []string{"Pod", "ReplicaSet", "ControllerRevision", "Endpoints", "EndpointSlice"}

// normalizeCompared is the Normalize function of underTest.
func normalizeCompared(object *unstructured.Unstructured) (isCompared bool, err error) {
	if slices.Contains(notCompared, object.GetKind()) {
		return false, nil
	}
	if isPlan := object.GetLabels()[corev1alpha2.LabelPlanOf] != ""; isPlan || object.GetKind() == "Secret" && object.GetName() == "plan-key" {
		return false, nil // the text starts from the former revision and has hashes with a random key
	}
	unstructured.RemoveNestedField(object.Object, "metadata", "annotations", "deployment.kubernetes.io/revision")
	// Conditions are a map by their types. Their order depends on which of them was set first: after a restart, for example, a bundle's
	// content may already be there before its BundleDeployment has a status.
	sortConditions(object)
	if err := normalize(object); err != nil {
		return false, fmt.Errorf("normalizing %s %s: %w", object.GetKind(), object.GetName(), err)
	}
	return true, nil
}

// removeHistory is the NormalizeHistory function of underTest.
func removeHistory(object *unstructured.Unstructured) {
	// The CVO is the owner of an object that it has created, but not of the same object if a user has created it.
	owners := slices.DeleteFunc(object.GetOwnerReferences(), func(each metav1.OwnerReference) bool { return each.Kind == "ClusterVersion" })
	if len(owners) == 0 {
		unstructured.RemoveNestedField(object.Object, "metadata", "ownerReferences")
	}
	switch object.GetKind() {
	case "PlatformOperator":
		unstructured.RemoveNestedField(object.Object, "status", "history")
		maskStepCause(object)
	case "BundleDeployment":
		// AnnotationHop has the time and the cause of the last upgrade step. A BundleDeployment that the manager created again in its existing
		// namespace has no AnnotationNamespaceDefaulted.
		unstructured.RemoveNestedField(object.Object, "metadata", "annotations", platformv1alpha1.AnnotationHop)
		unstructured.RemoveNestedField(object.Object, "metadata", "annotations", platformv1alpha1.AnnotationNamespaceDefaulted)
		unstructured.RemoveNestedField(object.Object, "status", "activeRevision")
		for _, field := range []string{"revision", "digest", "configMaps", "create", "update", "delete", "crdFindings"} { // the plan starts from the former revision
			unstructured.RemoveNestedField(object.Object, "status", "plan", field)
		}
		removeEarlierRevisions(object)
	}
}

// stepCause and failureCause match the beginning of a message about an upgrade step and a failed one, which depends on the step's cause.
var (
	stepCause    = regexp.MustCompile(`^(?:Moving from version \S+ to version (\S+)|Trying version (\S+) again)(:|$)`)
	failureCause = regexp.MustCompile(`^(?:The upgrade from version \S+ to version (\S+)|Another attempt at version (\S+)) failed\.`)
)

// maskStepCause replaces the cause of the upgrade step in the messages of a PlatformOperator's conditions. A manager that goes through the
// restore of a backup knows that the version has failed, and reports another attempt.
func maskStepCause(object *unstructured.Unstructured) {
	conditions, found, err := unstructured.NestedSlice(object.Object, "status", "conditions")
	if !found || err != nil {
		return
	}
	for _, each := range conditions {
		if condition, isObject := each.(map[string]any); isObject {
			message, _ := condition["message"].(string)
			message = failureCause.ReplaceAllString(message, "The step to version $1$2 failed.")
			condition["message"] = stepCause.ReplaceAllString(message, "Step to version $1$2$3")
		}
	}
	_ = unstructured.SetNestedSlice(object.Object, conditions, "status", "conditions") // cannot fail, because the field was a slice
}

// removeHistoryAndOwners is like removeHistory, for a cluster on which BundleDeployments may have been removed. The manager keeps a namespace
// that is in use when its BundleDeployment is removed. It removes the owner labels and adds annotation orphaned-from.
func removeHistoryAndOwners(object *unstructured.Unstructured) {
	removeHistory(object)
	if object.GetKind() == "Namespace" {
		unstructured.RemoveNestedField(object.Object, "metadata", "labels", corev1alpha2.LabelOwnerKind)
		unstructured.RemoveNestedField(object.Object, "metadata", "labels", corev1alpha2.LabelOwnerName)
		annotations := object.GetAnnotations()
		if delete(annotations, platformv1alpha1.AnnotationOrphanedFrom); len(annotations) == 0 {
			annotations = nil
		}
		object.SetAnnotations(annotations)
	}
}

// removeEarlierRevisions removes the revisions that were replaced or have failed from a BundleDeployment's status, and the numbers of the
// others. While a revision is rolling out, the digest of the active one is also removed, because it depends on an earlier
// configuration. The revision that is rolling out comes first.
func removeEarlierRevisions(object *unstructured.Unstructured) {
	all, found, err := unstructured.NestedSlice(object.Object, "status", "revisions")
	if !found || err != nil {
		return
	}
	var last []any
	for _, state := range []corev1alpha2.RevisionState{corev1alpha2.RevisionRollingOut, corev1alpha2.RevisionActive} {
		for _, each := range all {
			revision, _ := each.(map[string]any)
			if revision["state"] != string(state) {
				continue
			}
			delete(revision, "number")
			if len(last) > 0 {
				delete(revision, "digest")
			}
			last = append(last, revision)
		}
	}
	_ = unstructured.SetNestedSlice(object.Object, last, "status", "revisions") // cannot fail, because the field was a slice
}

// sortConditions sorts an object's status.conditions by type. Their order depends on when each condition was first set.
func sortConditions(object *unstructured.Unstructured) {
	conditions, found, err := unstructured.NestedSlice(object.Object, "status", "conditions")
	if !found || err != nil {
		return
	}
	slices.SortFunc(conditions, func(a, b any) int { return strings.Compare(typeOf(a), typeOf(b)) })
	_ = unstructured.SetNestedSlice(object.Object, conditions, "status", "conditions") // cannot fail, because the field was a slice
}

// typeOf returns the type of a condition.
func typeOf(condition any) string {
	object, _ := condition.(map[string]any)
	name, _, _ := unstructured.NestedString(object, "type")
	return name
}

// notCounted are the resources whose objects are created and deleted by other clients than the manager, or a varying number of times.
var notCounted = []string{"pods", "replicasets", "events", "leases", "endpoints", "endpointslices"}

// isCounted is the Counts function of underTest. It omits what a restarted manager creates again: the Secrets of a revision that the earlier
// process had stored in part, and ClusterRole namespaceuse.RoleName, which the repeated check needs.
func isCounted(event scenario.Event) bool {
	isRevision := event.Resource.Resource == "secrets" && event.Namespace == environment.Namespace && strings.HasPrefix(event.Name, "revision.")
	return !slices.Contains(notCounted, event.Resource.Resource) && !isRevision && event.Name != namespaceuse.RoleName
}
