package harness_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/openshift/platform-operators/pkg/scenario/harness"
	"github.com/openshift/platform-operators/pkg/scenario/story"
)

func TestASystemThatFailsToStartIsStopped(t *testing.T) {
	open, prepare, start, stop := errors.New("open"), errors.New("prepare"), errors.New("start"), errors.New("stop")
	running := harness.Checkpoint{IsOperatorRunning: true}
	for name, test := range map[string]struct {
		operator   operator
		from       harness.Checkpoint
		prepareErr error
		calls      string
		errs       []error
		message    string
	}{
		"the operator ran":                  {operator{}, running, nil, "open prepare start", nil, ""},
		"the operator did not run":          {operator{}, harness.Checkpoint{}, nil, "open prepare", nil, ""},
		"Open fails":                        {operator{openErr: open}, running, nil, "open", []error{open}, "opening a system: "},
		"prepare fails":                     {operator{}, running, prepare, "open prepare stop", []error{prepare}, ""},
		"prepare fails without an operator": {operator{}, harness.Checkpoint{}, prepare, "open prepare stop", []error{prepare}, ""},
		"the operator does not start":       {operator{startErr: start}, running, nil, "open prepare start stop", []error{start}, "starting the operator: "},
		"prepare fails, and then Stop":      {operator{stopErr: stop}, harness.Checkpoint{}, prepare, "open prepare stop", []error{prepare, stop}, ""},
		"the operator is never at rest":     {operator{work: createsConfigMaps}, running, nil, "open prepare start stop", nil, "is not at rest"},
		"a busy operator that did not run":  {operator{work: createsConfigMaps}, harness.Checkpoint{}, nil, "open prepare", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := &test.operator
				system, err := o.underTest().StartSystemWith(t.Context(), test.from, func(opened *harness.System) error {
					o.call("prepare")
					if opened.IsOperatorRunning() {
						t.Error("the operator runs before it is prepared")
					}
					if got := opened.Operator().Users; !slices.Equal(got, []string{operatorUser}) {
						t.Errorf("the operator of the system has the users %q", got)
					}
					return test.prepareErr
				})
				if got := strings.Join(o.calls, " "); got != test.calls {
					t.Errorf("the calls were %q, want %q", got, test.calls)
				}
				isFailure := len(test.errs) > 0 || test.message != ""
				if (err != nil) != isFailure || (system == nil) != isFailure {
					t.Errorf("got the system %v and the error %v", system, err)
				}
				for _, want := range test.errs {
					if !errors.Is(err, want) {
						t.Errorf("got %v, want %v", err, want)
					}
				}
				if err != nil && !strings.Contains(err.Error(), test.message) {
					t.Errorf("got %v, want one with %q", err, test.message)
				}
				if system != nil && system.Stop() != nil {
					t.Error("the system does not stop")
				}
			})
		})
	}
}

func TestASystemStartsFromACheckpoint(t *testing.T) {
	for name, runs := range map[string]bool{"with the operator": true, "without the operator": false} {
		t.Run(name, func(t *testing.T) {
			var checkpoint harness.Checkpoint
			first := &operator{}
			synctest.Test(t, func(t *testing.T) {
				started, err := first.underTest().StartSystem(t.Context(), harness.Checkpoint{IsOperatorRunning: runs})
				if err != nil {
					t.Fatal(err)
				}
				s := newSystem(t, started)
				s.createConfigMap("a", "red")
				checkpoint, err = s.Checkpoint()
				s.must(err)
				s.createConfigMap("later", "red")
				s.must(s.Stop())
			})
			if checkpoint.IsOperatorRunning != runs {
				t.Errorf("the operator runs at the checkpoint: %t", checkpoint.IsOperatorRunning)
			}
			second := &operator{}
			synctest.Test(t, func(t *testing.T) {
				started, err := second.underTest().StartSystem(t.Context(), checkpoint)
				if err != nil {
					t.Fatal(err)
				}
				s := newSystem(t, started)
				if got := s.configMaps(); got != "a" {
					t.Errorf("the cluster has the ConfigMaps %q, want a", got)
				}
				if isStarted := slices.Contains(second.calls, "start"); isStarted != runs || s.IsOperatorRunning() != runs {
					t.Errorf("the operator was started: %t", isStarted)
				}
				s.must(s.Stop())
			})
			if got := fmt.Sprint(second.from.ExternalState); !strings.HasPrefix(got, "[open") {
				t.Errorf("Open got the external state %s", got)
			}
		})
	}
}

func TestCheckpointReturnsTheErrorOfSave(t *testing.T) {
	o := &operator{saveErr: errors.New("no space")}
	idle(t, o.underTest(), func(s system) {
		if _, err := s.Checkpoint(); !errors.Is(err, o.saveErr) {
			t.Errorf("got %v", err)
		}
	})
}

// configMaps returns the names of the test's ConfigMaps, sorted.
func (s system) configMaps() string {
	s.Helper()
	list, err := s.admin.CoreV1().ConfigMaps(namespace).List(s.Context(), metav1.ListOptions{})
	s.must(err)
	var all []string
	for _, each := range list.Items {
		if each.Name != "kube-root-ca.crt" {
			all = append(all, each.Name)
		}
	}
	return strings.Join(all, " ")
}

// stepAt returns a step that is at a line of a story. The argument of the step is a ConfigMap with a name.
func stepAt(t *testing.T, line int, verb, name string) story.Step {
	t.Helper()
	arguments, err := story.NewArguments(map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"namespace": namespace, "name": name},
	})
	if err != nil {
		t.Fatal(err)
	}
	return story.Step{Position: story.Position{File: "story.yaml", Line: line}, Verb: verb, Arguments: arguments}
}

// busyAfterB creates ConfigMaps forever once ConfigMap b exists. Once ConfigMap a exists, it creates ConfigMap a-copy.
func busyAfterB(ctx context.Context, client kubernetes.Interface, n int) {
	configMaps := client.CoreV1().ConfigMaps(namespace)
	if _, err := configMaps.Get(ctx, "b", metav1.GetOptions{}); err == nil {
		createsConfigMaps(ctx, client, n)
	}
	_, err := configMaps.Get(ctx, "a", metav1.GetOptions{})
	_, copyErr := configMaps.Get(ctx, "a-copy", metav1.GetOptions{})
	if err == nil && apierrors.IsNotFound(copyErr) {
		_, _ = configMaps.Create(ctx, configMap("a-copy", "red"), metav1.CreateOptions{})
	}
}

func TestPlayPerformsStepsUntilOneFails(t *testing.T) {
	exists := apierrors.IsAlreadyExists
	for name, test := range map[string]struct {
		steps      func(t *testing.T) []story.Step
		configMaps string
		message    string // the beginning of the error
		isCause    func(error) bool
	}{
		"no step": {func(*testing.T) []story.Step { return nil }, "", "", nil},
		// A step begins when the operator is at rest: its copy exists before the step that would replace it.
		"each step waits for the operator": {
			func(t *testing.T) []story.Step {
				return []story.Step{stepAt(t, 3, "create", "a"), stepAt(t, 4, "create", "a-copy")}
			},
			"a a-copy", "story.yaml:4: create: ", exists,
		},
		"the last step waits, too": {
			func(t *testing.T) []story.Step {
				return []story.Step{stepAt(t, 3, "create", "c"), stepAt(t, 4, "create", "a")}
			},
			"a a-copy c", "", nil,
		},
		"a step fails": {
			func(t *testing.T) []story.Step {
				return []story.Step{stepAt(t, 3, "create", "c"), stepAt(t, 5, "create", "c"), stepAt(t, 7, "create", "d")}
			},
			"c", "story.yaml:5: create: ", exists,
		},
		"a verb is unknown": {
			func(t *testing.T) []story.Step {
				return []story.Step{stepAt(t, 3, "dance", "c"), stepAt(t, 4, "create", "d")}
			},
			"", `story.yaml:3: unknown verb "dance"`, nil,
		},
		"the operator is not at rest after a step": {
			func(t *testing.T) []story.Step {
				return []story.Step{stepAt(t, 3, "create", "b"), stepAt(t, 4, "create", "d")}
			},
			"b", "story.yaml:3: the operator is not at rest: ", nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			started(t, (&operator{work: busyAfterB}).underTest(), nil, func(s system, err error) {
				s.must(err)
				err = s.Play(s.Context(), test.steps(t)...)
				if (err != nil) != (test.message != "") || err != nil && !strings.HasPrefix(err.Error(), test.message) {
					t.Errorf("got %v, want %q", err, test.message)
				}
				if test.isCause != nil && !test.isCause(err) {
					t.Errorf("the cause is %v", err)
				}
				var got []string
				for name := range strings.FieldsSeq(s.configMaps()) {
					if !strings.HasPrefix(name, "number-") {
						got = append(got, name)
					}
				}
				if got := strings.Join(got, " "); got != test.configMaps {
					t.Errorf("the cluster has the ConfigMaps %q, want %q", got, test.configMaps)
				}
			})
		})
	}
}
