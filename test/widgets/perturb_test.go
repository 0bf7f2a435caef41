package widgets_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/pkg/scenario/harness"
	"github.com/openshift/platform-operators/pkg/scenario/perturb"
	"github.com/openshift/platform-operators/pkg/scenario/story"
	"github.com/openshift/platform-operators/pkg/scenario/workloads"
	"github.com/openshift/platform-operators/test/widgets"
)

// underTest describes the operator for package perturb.
var underTest = harness.Operator{
	Users: []string{operatorUser}, Open: open, Interval: 20 * time.Minute, Normalize: normalize,
	IsCounted: func(event scenario.Event) bool { return event.Resource.Resource == "deployments" },
}

// open starts a cluster from a checkpoint. The operator uses no external services. The external state is the behavior of Pods, which the
// cluster's snapshot does not contain.
func open(ctx context.Context, from harness.Checkpoint) (*harness.System, error) {
	cluster, err := scenario.Start(ctx, scenario.Options{From: from.Cluster})
	if err != nil {
		return nil, err
	}
	if behavior, isSaved := from.ExternalState.(func(*corev1.Pod) workloads.Behavior); isSaved {
		if err := cluster.SetPodBehavior(behavior); err != nil {
			return nil, err
		}
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	var running *process // nil if the operator was never started
	return &harness.System{
		Runner: &story.Runner{Cluster: cluster, Verbs: story.Verbs()},
		StartOperator: func() error {
			running = startProcess(ctx, cluster)
			return nil
		},
		IsOperatorRunning: func() bool { return running != nil && running.isRunning() },
		Save:              func() (any, error) { return cluster.PodBehavior(), nil },
		Stop: func() (err error) {
			if running != nil && !running.isRunning() {
				err = errors.New("the operator ended by itself")
			}
			stop()
			if running != nil {
				err = errors.Join(err, running.wait())
			}
			cluster.Stop()
			return err
		},
	}, nil
}

// process is a process of the operator.
type process struct {
	ended chan struct{} // closed when the operator has ended
	err   error         // what Run returned; set before ended is closed
}

func startProcess(ctx context.Context, cluster *scenario.Cluster) *process {
	p := &process{ended: make(chan struct{})}
	go func() {
		defer close(p.ended)
		p.err = widgets.Run(ctx, cluster.ClientConfig(operatorUser))
	}()
	return p
}

func (p *process) isRunning() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// wait waits until the operator has ended, and returns its error.
func (p *process) wait() error {
	<-p.ended
	return p.err
}

// normalize removes times and generations from the status. Pods and ReplicaSets have random names.
func normalize(object *unstructured.Unstructured) (isCompared bool, err error) {
	unstructured.RemoveNestedField(object.Object, "status", "observedGeneration")
	conditions, isFound, err := unstructured.NestedSlice(object.Object, "status", "conditions")
	if err != nil || !isFound {
		return object.GetKind() != "ReplicaSet" && object.GetKind() != "Pod", err
	}
	for _, each := range conditions {
		condition, isObject := each.(map[string]any)
		if !isObject {
			return false, fmt.Errorf("a condition of %s %q is not an object", object.GetKind(), object.GetName())
		}
		delete(condition, "lastTransitionTime")
		delete(condition, "lastUpdateTime")
		delete(condition, "observedGeneration")
	}
	return object.GetKind() != "ReplicaSet" && object.GetKind() != "Pod", unstructured.SetNestedSlice(object.Object, conditions, "status", "conditions")
}

// perturbations is the number of perturbations that the test plays. All of them take 20 seconds. seed chooses them.
const perturbations, seed = 30, 1

func TestAnotherOperatorReachesTheSameStateInSpiteOfPerturbations(t *testing.T) {
	from := harness.Checkpoint{Cluster: prepared(t), IsOperatorRunning: true}
	read, err := story.Read("stories/life.yaml", story.Verbs())
	if err != nil {
		t.Fatal(err)
	}
	var recording *perturb.Recording
	synctest.Test(t, func(t *testing.T) {
		if recording, err = perturb.Record(t.Context(), underTest, from, read); err != nil {
			t.Fatal(err)
		}
	})
	describe := func(p perturb.Perturbation) (perturb.Pattern, string) { return p.Pattern, p.Name() }
	chosen := perturb.Choose(recording.Perturbations(), perturbations, seed, describe)
	tally := perturb.NewTally(chosen)
	tally.MaxMissed = perturbations / 5 // if the status and the Deployment change in another order, several events do not occur again
	t.Cleanup(func() {
		if err := tally.Err(); err != nil {
			t.Error(err)
		}
	})
	for _, each := range chosen {
		t.Run(each.Name(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				err := recording.Run(t.Context(), underTest, each)
				tally.Add(each, err)
				if errors.Is(err, perturb.ErrNotApplied) {
					t.Skip(err)
				}
				if err != nil {
					content, yamlErr := recording.YAML(each)
					t.Errorf("%v\nThe steps up to the perturbed one:\n%s", errors.Join(err, yamlErr), content)
				}
			})
		})
	}
}
