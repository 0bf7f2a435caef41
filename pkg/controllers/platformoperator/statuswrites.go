package platformoperator

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/health"
)

// pace remembers when each PlatformOperator's status was written last. It is safe for concurrent use.
type pace struct {
	mu      sync.Mutex
	written map[string]time.Time
}

// wait is how long a status that only progressed has to wait at a time; zero when it need not.
func (p *pace) wait(operator *platformv1alpha1.PlatformOperator, now time.Time) time.Duration {
	pause := health.StatusPause
	if operator.DeletionTimestamp != nil {
		pause = health.RemovalPause
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(p.written[operator.Name].Add(pause).Sub(now), 0)
}

func (p *pace) wrote(name string, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.written == nil {
		p.written = map[string]time.Time{}
	}
	p.written[name] = now
}

func (p *pace) forget(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.written, name)
}

// onlyProgressed says whether two statuses differ in nothing but the texts of conditions and the steps of a first installation: its
// content is unpacked, then applied, then not healthy yet.
func onlyProgressed(before, after platformv1alpha1.PlatformOperatorStatus) bool {
	return equality.Semantic.DeepEqual(withoutProgress(before), withoutProgress(after))
}

func withoutProgress(status platformv1alpha1.PlatformOperatorStatus) platformv1alpha1.PlatformOperatorStatus {
	status = *status.DeepCopy()
	for i := range status.Conditions {
		condition := &status.Conditions[i]
		condition.Message = ""
		switch {
		case condition.Status == metav1.ConditionTrue:
		case condition.Type == platformv1alpha1.ConditionInstalled && condition.Reason == platformv1alpha1.ReasonUnpackPending:
			condition.Reason = platformv1alpha1.ReasonInstallPending
		case condition.Type == platformv1alpha1.ConditionHealthy && status.Installed == nil:
			condition.Status, condition.Reason, condition.LastTransitionTime = metav1.ConditionUnknown, "", metav1.Time{}
		}
	}
	return status
}
