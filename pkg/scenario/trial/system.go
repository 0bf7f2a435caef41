package trial

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/pkg/scenario/story"
)

// Operator describes an operator under test.
type Operator struct {
	// Users are the user names of the operator's requests, such as "system:serviceaccount:namespace:name". Required.
	Users []string
	// Open starts a cluster, and what the operator needs beside the cluster, from a moment. It does not start the operator. From the zero
	// Moment, it starts what stories start from. Open runs in a synctest bubble. Required.
	Open func(ctx context.Context, from Moment) (*System, error)
	// Interval is the longest time that passes without a write of an operator that still has work to do, such as its longest back-off or the
	// interval of its resyncs. Required.
	Interval time.Duration
	// Normalize removes from an object all fields that may differ between two runs of one story. If it returns false, the object is not
	// compared. It need not remove the fields that every API server sets; State does. Nil compares all objects.
	Normalize func(object *unstructured.Unstructured) (isCompared bool, err error)
	// NormalizeHistory removes from an object what tells how its state was reached, such as a list of earlier versions. It is called after
	// Normalize for states that are reached in different ways. Nil removes nothing.
	NormalizeHistory func(object *unstructured.Unstructured)
	// Counts reports whether the creations and deletions of an object must be as many in each run of a story. Nil counts no object.
	Counts func(event scenario.Event) bool
}

// Moment is a copy of a System at some time. It is immutable. Systems may start from it concurrently, and in different bubbles.
type Moment struct {
	// Cluster is the content of the cluster.
	Cluster *scenario.Snapshot
	// Surroundings is what System.Save returned.
	Surroundings any
	// Runs is whether the operator runs.
	Runs bool
}

// System is a cluster with an operator, and with what the operator needs beside the cluster. The functions must be set; they are called from
// one goroutine.
type System struct {
	// Runner performs the steps of stories on the cluster.
	Runner *story.Runner
	// Start starts the operator in a new process, as after a crash. At most one runs.
	Start func() error
	// Runs reports whether the operator was started, and neither stopped nor ended.
	Runs func() bool
	// Save returns a copy of what the operator needs beside the cluster, for Moment.Surroundings. The copy must not change later.
	Save func() (any, error)
	// Stop ends the operator, the cluster and all else that Open started. It returns an error if the operator had ended by itself.
	Stop func() error

	operator Operator
}

// Start opens a System from a moment. It starts the operator if it ran at the moment, and waits until the operator is at rest.
func (o Operator) Start(ctx context.Context, from Moment) (*System, error) {
	return o.StartWith(ctx, from, func(*System) error { return nil })
}

// StartWith is like Start. It calls prepare before it starts the operator.
func (o Operator) StartWith(ctx context.Context, from Moment, prepare func(*System) error) (*System, error) {
	system, err := o.Open(ctx, from)
	if err != nil {
		return nil, fmt.Errorf("opening a system: %w", err)
	}
	system.operator = o
	begin := func() error {
		if err := prepare(system); err != nil || !from.Runs {
			return err
		}
		if err := system.Start(); err != nil {
			return fmt.Errorf("starting the operator: %w", err)
		}
		return system.Rest()
	}
	if err := begin(); err != nil {
		return nil, errors.Join(err, system.Stop())
	}
	return system, nil
}

// Operator returns the operator of the system.
func (s *System) Operator() Operator { return s.operator }

// Moment returns a copy of the system as it is now.
func (s *System) Moment() (Moment, error) {
	surroundings, err := s.Save()
	if err != nil {
		return Moment{}, fmt.Errorf("saving what the operator needs beside the cluster: %w", err)
	}
	return Moment{Cluster: s.Runner.Cluster.Snapshot(), Surroundings: surroundings, Runs: s.Runs()}, nil
}

// Play performs steps of a story one after the other, and waits after each until the operator is at rest. It returns an error with the
// step's position if a step fails.
func (s *System) Play(ctx context.Context, steps ...story.Step) error {
	for _, step := range steps {
		if err := s.Runner.Do(ctx, step); err != nil {
			return fmt.Errorf("%s: %w", step.Position, err)
		}
		if err := s.Rest(); err != nil {
			return fmt.Errorf("%s: %w", step.Position, err)
		}
	}
	return nil
}
