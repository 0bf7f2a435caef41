package platformoperator

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/health"
)

func TestStatusWritesOfOneOperator(t *testing.T) {
	var writes statusWrites
	now := time.Unix(1000, 0)
	memo := &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: "memo"}}
	other := &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: "other"}}
	writes.record("memo", now)
	if wait := writes.wait(memo, now.Add(500*time.Millisecond)); wait != health.StatusInterval-500*time.Millisecond {
		t.Errorf("half a second after a write it waits %s", wait)
	}
	if wait := writes.wait(memo, now.Add(health.StatusInterval)); wait != 0 {
		t.Errorf("after the pause it waits %s", wait)
	}
	if wait := writes.wait(other, now); wait != 0 {
		t.Errorf("another operator waits %s", wait)
	}
	removed := memo.DeepCopy()
	removed.DeletionTimestamp = &metav1.Time{Time: now}
	if wait := writes.wait(removed, now.Add(health.StatusInterval)); wait != health.RemovalInterval-health.StatusInterval {
		t.Errorf("one that is being removed waits %s", wait)
	}
	writes.forget("memo")
	if wait := writes.wait(memo, now); wait != 0 || len(writes.last) != 0 {
		t.Errorf("one that is gone waits %s, and %d are remembered", wait, len(writes.last))
	}
}
