package scenarios

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"

	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/pkg/scenario/network"
	"github.com/openshift/platform-operators/pkg/scenario/workloads"
	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/localcatalog"
	"github.com/openshift/platform-operators/test/samples"
	"github.com/openshift/platform-operators/test/story"
)

// Story is a cluster in memory, with a catalog, and the admin of both. It does not survive the function that Run calls.
type Story struct {
	*testing.T
	*scenario.Cluster
	*story.Admin

	// Manager is the manager that was started last; nil where none runs.
	Manager *Manager

	network network.Network
	catalog *localcatalog.Server
}

// Run runs a story in a bubble of virtual time. The catalog offers the operators, and the manager runs.
func Run(t *testing.T, operators []samples.Operator, run func(s *Story)) {
	t.Helper()
	RunFrom(t, nil, offering(operators), run)
}

// RunFrom does the same on a cluster that an earlier story left; nil is one that has the payload's manifests only. offer writes what the
// catalog offers into a folder of samples.
func RunFrom(t *testing.T, from *scenario.Snapshot, offer func(samplesDir string) error, run func(s *Story)) {
	t.Helper()
	if from == nil {
		root, err := environment.Root()
		if err != nil {
			t.Fatal(err)
		}
		from = snapshot(t, root)
	}
	synctest.Test(t, func(t *testing.T) {
		s := &Story{T: t}
		defer s.stop()
		s.must(s.start(t.Context(), from, offer))
		run(s)
	})
}

// offering has the catalog offer these operators.
func offering(operators []samples.Operator) func(samplesDir string) error {
	return func(dir string) error { return samples.Write(dir, operators...) }
}

func (s *Story) start(ctx context.Context, from *scenario.Snapshot, offer func(samplesDir string) error) error {
	var err error
	if s.Cluster, err = scenario.Start(ctx, scenario.Options{From: from}); err != nil {
		return err
	}
	if err := s.SetPodBehavior(podBehavior); err != nil {
		return err
	}
	env := &environment.Environment{Dir: s.TempDir(), Admin: s.ClientConfig(scenario.AdminUser)}
	env.SamplesDir = filepath.Join(env.Dir, "samples")
	if err := offer(env.SamplesDir); err != nil {
		return err
	}
	s.catalog, err = localcatalog.Start(ctx, localcatalog.Options{
		Catalogs: []string{filepath.Join(env.SamplesDir, "catalog")}, Bundles: []string{filepath.Join(env.SamplesDir, "bundles")},
		Dir: filepath.Join(env.Dir, "catalog"), Network: &s.network,
	})
	if err != nil {
		return fmt.Errorf("starting the catalog: %w", err)
	}
	env.Catalog = s.catalog
	if s.Admin, err = story.NewAdmin(env); err != nil {
		return err
	}
	if err := env.Announce(ctx, environment.CatalogName, s.catalog); err != nil {
		return err
	}
	s.StartManager()
	return nil
}

// podBehavior is what becomes of Pods: those of samples that are never ready run all the same, as on the local cluster.
func podBehavior(pod *corev1.Pod) workloads.Behavior {
	behavior := workloads.Ready()
	behavior.NotReady = pod.Labels[samples.NeverReadyLabel] != ""
	return behavior
}

// stop ends everything, so that no goroutine stays in the bubble.
func (s *Story) stop() {
	if s.Manager != nil {
		s.Manager.Kill()
	}
	if s.catalog != nil {
		if err := s.catalog.Close(); err != nil {
			s.Errorf("stopping the catalog: %v", err)
		}
	}
	if s.Cluster != nil {
		s.Cluster.Stop()
	}
}

// Settle waits until nothing changes any more, and fails the story if that takes too long.
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
