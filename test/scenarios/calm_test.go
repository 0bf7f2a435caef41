package scenarios

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/restmapper"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/openshift/platform-operators/pkg/controllers/bundledeployment"
	"github.com/openshift/platform-operators/pkg/controllers/managerversion"
	"github.com/openshift/platform-operators/pkg/controllers/operatorhealth"
	"github.com/openshift/platform-operators/pkg/controllers/platformoperator"
	"github.com/openshift/platform-operators/pkg/controllers/upgradegate"
	"github.com/openshift/platform-operators/pkg/scenario/queues"
	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/samples"
	"github.com/openshift/platform-operators/test/story"
)

// clusterObject is a cluster-scoped object by its resource and name.
type clusterObject struct {
	schema.GroupVersionResource
	name string
}

// reported returns the objects in which the manager reports an operator's state, by kind.
func reported(name string) map[string]clusterObject {
	return map[string]clusterObject{
		"PlatformOperator":        {schema.GroupVersionResource{Group: "platform.openshift.io", Version: "v1alpha1", Resource: "platformoperators"}, name},
		"BundleDeployment":        {bundleDeployments, name},
		"PlatformOperatorManager": {schema.GroupVersionResource{Group: "operator.openshift.io", Version: "v1alpha1", Resource: "platformoperatormanagers"}, "cluster"},
		"ClusterOperator":         {schema.GroupVersionResource{Group: "config.openshift.io", Version: "v1", Resource: "clusteroperators"}, story.ClusterOperatorName},
	}
}

// wakingKinds are the kinds of reported objects whose changes make every controller sync.
var wakingKinds = []string{"BundleDeployment", "PlatformOperatorManager"}

// waker is the field manager of the changes by wakeControllers, which the manager ignores.
const waker = "waker"

// wokenControllers are the names of the controllers that sync after a change of an object of wakingKinds.
var wokenControllers = []string{platformoperator.ControllerName, bundledeployment.ControllerName, operatorhealth.ControllerName,
	upgradegate.ControllerName, managerversion.ControllerName, "StatusSyncer_" + story.ClusterOperatorName}

// reconciles returns the number of syncs of each of wokenControllers, by name. The numbers are for the whole process, in which no other
// cluster may run at the same time.
func reconciles() map[string]int64 {
	counts := map[string]int64{}
	for _, name := range wokenControllers {
		counts[name] = queues.Handled(name)
	}
	return counts
}

// eventsCounted returns the number of Events about an operator and its BundleDeployment, by "KIND REASON".
func (s *Story) eventsCounted(ctx context.Context, name string) (map[string]int, error) {
	found, err := s.Admin.Kubernetes.CoreV1().Events(metav1.NamespaceDefault).List(ctx, metav1.ListOptions{FieldSelector: "involvedObject.name=" + name})
	if err != nil {
		return nil, err
	}
	counted := map[string]int{}
	for _, event := range found.Items {
		counted[event.InvolvedObject.Kind+" "+event.Reason] += int(max(event.Count, 1))
	}
	return counted, nil
}

// wakeControllers changes an annotation, which the manager ignores, until each of wokenControllers has synced this many times.
func (s *Story) wakeControllers(ctx context.Context, name string, times int64) {
	s.Helper()
	before := reconciles()
	for round := range 5 * times {
		now := reconciles()
		if !slices.ContainsFunc(wokenControllers, func(each string) bool { return now[each]-before[each] < times }) {
			return
		}
		for _, kind := range wakingKinds {
			each := reported(name)[kind]
			patch := fmt.Appendf(nil, `{"metadata":{"annotations":{"calm.example.com/round":"%d"}}}`, round)
			_, err := s.Admin.Dynamic.Resource(each.GroupVersionResource).Patch(ctx, each.name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: waker})
			s.Expect(err).NotTo(HaveOccurred())
		}
		time.Sleep(10 * time.Millisecond) // the controllers sync meanwhile
	}
	s.Fatalf("after %d rounds the controllers have synced no more than %v, before it was %v", 5*times, reconciles(), before)
}

// lastWritten returns the managed fields of each object, except those of wakeControllers, or the resourceVersion if wakeControllers does
// not write the object.
func (s *Story) lastWritten(ctx context.Context, name string) map[string]any {
	s.Helper()
	found := map[string]any{}
	for kind, each := range reported(name) {
		live, err := s.Admin.Dynamic.Resource(each.GroupVersionResource).Get(ctx, each.name, metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		if !slices.Contains(wakingKinds, kind) {
			found[kind] = live.GetResourceVersion()
			continue
		}
		found[kind] = slices.DeleteFunc(live.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool { return entry.Manager == waker })
	}
	return found
}

// statuses returns the status of the operator resource and of the ClusterOperator, with the times of conditions.
func (s *Story) statuses(ctx context.Context) []any {
	s.Helper()
	manager, err := s.Admin.Platform.OperatorV1alpha1().PlatformOperatorManagers().Get(ctx, "cluster", metav1.GetOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	clusterOperator, err := s.Admin.Config.ConfigV1().ClusterOperators().Get(ctx, story.ClusterOperatorName, metav1.GetOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	return []any{manager.Status, clusterOperator.Status}
}

// installAndSettle installs an operator, and waits until nothing changes.
func (s *Story) installAndSettle(ctx context.Context, name string) {
	s.Helper()
	s.Expect(s.Admin.Publish(ctx, samples.Operator{Package: name, Version: "1.0.0", ExtraConfigMap: "placid-settings"})).To(Succeed())
	s.install(ctx, name, "1.0.0")
	s.Settle()
}

// TestNoNeedlessWrites has one story and is not parallel, because queues are counted for the whole process.
func TestNoNeedlessWrites(t *testing.T) {
	// Promise CLU-O6: A thousand reconciles without a change write nothing. Of 200 flips of one operator at most ten reach the
	// ClusterOperator and the operator resource, and Degraded is never True.
	//
	// Promise CLU-P8: A thousand reconciles without a change send no Event. A repair sends one.
	runStory(t, "[CLU-O6] [CLU-P8] a thousand reconciles write nothing and send no Event, a repair sends one, and of 200 flips at most ten are written", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "placid"
		s.installAndSettle(ctx, name)

		s.By("causing a thousand reconciles of every controller without a change")
		once, err := s.eventsCounted(ctx, name)
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(once).To(Equal(map[string]int{
			"PlatformOperator InstallStarted": 1, "PlatformOperator InstallSucceeded": 1,
			"BundleDeployment RollOutStarted": 1, "BundleDeployment InstallationSucceeded": 1, "BundleDeployment RevisionActive": 1,
		}))
		before, written, from := s.statuses(ctx), s.lastWritten(ctx, name), len(s.Requests())
		s.wakeControllers(ctx, name, 1000)
		s.Expect(s.managerWrites(from, "/")).To(BeEmpty())
		s.Expect(s.statuses(ctx)).To(Equal(before))
		s.Expect(s.lastWritten(ctx, name)).To(Equal(written))
		s.Expect(s.eventsCounted(ctx, name)).To(Equal(once))

		s.By("deleting one object")
		s.Expect(s.Admin.Kubernetes.CoreV1().ConfigMaps(name).Delete(ctx, "placid-settings", metav1.DeleteOptions{})).To(Succeed())
		once["BundleDeployment DriftRepaired"] = 1
		s.Eventually(s.eventsCounted).WithContext(ctx).WithArguments(name).Should(Equal(once))
		s.Consistently(s.eventsCounted, "1m").WithContext(ctx).WithArguments(name).Should(Equal(once))

		const flips = 200
		s.By("flipping the spec within seconds, while the manager runs")
		s.flipSpec(ctx, "never-there", flips)
		s.By("flipping the status within ten minutes")
		s.flipStatus(ctx, name, flips)
	})
}

func TestClusterOperatorRelatedObjects(t *testing.T) {
	t.Parallel()
	runStory(t, "the API server knows all relatedObjects by their names", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "placid"
		s.installAndSettle(ctx, name)
		client, err := discovery.NewDiscoveryClientForConfig(s.Environment.Admin)
		s.Expect(err).NotTo(HaveOccurred())
		mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client))
		live, err := s.Admin.Config.ConfigV1().ClusterOperators().Get(ctx, story.ClusterOperatorName, metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(live.Status.RelatedObjects).To(ContainElements(
			configv1.ObjectReference{Resource: "namespaces", Name: environment.Namespace}, configv1.ObjectReference{Resource: "namespaces", Name: name}))
		for _, reference := range live.Status.RelatedObjects {
			kind, err := mapper.KindFor(schema.GroupVersionResource{Group: reference.Group, Resource: reference.Resource})
			s.Expect(err).NotTo(HaveOccurred(), "%+v", reference)
			mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
			s.Expect(err).NotTo(HaveOccurred(), "%+v", reference)
			s.Expect(mapping.Resource.Resource).To(Equal(reference.Resource))
			if reference.Name != "" { // without a name, it means all objects in all namespaces
				s.Expect(mapping.Scope.Name()).To(Equal(meta.RESTScopeNameRoot), "%+v has no namespace", reference)
			}
		}
	})
}
