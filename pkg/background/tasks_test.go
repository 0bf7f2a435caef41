package background_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/openshift/platform-operators/pkg/background"
)

func TestWaitReturnsOnceTheLastTaskHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tasks background.Tasks
		if err := tasks.Wait(t.Context()); err != nil {
			t.Errorf("without a task: %v", err)
		}
		first, second := make(chan struct{}), make(chan struct{})
		tasks.Go(func() {
			<-first
			tasks.Go(func() { <-second })
		})
		waited := make(chan error, 2)
		for range 2 {
			go func() { waited <- tasks.Wait(t.Context()) }()
		}
		for _, running := range []chan struct{}{first, second} {
			synctest.Wait()
			if len(waited) != 0 {
				t.Error("Wait returned while a task was running")
			}
			close(running)
		}
		for range 2 {
			if err := <-waited; err != nil {
				t.Error(err)
			}
		}
	})
}

func TestWaitEndsWithItsContext(t *testing.T) {
	var tasks background.Tasks
	ended := make(chan struct{})
	defer close(ended)
	tasks.Go(func() { <-ended })
	cause := errors.New("the story is over")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if err := tasks.Wait(ctx); !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
}

func TestAwaitedTasksEndBeforeGoReturns(t *testing.T) {
	tasks := background.Tasks{Await: true}
	var ended []string
	tasks.Go(func() {
		tasks.Go(func() { ended = append(ended, "a task that a task started") }) // no lock is held while a task runs
		ended = append(ended, "a task")
	})
	if want := []string{"a task that a task started", "a task"}; !slices.Equal(ended, want) {
		t.Errorf("when Go returned, %q had ended, want %q", ended, want)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := tasks.Wait(ctx); err != nil {
		t.Errorf("Wait waits for tasks that have ended: %v", err)
	}
}
