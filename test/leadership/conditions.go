package leadership

import (
	"context"
	"errors"
	"fmt"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"

	configv1 "github.com/openshift/api/config/v1"
	configclient "github.com/openshift/client-go/config/clientset/versioned"
)

// maxTransitions is the maximum number of recorded transitions. Later transitions are not recorded.
const maxTransitions = 1000

// ConditionRecorder records the transitions of a ClusterOperator's conditions. Its methods may be called concurrently.
type ConditionRecorder struct {
	stop context.CancelFunc
	done chan struct{}

	lock        sync.Mutex
	last        map[configv1.ClusterStatusConditionType]string
	transitions []string
	err         error
}

// RecordConditions starts a ConditionRecorder for the ClusterOperator with this name. The conditions at the start are not recorded as
// transitions. The caller must call Stop.
func RecordConditions(ctx context.Context, client configclient.Interface, name string) (*ConditionRecorder, error) {
	api := client.ConfigV1().ClusterOperators()
	now, err := api.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("reading ClusterOperator %q: %w", name, err)
	}
	ctx, cancel := context.WithCancel(ctx)
	events, err := api.Watch(ctx, metav1.ListOptions{
		ResourceVersion: now.ResourceVersion, FieldSelector: fields.OneTermEqualSelector("metadata.name", name).String(),
	})
	if err != nil {
		cancel()
		return nil, fmt.Errorf("watching ClusterOperator %q: %w", name, err)
	}
	r := &ConditionRecorder{stop: cancel, done: make(chan struct{}), last: map[configv1.ClusterStatusConditionType]string{}}
	r.record(now)
	r.transitions = nil // without the present conditions
	go r.run(ctx, events)
	return r, nil
}

func (r *ConditionRecorder) run(ctx context.Context, events watch.Interface) {
	defer close(r.done)
	defer events.Stop()
	for event := range events.ResultChan() {
		switch object := event.Object.(type) {
		case *configv1.ClusterOperator:
			if event.Type == watch.Deleted {
				r.fail(errors.New("the ClusterOperator was deleted"))
				continue
			}
			r.record(object)
		default:
			if ctx.Err() != nil {
				return // a stopped watch may end with an error
			}
			r.fail(fmt.Errorf("watching the ClusterOperator: %v", event.Object))
		}
	}
	if ctx.Err() == nil {
		r.fail(errors.New("watching the ClusterOperator: the watch ended"))
	}
}

func (r *ConditionRecorder) fail(err error) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.err = errors.Join(r.err, err)
}

// record appends a transition for each condition whose status or transition time changed.
func (r *ConditionRecorder) record(operator *configv1.ClusterOperator) {
	r.lock.Lock()
	defer r.lock.Unlock()
	for _, condition := range operator.Status.Conditions {
		current := fmt.Sprintf("%s=%s since %s", condition.Type, condition.Status, condition.LastTransitionTime.UTC().Format("15:04:05"))
		if r.last[condition.Type] == current {
			continue
		}
		r.last[condition.Type] = current
		if len(r.transitions) < maxTransitions {
			r.transitions = append(r.transitions, fmt.Sprintf("%s (%s: %s)", current, condition.Reason, condition.Message))
		}
	}
}

// Transitions returns the transitions so far, in order; nil if there are none. An item is "Type=Status since time (Reason:
// Message)".
func (r *ConditionRecorder) Transitions() []string {
	r.lock.Lock()
	defer r.lock.Unlock()
	return append([]string(nil), r.transitions...)
}

// Stop ends the watch and returns the transitions. It also returns an error if the watch failed, in which case transitions may be missing,
// or if the ClusterOperator was deleted.
func (r *ConditionRecorder) Stop() ([]string, error) {
	r.stop()
	<-r.done
	r.lock.Lock()
	defer r.lock.Unlock()
	return r.transitions, r.err
}
