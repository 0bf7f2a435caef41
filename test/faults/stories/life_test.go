package stories

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/test/faults"
	"github.com/openshift/platform-operators/test/samples"
)

const (
	// soon is how long anything may take to converge: the manager's own waits are seconds, and the machine may be busy.
	soon = 90 * time.Second
	// untilNoticed is how long status may not know of what somebody else has done to an object: a second or two, and before that
	// as long as the trouble of a story keeps the manager from seeing it.
	untilNoticed = 20 * time.Second
	// often is how often it is looked at.
	often = 100 * time.Millisecond
	// still is a time without writes after which there will be none: longer than any wait of the engine's that is not a
	// back-off.
	still = 2500 * time.Millisecond
)

// ref is where a bundle is, by digest, through the registry's proxy.
func (h *harness) ref(t *testing.T, of samples.Operator) string {
	t.Helper()
	ref, found := h.env.Catalog.Bundle(of.Package, of.Version)
	if !found {
		t.Fatalf("the registry has no bundle %s", of.Name())
	}
	return strings.Replace(ref, h.env.Catalog.RegistryHost(), h.registry.Host(), 1)
}

// create writes a BundleDeployment, whose objects go to a namespace of its name.
func (h *harness) create(ctx context.Context, name, ref string) error {
	deployment := &corev1alpha2.BundleDeployment{ObjectMeta: metav1.ObjectMeta{Name: name}}
	deployment.Spec = corev1alpha2.BundleDeploymentSpec{
		InstallNamespace:     name,
		ProvisionerClassName: corev1alpha2.ProvisionerClassRegistry,
		Source:               corev1alpha2.BundleSource{Type: corev1alpha2.SourceTypeImage, Image: &corev1alpha2.ImageSource{Ref: ref}},
	}
	_, err := h.deployments.Create(ctx, deployment, metav1.CreateOptions{})
	return err
}

// move has a BundleDeployment be of another image, with all the time in the world to get there.
func (h *harness) move(ctx context.Context, name, ref string) error {
	return h.patch(ctx, name, fmt.Sprintf(`{"spec":{"onFailure":null,"progressDeadlineSeconds":null,"source":{"image":{"ref":%q}}}}`, ref))
}

// attempt has a BundleDeployment be of another image, or else go back to the one it is of.
func (h *harness) attempt(ctx context.Context, name, ref string) error {
	return h.patch(ctx, name, fmt.Sprintf(`{"spec":{"onFailure":"Rollback","progressDeadlineSeconds":10,"source":{"image":{"ref":%q}}}}`, ref))
}

func (h *harness) patch(ctx context.Context, name, patch string) error {
	_, err := h.deployments.Patch(ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	return err
}

// tamper does to what an installed BundleDeployment has what nobody should: an edit of a plain value, an edit from which Pods
// follow, and a deletion.
func (h *harness) tamper(ctx context.Context, name string, version samples.Operator) error {
	by := metav1.PatchOptions{FieldManager: "tinkerer"}
	_, edited := h.admin.CoreV1().ConfigMaps(name).Patch(ctx, version.ExtraConfigMap, types.MergePatchType, []byte(`{"data":{"version":"tampered"}}`), by)
	image := fmt.Sprintf(`{"spec":{"template":{"spec":{"containers":[{"name":"manager","image":"samples.invalid/%s:tampered"}]}}}}`, version.Package)
	_, deployed := h.admin.AppsV1().Deployments(name).Patch(ctx, version.Package, types.StrategicMergePatchType, []byte(image), by)
	return errors.Join(edited, deployed, h.admin.CoreV1().Services(name).Delete(ctx, version.Package+"-metrics", metav1.DeleteOptions{}))
}

func (h *harness) remove(ctx context.Context, name string) error {
	err := h.deployments.Delete(ctx, name, metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// cleared removes a BundleDeployment at the end of a test, so that the next one has the bundle's names to itself.
func (h *harness) cleared(t *testing.T, name string) {
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), soon)
		defer cancel()
		h.proxy.LiftAll()
		h.registry.LiftAll()
		if err := errors.Join(h.alive(), h.remove(ctx, name)); err != nil {
			t.Error(err)
		}
		if err := h.until(ctx, func(ctx context.Context) error { return h.estate.Gone(ctx, name) }); err != nil {
			t.Errorf("removing BundleDeployment %q after the test: %v", name, err)
		}
	})
}

// until waits for a check to hold, and starts the manager again whenever it has been killed.
func (h *harness) until(ctx context.Context, check func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, soon)
	defer cancel()
	ticker := time.NewTicker(often)
	defer ticker.Stop()
	for {
		if err := h.alive(); err != nil {
			return err
		}
		last := check(ctx)
		if last == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("after %s: %w", soon, last)
		case <-ticker.C:
		}
	}
}

// rolledBack checks that a BundleDeployment is back where it was, and that everything of it is as it should be.
func (h *harness) rolledBack(name string) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := h.estate.RolledBack(ctx, name); err != nil {
			return err
		}
		_, err := h.estate.Whole(ctx, name)
		return err
	}
}

// installed checks that a BundleDeployment is carried out and everything of it is as it should be.
func (h *harness) installed(name string) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := h.estate.Settled(ctx, name); err != nil {
			return err
		}
		_, err := h.estate.Whole(ctx, name)
		return err
	}
}

// quiet waits for the manager to have nothing to write any more.
func (h *harness) quiet(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	ticker := time.NewTicker(often)
	defer ticker.Stop()
	seen, since := h.proxy.Seen(), time.Now()
	for time.Since(since) < still {
		select {
		case <-ctx.Done():
			return fmt.Errorf("the manager goes on writing: %s", tail(h.proxy.Writes(0)))
		case <-ticker.C:
		}
		if now := h.proxy.Seen(); now != seen {
			seen, since = now, time.Now()
		}
	}
	return nil
}

// tail lists the last writes.
func tail(writes []faults.Write) string {
	writes = writes[max(0, len(writes)-10):]
	lines := make([]string, 0, len(writes))
	for _, each := range writes {
		lines = append(lines, fmt.Sprintf("%s %s (%s)", each.Time.Format("15:04:05.000"), each, each.Outcome))
	}
	return strings.Join(lines, "; ")
}
