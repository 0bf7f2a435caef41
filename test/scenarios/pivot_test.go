package scenarios

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/watch"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/test/samples"
)

// upgradeRecorder watches the Deployments of a namespace and the BundleDeployment of the same name. Its fields may be read after stop.
type upgradeRecorder struct {
	// gaps are the events after which no Deployment had an available replica.
	gaps []string
	// available and deleted have, by name, the resourceVersions at which a Deployment first had an available replica, and at which its
	// deletion began. active has, by number, the resourceVersions at which status first reported that a revision is active.
	available, deleted map[string]string
	active             map[int64]string
	// settled has, by number, the resourceVersions at which status first reported that the rollout of an active revision is complete.
	settled map[int64]string
	// stop ends the recorder, and returns when its fields no longer change.
	stop func()
}

func (s *Story) recordUpgrade(ctx context.Context, name string) *upgradeRecorder {
	s.Helper()
	ctx, cancel := context.WithCancel(ctx)
	s.Defer(cancel)
	workloads, err := s.Admin.Kubernetes.AppsV1().Deployments(name).Watch(ctx, metav1.ListOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	owners, err := s.Admin.Platform.CoreV1alpha2().BundleDeployments().Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + name})
	s.Expect(err).NotTo(HaveOccurred())
	w := &upgradeRecorder{available: map[string]string{}, deleted: map[string]string{}, active: map[int64]string{}, settled: map[int64]string{}}
	var running sync.WaitGroup
	running.Go(func() {
		replicas := map[string]int32{}
		for event := range workloads.ResultChan() {
			if live, ok := event.Object.(*appsv1.Deployment); ok {
				w.workload(event.Type, live, replicas)
			}
		}
	})
	running.Go(func() {
		for event := range owners.ResultChan() {
			live, ok := event.Object.(*corev1alpha2.BundleDeployment)
			if !ok {
				continue
			}
			if w.active[live.Status.ActiveRevision] == "" {
				w.active[live.Status.ActiveRevision] = live.ResourceVersion
			}
			progressing := meta.FindStatusCondition(live.Status.Conditions, corev1alpha2.ConditionProgressing)
			if progressing != nil && progressing.Reason == corev1alpha2.ReasonAsExpected && w.settled[live.Status.ActiveRevision] == "" {
				w.settled[live.Status.ActiveRevision] = live.ResourceVersion
			}
		}
	})
	w.stop = func() { cancel(); running.Wait() }
	return w
}

func (w *upgradeRecorder) workload(what watch.EventType, live *appsv1.Deployment, replicas map[string]int32) {
	replicas[live.Name] = live.Status.AvailableReplicas
	if what == watch.Deleted {
		delete(replicas, live.Name)
	}
	if live.Status.AvailableReplicas > 0 && w.available[live.Name] == "" {
		w.available[live.Name] = live.ResourceVersion
	}
	if (what == watch.Deleted || live.DeletionTimestamp != nil) && w.deleted[live.Name] == "" {
		w.deleted[live.Name] = live.ResourceVersion
	}
	for _, available := range replicas {
		if available > 0 {
			return
		}
	}
	w.gaps = append(w.gaps, fmt.Sprintf("%s %s at %s", what, live.Name, live.ResourceVersion))
}

// assertAfter asserts that one resourceVersion is after another.
func (s *Story) assertAfter(after, before, description string) {
	s.Helper()
	order, err := resourceversion.CompareResourceVersion(after, before)
	s.Expect(err).NotTo(HaveOccurred())
	s.Expect(order).To(BeNumerically(">", 0), "%s: resourceVersion %s is not after %s", description, after, before)
}

func TestUpgradeWithoutDowntime(t *testing.T) {
	t.Parallel()
	runStory(t, "ENG-D7 an upgrade that renames the Deployment always has an available one", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "gapless"
		first := s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0"})
		registry := s.startRegistry(false)
		second := s.pushChanged(ctx, registry, samples.Operator{Package: name, Version: "1.1.0"}, func(manifests string) {
			s.replaceInFile(filepath.Join(manifests, name+".clusterserviceversion.yaml"), "deployments:\n      - name: gapless\n", "deployments:\n      - name: gapless-renamed\n")
		})
		s.deploy(ctx, name, first)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		recorded := s.recordUpgrade(ctx, name)
		s.setImage(ctx, name, second)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected", "version 1.1.0")
		s.Expect(s.deploymentExists(ctx, name, name)).To(beNotFound())
		recorded.stop()
		s.Expect(recorded.gaps).To(BeEmpty(), "no Deployment was available after these events")
		s.Expect(recorded.available).To(HaveKey(name + "-renamed"))
		s.Expect(recorded.deleted).To(HaveKey(name))
		s.Expect(recorded.active).To(HaveKey(int64(2)))
		s.assertAfter(recorded.active[2], recorded.available[name+"-renamed"], "the new revision is active when its Deployment is available")
		s.assertAfter(recorded.deleted[name], recorded.active[2], "the old Deployment is deleted when the new revision is active")
		s.assertAfter(recorded.settled[2], recorded.deleted[name], "the rollout is complete when the old Deployment is gone")
	})
}
