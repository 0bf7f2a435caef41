package stories

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestENG_D9_BadSpecsAndThenAGoodOne goes from bad to bad to good, once before anything was installed and once after.
func TestENG_D9_BadSpecsAndThenAGoodOne(t *testing.T) {
	ctx, h := needs(t, "long")
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
	series := func(t *testing.T, then string) {
		for _, each := range bad {
			if err := h.move(ctx, name, each.ref); err != nil {
				t.Fatal(err)
			}
			if each.condition == "" {
				continue
			}
			if err := h.until(ctx, func(ctx context.Context) error { return h.saying(ctx, name, each.condition, each.reason) }); err != nil {
				t.Fatalf("%s: %v", each.what, err)
			}
		}
		began := time.Now()
		if err := h.move(ctx, name, then); err != nil {
			t.Fatal(err)
		}
		if err := h.until(ctx, h.installed(name)); err != nil {
			t.Fatal(err)
		}
		t.Logf("converged %s after the good spec", time.Since(began).Round(100*time.Millisecond))
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
		witness := h.estate.Witness(ctx, name)
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

// waver changes the spec at another write of each roll-out, and ends with the first of the two.
func (h *harness) waver(ctx context.Context, t *testing.T, name, good, better string) {
	witness := h.estate.Witness(ctx, name)
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
	if err := h.move(ctx, name, good); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(h.until(ctx, h.installed(name)), h.quiet(ctx), h.installed(name)(ctx), witness.Stop()); err != nil {
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
