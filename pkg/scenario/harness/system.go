package harness

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/pkg/scenario/story"
)

// Operator describes an operator under test.
type Operator struct {
	// Users are the user names of the operator's requests, such as "system:serviceaccount:namespace:name". Required.
	Users []string
	// Open starts a cluster and the operator's external services from a checkpoint. It does not start the operator. The zero Checkpoint
	// stands for the cluster with which stories begin. Open runs in a synctest bubble. Required.
	Open func(ctx context.Context, from Checkpoint) (*System, error)
	// Interval is the longest time that the operator may wait without a write while it has unfinished work. It is, for example, its longest
	// back-off or the interval of its resyncs. Required.
	Interval time.Duration
	// MaxRefusedWrites is the maximum number of writes that the API server may refuse in an Interval in which the operator is at rest. An
	// operator that repeats a refused write with a back-off, for example until a user corrects a spec, sends a few such writes. The default
	// permits none.
	MaxRefusedWrites int
	// Normalize removes from an object all fields that may differ between two runs of one story. If it returns false, the object is not
	// compared. System.State removes UIDs, resourceVersions and other metadata that the API server sets. Nil compares all objects.
	Normalize func(object *unstructured.Unstructured) (isCompared bool, err error)
	// NormalizeHistory removes from an object the fields that depend on earlier states, such as a list of earlier versions. It is called
	// after Normalize when the two clusters reached their states by different steps. Nil removes nothing.
	NormalizeHistory func(object *unstructured.Unstructured)
	// IsCounted reports whether the object of an event must be created and deleted the same number of times in each run of a story. If it
	// is nil, no objects are counted.
	IsCounted func(event scenario.Event) bool
}

// Checkpoint is a copy of a System at one time. It is immutable. Systems may start from it concurrently, and in different bubbles.
type Checkpoint struct {
	// Cluster is the content of the cluster.
	Cluster *scenario.Snapshot
	// ExternalState is the state of the external services, as System.Save returned it.
	ExternalState any
	// IsOperatorRunning reports whether the operator was running.
	IsOperatorRunning bool
	// Story is the path of the story that was played before the checkpoint, or empty. System.Checkpoint does not set it. A story that
	// continues another one (story.Story.From) needs a checkpoint with the path of that story.
	Story string
}

// CheckOrigin returns an error if a story continues another one, and the checkpoint is not of that story.
func (c Checkpoint) CheckOrigin(of *story.Story) error {
	if of.From == "" {
		return nil
	}
	parent := filepath.Join(filepath.Dir(of.File), of.From)
	if c.Story != "" && filepath.Clean(c.Story) == parent {
		return nil
	}
	return fmt.Errorf("%s: from: the story continues %s, and Checkpoint.Story is %q; play that story first, and set Checkpoint.Story of the "+
		"checkpoint after it to its path", of.FromPosition, parent, c.Story)
}

// System is a cluster with an operator and the operator's external services. Operator.Open must set all functions. All functions are called
// from one goroutine.
type System struct {
	// Runner performs the steps of stories on the cluster.
	Runner *story.Runner
	// StartOperator starts the operator in a new process, as after a crash. It is called only while no process of the operator runs.
	StartOperator func() error
	// IsOperatorRunning reports whether the operator was started and has not ended.
	IsOperatorRunning func() bool
	// Save returns a copy of the state of the external services, for Checkpoint.ExternalState. The copy must be immutable.
	Save func() (any, error)
	// Stop ends the operator, the cluster and the external services. It returns an error if the operator ended before Stop was called.
	Stop func() error

	operator Operator
}

// StartSystem opens a System from a checkpoint. If the operator was running at the checkpoint, StartSystem starts the operator and waits
// until it is at rest.
func (o Operator) StartSystem(ctx context.Context, from Checkpoint) (*System, error) {
	return o.StartSystemWith(ctx, from, func(*System) error { return nil })
}

// StartSystemWith is like StartSystem, but calls prepare before it starts the operator.
func (o Operator) StartSystemWith(ctx context.Context, from Checkpoint, prepare func(*System) error) (*System, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	system, err := o.Open(ctx, from)
	if err != nil {
		return nil, fmt.Errorf("opening a system: %w", err)
	}
	system.operator = o
	begin := func() error {
		if err := prepare(system); err != nil || !from.IsOperatorRunning {
			return err
		}
		if err := system.StartOperator(); err != nil {
			return fmt.Errorf("starting the operator: %w", err)
		}
		return system.WaitForRest()
	}
	if err := begin(); err != nil {
		return nil, errors.Join(err, system.Stop())
	}
	return system, nil
}

// validate returns an error if a required field is missing.
func (o Operator) validate() error {
	switch {
	case o.Open == nil:
		return errors.New("Operator.Open is nil; set it to a function that opens a System")
	case len(o.Users) == 0 || slices.Contains(o.Users, ""):
		return fmt.Errorf("Operator.Users is %q; name the users of the operator's requests, such as "+
			"system:serviceaccount:NAMESPACE:NAME", o.Users)
	case o.Interval <= 0:
		return fmt.Errorf("Operator.Interval is %s; set it to the longest time for which the operator may wait while it has work to do",
			o.Interval)
	}
	return nil
}

// Operator returns the Operator that started the system.
func (s *System) Operator() Operator { return s.operator }

// Checkpoint returns a copy of the system's present state.
func (s *System) Checkpoint() (Checkpoint, error) {
	external, err := s.Save()
	if err != nil {
		return Checkpoint{}, fmt.Errorf("saving the state of the external services: %w", err)
	}
	return Checkpoint{Cluster: s.Runner.Cluster.Snapshot(), ExternalState: external, IsOperatorRunning: s.IsOperatorRunning()}, nil
}

// Play performs steps of a story one after the other, and waits after each until the operator is at rest. It returns an error with the
// step's position if a step fails.
func (s *System) Play(ctx context.Context, steps ...story.Step) error {
	for _, step := range steps {
		if err := s.Runner.Do(ctx, step); err != nil {
			return fmt.Errorf("%s: %w", step.Position, err)
		}
		if err := s.WaitForRest(); err != nil {
			return fmt.Errorf("%s: %w", step.Position, err)
		}
	}
	return nil
}
