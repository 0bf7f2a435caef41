package bundledeployment

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/events"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/revision"
)

func forbidden(why string) error {
	return apierrors.NewForbidden(corev1alpha2.Resource("configmaps"), "a", errors.New(why))
}

func conditionOf(t *testing.T, deployment *corev1alpha2.BundleDeployment, kind string) *metav1.Condition {
	t.Helper()
	found := meta.FindStatusCondition(deployment.Status.Conditions, kind)
	if found == nil {
		t.Fatalf("there is no condition %s", kind)
	}
	return found
}

func TestEveryActionHasAnExecutor(t *testing.T) {
	for kind := revision.Done + 1; kind <= revision.CollectGarbage; kind++ {
		if executors[kind].run == nil || executors[kind].name == "" {
			t.Errorf("action %d has none", kind)
		}
	}
	if len(executors) != int(revision.CollectGarbage) {
		t.Errorf("there are %d executors of %d actions", len(executors), revision.CollectGarbage)
	}
}

// syncs runs a number of syncs of the controller, each with the currently stored object. It returns the error of the last one.
func (f *fixture) syncs(t *testing.T, count int) (last error) {
	t.Helper()
	for range count {
		live, err := f.c.client.Get(t.Context(), "memo", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		f.c.deployments = deploymentsNamed(t, live)
		f.clock.SetTime(f.clock.Now().Add(time.Minute)) // so that the next sync may write the status and uses the cache
		last = f.c.sync(t.Context(), queueOf("memo"))
	}
	return last
}

func queueOf(key string) factory.SyncContext {
	return keyed{factory.NewSyncContext(ControllerName, events.NewInMemoryRecorder("test", nil)), key}
}

// keyed is a sync context with a queue key.
type keyed struct {
	factory.SyncContext
	key string
}

func (k keyed) QueueKey() string { return k.key }

// faulty fails one request with err: the request with number at, of all clients of a sync. requests is the number of requests so far.
type faulty struct {
	requests, at int
	err          error
}

func (f *faulty) next() error {
	f.requests++
	if f.requests == f.at {
		return f.err
	}
	return nil
}

// faultyEngine is a fakeEngine whose requests may fail by faults.
type faultyEngine struct {
	*fakeEngine
	faults *faulty
}

func (e faultyEngine) Apply(ctx context.Context, set *apply.Set, options apply.Options) (apply.Report, error) {
	if err := e.faults.next(); err != nil {
		return apply.Report{Total: set.Len()}, err
	}
	return e.fakeEngine.Apply(ctx, set, options)
}

func (e faultyEngine) Remove(ctx context.Context, set *apply.Set, options apply.RemoveOptions, keep ...*apply.Set) (apply.Removal, error) {
	if err := e.faults.next(); err != nil {
		return apply.Removal{}, err
	}
	return e.fakeEngine.Remove(ctx, set, options, keep...)
}

func (e faultyEngine) MissingPermissions(ctx context.Context, as apply.Identity, set *apply.Set, options apply.PermissionOptions) ([]corev1alpha2.MissingPermission, error) {
	if err := e.faults.next(); err != nil {
		return nil, err
	}
	return e.fakeEngine.MissingPermissions(ctx, as, set, options)
}

// TestEveryFaultOfEveryRequestOfAnUpgradeAndARemoval fails each request of an upgrade, and of a removal, once with each kind of error.
// The sync never panics, and later syncs reach the same state as without the error.
func TestEveryFaultOfEveryRequestOfAnUpgradeAndARemoval(t *testing.T) {
	kinds := map[string]error{
		"a conflict":        apierrors.NewConflict(corev1alpha2.Resource("bundledeployments"), "memo", errors.New("another writer was faster")),
		"a timeout":         apierrors.NewTimeoutError("etcd", 1),
		"a denial":          forbidden("a policy"),
		"a lost connection": errors.New("connection reset by peer"),
	}
	for name, err := range kinds {
		for at := 1; ; at++ {
			faults := &faulty{at: at, err: err}
			upgradeAndRemove(t, fmt.Sprintf("%s at request %d", name, at), faults)
			if t.Failed() || faults.requests < at {
				break
			}
		}
	}
}

func upgradeAndRemove(t *testing.T, name string, faults *faulty) {
	t.Helper()
	f := newFixture(t)
	f.two.Started = nil
	f.engine.report, f.engine.removal = apply.Report{Total: 1, Ready: 1, Complete: true, Exists: true}, apply.Removal{Done: true}
	failing := faultyEngine{f.engine, faults}
	f.c.applier, f.c.remover, f.c.checker = failing, failing, failing
	f.api.PrependReactor("*", "bundledeployments", func(action clienttesting.Action) (bool, runtime.Object, error) {
		if action.GetVerb() == "get" {
			return false, nil, nil // most of these requests are the test's own
		}
		err := faults.next()
		return err != nil, nil, err
	})
	if _, err := f.c.client.UpdateStatus(t.Context(), f.before, metav1.UpdateOptions{}); err != nil {
		faults.requests-- // the test's own
		faults.next()
	}
	f.syncs(t, 8)
	live, err := f.c.client.Get(t.Context(), "memo", metav1.GetOptions{})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if got := conditionOf(t, live, corev1alpha2.ConditionProgressing); live.Status.ActiveRevision != 2 || got.Reason != corev1alpha2.ReasonAsExpected || !f.one.Pruned {
		t.Errorf("%s: revision %d is active, Progressing is %s: %s; the first is pruned: %v", name, live.Status.ActiveRevision, got.Reason, got.Message, f.one.Pruned)
	}
	now := metav1.NewTime(f.clock.Now())
	live.DeletionTimestamp = &now
	if err := f.api.Tracker().Update(corev1alpha2.SchemeGroupVersion.WithResource("bundledeployments"), live, ""); err != nil {
		t.Fatal(err)
	}
	f.syncs(t, 4)
	if live, err = f.c.client.Get(t.Context(), "memo", metav1.GetOptions{}); err == nil && len(live.Finalizers) > 0 {
		t.Errorf("%s: it is not released: %v", name, live.Status.Conditions)
	}
}
