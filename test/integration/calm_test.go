package integration

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	clocktesting "k8s.io/utils/clock/testing"

	configv1 "github.com/openshift/api/config/v1"
	"github.com/openshift/library-go/pkg/controller/controllercmd"
	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/events"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/controllers/bundledeployment"
	"github.com/openshift/platform-operators/pkg/controllers/managerversion"
	"github.com/openshift/platform-operators/pkg/controllers/operatorhealth"
	"github.com/openshift/platform-operators/pkg/controllers/platformoperator"
	"github.com/openshift/platform-operators/pkg/controllers/upgradegate"
	"github.com/openshift/platform-operators/pkg/operator"
	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/samples"
	"github.com/openshift/platform-operators/test/story"
)

// object is one by its resource and name; all are cluster-scoped.
type object struct {
	schema.GroupVersionResource
	name string
}

// reported are what the manager writes of an operator.
func reported(name string) map[string]object {
	return map[string]object{
		"PlatformOperator":        {schema.GroupVersionResource{Group: "platform.openshift.io", Version: "v1alpha1", Resource: "platformoperators"}, name},
		"BundleDeployment":        {schema.GroupVersionResource{Group: "core.rukpak.io", Version: "v1alpha2", Resource: "bundledeployments"}, name},
		"PlatformOperatorManager": {schema.GroupVersionResource{Group: "operator.openshift.io", Version: "v1alpha1", Resource: "platformoperatormanagers"}, "cluster"},
		"ClusterOperator":         {schema.GroupVersionResource{Group: "config.openshift.io", Version: "v1", Resource: "clusteroperators"}, story.ClusterOperatorName},
	}
}

// poked are those whose events have every controller look again.
var poked = []string{"BundleDeployment", "PlatformOperatorManager"}

// queues are the controllers that look then.
var queues = []string{platformoperator.ControllerName, bundledeployment.ControllerName, operatorhealth.ControllerName, upgradegate.ControllerName, managerversion.ControllerName,
	"StatusSyncer_" + story.ClusterOperatorName}

var workDone = regexp.MustCompile(`(?m)^workqueue_work_duration_seconds_count\{name="([^"]+)"\} (\d+)$`)

// reconciles are how often each controller has synced.
func reconciles(ctx context.Context) map[string]int {
	GinkgoHelper()
	content, err := metricsText(ctx)
	Expect(err).NotTo(HaveOccurred())
	done := map[string]int{}
	for _, line := range workDone.FindAllStringSubmatch(content, -1) {
		count, err := strconv.Atoi(line[2])
		Expect(err).NotTo(HaveOccurred())
		done[line[1]] = count
	}
	return done
}

// eventsCounted are all Events about an operator and its deployment, with how often each was sent.
func eventsCounted(ctx context.Context, name string) (map[string]int, error) {
	found, err := admin.Kubernetes.CoreV1().Events(metav1.NamespaceDefault).List(ctx, metav1.ListOptions{FieldSelector: "involvedObject.name=" + name})
	if err != nil {
		return nil, err
	}
	counted := map[string]int{}
	for _, event := range found.Items {
		counted[event.InvolvedObject.Kind+" "+event.Reason] += int(max(event.Count, 1))
	}
	return counted, nil
}

// poke changes objects in nothing that the manager knows until each controller has synced so often.
func poke(ctx context.Context, name string, times int) {
	GinkgoHelper()
	before := reconciles(ctx)
	enough := func() bool {
		now := reconciles(ctx)
		return !slices.ContainsFunc(queues, func(queue string) bool { return now[queue]-before[queue] < times })
	}
	for round := 0; round < 5*times; round++ {
		if round >= times && round%(times/20) == 0 && enough() {
			return
		}
		for _, kind := range poked {
			each := reported(name)[kind]
			patch := fmt.Appendf(nil, `{"metadata":{"annotations":{"calm.example.com/round":"%d"}}}`, round)
			_, err := admin.Dynamic.Resource(each.GroupVersionResource).Patch(ctx, each.name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: "poker"})
			Expect(err).NotTo(HaveOccurred())
		}
	}
	Fail(fmt.Sprintf("after %d rounds the controllers have synced no more than %v, before it was %v", 5*times, reconciles(ctx), before))
}

// fingers are who wrote what of these objects last, and when, but for who pokes; and the versions of those that nobody pokes.
func fingers(ctx context.Context, name string) map[string]any {
	GinkgoHelper()
	found := map[string]any{}
	for kind, each := range reported(name) {
		live, err := admin.Dynamic.Resource(each.GroupVersionResource).Get(ctx, each.name, metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
		if !slices.Contains(poked, kind) {
			found[kind] = live.GetResourceVersion()
			continue
		}
		found[kind] = slices.DeleteFunc(live.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool { return entry.Manager == "poker" })
	}
	return found
}

// statuses are those of the operator resource and the ClusterOperator, with the times of their conditions.
func statuses(ctx context.Context) []any {
	GinkgoHelper()
	manager, err := admin.Platform.OperatorV1alpha1().PlatformOperatorManagers().Get(ctx, "cluster", metav1.GetOptions{})
	Expect(err).NotTo(HaveOccurred())
	clusterOperator, err := admin.Config.ConfigV1().ClusterOperators().Get(ctx, story.ClusterOperatorName, metav1.GetOptions{})
	Expect(err).NotTo(HaveOccurred())
	return []any{manager.Status, clusterOperator.Status}
}

// neverCompleted has the ClusterVersion say that the cluster is being installed, until the spec ends.
func neverCompleted(ctx context.Context) {
	GinkgoHelper()
	client := admin.Config.ConfigV1().ClusterVersions()
	live, err := client.Get(ctx, "version", metav1.GetOptions{})
	Expect(err).NotTo(HaveOccurred())
	before := live.Status.DeepCopy()
	for i := range live.Status.History {
		live.Status.History[i].State, live.Status.History[i].CompletionTime = configv1.PartialUpdate, nil
	}
	_, err = client.UpdateStatus(ctx, live, metav1.UpdateOptions{})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func(ctx context.Context) {
		live, err := client.Get(ctx, "version", metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
		live.Status = *before
		_, err = client.UpdateStatus(ctx, live, metav1.UpdateOptions{})
		Expect(err).NotTo(HaveOccurred())
	})
}

// flipped is an operator as its own controller would leave it, in the middle of a hop and unhealthy, or neither.
func flipped(ctx context.Context, name string, changing bool) *platformv1alpha1.PlatformOperator {
	GinkgoHelper()
	live, err := admin.Operator(ctx, name)
	Expect(err).NotTo(HaveOccurred())
	progressing := metav1.Condition{Type: platformv1alpha1.ConditionProgressing, Status: metav1.ConditionFalse, Reason: platformv1alpha1.ReasonAsExpected}
	healthy := metav1.Condition{Type: platformv1alpha1.ConditionHealthy, Status: metav1.ConditionTrue, Reason: platformv1alpha1.ReasonAsExpected}
	if changing {
		progressing.Status, progressing.Reason = metav1.ConditionTrue, platformv1alpha1.ReasonUpgrading
		healthy.Status, healthy.Reason = metav1.ConditionFalse, platformv1alpha1.ReasonUnhealthy
	}
	meta.SetStatusCondition(&live.Status.Conditions, progressing)
	meta.SetStatusCondition(&live.Status.Conditions, healthy)
	live, err = admin.Platform.PlatformV1alpha1().PlatformOperators().UpdateStatus(ctx, live, metav1.UpdateOptions{})
	Expect(err).NotTo(HaveOccurred())
	return live
}

// inHand is the controller of operator health, as the manager has it but for its clock, to be synced by hand.
type inHand struct {
	factory.Controller
	input *operator.Input
	clock *clocktesting.FakeClock
}

func healthInHand(ctx context.Context) *inHand {
	GinkgoHelper()
	config, err := clientcmd.BuildConfigFromFlags("", filepath.Join(env.Dir, "manager.kubeconfig"))
	Expect(err).NotTo(HaveOccurred())
	clock := clocktesting.NewFakeClock(time.Now())
	input, err := operator.LiveInput(&controllercmd.ControllerContext{KubeConfig: config, ProtoKubeConfig: config, Clock: clock,
		EventRecorder: events.NewInMemoryRecorder("calm", clock), OperatorNamespace: environment.Namespace}, *operator.NewOptions())
	Expect(err).NotTo(HaveOccurred())
	operators, deployments := input.PlatformInformers.Platform().V1alpha1().PlatformOperators(), input.PlatformInformers.Core().V1alpha2().BundleDeployments()
	versions := input.ConfigInformers.Config().V1().ClusterVersions()
	controller, err := operatorhealth.New(operatorhealth.Config{OperatorClient: input.Operator, Operators: operators, Deployments: deployments,
		ClusterVersions: versions, DegradedAfter: input.Options.DegradedAfter, Clock: clock, Recorder: input.Recorder})
	Expect(err).NotTo(HaveOccurred())
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	DeferCleanup(cancel)
	input.OperatorInformers.Start(ctx.Done())
	input.ConfigInformers.Start(ctx.Done())
	input.PlatformInformers.Start(ctx.Done())
	Expect(cache.WaitForCacheSync(ctx.Done(), operators.Informer().HasSynced, deployments.Informer().HasSynced, versions.Informer().HasSynced,
		input.Operator.Informer().HasSynced)).To(BeTrue())
	return &inHand{controller, input, clock}
}

// sync syncs once the caches have an operator as it is now, and gives the operator resource's version afterwards.
func (c *inHand) sync(ctx context.Context, live *platformv1alpha1.PlatformOperator) string {
	GinkgoHelper()
	lister := c.input.PlatformInformers.Platform().V1alpha1().PlatformOperators().Lister()
	Eventually(func() (string, error) {
		cached, err := lister.Get(live.Name)
		if err != nil {
			return "", err
		}
		return cached.ResourceVersion, nil
	}).WithContext(ctx).WithPolling(time.Millisecond).Should(Equal(live.ResourceVersion))
	syncContext := factory.NewSyncContext("calm", c.input.Recorder)
	defer syncContext.Queue().ShutDown()
	Expect(c.Sync(ctx, syncContext)).To(Succeed())
	manager, err := admin.Platform.OperatorV1alpha1().PlatformOperatorManagers().Get(ctx, "cluster", metav1.GetOptions{})
	Expect(err).NotTo(HaveOccurred())
	Eventually(func() (string, error) {
		_, _, version, err := c.input.Operator.GetOperatorState()
		return version, err
	}).WithContext(ctx).WithPolling(time.Millisecond).Should(Equal(manager.ResourceVersion))
	return manager.ResourceVersion
}

// progressingOfAll is what the operator resource says of all operators.
func progressingOfAll(ctx context.Context) string {
	GinkgoHelper()
	manager, err := admin.Platform.OperatorV1alpha1().PlatformOperatorManagers().Get(ctx, "cluster", metav1.GetOptions{})
	Expect(err).NotTo(HaveOccurred())
	for _, condition := range manager.Status.Conditions {
		switch condition.Type {
		case "PlatformOperatorsProgressing":
			return string(condition.Status) + " " + condition.Message
		case "PlatformOperatorsDegraded":
			Expect(string(condition.Status)).To(Equal("False"), condition.Message)
		}
	}
	return ""
}

// flipReally has the real manager told of a change and its opposite, in turn, as fast as its controllers follow.
func flipReally(ctx context.Context, name string, flips int) {
	GinkgoHelper()
	create(ctx, name, "") // no catalog has it
	refusedWith(ctx, name, "SourceFailed")
	neverCompleted(ctx)
	Eventually(appears).WithContext(ctx).Should(HaveField("Available", "False"))
	seen, from := watching(ctx), logEnd()
	for i := range flips {
		patch := fmt.Appendf(nil, `{"spec":{"paused":%t}}`, i%2 == 0) // the installation waits for none that is paused
		_, err := admin.Platform.PlatformV1alpha1().PlatformOperators().Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
		Expect(err).NotTo(HaveOccurred())
		Eventually(func(ctx context.Context) (bool, error) {
			live, err := admin.Operator(ctx, name)
			if err != nil {
				return false, err
			}
			progressing := meta.FindStatusCondition(live.Status.Conditions, platformv1alpha1.ConditionProgressing)
			return progressing.ObservedGeneration == live.Generation, nil
		}).WithContext(ctx).WithPolling(5 * time.Millisecond).Should(BeTrue())
	}
	for _, path := range []string{"/apis/operator.openshift.io/", "/apis/config.openshift.io/v1/clusteroperators"} {
		writes := managerWrites(from, path)
		Expect(len(writes)).To(And(BeNumerically(">=", 2), BeNumerically("<=", 10)), "%q", writes)
	}
	Expect(seen.all()).NotTo(ContainElement(HaveField("Degraded", "True")))
}

// flipByClock does the same to the controller in hand, in ten minutes of its clock.
func flipByClock(ctx context.Context, name string, flips int) {
	GinkgoHelper()
	Expect(env.Manager.Kill()).To(Succeed())
	DeferCleanup(func() { Expect(env.Manager.Start()).To(Succeed()) })
	inHand := healthInHand(ctx)
	writes, before := 0, inHand.sync(ctx, flipped(ctx, name, false))
	for i := range flips {
		inHand.clock.Step(10 * time.Minute / time.Duration(flips))
		now := inHand.sync(ctx, flipped(ctx, name, i%2 == 0))
		if now != before {
			writes, before = writes+1, now
		}
		progressingOfAll(ctx) // and never Degraded
	}
	Expect(writes).To(And(BeNumerically(">=", 6), BeNumerically("<=", 10)))

	By("what holds at the end")
	for i, want := range []string{"False ", "True Upgrading 1 platform operator: " + name, "False "} {
		last := flipped(ctx, name, i == 1)
		inHand.clock.Step(3 * time.Minute)
		inHand.sync(ctx, last)
		Expect(progressingOfAll(ctx)).To(Equal(want))
	}
}

var _ = Describe("calm", Ordered, func() {
	const (
		name  = "placid"
		times = 1000
		flips = 200
	)
	BeforeAll(func(ctx context.Context) {
		Expect(admin.Publish(ctx, samples.Operator{Package: name, Version: "1.0.0", ExtraConfigMap: "placid-settings"})).To(Succeed())
		installed(ctx, name, "1.0.0")
		Eventually(func(g Gomega, ctx context.Context) { // what the installation still changes
			from := logEnd()
			g.Consistently(func() []string { return managerWrites(from, "/") }, "2s").Should(BeEmpty())
		}).WithContext(ctx).Should(Succeed())
	})

	It("[CLU-O6] [CLU-P8] a thousand reconciles write nothing and send no Event, a change of state sends one, and of two hundred flips ten at most are written", func(ctx context.Context) {
		By("a thousand reconciles of every controller, with nothing changed")
		once, err := eventsCounted(ctx, name)
		Expect(err).NotTo(HaveOccurred())
		Expect(once).To(Equal(map[string]int{
			"PlatformOperator InstallStarted": 1, "PlatformOperator InstallSucceeded": 1,
			"BundleDeployment RollOutStarted": 1, "BundleDeployment InstallationSucceeded": 1, "BundleDeployment RevisionActive": 1,
		}))
		before, touched, from := statuses(ctx), fingers(ctx, name), logEnd()
		poke(ctx, name, times)
		Expect(managerWrites(from, "/")).To(BeEmpty())
		Expect(statuses(ctx)).To(Equal(before))
		Expect(fingers(ctx, name)).To(Equal(touched))

		By("one object that somebody deletes")
		Expect(admin.Kubernetes.CoreV1().ConfigMaps(name).Delete(ctx, "placid-settings", metav1.DeleteOptions{})).To(Succeed())
		once["BundleDeployment DriftRepaired"] = 1
		Eventually(eventsCounted).WithContext(ctx).WithArguments(name).Should(Equal(once))
		Consistently(eventsCounted, "2s").WithContext(ctx).WithArguments(name).Should(Equal(once))

		By("flips in seconds, of what the real manager is told")
		flipReally(ctx, "never-there", flips)
		By("flips in ten minutes of a clock")
		flipByClock(ctx, name, flips)
	})

	It("relatedObjects are all known to the API server, by the names that it has for them", func(ctx context.Context) {
		client, err := discovery.NewDiscoveryClientForConfig(env.Admin)
		Expect(err).NotTo(HaveOccurred())
		mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client))
		live, err := admin.Config.ConfigV1().ClusterOperators().Get(ctx, story.ClusterOperatorName, metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(live.Status.RelatedObjects).To(ContainElements(
			configv1.ObjectReference{Resource: "namespaces", Name: environment.Namespace}, configv1.ObjectReference{Resource: "namespaces", Name: name}))
		for _, reference := range live.Status.RelatedObjects {
			kind, err := mapper.KindFor(schema.GroupVersionResource{Group: reference.Group, Resource: reference.Resource})
			Expect(err).NotTo(HaveOccurred(), "%+v", reference)
			mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
			Expect(err).NotTo(HaveOccurred(), "%+v", reference)
			Expect(mapping.Resource.Resource).To(Equal(reference.Resource))
			Expect(mapping.Scope.Name()).To(Equal(meta.RESTScopeNameRoot), "%+v has no namespace", reference)
		}
	})
})
