package stories

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/test/faults"
)

// convergenceLimit is the maximum time from a valid spec until it is installed, after invalid specs. It is at most the shortest back-off of
// the manager.
const convergenceLimit = 5 * time.Second

// TestENG_D9_BadSpecsAndThenAGoodOne sets several invalid specs and then a valid one, before anything is installed and with a
// version installed.
func TestENG_D9_BadSpecsAndThenAGoodOne(t *testing.T) {
	ctx, h := requireLevel(t, "sample")
	const name = pkg + "-specs"
	h.removeAfterTest(t, name)
	good, better := h.ref(t, first), h.ref(t, second)
	missing := good[:strings.Index(good, "@")] + "@sha256:" + strings.Repeat("0", 64)
	bad := []struct {
		what, ref string
		// condition and reason are what the status must report before the next spec is set. If they are empty, the next spec is
		// set at once.
		condition, reason string
	}{
		{"a missing image", missing, corev1alpha2.ConditionUnpacked, corev1alpha2.ReasonUnpackFailed},
		{"an invalid reference", "this is/no REFERENCE", corev1alpha2.ConditionUnpacked, corev1alpha2.ReasonUnpackFailed},
		{"an unreachable registry", "127.0.0.1:1/nobody/bundle:v1", "", ""},
		{"a bundle that requires a watch namespace", h.ref(t, singleNamespace), corev1alpha2.ConditionHasValidBundle, corev1alpha2.ReasonBundleLoadFailed},
		{"a bundle with an unsupported kind", h.ref(t, invalidBundle), corev1alpha2.ConditionHasValidBundle, corev1alpha2.ReasonBundleLoadFailed},
		{"a version that never becomes available", h.ref(t, broken), corev1alpha2.ConditionProgressing, corev1alpha2.ReasonRollingOut},
	}
	fetches := h.registry.Inject(faults.Fault{
		On:    func(r faults.Request) bool { return strings.Contains(r.Path, missing[strings.Index(missing, "@")+1:]) },
		Times: faults.Always, Do: faults.Forward(),
	})
	setSpecs := func(t *testing.T, then string) {
		for i, each := range bad {
			if err := h.setImage(ctx, name, each.ref); err != nil {
				t.Fatal(err)
			}
			if each.condition == "" {
				continue
			}
			if err := h.eventually(ctx, func(ctx context.Context) error { return h.checkReason(ctx, name, each.condition, each.reason) }); err != nil {
				t.Fatalf("%s: %v", each.what, err)
			}
			if i == 0 { // a second failure makes the back-off longer than convergenceLimit
				h.waitForRetry(ctx, t, fetches)
			}
		}
		h.expectConvergence(ctx, t, name, then)
		if err := errors.Join(h.waitForQuiet(ctx), h.installed(name)(ctx)); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.create(ctx, name, bad[0].ref); err != nil {
		t.Fatal(err)
	}
	t.Run("ENG-D9 five invalid specs before anything is installed, then a valid one", func(t *testing.T) { setSpecs(t, good) })
	if t.Failed() {
		return
	}
	t.Run("ENG-D9 five invalid specs with a version installed, then a newer version", func(t *testing.T) {
		monitor := h.inspector.MonitorStatus(ctx, name, faults.StatusTolerance)
		setSpecs(t, better)
		if err := monitor.Stop(); err != nil {
			t.Error(err)
		}
	})
	if t.Failed() {
		return
	}
	t.Run("ENG-D9 the spec changes repeatedly during a rollout", func(t *testing.T) { h.changeRepeatedly(ctx, t, name, good, better) })
}

// waitForRetry waits until the manager has requested the missing image once more. It fails the test if the manager has not requested it
// before.
func (h *harness) waitForRetry(ctx context.Context, t *testing.T, fetches *faults.Injection) {
	t.Helper()
	before := len(fetches.Affected())
	if before == 0 {
		t.Fatal("the manager did not request the missing image")
	}
	err := h.eventually(ctx, func(context.Context) error {
		if len(fetches.Affected()) == before {
			return errors.New("the manager did not request the missing image again")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// expectConvergence sets a valid spec and fails the test unless it is installed within convergenceLimit.
func (h *harness) expectConvergence(ctx context.Context, t *testing.T, name, good string) {
	t.Helper()
	began := time.Now()
	if err := h.setImage(ctx, name, good); err != nil {
		t.Fatal(err)
	}
	if err := h.eventually(ctx, h.installed(name)); err != nil {
		t.Fatalf("%v\nthe last writes: %s", err, lastWrites(h.proxy.Writes(0)))
	}
	took := time.Since(began).Round(100 * time.Millisecond)
	t.Logf("converged %s after the valid spec was set", took)
	if took > convergenceLimit {
		t.Errorf("converged %s after the valid spec was set, want %s at most", took, convergenceLimit)
	}
}

// changeRepeatedly sets the spec eight times, each time one write later in the rollout. Then it asserts that a valid spec converges.
func (h *harness) changeRepeatedly(ctx context.Context, t *testing.T, name, good, better string) {
	monitor := h.inspector.MonitorStatus(ctx, name, faults.StatusTolerance)
	unready := h.ref(t, broken)
	for write := 1; write <= 8; write++ {
		before := h.proxy.WriteCount()
		next := []string{better, unready, good}[write%3]
		if err := h.setImage(ctx, name, next); err != nil {
			t.Fatal(err)
		}
		err := h.eventually(ctx, func(context.Context) error {
			if now := h.proxy.WriteCount(); now < before+write {
				return errors.New("the manager has not sent enough writes")
			}
			return nil
		})
		if err != nil {
			t.Fatalf("after setting %q: %v", next, err)
		}
	}
	h.expectConvergence(ctx, t, name, good)
	if err := errors.Join(h.waitForQuiet(ctx), h.installed(name)(ctx), monitor.Stop()); err != nil {
		t.Fatalf("%v\nthe last writes: %s", err, lastWrites(h.proxy.Writes(0)))
	}
}

// checkReason returns an error unless a condition for the current generation has a reason.
func (h *harness) checkReason(ctx context.Context, name, condition, reason string) error {
	live, err := h.deployments.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	for _, each := range live.Status.Conditions {
		if each.Type == condition && each.Reason == reason && each.ObservedGeneration == live.Generation {
			return nil
		}
	}
	return fmt.Errorf("BundleDeployment %q has no condition %s with reason %s for the current generation", name, condition, reason)
}
