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

// flipInterval makes two hundred flips take ten seconds of virtual time.
const flipInterval = 50 * time.Millisecond

// flipSpec pauses and resumes an operator in turn, as fast as the controllers follow. The cluster's installation waits for the operator
// while it is not paused.
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

// writeConditions writes an operator's status as its controller would: upgrading and unhealthy, or neither.
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

// manualHealthController is the controller of operator health, which the story syncs.
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
	go controller.Run(ctx, 0) // it has no worker, and ends the controller's queue
	return &manualHealthController{s, controller, input}
}

// syncOnce waits until the caches have this version of an operator, syncs once, and returns the operator resource's version after that.
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

// progressingOfAll returns the operator resource's Progressing condition of all operators, and asserts that Degraded is False.
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

// flipStatus kills the manager, and changes an operator back and forth in ten minutes. The controller of operator health syncs after each
// change.
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
