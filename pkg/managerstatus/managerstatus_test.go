package managerstatus

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clocktesting "k8s.io/utils/clock/testing"

	operatorv1 "github.com/openshift/api/operator/v1"
	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/events"
	"github.com/openshift/library-go/pkg/operator/v1helpers"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
)

// refusing is an operator client whose writes return err. If err is nil, the writes succeed.
type refusing struct {
	v1helpers.OperatorClient
	err error
}

func (r refusing) GetOperatorState() (*operatorv1.OperatorSpec, *operatorv1.OperatorStatus, string, error) {
	return &operatorv1.OperatorSpec{}, &operatorv1.OperatorStatus{}, "1", nil
}

func (r refusing) GetOperatorStateWithQuorum(context.Context) (*operatorv1.OperatorSpec, *operatorv1.OperatorStatus, string, error) {
	return r.GetOperatorState()
}

func (r refusing) UpdateOperatorStatus(_ context.Context, _ string, status *operatorv1.OperatorStatus) (*operatorv1.OperatorStatus, error) {
	return status, r.err
}

// TestWhatIsNoFaultIsNoError covers a repeated conflict: many controllers write to a recreated resource, and the ClusterOperator must not
// report their conflicts as Degraded.
func TestWhatIsNoFaultIsNoError(t *testing.T) {
	managers := schema.GroupResource{Group: "operator.openshift.io", Resource: "platformoperatormanagers"}
	broken := errors.New("broken")
	for name, test := range map[string]struct {
		err, want       error
		written, queued bool
	}{
		"written":    {written: true},
		"missing":    {err: operatorv1alpha1.ErrManagerMissing},
		"a conflict": {err: apierrors.NewConflict(managers, "cluster", errors.New("the object has been modified")), queued: true},
		"refused":    {err: broken, want: broken},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				clock := clocktesting.NewFakePassiveClock(time.Now())
				syncCtx := factory.NewSyncContext("test", events.NewInMemoryRecorder("test", clock))
				defer syncCtx.Queue().ShutDown()
				condition := v1helpers.UpdateConditionFn(operatorv1.OperatorCondition{Type: "A", Status: operatorv1.ConditionTrue})
				written, err := Update(t.Context(), syncCtx, refusing{err: test.err}, condition)
				if !errors.Is(err, test.want) || written != test.written {
					t.Errorf("written %t, %v", written, err)
				}
				time.Sleep(conflictPause)
				synctest.Wait()
				if queued := syncCtx.Queue().Len() > 0; queued != test.queued {
					t.Errorf("queued again: %t", queued)
				}
			})
		})
	}
}
