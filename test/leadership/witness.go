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

// maxSeen bounds what a witness remembers: more is flapping enough.
const maxSeen = 1000

// Witness records the transitions of the ClusterOperator's conditions, by a watch of its own.
type Witness struct {
	stop context.CancelFunc
	done chan struct{}

	lock  sync.Mutex
	last  map[configv1.ClusterStatusConditionType]string
	moves []string
	err   error
}

// Watch starts a Witness with the present conditions.
func Watch(ctx context.Context, client configclient.Interface, name string) (*Witness, error) {
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
	w := &Witness{stop: cancel, done: make(chan struct{}), last: map[configv1.ClusterStatusConditionType]string{}}
	w.see(now)
	w.moves = nil // how it began
	go w.follow(ctx, events)
	return w, nil
}

func (w *Witness) follow(ctx context.Context, events watch.Interface) {
	defer close(w.done)
	defer events.Stop()
	for event := range events.ResultChan() {
		switch seen := event.Object.(type) {
		case *configv1.ClusterOperator:
			if event.Type == watch.Deleted {
				w.fail(errors.New("the ClusterOperator was deleted"))
				continue
			}
			w.see(seen)
		default:
			if ctx.Err() != nil {
				return // a watch that is stopped may end with an error
			}
			w.fail(fmt.Errorf("watching the ClusterOperator: %v", event.Object))
		}
	}
	if ctx.Err() == nil {
		w.fail(errors.New("watching the ClusterOperator: the watch ended"))
	}
}

func (w *Witness) fail(err error) {
	w.lock.Lock()
	defer w.lock.Unlock()
	w.err = errors.Join(w.err, err)
}

// see notes each condition whose status, or the time since when it has it, is another than before.
func (w *Witness) see(operator *configv1.ClusterOperator) {
	w.lock.Lock()
	defer w.lock.Unlock()
	for _, condition := range operator.Status.Conditions {
		is := fmt.Sprintf("%s=%s since %s", condition.Type, condition.Status, condition.LastTransitionTime.UTC().Format("15:04:05"))
		if w.last[condition.Type] == is {
			continue
		}
		w.last[condition.Type] = is
		if len(w.moves) < maxSeen {
			w.moves = append(w.moves, fmt.Sprintf("%s (%s: %s)", is, condition.Reason, condition.Message))
		}
	}
}

// Moves returns the transitions so far, in order; nil if there are none.
func (w *Witness) Moves() []string {
	w.lock.Lock()
	defer w.lock.Unlock()
	return append([]string(nil), w.moves...)
}

// Stop ends the watch and returns the transitions, or an error if the watch may have missed some.
func (w *Witness) Stop() ([]string, error) {
	w.stop()
	<-w.done
	w.lock.Lock()
	defer w.lock.Unlock()
	return w.moves, w.err
}
