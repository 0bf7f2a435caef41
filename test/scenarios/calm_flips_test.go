package scenarios

import (
	"context"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"

	configv1 "github.com/openshift/api/config/v1"
	"github.com/openshift/library-go/pkg/controller/controllercmd"
	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/events"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/controllers/operatorhealth"
	"github.com/openshift/platform-operators/pkg/operator"
	"github.com/openshift/platform-operators/test/environment"
)

// flipInterval is the time between two flips of a spec. With it, two hundred flips take ten seconds of virtual time.
const flipInterval = 50 * time.Millisecond

// flipSpec creates an operator, and pauses and resumes it in turn. Before each flip it waits until the controllers observed the last one.
// The cluster's installation waits for the operator while the operator is not paused. flipSpec asserts that the manager writes each object
// of the cluster's status 2 to 10 times, and that Degraded is never True.
func (s *Story) flipSpec(ctx context.Context, name string, flips int) {
	s.Helper()
	s.create(ctx, name, "") // no catalog has it
	s.waitForRefusal(ctx, name, "SourceFailed")
	s.setClusterInstalling(ctx)
	s.eventuallyClusterOperator(ctx, configv1.OperatorAvailable, configv1.ConditionFalse).ShouldNot(BeEmpty())
	seen, from := s.recordClusterOperator(ctx), len(s.Requests())
	for i := range flips {
		time.Sleep(flipInterval)
		patch := `{"spec":{"paused":false}}`
		if i%2 == 0 {
			patch = `{"spec":{"paused":true}}`
		}
		_, err := s.Admin.Platform.PlatformV1alpha1().PlatformOperators().Patch(ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Eventually(func(g Gomega, ctx context.Context) {
			live, err := s.Admin.Operator(ctx, name)
			g.Expect(err).NotTo(HaveOccurred())
			progressing := meta.FindStatusCondition(live.Status.Conditions, platformv1alpha1.ConditionProgressing)
			g.Expect(progressing).To(HaveField("ObservedGeneration", live.Generation))
		}).WithContext(ctx).Should(Succeed())
	}
	for _, path := range []string{"/apis/operator.openshift.io/", "/apis/config.openshift.io/v1/clusteroperators"} {
		writes := s.managerWrites(from, path)
		s.Expect(len(writes)).To(And(BeNumerically(">=", 2), BeNumerically("<=", 10)), "%q", writes)
	}
	s.Expect(seen.statuses(ctx, configv1.OperatorDegraded)).NotTo(ContainElement("True"))
}

// writeConditions writes an operator's status as its controller would, and returns the operator. changing is whether the operator is
// upgrading and unhealthy.
func (s *Story) writeConditions(ctx context.Context, name string, changing bool) *platformv1alpha1.PlatformOperator {
	s.Helper()
	live, err := s.Admin.Operator(ctx, name)
	s.Expect(err).NotTo(HaveOccurred())
	progressing := metav1.Condition{Type: platformv1alpha1.ConditionProgressing, Status: metav1.ConditionFalse, Reason: platformv1alpha1.ReasonAsExpected}
	healthy := metav1.Condition{Type: platformv1alpha1.ConditionHealthy, Status: metav1.ConditionTrue, Reason: platformv1alpha1.ReasonAsExpected}
	if changing {
		progressing.Status, progressing.Reason = metav1.ConditionTrue, platformv1alpha1.ReasonUpgrading
		healthy.Status, healthy.Reason = metav1.ConditionFalse, platformv1alpha1.ReasonUnhealthy
	}
	meta.SetStatusCondition(&live.Status.Conditions, progressing)
	meta.SetStatusCondition(&live.Status.Conditions, healthy)
	live, err = s.Admin.Platform.PlatformV1alpha1().PlatformOperators().UpdateStatus(ctx, live, metav1.UpdateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	return live
}

// manualHealthController is a controller of operator health that syncs only if the story calls syncOnce.
type manualHealthController struct {
	*Story
	factory.Controller
	input *operator.Input
}

func (s *Story) newManualHealthController(ctx context.Context) *manualHealthController {
	s.Helper()
	config := s.ClientConfig(managerUser)
	input, err := operator.LiveInput(&controllercmd.ControllerContext{KubeConfig: config, ProtoKubeConfig: config, Clock: clock.RealClock{},
		EventRecorder: events.NewInMemoryRecorder("calm", clock.RealClock{}), OperatorNamespace: environment.Namespace}, *operator.NewOptions())
	s.Expect(err).NotTo(HaveOccurred())
	operators, deployments := input.PlatformInformers.Platform().V1alpha1().PlatformOperators(), input.PlatformInformers.Core().V1alpha2().BundleDeployments()
	versions := input.ConfigInformers.Config().V1().ClusterVersions()
	controller, err := operatorhealth.New(operatorhealth.Config{OperatorClient: input.Operator, Operators: operators, Deployments: deployments,
		ClusterVersions: versions, DegradedAfter: input.Options.DegradedAfter, Clock: input.Clock, SyncContext: factory.NewSyncContext(operatorhealth.ControllerName, input.Recorder)})
	s.Expect(err).NotTo(HaveOccurred())
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.Defer(cancel)
	input.OperatorInformers.Start(ctx.Done())
	input.ConfigInformers.Start(ctx.Done())
	input.PlatformInformers.Start(ctx.Done())
	s.Expect(cache.WaitForCacheSync(ctx.Done(), operators.Informer().HasSynced, deployments.Informer().HasSynced, versions.Informer().HasSynced,
		input.Operator.Informer().HasSynced)).To(BeTrue())
	go controller.Run(ctx, 0) // without workers, Run only shuts down the controller's queue at the end
	return &manualHealthController{s, controller, input}
}

// syncOnce waits until the caches have this version of an operator, and syncs once. It returns the resourceVersion of the operator
// resource after the sync.
func (h *manualHealthController) syncOnce(ctx context.Context, live *platformv1alpha1.PlatformOperator) string {
	h.Helper()
	lister := h.input.PlatformInformers.Platform().V1alpha1().PlatformOperators().Lister()
	h.Eventually(func() (string, error) {
		cached, err := lister.Get(live.Name)
		if err != nil {
			return "", err
		}
		return cached.ResourceVersion, nil
	}).WithContext(ctx).WithPolling(time.Millisecond).Should(Equal(live.ResourceVersion))
	syncContext := factory.NewSyncContext("calm", h.input.Recorder)
	defer syncContext.Queue().ShutDown()
	h.Expect(h.Controller.Sync(ctx, syncContext)).To(Succeed())
	manager, err := h.Admin.Platform.OperatorV1alpha1().PlatformOperatorManagers().Get(ctx, "cluster", metav1.GetOptions{})
	h.Expect(err).NotTo(HaveOccurred())
	h.Eventually(func() (string, error) {
		_, _, version, err := h.input.Operator.GetOperatorState()
		return version, err
	}).WithContext(ctx).WithPolling(time.Millisecond).Should(Equal(manager.ResourceVersion))
	return manager.ResourceVersion
}

// progressingOfAll returns the operator resource's condition PlatformOperatorsProgressing as "STATUS MESSAGE". It asserts that
// PlatformOperatorsDegraded is False.
func (s *Story) progressingOfAll(ctx context.Context) string {
	s.Helper()
	manager, err := s.Admin.Platform.OperatorV1alpha1().PlatformOperatorManagers().Get(ctx, "cluster", metav1.GetOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	progressing := ""
	for _, condition := range manager.Status.Conditions {
		switch condition.Type {
		case "PlatformOperatorsProgressing":
			progressing = string(condition.Status) + " " + condition.Message
		case "PlatformOperatorsDegraded":
			s.Expect(string(condition.Status)).To(Equal("False"), condition.Message)
		}
	}
	return progressing
}

// flipStatus kills the manager, and changes an operator's status back and forth for ten minutes. The controller of operator health syncs
// after each change. flipStatus asserts that the controller writes the operator resource 6 to 10 times, and that the last state is correct.
func (s *Story) flipStatus(ctx context.Context, name string, flips int) {
	s.Helper()
	s.KillManager()
	byHand := s.newManualHealthController(ctx)
	writes, before := 0, byHand.syncOnce(ctx, s.writeConditions(ctx, name, false))
	for i := range flips {
		time.Sleep(10 * time.Minute / time.Duration(flips))
		now := byHand.syncOnce(ctx, s.writeConditions(ctx, name, i%2 == 0))
		if now != before {
			writes, before = writes+1, now
		}
		s.progressingOfAll(ctx) // asserts that it is not Degraded
	}
	s.Expect(writes).To(And(BeNumerically(">=", 6), BeNumerically("<=", 10)))

	s.By("checking the last state")
	for i, want := range []string{"False ", "True Upgrading 1 platform operator: " + name, "False "} {
		last := s.writeConditions(ctx, name, i == 1)
		time.Sleep(3 * time.Minute)
		byHand.syncOnce(ctx, last)
		s.Expect(s.progressingOfAll(ctx)).To(Equal(want))
	}
}
