package scenarios

import (
	"context"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/component-base/metrics"
	"k8s.io/utils/clock"

	"github.com/openshift/library-go/pkg/controller/controllercmd"
	"github.com/openshift/library-go/pkg/operator/events"

	"github.com/openshift/platform-operators/pkg/operator"
	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/test/environment"
)

// managerUser is the ServiceAccount of the shipped Deployment.
const managerUser = "system:serviceaccount:" + environment.Namespace + ":" + environment.ServiceAccount

// Manager is one run of the manager.
type Manager struct {
	process *scenario.Process
	stop    context.CancelFunc
	ended   chan error
}

// StartManager starts the manager, beside one that runs already.
func (s *Story) StartManager() *Manager {
	s.Helper()
	process := s.NewProcess(managerUser)
	ctx, stop := context.WithCancel(context.Background())
	m := &Manager{process: process, stop: stop, ended: make(chan error, 1)}
	s.Manager = m
	go func() { m.ended <- s.runManager(ctx, process) }()
	return m
}

func (s *Story) runManager(ctx context.Context, process *scenario.Process) error {
	config := process.ClientConfig()
	options := operator.NewOptions()
	options.ContentDir = filepath.Join(s.Environment.Dir, "content")
	options.CatalogCAFile = s.catalog.CAFile()
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	about := &corev1.ObjectReference{Kind: "Namespace", Name: environment.Namespace, Namespace: environment.Namespace} // as outside of a Pod
	// The command's recorder counts Events that are alike in goroutines that never end. This one writes each Event.
	recorder := events.NewRecorder(client.CoreV1().Events(environment.Namespace), "platform-operators", about, clock.RealClock{})
	input, err := operator.LiveInput(&controllercmd.ControllerContext{
		KubeConfig: config, ProtoKubeConfig: config, EventRecorder: recorder, Clock: clock.RealClock{}, OperatorNamespace: environment.Namespace,
	}, *options)
	if err != nil {
		return err
	}
	registry := metrics.NewKubeRegistry()
	input.Register, input.RegisterCollector = registry.Register, registry.CustomRegister
	input.Dial = s.network.DialContext
	return operator.Start(ctx, input)
}

// Stop ends the manager as SIGTERM does: it gives its lease away.
func (m *Manager) Stop() error {
	m.stop()
	err := <-m.ended
	m.process.Kill()
	return err
}

// Kill ends the manager as SIGKILL does: no request of it reaches the API server any more.
func (m *Manager) Kill() {
	m.process.Kill()
	m.stop()
	<-m.ended
}
