package operator

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/events"
	"github.com/openshift/library-go/pkg/operator/status"
)

// operatorWith returns an Operator with one controller, named "only".
func operatorWith(t *testing.T, sync factory.SyncFunc) *Operator {
	t.Helper()
	syncContext := factory.NewSyncContext("only", events.NewInMemoryRecorder("test", &clocktesting.FakePassiveClock{}))
	t.Cleanup(syncContext.Queue().ShutDown)
	made := factory.New().WithSyncContext(syncContext).WithSync(sync).ToController("only", syncContext.Recorder())
	return &Operator{controllers: []controller{{Controller: made, workers: 1, syncContext: syncContext}}}
}

func TestSyncOnceSyncsForTheKeyAndUsesTheControllersQueue(t *testing.T) {
	failed := errors.New("the API server is away")
	for key, is := range map[string]struct {
		returns, err error
		queued       []string
	}{
		"good":    {queued: []string{"next to good"}},
		"failing": {returns: failed, err: failed, queued: []string{"next to failing"}},
		"again":   {returns: factory.SyntheticRequeueError, queued: []string{"next to again", "again"}},
	} {
		built := operatorWith(t, func(_ context.Context, syncCtx factory.SyncContext) error {
			syncCtx.Queue().Add("next to " + syncCtx.QueueKey())
			return is.returns
		})
		if err := built.SyncOnce(t.Context(), "only", key); !errors.Is(err, is.err) || (err != nil) != (is.err != nil) {
			t.Errorf("%s: SyncOnce returned %v, want %v", key, err, is.err)
		}
		if keys, err := built.DrainQueue("only"); err != nil || !slices.Equal(keys, is.queued) {
			t.Errorf("%s: DrainQueue returned %q, %v, want %q", key, keys, err, is.queued)
		}
		if keys, err := built.DrainQueue("only"); err != nil || len(keys) > 0 {
			t.Errorf("%s: a second DrainQueue returned %q, %v", key, keys, err)
		}
	}
}

func TestAnUnknownControllerIsAnError(t *testing.T) {
	built := operatorWith(t, func(context.Context, factory.SyncContext) error { return nil })
	_, drain := built.DrainQueue("other")
	for method, err := range map[string]error{"SyncOnce": built.SyncOnce(t.Context(), "other", "key"), "DrainQueue": drain} {
		if err == nil || !strings.Contains(err.Error(), `"other"`) || !strings.Contains(err.Error(), `"only"`) {
			t.Errorf("%s: %v", method, err)
		}
	}
}

func TestANewVersionQueuesASyncOfTheClusterOperator(t *testing.T) {
	built := operatorWith(t, func(context.Context, factory.SyncContext) error { return nil })
	b := &builder{versions: status.NewVersionGetter(), statusContext: built.controllers[0].syncContext}
	b.setVersion("operator", "2")
	if got := b.versions.GetVersions()["operator"]; got != "2" {
		t.Errorf("the reported version is %q", got)
	}
	if keys, err := built.DrainQueue("only"); err != nil || !slices.Equal(keys, []string{factory.DefaultQueueKey}) {
		t.Errorf("DrainQueue returned %q, %v", keys, err)
	}
}
