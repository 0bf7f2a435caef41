package scenarios

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/pkg/scenario/network"
	"github.com/openshift/platform-operators/pkg/scenario/workloads"
	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/invariants"
	"github.com/openshift/platform-operators/test/localcatalog"
	"github.com/openshift/platform-operators/test/samples"
	"github.com/openshift/platform-operators/test/story"
)

// Story is a cluster in memory with a catalog, and an admin of the cluster and the catalog. It must not be used after the function that was
// passed to Run has returned.
type Story struct {
	*testing.T
	*gomega.WithT
	*scenario.Cluster
	*story.Admin

	// Manager is the manager that StartManager started last. It is nil before StartManager, and after KillManager and StopManager.
	Manager *Manager

	// running is the manager that isManagerActive judges: the one that StartManager started last, or the candidate that began to lead last.
	// It is nil if neither exists, and after KillManager and StopManager.
	running atomic.Pointer[Manager]
	// isManagerDenied is true while the manager lacks permissions that the story has removed. Its status may then be out of date.
	isManagerDenied atomic.Bool
	// management is the management cluster; nil if the cluster has its own control plane.
	management  *management
	network     network.Network
	networkDown bool
	// isUntraced is true if the trace omits the manager's requests. A story sets it if the manager may see stale or restored states,
	// because the manager then sends requests that it does not send otherwise.
	isUntraced bool
	catalog    *localcatalog.Server
	// otherCatalogs are the catalogs that the story itself serves.
	otherCatalogs []*localcatalog.Server
	// rounds runs the controllers in place of the manager's process. It is nil if the process runs.
	rounds rounds
	// podReady contains whether a Pod is ready, keyed by the Pod's UID. Pods whose readiness the story does not set are missing.
	podReady map[types.UID]bool
	// deferred are functions that are called before the cluster stops, in reverse order.
	deferred []func()
}

// eventuallyTimeout and the following constants are the defaults of Eventually and Consistently. An assertion that needs more time sets its
// own timeout.
const (
	eventuallyTimeout    = time.Minute
	consistentlyDuration = 5 * time.Second
	eventuallyPolling    = 500 * time.Millisecond
	consistentlyPolling  = 100 * time.Millisecond
)

// checksInvariants is true if stories check the rules of test/invariants. Only a test that measures their cost sets it to false.
var checksInvariants = true

// Origin is the state of the cluster, the catalog and the manager at the start of a story.
type Origin struct {
	// Cluster is the content of the cluster; nil means OpenShift's kinds and the payload's manifests.
	Cluster *scenario.Snapshot
	// Offer writes the catalog's operators into a folder of samples.
	Offer func(samplesDir string) error
	// ContentDir is the path of a folder that is copied to the manager's content directory; empty copies nothing.
	ContentDir string
	// Recording holds the recorded objects of another cluster, which are restored; nil restores none. If it is set, no manager is started,
	// and the story itself starts one.
	Recording *recording
	// Ports are the ports of the catalog, unless Recording defines them; 0 means any port.
	Ports catalogPorts
	// NoManager is true if no manager runs at the start of the story.
	NoManager bool
	// Topology says where the manager runs. The zero value is standalone. Cluster must have the same topology.
	Topology topology
	// management is the snapshot from which the management cluster of a hosted control plane starts. RunFrom sets it.
	management *scenario.Snapshot
	// Rounds runs the controllers in place of the manager's process; nil means that the process runs.
	Rounds rounds
}

// rounds runs the manager's controllers in another way than the manager's process does.
type rounds interface {
	// run runs the controllers for a manager until the context ends.
	run(ctx context.Context, s *Story, m *Manager) error
	// isIdle reports whether the controllers have seen all changes of the cluster.
	isIdle(s *Story) bool
	// checkRest returns an error if, while no manager runs, one more round would change the cluster.
	checkRest(ctx context.Context, s *Story) error
}

// removeAll deletes all PlatformOperators, BundleDeployments and Bundles, and fails the story if one is not removed. A deletion must
// succeed from any state. It does nothing if no manager runs or if the story failed.
func (s *Story) removeAll(ctx context.Context) {
	s.Helper()
	if s.Manager == nil || s.Failed() {
		return
	}
	s.By("removing what is left")
	s.Settle() // lets a manager that has just been started begin its work
	for _, resource := range []string{"platformoperators", "bundledeployments", "bundles"} {
		group := corev1alpha2.SchemeGroupVersion
		if resource == "platformoperators" {
			group = platformv1alpha1.SchemeGroupVersion
		}
		client := s.Dynamic.Resource(group.WithResource(resource))
		s.Expect(client.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})).To(gomega.Succeed())
		s.Eventually(func(g gomega.Gomega) {
			left, err := client.List(ctx, metav1.ListOptions{})
			g.Expect(err).NotTo(gomega.HaveOccurred())
			g.Expect(left.Items).To(gomega.BeEmpty())
		}).Should(gomega.Succeed())
	}
}

// Run runs a story in virtual time, in a synctest bubble. At the start, the catalog contains the operators and the manager is running.
func Run(t *testing.T, operators []samples.Operator, run func(s *Story)) {
	t.Helper()
	RunFrom(t, Origin{Offer: sampleWriter(operators)}, run)
}

// RunFrom runs a story as Run does, but the cluster starts in the state that from describes.
func RunFrom(t *testing.T, from Origin, run func(s *Story)) {
	t.Helper()
	if from.Cluster == nil {
		root, err := environment.Root()
		if err != nil {
			t.Fatal(err)
		}
		from.Cluster = snapshot(t, root, from.Topology)
	}
	if from.Topology == hostedControlPlane {
		from.management = managementCluster.get(t, installManagement)
	}
	synctest.Test(t, func(t *testing.T) {
		s := newStory(t, from)
		defer s.stop()
		s.must(s.start(t.Context(), from))
		run(s)
	})
}

func newStory(t *testing.T, from Origin) *Story {
	s := &Story{T: t, WithT: gomega.NewWithT(t), podReady: map[types.UID]bool{}, rounds: from.Rounds, isUntraced: from.Rounds != nil}
	setDefaults(s.WithT)
	return s
}

// setDefaults sets the timeouts of a story's assertions.
func setDefaults(g *gomega.WithT) {
	g.EnforceDefaultTimeoutsWhenUsingContexts() // otherwise assertions with a context wait until the test process ends
	g.SetDefaultEventuallyTimeout(eventuallyTimeout)
	g.SetDefaultEventuallyPollingInterval(eventuallyPolling)
	g.SetDefaultConsistentlyDuration(consistentlyDuration)
	g.SetDefaultConsistentlyPollingInterval(consistentlyPolling)
}

// sampleWriter returns a function that writes the operators into a folder of samples.
func sampleWriter(operators []samples.Operator) func(samplesDir string) error {
	return func(dir string) error { return samples.Write(dir, operators...) }
}

func (s *Story) start(ctx context.Context, from Origin) error {
	ports := from.Ports
	if from.Recording != nil {
		ports = from.Recording.Ports
		time.Sleep(time.Until(from.Recording.Time)) // no object may have a time in the future
	}
	var err error
	if s.Cluster, err = scenario.Start(ctx, scenario.Options{From: from.Cluster}); err != nil {
		return err
	}
	if from.management != nil {
		if s.management, err = startManagement(ctx, from.management); err != nil {
			return err
		}
	}
	if checksInvariants {
		rules := invariants.New()
		onEveryWrite := rules.OnEveryWrite
		if s.management != nil {
			onEveryWrite = func(write scenario.Write) error { return errors.Join(rules.OnEveryWrite(write), checkPlacement(write)) }
		}
		s.Check(scenario.Checks{User: managerUser, OnEveryWrite: onEveryWrite, OnWrite: rules.OnWrite, AtRest: rules.AtRest, IsActive: s.isManagerActive})
	}
	if err := s.SetPodBehavior(podBehavior); err != nil {
		return err
	}
	if err := s.restore(ctx, from.Recording); err != nil {
		return err
	}
	root, err := environment.Root()
	if err != nil {
		return err
	}
	env := &environment.Environment{Dir: s.TempDir(), Root: root, Admin: s.StepClientConfig(scenario.AdminUser)}
	env.SamplesDir = filepath.Join(env.Dir, "samples")
	if err := from.Offer(env.SamplesDir); err != nil {
		return err
	}
	if from.ContentDir != "" {
		if err := os.CopyFS(contentDir(env), os.DirFS(from.ContentDir)); err != nil {
			return err
		}
	}
	s.catalog, err = localcatalog.Start(ctx, localcatalog.Options{
		Catalogs: []string{filepath.Join(env.SamplesDir, "catalog")}, Bundles: []string{filepath.Join(env.SamplesDir, "bundles")},
		Dir: filepath.Join(env.Dir, "catalog"), Network: &s.network, GRPCPort: ports.GRPC, HTTPSPort: ports.HTTPS, RegistryPort: ports.Registry,
	})
	if err != nil {
		return fmt.Errorf("starting the catalog: %w", err)
	}
	env.Catalog = s.catalog
	if s.Admin, err = story.NewAdmin(env); err != nil {
		return err
	}
	if err := s.announce(ctx, env, from); err != nil {
		return err
	}
	if from.Recording == nil && !from.NoManager {
		s.StartManager()
	}
	return nil
}

// announce creates the objects of the catalog. A captured cluster has catalogs of its own, whose content was not captured: their network is down.
func (s *Story) announce(ctx context.Context, env *environment.Environment, from Origin) error {
	if from.Recording != nil && from.Recording.isCapture {
		s.network.SetDown(true)
		s.networkDown = true
		return nil
	}
	return env.Announce(ctx, environment.CatalogName, s.catalog)
}

// managerStartup is the maximum time that a manager needs after its start to report the state of the cluster.
const managerStartup = 2 * time.Second

// isManagerActive reports whether a manager runs, has been leading for at least managerStartup, and has its permissions. Between rounds, it
// is active if no change is left for the next round.
func (s *Story) isManagerActive() bool {
	running := s.running.Load()
	return !s.isManagerDenied.Load() && running != nil && running.IsRunning() && time.Since(running.started) >= managerStartup &&
		(s.rounds == nil || s.rounds.isIdle(s))
}

// podBehavior returns the behavior of a Pod: it becomes ready. A Pod with NeverReadyLabel runs and is never ready, as on the local cluster.
func podBehavior(pod *corev1.Pod) workloads.Behavior {
	behavior := workloads.Ready()
	behavior.NotReady = pod.Labels[samples.NeverReadyLabel] != ""
	return behavior
}

// stop calls end, and fails the story if end returns an error.
func (s *Story) stop() {
	s.Helper()
	if err := s.end(); err != nil {
		s.Error(err)
	}
}

// end calls the deferred functions, and ends the manager, the catalog and the cluster. No goroutine may remain in the bubble.
func (s *Story) end() (err error) {
	for _, each := range slices.Backward(s.deferred) {
		each()
	}
	if s.Manager != nil {
		s.KillManager()
	}
	if s.catalog != nil {
		if closeErr := s.catalog.Close(); closeErr != nil {
			err = fmt.Errorf("stopping the catalog: %w", closeErr)
		}
	}
	if s.Cluster != nil {
		for _, violation := range s.Violations() {
			s.Error(violation)
		}
		if s.rounds == nil {
			allRequests.add(s.Cluster, !s.isUntraced)
		}
		s.Cluster.Stop()
	}
	if s.management != nil {
		for _, violation := range s.management.violations() {
			s.Error(violation)
		}
		s.management.cluster.Stop()
	}
	return err
}

// Defer registers a function that is called before the cluster stops. The last registered function is called first.
func (s *Story) Defer(end func()) { s.deferred = append(s.deferred, end) }

// By logs what the story does next.
func (s *Story) By(step string) {
	s.Helper()
	s.Log(step)
}

// Settle waits until nothing changes in the cluster, and fails the story if that takes too long.
func (s *Story) Settle() {
	s.Helper()
	s.must(s.Cluster.Settle())
}

func (s *Story) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}
