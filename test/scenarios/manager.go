package scenarios

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/component-base/metrics"
	"k8s.io/utils/clock"

	"github.com/openshift/library-go/pkg/controller/controllercmd"
	"github.com/openshift/library-go/pkg/operator/events"

	"github.com/openshift/platform-operators/pkg/operator"
	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/test/environment"
)

// managerUser is the user name of the shipped Deployment's ServiceAccount.
const managerUser = "system:serviceaccount:" + environment.Namespace + ":" + environment.ServiceAccount

// Manager is one run of the manager, from its start to its end.
type Manager struct {
	process *scenario.Process
	started time.Time // when it started; for a candidate, when it began to lead
	metrics metrics.KubeRegistry
	stop    context.CancelFunc
	ended   chan error
}

// StartManager starts a new run of the manager, and stores it in s.Manager. It does not stop a manager that is already running. The
// configure functions change the options of the new run.
func (s *Story) StartManager(configure ...func(*operator.Options)) *Manager {
	s.Helper()
	s.Manager = s.startProcess(func(ctx context.Context, m *Manager) error {
		if s.rounds != nil {
			return s.rounds.run(ctx, s, m)
		}
		return s.runManager(ctx, m, configure)
	})
	s.running.Store(s.Manager)
	return s.Manager
}

func (s *Story) startProcess(run func(ctx context.Context, m *Manager) error) *Manager {
	ctx, stop := context.WithCancel(context.Background())
	m := &Manager{process: s.NewProcess(managerUser), started: time.Now(), metrics: metrics.NewKubeRegistry(), stop: stop, ended: make(chan error, 1)}
	go func() { m.ended <- run(ctx, m) }()
	return m
}

// KillManager kills the manager that was started last. The story fails if that manager had already ended on its own.
func (s *Story) KillManager() {
	s.Helper()
	s.checkRunning()
	s.running.Store(nil)
	s.Manager.Kill()
	s.Manager = nil
}

// StopManager stops the manager that was started last. The story fails if that manager had already ended on its own.
func (s *Story) StopManager() {
	s.Helper()
	s.checkRunning()
	s.running.Store(nil)
	s.must(s.Manager.Stop())
	s.Manager = nil
}

func (s *Story) checkRunning() {
	s.Helper()
	if !s.Manager.IsRunning() {
		err := <-s.Manager.ended
		s.Manager.ended <- err // Kill and Stop receive it again
		s.Errorf("the manager ended by itself: %v", err)
	}
}

// contentDir returns the path of the manager's content directory.
func contentDir(env *environment.Environment) string { return filepath.Join(env.Dir, "content") }

func (s *Story) runManager(ctx context.Context, m *Manager, configure []func(*operator.Options)) error {
	config := s.managerConfig(m.process)
	settings, err := s.settings(config)
	if err != nil {
		return err
	}
	for _, each := range configure {
		each(&settings.Options)
	}
	input, err := operator.LiveInput(&controllercmd.ControllerContext{
		KubeConfig: config, ProtoKubeConfig: config, EventRecorder: settings.Recorder, Clock: settings.Clock, OperatorNamespace: settings.Namespace,
	}, settings.Options)
	if err != nil {
		return err
	}
	input.Register, input.RegisterCollector = m.metrics.Register, m.metrics.CustomRegister
	input.Dial = s.network.DialContext
	return operator.Start(ctx, input)
}

// settings returns the options, the namespace, the clock and the Event recorder with which a manager starts.
func (s *Story) settings(config *rest.Config) (operator.Settings, error) {
	options := operator.NewOptions()
	options.ContentDir = contentDir(s.Environment)
	options.CatalogCAFile = s.catalog.CAFile()
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return operator.Settings{}, err
	}
	eventTarget := &corev1.ObjectReference{Kind: "Namespace", Name: environment.Namespace, Namespace: environment.Namespace} // as the command does outside of a Pod
	// The command's recorder aggregates similar Events in goroutines that never end. This recorder writes each Event.
	recorder := events.NewRecorder(client.CoreV1().Events(environment.Namespace), "platform-operators", eventTarget, clock.RealClock{})
	return operator.Settings{Options: *options, Namespace: environment.Namespace, Clock: clock.RealClock{}, Recorder: recorder}, nil
}

// metric returns the value of the counter or gauge whose label values are labels, in any order. It returns 0 if there is none. It sorts
// labels in place.
func (m *Manager) metric(name string, labels ...string) (float64, error) {
	families, err := m.metrics.Gather()
	if err != nil {
		return 0, err
	}
	slices.Sort(labels)
	for _, family := range families {
		if family.GetName() != name {
			continue
		}
		for _, each := range family.GetMetric() {
			var values []string
			for _, label := range each.GetLabel() {
				values = append(values, label.GetValue())
			}
			if slices.Sort(values); slices.Equal(values, labels) {
				return each.GetCounter().GetValue() + each.GetGauge().GetValue(), nil
			}
		}
	}
	return 0, nil
}

// IsRunning reports whether the manager has not ended yet.
func (m *Manager) IsRunning() bool { return len(m.ended) == 0 }

// Stop ends the manager as SIGTERM does, and waits until the manager has released its locks. It returns the manager's error.
func (m *Manager) Stop() error {
	m.stop()
	err := <-m.ended
	m.process.Kill()
	return err
}

// Kill ends the manager's requests and then the manager. It differs from SIGKILL in two ways: the manager cleans up its content directory,
// and the API server may still carry out a request that was in flight.
func (m *Manager) Kill() {
	m.process.Kill()
	m.stop()
	<-m.ended
}
