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
	// convergenceTimeout is the maximum duration of a phase. The manager takes seconds, but the machine may be busy.
	convergenceTimeout = 90 * time.Second
	// driftTolerance is the maximum time for which the status may not report a change of an object by another client. The manager takes a
	// second or two after the fault of the test has ended.
	driftTolerance = 20 * time.Second
	// pollInterval is the time between two checks.
	pollInterval = 100 * time.Millisecond
	// quietPeriod is the time without writes after which a test assumes that the manager has no more to write. It is longer than any delay
	// of the manager, except back-offs.
	quietPeriod = 2500 * time.Millisecond
)

// ref returns a bundle's image reference by digest, with the address of the registry's proxy.
func (h *harness) ref(t *testing.T, of samples.Operator) string {
	t.Helper()
	ref, found := h.env.Catalog.Bundle(of.Package, of.Version)
	if !found {
		t.Fatalf("the registry has no bundle %s", of.Name())
	}
	return strings.Replace(ref, h.env.Catalog.RegistryHost(), h.registry.Host(), 1)
}

// create creates a BundleDeployment that installs to a namespace of the same name.
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

// setImage sets the image of a BundleDeployment, without a progress deadline.
func (h *harness) setImage(ctx context.Context, name, ref string) error {
	return h.patch(ctx, name, fmt.Sprintf(`{"spec":{"onFailure":null,"progressDeadlineSeconds":null,"source":{"image":{"ref":%q}}}}`, ref))
}

// setImageWithRollback sets the image of a BundleDeployment, with a short progress deadline and rollback on failure.
func (h *harness) setImageWithRollback(ctx context.Context, name, ref string) error {
	return h.patch(ctx, name, fmt.Sprintf(`{"spec":{"onFailure":"Rollback","progressDeadlineSeconds":10,"source":{"image":{"ref":%q}}}}`, ref))
}

func (h *harness) patch(ctx context.Context, name, patch string) error {
	_, err := h.deployments.Patch(ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	return err
}

// tamper changes the objects of an installed BundleDeployment: it edits a ConfigMap, changes the image of a Deployment, and
// deletes a Service.
func (h *harness) tamper(ctx context.Context, name string, version samples.Operator) error {
	by := metav1.PatchOptions{FieldManager: "another-client"}
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

// removeAfterTest removes all faults and a BundleDeployment at the end of the test, so that the next test can install the same objects. It
// fails the test if the removal does not complete.
func (h *harness) removeAfterTest(t *testing.T, name string) {
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), convergenceTimeout)
		defer cancel()
		h.proxy.RemoveAll()
		h.registry.RemoveAll()
		if err := errors.Join(h.ensureRunning(), h.remove(ctx, name)); err != nil {
			t.Error(err)
		}
		if err := h.eventually(ctx, func(ctx context.Context) error { return h.inspector.CheckRemoved(ctx, name) }); err != nil {
			t.Errorf("removing BundleDeployment %q after the test: %v", name, err)
		}
	})
}

// eventually waits until a check returns nil, and starts the manager again whenever it has been killed. After convergenceTimeout it returns
// the check's last error.
func (h *harness) eventually(ctx context.Context, check func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, convergenceTimeout)
	defer cancel()
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		if err := h.ensureRunning(); err != nil {
			return err
		}
		last := check(ctx)
		if last == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("after %s: %w", convergenceTimeout, last)
		case <-ticker.C:
		}
	}
}

// rolledBack returns a check that a BundleDeployment is rolled back and its objects are complete.
func (h *harness) rolledBack(name string) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := h.inspector.CheckRolledBack(ctx, name); err != nil {
			return err
		}
		_, err := h.inspector.CheckComplete(ctx, name)
		return err
	}
}

// installed returns a check that a BundleDeployment is installed and its objects are complete.
func (h *harness) installed(name string) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := h.inspector.CheckInstalled(ctx, name); err != nil {
			return err
		}
		_, err := h.inspector.CheckComplete(ctx, name)
		return err
	}
}

// waitForQuiet waits until the manager has written nothing for quietPeriod. It returns an error after 30 seconds.
func (h *harness) waitForQuiet(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	count, since := h.proxy.WriteCount(), time.Now()
	for time.Since(since) < quietPeriod {
		select {
		case <-ctx.Done():
			return fmt.Errorf("the manager still writes: %s", lastWrites(h.proxy.Writes(0)))
		case <-ticker.C:
		}
		if now := h.proxy.WriteCount(); now != count {
			count, since = now, time.Now()
		}
	}
	return nil
}

// lastWrites returns the last ten of the writes as text, with their times and outcomes.
func lastWrites(writes []faults.Write) string {
	writes = writes[max(0, len(writes)-10):]
	lines := make([]string, 0, len(writes))
	for _, each := range writes {
		lines = append(lines, fmt.Sprintf("%s %s (%s)", each.Time.Format("15:04:05.000"), each, each.Outcome))
	}
	return strings.Join(lines, "; ")
}
