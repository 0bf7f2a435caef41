package stories

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/test/faults"
)

// atOnce is how long a good spec may take after bad ones: no longer than the shortest back-off that anything of the manager's
// has.
const atOnce = 5 * time.Second

// TestENG_D9_BadSpecsAndThenAGoodOne goes from bad to bad to good, once before anything was installed and once after.
func TestENG_D9_BadSpecsAndThenAGoodOne(t *testing.T) {
	ctx, h := needs(t, "sample")
	const name = pkg + "-specs"
	h.cleared(t, name)
	good, better := h.ref(t, first), h.ref(t, second)
	missing := good[:strings.Index(good, "@")] + "@sha256:" + strings.Repeat("0", 64)
	bad := []struct {
		what, ref string
		// seen is what status has to say before the next spec is written; empty writes it at once.
		condition, reason string
	}{
		{"an image that is not there", missing, corev1alpha2.ConditionUnpacked, corev1alpha2.ReasonUnpackFailed},
		{"no reference", "this is/no REFERENCE", corev1alpha2.ConditionUnpacked, corev1alpha2.ReasonUnpackFailed},
		{"a registry that nobody runs", "127.0.0.1:1/nobody/bundle:v1", "", ""},
		{"a bundle that has to be told what to watch", h.ref(t, choosy), corev1alpha2.ConditionHasValidBundle, corev1alpha2.ReasonBundleLoadFailed},
		{"a bundle with a kind that none may hold", h.ref(t, garbled), corev1alpha2.ConditionHasValidBundle, corev1alpha2.ReasonBundleLoadFailed},
		{"a version that never gets ready", h.ref(t, broken), corev1alpha2.ConditionProgressing, corev1alpha2.ReasonRollingOut},
	}
	asked := h.registry.Inject(faults.Fault{
		On:    func(r faults.Request) bool { return strings.Contains(r.Path, missing[strings.Index(missing, "@")+1:]) },
		Times: faults.Always, Do: faults.Pass(),
	})
	series := func(t *testing.T, then string) {
		for i, each := range bad {
			if err := h.move(ctx, name, each.ref); err != nil {
				t.Fatal(err)
			}
			if each.condition == "" {
				continue
			}
			if err := h.until(ctx, func(ctx context.Context) error { return h.saying(ctx, name, each.condition, each.reason) }); err != nil {
				t.Fatalf("%s: %v", each.what, err)
			}
			if i == 0 { // after the second time the back-off is longer than atOnce
				h.again(ctx, t, asked)
			}
		}
		h.converges(ctx, t, name, then)
		if err := errors.Join(h.quiet(ctx), h.installed(name)(ctx)); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.create(ctx, name, bad[0].ref); err != nil {
		t.Fatal(err)
	}
	t.Run("ENG-D9 five bad specs in a row before anything is installed, then the good one", func(t *testing.T) { series(t, good) })
	if t.Failed() {
		return
	}
	t.Run("ENG-D9 five bad specs in a row with a version installed, then a newer one", func(t *testing.T) {
		witness := h.estate.Witness(ctx, name, faults.Moment)
		series(t, better)
		if err := witness.Stop(); err != nil {
			t.Error(err)
		}
	})
	if t.Failed() {
		return
	}
	t.Run("ENG-D9 the spec changes again and again while it is carried out", func(t *testing.T) { h.waver(ctx, t, name, good, better) })
}

// again waits for the registry to be asked once more for what it does not have.
func (h *harness) again(ctx context.Context, t *testing.T, asked *faults.Injection) {
	t.Helper()
	before := len(asked.Struck())
	if before == 0 {
		t.Fatal("the registry was not asked for what it does not have")
	}
	err := h.until(ctx, func(context.Context) error {
		if len(asked.Struck()) == before {
			return errors.New("the registry is not asked a second time")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// converges writes a good spec, and has it carried out at once.
func (h *harness) converges(ctx context.Context, t *testing.T, name, good string) {
	t.Helper()
	began := time.Now()
	if err := h.move(ctx, name, good); err != nil {
		t.Fatal(err)
	}
	if err := h.until(ctx, h.installed(name)); err != nil {
		t.Fatalf("%v\nthe last writes: %s", err, tail(h.proxy.Writes(0)))
	}
	took := time.Since(began).Round(100 * time.Millisecond)
	t.Logf("converged %s after the good spec", took)
	if took > atOnce {
		t.Errorf("converged %s after the good spec, want %s at most", took, atOnce)
	}
}

// waver changes the spec at another write of each roll-out, and ends with the first of the two.
func (h *harness) waver(ctx context.Context, t *testing.T, name, good, better string) {
	witness := h.estate.Witness(ctx, name, faults.Moment)
	unready := h.ref(t, broken)
	for write := 1; write <= 8; write++ {
		before := h.proxy.Seen()
		next := []string{better, unready, good}[write%3]
		if err := h.move(ctx, name, next); err != nil {
			t.Fatal(err)
		}
		err := h.until(ctx, func(context.Context) error {
			if now := h.proxy.Seen(); now < before+write {
				return errors.New("the roll-out has not come so far")
			}
			return nil
		})
		if err != nil {
			t.Fatalf("moving to %q: %v", next, err)
		}
	}
	h.converges(ctx, t, name, good)
	if err := errors.Join(h.quiet(ctx), h.installed(name)(ctx), witness.Stop()); err != nil {
		t.Fatalf("%v\nthe last writes: %s", err, tail(h.proxy.Writes(0)))
	}
}

// saying checks that a condition of the present generation has a reason.
func (h *harness) saying(ctx context.Context, name, condition, reason string) error {
	live, err := h.deployments.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	for _, each := range live.Status.Conditions {
		if each.Type == condition && each.Reason == reason && each.ObservedGeneration == live.Generation {
			return nil
		}
	}
	return errors.New(name + " does not say " + condition + " " + reason)
}
