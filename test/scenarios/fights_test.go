package scenarios

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apitypes "k8s.io/apimachinery/pkg/types"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// conflictingWriter changes a ConfigMap on every watch event in which the manager has reverted its change.
type conflictingWriter struct {
	// changes are the times of the writer's changes. err is the error that ended the writer, or nil. Read both only after stop.
	changes []time.Time
	err     error
	// stop ends the writer, and returns after its last change.
	stop func()
}

func (s *Story) startConflictingWriter(ctx context.Context, name string) *conflictingWriter {
	s.Helper()
	client := s.Admin.Kubernetes.CoreV1().ConfigMaps(name)
	ctx, cancel := context.WithCancel(ctx)
	s.Defer(cancel)
	// A watch without a resourceVersion begins with the present object.
	events, err := client.Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=settings"})
	s.Expect(err).NotTo(HaveOccurred())
	done := make(chan struct{})
	f := &conflictingWriter{stop: func() { cancel(); <-done }}
	go func() {
		defer close(done)
		defer events.Stop()
		last := ""
		for event := range events.ResultChan() {
			settings, ok := event.Object.(*corev1.ConfigMap)
			if !ok || settings.Data["a"] == "mine" {
				continue
			}
			after, err := client.Patch(ctx, "settings", apitypes.MergePatchType, []byte(`{"data":{"a":"mine"}}`), metav1.PatchOptions{FieldManager: "fighter"})
			switch {
			case ctx.Err() != nil:
				return
			case err != nil:
				f.err = err
				return
			case after.ResourceVersion != last: // else it was changed already, upon an earlier event
				f.changes = append(f.changes, time.Now())
				last = after.ResourceVersion
			}
		}
	}()
	return f
}

func TestContestedDrift(t *testing.T) {
	t.Parallel()
	// Promise ENG-D5: When another writer changes a field back after each repair, the manager repairs it five times at once and then
	// after growing pauses. Status reports the field manager, and other drift is repaired at once.
	runStory(t, "ENG-D5 contested drift is repaired five times at once and then after a pause, is reported, and delays no other repair", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "fought"
		s.deployWithDriftPolicy(ctx, name, "{}")
		from := len(s.Requests())
		writes := func(path string) func() []string {
			return func() []string { return s.managerWrites(from, path) }
		}
		settings, statuses, events := "/api/v1/namespaces/"+name+"/configmaps/settings", "/apis/core.rukpak.io/v1alpha2/bundledeployments/"+name, "/api/v1/namespaces/default/events"
		writer := s.startConflictingWriter(ctx, name)
		s.Eventually(s.conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionDrifted).Should(HavePrefix("True " + corev1alpha2.ReasonDriftContested))
		s.Eventually(s.driftOf).WithContext(ctx).WithArguments(name).Should(ContainElement(record("Edited", "Contested", "fighter", "/data/a")))

		s.By("editing another object of the BundleDeployment")
		services := s.Admin.Kubernetes.CoreV1().Services(name)
		_, err := services.Patch(ctx, name+"-metrics", apitypes.MergePatchType, []byte(`{"spec":{"selector":{"app":"evil"}}}`), metav1.PatchOptions{FieldManager: "tinkerer"})
		s.Expect(err).NotTo(HaveOccurred())
		s.Eventually(func(ctx context.Context) (*corev1.Service, error) {
			return services.Get(ctx, name+"-metrics", metav1.GetOptions{})
		}, atOnce).WithContext(ctx).Should(HaveField("Spec.Selector", HaveKeyWithValue("app", name)))
		s.Eventually(s.eventsOf).WithContext(ctx).WithArguments(name).Should(ContainElements(
			`Warning DriftContested: ConfigMap fought/settings was edited by field manager "fighter" (/data/a), each time that the manager restores it`,
			HavePrefix(`Normal DriftRepaired: Service fought/fought-metrics was edited by field manager "tinkerer"`)))

		s.By("waiting for the next repair, which the other writer would revert at once")
		s.Consistently(writes(settings)).Should(HaveLen(5+1), "five repairs of one write each, and a second write of the first one")
		writer.stop()
		s.Expect(writer.err).NotTo(HaveOccurred())
		s.Expect(writer.changes).To(HaveLen(1+5), "the first change, and one after each repair")
		s.Expect(len(writes(statuses)())).To(BeNumerically("<=", 14), "at most two for each repair, and for that of the Service")
		s.Expect(len(writes(events)())).To(BeNumerically("<=", 10))

		s.By("waiting for the repair after the pause, without the other writer")
		s.Eventually(s.settingsOf).WithContext(ctx).WithArguments(name).Should(HaveKeyWithValue("a", "1"))
		s.Expect(time.Since(writer.changes[5])).To(BeNumerically(">", 9*time.Second), "the pause before the sixth repair")
		s.Eventually(s.conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionDrifted).Should(HavePrefix("False"))
		s.Expect(writes(settings)()).To(HaveLen(6 + 1))
	})
}
