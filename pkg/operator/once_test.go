package operator

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	clocktesting "k8s.io/utils/clock/testing"

	operatorv1 "github.com/openshift/api/operator/v1"
	applyoperatorv1 "github.com/openshift/client-go/operator/applyconfigurations/operator/v1"
	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/events"
	"github.com/openshift/library-go/pkg/operator/v1helpers"

	"github.com/openshift/platform-operators/pkg/controllers/upgradegate"
)

// onceController returns a controller for RunOnce, with the groups of its keys.
func onceController(t *testing.T, name string, stage int, sync factory.SyncFunc, groups ...[]string) controller {
	t.Helper()
	syncContext := factory.NewSyncContext(name, events.NewInMemoryRecorder("test", &clocktesting.FakePassiveClock{}))
	t.Cleanup(syncContext.Queue().ShutDown)
	made := factory.New().WithSyncContext(syncContext).WithSync(sync).ToController(name, syncContext.Recorder())
	keys := func() [][]string {
		fresh := make([][]string, len(groups)) // RunOnce changes their order
		for i, group := range groups {
			fresh[i] = slices.Clone(group)
		}
		return fresh
	}
	return controller{Controller: made, workers: 1, stage: stage, keys: keys, syncContext: syncContext}
}

// runOnce runs a round, which must not fail, and returns the results by controller.
func runOnce(t *testing.T, round Round, controllers ...controller) map[string]RoundResult {
	t.Helper()
	results, err := (&Operator{controllers: controllers}).RunOnce(t.Context(), round)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSortedFunc(results, func(a, b RoundResult) int { return strings.Compare(a.Controller, b.Controller) }) {
		t.Errorf("the results are not sorted: %v", results)
	}
	found := map[string]RoundResult{}
	for _, each := range results {
		found[each.Controller] = each
	}
	if len(found) != len(controllers) {
		t.Errorf("there are results of %q", slices.Sorted(maps.Keys(found)))
	}
	return found
}

// orderOf returns the syncs of a round with a seed, as "controller key". Stages 0 and 1 have three controllers each, in any order of the
// list. Each controller has two groups of keys.
func orderOf(t *testing.T, seed uint64) (order []string) {
	t.Helper()
	var controllers []controller
	for i := range 6 {
		stage, name := (i+1)%2, fmt.Sprintf("%c", 'f'-rune(i))
		controllers = append(controllers, onceController(t, name, stage, func(_ context.Context, syncCtx factory.SyncContext) error {
			order = append(order, fmt.Sprintf("%d %s %s", stage, name, syncCtx.QueueKey()))
			return nil
		}, []string{"1a", "1b", "1c"}, []string{"2a", "2b", "2c"}))
	}
	runOnce(t, Round{Seed: seed}, controllers...)
	return order
}

// Promise OM-4: In a round, each controller is called once for each key, in an order that depends on the seed, which the results file names.
// The conditions that library-go's controllers set after a failed sync are set, too.
func TestOM_4_TheOrderOfARoundDependsOnItsSeedWithinStagesAndGroups(t *testing.T) {
	controllerOrders, keyOrders := map[string]bool{}, map[string]bool{}
	for seed := range uint64(20) {
		order := orderOf(t, seed)
		if again := orderOf(t, seed); !slices.Equal(order, again) {
			t.Errorf("seed %d gave %q, and then %q", seed, order, again)
		}
		if len(order) != 6*6 {
			t.Fatalf("seed %d: %d syncs, want 36", seed, len(order))
		}
		var controllers, keys []string
		for i, each := range order {
			parts := strings.Fields(each)
			if want := fmt.Sprint(i / 18); parts[0] != want {
				t.Errorf("seed %d: sync %d is of stage %s, want %s: %q", seed, i, parts[0], want, order)
			}
			if want := fmt.Sprint(i/3%2 + 1); parts[2][:1] != want {
				t.Errorf("seed %d: sync %d is of a key of group %s, want %s: %q", seed, i, parts[2][:1], want, order)
			}
			if i%6 == 0 {
				controllers = append(controllers, parts[1])
			}
			keys = append(keys, parts[2])
		}
		controllerOrders[strings.Join(controllers, " ")], keyOrders[strings.Join(keys, " ")] = true, true
	}
	if len(controllerOrders) < 2 || len(keyOrders) < 2 {
		t.Errorf("20 seeds gave %d orders of controllers and %d orders of keys", len(controllerOrders), len(keyOrders))
	}
}

// failuresOf returns the keys with an error, and those of them that panicked. Each error is either refused or a panic with its stack.
func failuresOf(t *testing.T, result RoundResult, refused error) (failed, panicked []string) {
	t.Helper()
	for _, each := range result.Errors {
		failed = append(failed, each.Key)
		if each.Stack == "" {
			if !errors.Is(each.Err, refused) {
				t.Errorf("%s: %v", each.Key, each.Err)
			}
			continue
		}
		panicked = append(panicked, each.Key)
		if !strings.Contains(each.Stack, "once_test.go") || !strings.Contains(each.Err.Error(), "a nil map") {
			t.Errorf("%s: error %v, stack %s", each.Key, each.Err, each.Stack)
		}
	}
	return failed, panicked
}

func TestOM_3_ASyncThatFailsDoesNotEndTheRound(t *testing.T) {
	refused := errors.New("the API server is away")
	synced := map[string]bool{}
	sync := func(_ context.Context, syncCtx factory.SyncContext) error {
		synced[syncCtx.QueueKey()] = true
		switch strings.Fields(syncCtx.QueueKey())[0] {
		case "failing":
			return fmt.Errorf("syncing %s: %w", syncCtx.QueueKey(), refused)
		case "panicking":
			panic("a nil map")
		case "again":
			return fmt.Errorf("not yet: %w", factory.SyntheticRequeueError)
		}
		return nil
	}
	for name, test := range map[string]struct {
		keys   []string
		status RoundStatus
		// failed are the keys with an error, and panicked those of them with a stack.
		failed, panicked []string
		again            []Requeue
	}{
		"no key":           {nil, RoundSucceeded, nil, nil, nil},
		"a good key":       {[]string{"good"}, RoundSucceeded, nil, nil, nil},
		"two failing keys": {[]string{"failing 2", "good", "failing 1"}, RoundFailed, []string{"failing 1", "failing 2"}, nil, nil},
		"a panic":          {[]string{"panicking", "good"}, RoundPanicked, []string{"panicking"}, []string{"panicking"}, nil},
		"a panic and an error": {
			[]string{"panicking", "failing"}, RoundPanicked, []string{"failing", "panicking"}, []string{"panicking"}, nil},
		"a sync that wants another one": {[]string{"good", "again"}, RoundSucceeded, nil, nil, []Requeue{{Key: "again"}}},
	} {
		for seed := range uint64(5) { // in another order each
			t.Run(fmt.Sprintf("%s, seed %d", name, seed), func(t *testing.T) {
				clear(synced)
				results := runOnce(t, Round{Seed: seed},
					onceController(t, "first", 0, sync, test.keys), onceController(t, "last", 1, sync, []string{"last"}))
				got := results["first"]
				failed, panicked := failuresOf(t, got, refused)
				if got.Status != test.status || !slices.Equal(failed, test.failed) || !slices.Equal(panicked, test.panicked) {
					t.Errorf("got %s with the errors of %q and panics of %q, want %+v", got.Status, failed, panicked, test)
				}
				if diff := cmp.Diff(test.again, got.Requeues); diff != "" {
					t.Errorf("again (-want +got):\n%s", diff)
				}
				if len(synced) != len(test.keys)+1 || results["last"].Status != RoundSucceeded {
					t.Errorf("synced %v; the next controller has %s", synced, results["last"].Status)
				}
			})
		}
	}
}

func TestAControllerThatIsNotSelectedIsSkipped(t *testing.T) {
	var synced []string
	sync := func(_ context.Context, syncCtx factory.SyncContext) error {
		synced = append(synced, syncCtx.QueueKey())
		return errors.New("synced")
	}
	results := runOnce(t, Round{IsSelected: func(controller string) bool { return controller == "wanted" }},
		onceController(t, "unwanted", 0, sync, []string{"x"}), onceController(t, "wanted", 1, sync, []string{"y"}))
	if diff := cmp.Diff(RoundResult{Controller: "unwanted", Status: RoundSkipped}, results["unwanted"]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !slices.Equal(synced, []string{"y"}) || results["wanted"].Status != RoundFailed {
		t.Errorf("synced %q, and the selected controller has %s", synced, results["wanted"].Status)
	}
}

func TestEachSyncIsAnnounced(t *testing.T) {
	var got []string
	sync := func(context.Context, factory.SyncContext) error {
		got = append(got, "sync")
		return nil
	}
	round := Round{BeforeSync: func(controller, key string) { got = append(got, controller+" "+key) }}
	runOnce(t, round, onceController(t, "first", 0, sync, []string{"x"}), onceController(t, "last", 1, sync, []string{"y"}))
	if !slices.Equal(got, []string{"first x", "sync", "last y", "sync"}) {
		t.Errorf("got %q", got)
	}
}

func TestAgainHasEachKeyThatASyncAddedWithItsShortestDelay(t *testing.T) {
	for name, test := range map[string]struct {
		// groups are synced in their order, and each has one key, so that the order of the syncs is known.
		groups [][]string
		adds   func(key string, syncCtx factory.SyncContext)
		want   []Requeue
	}{
		"a key that is added": {[][]string{{"a"}}, func(_ string, syncCtx factory.SyncContext) {
			for _, each := range []string{"x", "v", "z", "w", "y"} {
				syncCtx.Queue().Add(each)
			}
			syncCtx.Queue().AddRateLimited("u")
		}, []Requeue{{Key: "u"}, {Key: "v"}, {Key: "w"}, {Key: "x"}, {Key: "y"}, {Key: "z"}}},
		"a key that is added with delays": {[][]string{{"a"}}, func(_ string, syncCtx factory.SyncContext) {
			for _, after := range []time.Duration{time.Minute, time.Second, time.Hour} {
				syncCtx.Queue().AddAfter("x", after)
			}
		}, []Requeue{{Key: "x", After: time.Second}}},
		"a key that is added with a delay and at once": {[][]string{{"a"}, {"b"}}, func(key string, syncCtx factory.SyncContext) {
			if key == "b" {
				syncCtx.Queue().Add("x")
			}
			syncCtx.Queue().AddAfter("x", time.Minute)
		}, []Requeue{{Key: "x"}}},
		"a delay that has passed": {[][]string{{"a"}}, func(_ string, syncCtx factory.SyncContext) {
			syncCtx.Queue().AddAfter("x", -time.Minute)
		}, []Requeue{{Key: "x"}}},
		"a key that adds itself": {[][]string{{"a"}}, func(key string, syncCtx factory.SyncContext) {
			syncCtx.Queue().AddAfter(key, time.Minute)
		}, []Requeue{{Key: "a", After: time.Minute}}},
		"a key that is synced later": {[][]string{{"a"}, {"b"}}, func(key string, syncCtx factory.SyncContext) {
			if key == "a" {
				syncCtx.Queue().Add("b")
			}
		}, nil},
		"a key that was synced before": {[][]string{{"a"}, {"b"}}, func(key string, syncCtx factory.SyncContext) {
			if key == "b" {
				syncCtx.Queue().Add("a")
			}
		}, []Requeue{{Key: "a"}}},
	} {
		t.Run(name, func(t *testing.T) {
			made := onceController(t, "only", 0, func(_ context.Context, syncCtx factory.SyncContext) error {
				test.adds(syncCtx.QueueKey(), syncCtx)
				return nil
			}, test.groups...)
			got := runOnce(t, Round{}, made)["only"]
			if diff := cmp.Diff(RoundResult{Controller: "only", Status: RoundSucceeded, Requeues: test.want}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if left := made.syncContext.Queue().Len(); left > 0 {
				t.Errorf("%d keys are in the queue, from which a round takes none", left)
			}
		})
	}
}

func TestTheEndOfTheContextEndsTheRound(t *testing.T) {
	cause := errors.New("the admin pressed Ctrl-C")
	ctx, cancel := context.WithCancelCause(t.Context())
	var synced []string
	sync := func(_ context.Context, syncCtx factory.SyncContext) error {
		synced = append(synced, syncCtx.QueueKey())
		if syncCtx.QueueKey() == "c" {
			cancel(cause)
		}
		return nil
	}
	built := &Operator{controllers: []controller{
		onceController(t, "z", 0, sync, []string{"a"}), onceController(t, "y", 1, sync, []string{"b"}),
		onceController(t, "x", 2, sync, []string{"c"}, []string{"d"}), onceController(t, "w", 3, sync, []string{"e"}),
	}}
	results, err := built.RunOnce(ctx, Round{})
	if !errors.Is(err, cause) || !strings.Contains(err.Error(), `controller x for "d"`) {
		t.Errorf("got %v, want the cause and the sync before which the round ended", err)
	}
	if !slices.Equal(synced, []string{"a", "b", "c"}) {
		t.Errorf("synced %q", synced)
	}
	var got []string
	for _, result := range results {
		got = append(got, result.Controller+" "+string(result.Status))
	}
	if diff := cmp.Diff([]string{"x Failed", "y Succeeded", "z Succeeded"}, got); diff != "" {
		t.Errorf("results of the controllers that began, sorted (-want +got):\n%s", diff)
	}
}

type condition = applyoperatorv1.OperatorConditionApplyConfiguration

// applyingClient records the status that is applied to it. applyErr is its error.
type applyingClient struct {
	v1helpers.OperatorClient
	manager  string
	applied  []condition
	applyErr error
}

// ApplyOperatorStatus implements v1helpers.OperatorClient.
func (c *applyingClient) ApplyOperatorStatus(
	_ context.Context, manager string, status *applyoperatorv1.OperatorStatusApplyConfiguration,
) error {
	c.manager, c.applied = manager, append(c.applied, status.Conditions...)
	return c.applyErr
}

func TestOM_4_AControllerWithADegradedConditionAppliesItAfterEachSync(t *testing.T) {
	failed, refused := errors.New("the API server is away"), errors.New("the write is refused")
	of := func() *condition { return applyoperatorv1.OperatorCondition().WithType("onlyDegraded") }
	good := []condition{*of().WithStatus(operatorv1.ConditionFalse).WithReason("AsExpected")}
	bad := []condition{*of().WithStatus(operatorv1.ConditionTrue).WithReason("SyncError").WithMessage(failed.Error())}
	for name, test := range map[string]struct {
		returns, applyErr, err error
		applied                []condition
	}{
		"a good sync":                              {applied: good},
		"a good sync whose condition is refused":   {applyErr: refused, err: refused, applied: good},
		"a failed sync":                            {returns: failed, err: failed, applied: bad},
		"a failed sync whose condition is refused": {returns: failed, applyErr: refused, err: failed, applied: bad},
		"a sync that only wants to be synced again": {returns: factory.SyntheticRequeueError, applied: []condition{
			*of().WithStatus(operatorv1.ConditionTrue).WithReason("SyncError").WithMessage(factory.SyntheticRequeueError.Error()),
		}},
	} {
		t.Run(name, func(t *testing.T) {
			client := &applyingClient{applyErr: test.applyErr}
			made := onceController(t, "only", 0, func(context.Context, factory.SyncContext) error { return test.returns }, []string{"key"})
			made.degraded = client
			got := runOnce(t, Round{}, made)["only"]
			if len(got.Errors) > 1 || (len(got.Errors) == 1) != (test.err != nil) || test.err != nil && !errors.Is(got.Errors[0].Err, test.err) {
				t.Errorf("errors %v, want %v", got.Errors, test.err)
			}
			if diff := cmp.Diff(test.applied, client.applied); diff != "" {
				t.Errorf("conditions (-want +got):\n%s", diff)
			}
			if want := factory.ControllerFieldManager("only", "reportDegraded"); len(test.applied) > 0 && client.manager != want {
				t.Errorf("the field manager is %q, want library-go's, %q", client.manager, want)
			}
		})
	}
}

func TestShutDownShutsDownEveryQueue(t *testing.T) {
	sync := func(context.Context, factory.SyncContext) error { return nil }
	built := &Operator{controllers: []controller{onceController(t, "a", 0, sync), onceController(t, "b", 1, sync)}}
	built.ShutDown()
	for _, each := range built.controllers {
		if !each.syncContext.Queue().ShuttingDown() {
			t.Errorf("the queue of %s is not shut down", each.Name())
		}
	}
}

func TestTheKeysOfControllers(t *testing.T) {
	informer := cache.NewSharedIndexInformer(&cache.ListWatch{}, &corev1.ConfigMap{}, 0, nil)
	for _, name := range []string{"c", "a", "b"} {
		if err := informer.GetStore().Add(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}); err != nil {
			t.Fatal(err)
		}
	}
	for name, test := range map[string]struct {
		keys keyFunc
		want [][]string
	}{
		"a controller that syncs everything at once": {defaultKey, [][]string{{factory.DefaultQueueKey}}},
		"a controller of objects":                    {names(informer), [][]string{{"a", "b", "c"}}},
		"the upgrade gate, whose remedies follow from its verdict and are in it": {
			verdictKeys, [][]string{{factory.DefaultQueueKey}, {upgradegate.RemediesKey}, {factory.DefaultQueueKey}, {upgradegate.RemediesKey}}},
	} {
		if diff := cmp.Diff(test.want, test.keys()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestTheLogLevelIsLeftAloneIfTheProcessEndsBeforeItsConfigurationIsRead(t *testing.T) {
	syncer := &loggingSyncer{
		informer: cache.NewSharedIndexInformer(&cache.ListWatch{}, &corev1.ConfigMap{}, 0, nil),
		build:    func() factory.Controller { t.Error("a controller is built, whose queue nobody shuts down"); return nil },
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	syncer.Run(ctx, 1)
}
