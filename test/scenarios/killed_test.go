package scenarios

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/test/samples"
)

var killPoints = flag.Int("kill-points", 18, "number of writes before or after which a manager is killed: an equal number for each operation, "+
	"chosen by -seed")

// operation is a change of an operator, such as an upgrade.
type operation struct {
	name string
	// before and after are the operators in the catalog.
	before, after []samples.Operator
	do            func(s *Story) error
	// takes is the time for which the manager waits during the operation, such as for a deadline; zero if it does not wait.
	takes time.Duration
}

// versions are the versions of the operator memo, in the order in which the catalog has them.
var versions = []samples.Operator{
	{Package: "memo", Version: "1.0.0"},
	{Package: "memo", Version: "1.1.0", ExtraConfigMap: "memo-settings"},
	{Package: "memo", Version: "1.2.0", NeverReady: true},
	{Package: "memo", Version: "1.3.0", Replaces: "1.1.0", Skips: []string{"1.2.0"}},
}

// operations are all operations on an operator, in order. Each begins in the state in which the previous one ended.
var operations = []operation{
	{"install", versions[:1], versions[:1], func(s *Story) error { return s.Create(s.Context(), "memo", "") }, 0},
	{"upgrade", versions[:1], versions[:2], func(s *Story) error { return s.Publish(s.Context(), versions[:2]...) }, 0},
	{"repair", versions[:2], versions[:2], (*Story).tamper, 0},
	{"roll back", versions[:2], versions[:3], (*Story).attemptUpgrade, 30 * time.Second},
	{"move past the failed version", versions[:3], versions, func(s *Story) error { return s.Publish(s.Context(), versions...) }, 0},
	{"remove", versions, versions, func(s *Story) error {
		return s.Platform.PlatformV1alpha1().PlatformOperators().Delete(s.Context(), "memo", metav1.DeleteOptions{})
	}, 0},
}

// tamper edits a ConfigMap and the Pod template of the operator's Deployment, and deletes its Service.
func (s *Story) tamper() error {
	by := metav1.PatchOptions{FieldManager: "tinkerer"}
	_, edited := s.Kubernetes.CoreV1().ConfigMaps("memo").Patch(s.Context(), "memo-settings", types.MergePatchType, []byte(`{"data":{"version":"tampered"}}`), by)
	image := []byte(`{"spec":{"template":{"spec":{"containers":[{"name":"manager","image":"samples.invalid/memo:tampered"}]}}}}`)
	_, deployed := s.Kubernetes.AppsV1().Deployments("memo").Patch(s.Context(), "memo", types.StrategicMergePatchType, image, by)
	return errors.Join(edited, deployed, s.Kubernetes.CoreV1().Services("memo").Delete(s.Context(), "memo-metrics", metav1.DeleteOptions{}))
}

// attemptUpgrade publishes a version that never becomes ready. The manager rolls it back after ten seconds.
func (s *Story) attemptUpgrade() error {
	patch := []byte(`{"spec":{"install":{"onFailure":"Rollback","progressDeadlineSeconds":10}}}`)
	_, err := s.Platform.PlatformV1alpha1().PlatformOperators().Patch(s.Context(), "memo", types.MergePatchType, patch, metav1.PatchOptions{})
	return errors.Join(err, s.Publish(s.Context(), versions[:3]...))
}

// settleAfter waits until the operation is complete and nothing changes.
func (s *Story) settleAfter(each operation) {
	s.Settle()
	time.Sleep(each.takes)
	s.Settle()
}

// TestENG_D10_AManagerThatIsKilledAtAnyWriteGoesOn records the state before and after each write of the manager in each operation. From
// -kill-points of these states, a second manager completes the operation. The end state must equal that of the first manager without a kill.
//
// Promise ENG-D10: When the manager is killed before or after any write of an install, upgrade, repair, rollback or removal, the next
// process completes it. The end state equals that of a run without a kill.
func TestENG_D10_AManagerThatIsKilledAtAnyWriteGoesOn(t *testing.T) {
	t.Parallel()
	var from *scenario.Snapshot
	lives := make([]*killed, len(operations))
	for i, each := range operations {
		k := &killed{dir: t.TempDir()}
		lives[i] = k
		RunFrom(t, Origin{Cluster: from, Offer: sampleWriter(each.before)}, func(s *Story) {
			s.Settle()
			k.record(s)
			s.must(each.do(s))
			s.settleAfter(each)
			k.without = s.outcome()
			s.KillManager()
			s.Settle()
			from = s.Snapshot()
		})
		if t.Failed() {
			return
		}
		t.Logf("%s: %d kill points", each.name, len(k.points))
		if len(k.points) < minKillPoints {
			t.Fatalf("%s has %d kill points; the manager was not seen to write", each.name, len(k.points))
		}
	}
	t.Attr("seed", fmt.Sprint(*seed))
	for i, each := range operations {
		for _, n := range chooseKillPoints(len(lives[i].points)) {
			point := lives[i].points[n]
			t.Run(fmt.Sprintf("%s/%d %s", each.name, n+1, point), func(t *testing.T) {
				t.Parallel()
				RunFrom(t, Origin{Cluster: point.cluster, Offer: sampleWriter(each.after), ContentDir: point.contentDir}, func(s *Story) {
					s.settleAfter(each)
					if diff := cmp.Diff(lives[i].without, s.outcome()); diff != "" {
						t.Errorf("(-without +with)\n%s", diff)
					}
				})
			})
		}
	}
}

// chooseKillPoints returns the indexes of an equal part of -kill-points, or of all points, in ascending order.
func chooseKillPoints(points int) []int {
	chosen := rand.New(rand.NewSource(*seed)).Perm(points)[:min(*killPoints/len(operations), points)]
	slices.Sort(chosen)
	return chosen
}

// minKillPoints is the minimum number of kill points that an operation must have.
const minKillPoints = 10

// killed has the kill points of one operation, and the operation's outcome without a kill.
type killed struct {
	// without is the outcome when the manager is not killed.
	without outcome

	// dir is the directory with the content directories of the kill points.
	dir string

	mu     sync.Mutex
	points []killPoint
}

// killPoint is the state of the cluster and of the manager's content directory before or after a write.
type killPoint struct {
	// when is "before" or "after".
	when    string
	write   scenario.Request
	cluster *scenario.Snapshot
	// contentDir is the path of a copy of the manager's content directory.
	contentDir string
}

func (p killPoint) String() string { return p.when + " " + p.write.String() }

// record adds a kill point before and after each write of the manager from now on.
func (k *killed) record(s *Story) {
	at := func(when string) func(scenario.Request) {
		return func(write scenario.Request) {
			if err := k.add(s, when, write); err != nil {
				s.Error(err)
			}
		}
	}
	s.Inject(scenario.Fault{Match: isManagerWrite, Times: scenario.Always, Effect: scenario.Around(at("before"), at("after"))})
}

// add adds a kill point. It adds none if the cluster did not change since another kill point, as between a write and the next.
func (k *killed) add(s *Story, when string, write scenario.Request) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	point := killPoint{when, write, s.Snapshot(), filepath.Join(k.dir, strconv.Itoa(len(k.points)))}
	if slices.ContainsFunc(k.points, func(other killPoint) bool { return other.cluster.Revision() == point.cluster.Revision() }) {
		return nil
	}
	k.points = append(k.points, point)
	err := os.CopyFS(point.contentDir, os.DirFS(contentDir(s.Environment)))
	if errors.Is(err, fs.ErrNotExist) { // the manager moved content during the copy, which is then incomplete, as after a kill
		return nil
	}
	return err
}

// isManagerWrite reports whether a request is a write of the manager, other than of an Event. Events may be lost.
func isManagerWrite(r scenario.Request) bool {
	return r.User == managerUser && r.IsWrite() && r.Resource.Resource != "events"
}

// outcome is the result of an operation: objects of the operator and of the manager, as lines of JSON without fields that differ from run
// to run.
type outcome map[string][]string

// kinds are the resources of the objects in an outcome: those that the operator memo or the manager has.
var kinds = []schema.GroupVersionResource{
	platformv1alpha1.SchemeGroupVersion.WithResource("platformoperators"), corev1alpha2.SchemeGroupVersion.WithResource("bundledeployments"),
	{Group: "config.openshift.io", Version: "v1", Resource: "clusteroperators"},
	{Version: "v1", Resource: "namespaces"}, {Version: "v1", Resource: "configmaps"}, {Version: "v1", Resource: "secrets"},
	{Version: "v1", Resource: "services"}, {Version: "v1", Resource: "serviceaccounts"}, {Group: "apps", Version: "v1", Resource: "deployments"},
	{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"},
	{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "roles"}, {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "rolebindings"},
	{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles"},
	{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterrolebindings"},
}

func (s *Story) outcome() outcome {
	s.Helper()
	found := outcome{}
	for _, kind := range kinds {
		list, err := s.Dynamic.Resource(kind).List(s.Context(), metav1.ListOptions{})
		s.must(err)
		for _, each := range list.Items {
			s.must(normalize(&each))
			lines, err := json.MarshalIndent(each.Object, "", " ")
			s.must(err)
			found[strings.Join([]string{kind.Resource, each.GetNamespace(), each.GetName()}, " ")] = strings.Split(string(lines), "\n")
		}
	}
	return found
}
