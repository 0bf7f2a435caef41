package scenarios

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	clientrecord "k8s.io/client-go/tools/record"
	"k8s.io/component-base/metrics"

	configv1 "github.com/openshift/api/config/v1"
	"github.com/openshift/library-go/pkg/controller/factory"

	"github.com/openshift/platform-operators/pkg/operator"
	"github.com/openshift/platform-operators/test/samples"
	"github.com/openshift/platform-operators/test/story"
)

// No controller runs in this story. In rounds, the story syncs each controller for the keys in its queue, and waits for the background
// tasks of the syncs. When the same manager runs afterward, it writes nothing.
func TestAnOperatorIsInstalledBySingleSyncs(t *testing.T) {
	t.Parallel()
	const name, version, maxRounds = "memo", "1.0.0", 20
	RunFrom(t, Origin{Offer: sampleWriter([]samples.Operator{{Package: name, Version: version}}), NoManager: true}, func(s *Story) {
		ctx := s.Context()
		s.create(ctx, name, "")
		manager := s.buildManager(ctx)

		s.By("syncing each controller once, as library-go's resync does at the start")
		for _, controller := range manager.Controllers() {
			manager.syncOnce(ctx, controller, factory.DefaultQueueKey)
		}
		s.By("syncing what is queued, until the operator is installed")
		installed := func() error {
			_, available := s.Admin.ClusterOperatorHas(ctx, configv1.OperatorAvailable, configv1.ConditionTrue)
			return errors.Join(s.Admin.Installed(ctx, name, version), available)
		}
		rounds := 0
		for ; installed() != nil && rounds < maxRounds; rounds++ {
			manager.syncQueued(ctx)
		}
		s.Expect(installed()).To(Succeed(), "after %d rounds", rounds)
		for ; rounds < maxRounds && manager.syncQueued(ctx) > 0; rounds++ { // statuses that depend on the last ones
		}
		s.Expect(rounds).To(BeNumerically("<", maxRounds), "the controllers queue one another endlessly")
		s.Expect(manager.failed).To(BeEmpty(), "the last syncs for some keys have failed")
		reported, err := s.Admin.Config.ConfigV1().ClusterOperators().Get(ctx, story.ClusterOperatorName, metav1.GetOptions{})
		s.must(err)
		s.Expect(reported.Status.Versions).To(ContainElement(HaveField("Name", "operator")), "the new version queued no sync of the ClusterOperator")

		s.By("running the same manager")
		before := s.Snapshot().Revision()
		manager.start()
		s.Settle()
		s.Expect(s.Snapshot().Revision()).To(Equal(before), "the manager that runs has written something: %v", s.Requests())
	})
}

// builtManager is a manager whose controllers do not run before start.
type builtManager struct {
	*Story
	*operator.Operator
	start func()
	// connecting is the number of connections to the catalogs and the registry in progress. Each connection takes a second to establish.
	connecting atomic.Int32
	// failed has the errors of failed syncs, by controller and key. A successful sync for the same key removes the error.
	failed map[string]error
}

// buildManager builds a manager with an HTTP client, and starts its informers. The caller can start its controllers with start. They run at
// the latest when the story ends, because a controller that never runs does not shut down its queue.
func (s *Story) buildManager(ctx context.Context) *builtManager {
	s.Helper()
	process, registry := s.NewProcess(managerUser), metrics.NewKubeRegistry()
	config := process.ClientConfig()
	settings, err := s.settings(config)
	s.must(err)
	client, err := rest.HTTPClientFor(config) // which has the credentials
	s.must(err)
	input, err := operator.HTTPInput(client, config, settings)
	s.must(err)
	input.Register, input.RegisterCollector = registry.Register, registry.CustomRegister
	m := &builtManager{Story: s, failed: map[string]error{}}
	input.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		m.connecting.Add(1)
		defer m.connecting.Add(-1)
		time.Sleep(time.Second)
		return s.network.DialContext(ctx, network, address)
	}
	input.NewEvents = func(context.Context, string) clientrecord.EventRecorder { return &clientrecord.FakeRecorder{} }

	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	m.Operator, err = operator.Build(ctx, input)
	s.must(err)
	var running sync.WaitGroup
	m.start = sync.OnceFunc(func() { running.Go(func() { m.Run(ctx) }) })
	s.Defer(func() {
		m.start()
		stop()
		running.Wait()
		process.Kill()
	})
	m.StartInformers(ctx)
	s.must(m.WaitForCaches(ctx))
	return m
}

// syncQueued syncs each controller for the keys in its queue, and returns the number of syncs. Before it returns, it waits until nothing
// changes in the cluster.
func (m *builtManager) syncQueued(ctx context.Context) (syncs int) {
	m.Helper()
	for _, controller := range m.Controllers() {
		keys, err := m.DrainQueue(controller)
		m.must(err)
		for _, key := range keys {
			m.syncOnce(ctx, controller, key)
			syncs++
		}
	}
	m.Settle()
	return syncs
}

// syncOnce syncs a controller once for a key, and waits until the background tasks of the sync end. It records an error in failed.
func (m *builtManager) syncOnce(ctx context.Context, controller, key string) {
	m.Helper()
	id := fmt.Sprintf("%s for %q", controller, key)
	if err := m.SyncOnce(ctx, controller, key); err != nil {
		m.failed[id] = err
	} else {
		delete(m.failed, id)
	}
	m.must(m.WaitIdle(ctx))
	m.Expect(m.connecting.Load()).To(BeZero(), "something that a sync of %s has started still runs", id)
}
