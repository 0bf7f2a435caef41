package watches

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
	clocktesting "k8s.io/utils/clock/testing"

	operatorv1 "github.com/openshift/api/operator/v1"
	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/events"
	"github.com/openshift/library-go/pkg/operator/v1helpers"

	"github.com/openshift/platform-operators/pkg/health"
)

func TestARefusalIsToldOnceItLastsAndTakenBackWhenItIsOver(t *testing.T) {
	fake := clocktesting.NewFakeClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	client := v1helpers.NewFakeOperatorClient(&operatorv1.OperatorSpec{}, &operatorv1.OperatorStatus{}, nil)
	c := &controller{operatorClient: client, clock: fake, watchErrors: map[string]health.WatchError{}}
	syncCtx := factory.NewSyncContext("test", events.NewInMemoryRecorder("test", fake))
	status := func() *operatorv1.OperatorCondition {
		t.Helper()
		if err := c.sync(t.Context(), syncCtx); err != nil {
			t.Fatal(err)
		}
		_, status, _, err := client.GetOperatorState()
		if err != nil {
			t.Fatal(err)
		}
		return v1helpers.FindOperatorCondition(status.Conditions, "WatchesDegraded")
	}
	want := func(when string, wanted operatorv1.ConditionStatus, reason string) {
		t.Helper()
		if got := status(); got == nil || got.Status != wanted || got.Reason != reason {
			t.Errorf("%s: got %+v, want %s/%s", when, got, wanted, reason)
		}
	}
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "platformoperators"}, "", errors.New("no role"))

	want("at the start", operatorv1.ConditionFalse, health.ReasonAsExpected)
	c.record("platformoperators", forbidden)
	want("at first", operatorv1.ConditionFalse, health.ReasonAsExpected)
	fake.Step(45 * time.Second)
	c.record("platformoperators", fmt.Errorf("failed to list: %w", forbidden))
	want("when it lasts", operatorv1.ConditionTrue, health.ReasonInstalledNotListed)
	if got := status(); !strings.Contains(got.Message, "platformoperators: ") || !strings.Contains(got.Message, "no role") {
		t.Errorf("message is %q", got.Message)
	}
	fake.Step(2 * time.Minute)
	want("when it is over", operatorv1.ConditionFalse, health.ReasonAsExpected)
}

func TestOnlyAnAnswerOfTheServerIsARefusal(t *testing.T) {
	for name, test := range map[string]struct {
		err  error
		want bool
	}{
		"forbidden":               {apierrors.NewForbidden(schema.GroupResource{Resource: "a"}, "", nil), true},
		"the kind is gone":        {apierrors.NewGenericServerResponse(http.StatusNotFound, "list", schema.GroupResource{Resource: "a"}, "", "", 0, true), true},
		"too many requests":       {apierrors.NewTooManyRequests("later", 1), false},
		"the server has failed":   {apierrors.NewInternalError(errors.New("no etcd")), true},
		"the server is not there": {errors.New("connection refused"), false},
		"the version is too old":  {apierrors.NewResourceExpired("too old"), false},
		"the version is gone":     {&apierrors.StatusError{ErrStatus: metav1.Status{Reason: metav1.StatusReasonGone}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			c := &controller{clock: clocktesting.NewFakeClock(time.Unix(0, 0)), watchErrors: map[string]health.WatchError{}}
			if got := c.record("a", test.err); got != test.want {
				t.Errorf("got %t", got)
			}
		})
	}
	t.Run("what ails somebody else's kind is told by them", func(t *testing.T) {
		c := &controller{clock: clocktesting.NewFakeClock(time.Unix(0, 0)), others: map[string]bool{"a": true}, watchErrors: map[string]health.WatchError{}}
		if c.record("a", apierrors.NewInternalError(errors.New("no conversion"))) {
			t.Error("a fault of the kind counts")
		}
		if !c.record("a", apierrors.NewForbidden(schema.GroupResource{Resource: "a"}, "", nil)) {
			t.Error("a right that the manager lacks does not count")
		}
	})
}

func TestSomebodyElsesKindIsAmongTheInformers(t *testing.T) {
	clock := clocktesting.NewFakeClock(time.Unix(0, 0))
	_, err := New(Config{
		OperatorClient: v1helpers.NewFakeOperatorClient(&operatorv1.OperatorSpec{}, &operatorv1.OperatorStatus{}, nil),
		Informers:      map[string]func(cache.WatchErrorHandlerWithContext) error{"pods": func(cache.WatchErrorHandlerWithContext) error { return nil }},
		Others:         []string{"pod"}, Clock: clock, SyncContext: factory.NewSyncContext(ControllerName, events.NewInMemoryRecorder(ControllerName, clock)),
	})
	if err == nil || !strings.Contains(err.Error(), `"pod"`) {
		t.Errorf("got %v", err)
	}
}
