package scenarios

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"

	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/test/samples"
)

var (
	killEvery = flag.Int("kill-every", 5, "kill the manager at each write of so many; 1 is all")
	killSeed  = flag.Int64("kill-seed", time.Now().Unix(), "the seed that chooses the first of these writes")
)

// first is the first write at which the manager is killed.
func first() int { return int(*killSeed % int64(*killEvery)) }

// operation is what an admin or a catalog's author does to one operator.
type operation struct {
	name string
	// offered are the operators in the catalog.
	offered []samples.Operator
	do      func(s *Story) error
}

var operations = []operation{
	{"install", []samples.Operator{memo("1.0.0")}, func(s *Story) error { return s.Create(s.Context(), "memo", "") }},
	{"upgrade", []samples.Operator{memo("1.0.0")}, func(s *Story) error {
		return s.Publish(s.Context(), memo("1.0.0"), samples.Operator{Package: "memo", Version: "1.1.0", ExtraConfigMap: "memo-settings"})
	}},
	{"remove", []samples.Operator{memo("1.0.0"), {Package: "memo", Version: "1.1.0", ExtraConfigMap: "memo-settings"}}, func(s *Story) error {
		return s.Platform.PlatformV1alpha1().PlatformOperators().Delete(s.Context(), "memo", metav1.DeleteOptions{})
	}},
}

func memo(version string) samples.Operator {
	return samples.Operator{Package: "memo", Version: version}
}

// TestENG_D10_AManagerThatIsKilledAtAnyWriteGoesOn kills the manager before and after each of its writes during an installation, an upgrade
// and a removal, and starts it again. The end must be as without that. Each run takes some writes, which a printed seed chooses.
func TestENG_D10_AManagerThatIsKilledAtAnyWriteGoesOn(t *testing.T) {
	t.Logf("-kill-every=%d -kill-seed=%d", *killEvery, *killSeed)
	var from *scenario.Snapshot
	for _, each := range operations {
		begin, after, writes, want := from, from, 0, outcome{}
		RunFrom(t, begin, sampleWriter(each.offered), func(s *Story) {
			s.Settle()
			before := len(s.operationWrites())
			s.must(each.do(s))
			s.Settle()
			writes = len(s.operationWrites()) - before
			want = s.outcome()
			s.Manager.Kill()
			s.Manager = nil
			s.Settle()
			after = s.Snapshot()
		})
		if t.Failed() {
			return
		}
		from = after
		killAtEach(t, begin, each, writes, want)
	}
}

// killAtEach kills the manager at each of an operation's writes.
func killAtEach(t *testing.T, from *scenario.Snapshot, each operation, writes int, want outcome) {
	t.Helper()
	if writes < 10 {
		t.Fatalf("%s: the manager wrote %d times", each.name, writes)
	}
	effects := map[string]func(func()) scenario.Effect{"before": scenario.LoseRequest, "after": scenario.LoseResponse}
	var runs, killed atomic.Int64
	t.Run(each.name, func(t *testing.T) {
		for n := first(); n < writes; n += *killEvery {
			for when, effect := range effects {
				t.Run(fmt.Sprintf("%s write %d", when, n+1), func(t *testing.T) {
					t.Parallel()
					runs.Add(1)
					RunFrom(t, from, sampleWriter(each.offered), func(s *Story) {
						s.Settle()
						process := s.Manager.process
						injection := s.Inject(scenario.Fault{Match: isManagerWrite, Nth: n + 1, Effect: effect(process.Kill)})
						s.must(each.do(s))
						s.Settle()
						if len(injection.Applied()) == 0 {
							return // this run had fewer writes: status is written together or apart
						}
						killed.Add(1)
						s.Manager.Kill()
						s.StartManager()
						s.Settle()
						if diff := cmp.Diff(want, s.outcome()); diff != "" {
							t.Errorf("killed at %v (-without +with):\n%s", injection.Applied(), diff)
						}
					})
				})
			}
		}
	})
	t.Logf("%s: %d writes; the manager was killed in %d of %d runs", each.name, writes, killed.Load(), runs.Load())
	if killed.Load() < runs.Load()*3/4 {
		t.Errorf("%s: the manager was killed in %d of %d runs only", each.name, killed.Load(), runs.Load())
	}
}

// isManagerWrite matches the manager's writes of what its work depends on: an Event may be lost.
func isManagerWrite(r scenario.Request) bool {
	return r.User == managerUser && r.IsWrite() && r.Resource.Resource != "events"
}

func (s *Story) operationWrites() []scenario.Request {
	return slices.DeleteFunc(s.Requests(), func(r scenario.Request) bool { return !isManagerWrite(r) })
}

// outcome is what an operation comes to: conditions, and the objects of the operator and of the manager.
type outcome struct {
	State   map[string][]string
	Objects []string
}

func (s *Story) outcome() outcome {
	s.Helper()
	state, err := s.state(s.Context())
	s.must(err)
	found := outcome{State: map[string][]string{}}
	for _, each := range state {
		found.State[each.Object] = each.Lines
	}
	found.Objects, err = s.objects(s.Context())
	s.must(err)
	return found
}

// kinds are those of which a memo operator or the manager has objects.
var kinds = []schema.GroupVersionResource{
	{Version: "v1", Resource: "namespaces"}, {Version: "v1", Resource: "configmaps"}, {Version: "v1", Resource: "secrets"},
	{Version: "v1", Resource: "services"}, {Version: "v1", Resource: "serviceaccounts"}, {Group: "apps", Version: "v1", Resource: "deployments"},
	{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"},
	{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles"},
	{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterrolebindings"},
}

// objects lists the objects of these kinds, with their labels.
func (s *Story) objects(ctx context.Context) ([]string, error) {
	client, err := metadata.NewForConfig(s.ClientConfig(scenario.AdminUser))
	if err != nil {
		return nil, err
	}
	var objects []string
	for _, kind := range kinds {
		list, err := client.Resource(kind).List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, err
		}
		for _, each := range list.Items {
			objects = append(objects, strings.Join([]string{kind.Resource, each.Namespace, each.Name, fmt.Sprint(each.Labels)}, " "))
		}
	}
	return objects, nil
}
