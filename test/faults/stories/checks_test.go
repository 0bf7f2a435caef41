package stories

import (
	"context"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/test/faults"
	"github.com/openshift/platform-operators/test/samples"
)

// TestChecksFindViolations kills the manager, changes the objects of an installed BundleDeployment, and asserts that the checks of package
// faults report each change.
func TestChecksFindViolations(t *testing.T) {
	ctx, h := requireLevel(t, "sample")
	const name = pkg + "-changed"
	h.removeAfterTest(t, name)
	if err := h.create(ctx, name, h.ref(t, first)); err != nil {
		t.Fatal(err)
	}
	if err := h.eventually(ctx, h.installed(name)); err != nil {
		t.Fatal(err)
	}
	h.expectConvergence(ctx, t, name, h.ref(t, second))
	if err := h.kill(); err != nil {
		t.Fatal(err)
	}
	maps := h.admin.CoreV1().ConfigMaps(name)
	expectError := func(what string, err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the checks report %v, want %q", what, err, want)
		}
	}
	checkComplete := func(ctx context.Context) error { _, err := h.inspector.CheckComplete(ctx, name); return err }

	labels := map[string]string{corev1alpha2.LabelOwnerKind: corev1alpha2.OwnerKindBundleDeployment, corev1alpha2.LabelOwnerName: name}
	for _, orphan := range []string{"stray", first.ExtraConfigMap} { // an object of no revision, and an object of the previous revision
		if _, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: orphan, Labels: labels}}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	expectError("a labeled object that no revision contains", checkComplete(ctx), "ConfigMap "+name+"/stray is an orphan")

	bare := []byte(`{"metadata":{"labels":null}}`)
	if _, err := h.admin.CoreV1().Services(name).Patch(ctx, pkg+"-metrics", types.MergePatchType, bare, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	expectError("an applied object without labels", checkComplete(ctx), pkg+"-metrics was applied for BundleDeployment \""+name+"\" and has no owner labels")

	if err := h.tamper(ctx, name, second); err != nil {
		t.Fatal(err)
	}
	expectError("an edited value", checkComplete(ctx), "ConfigMap "+name+"/"+second.ExtraConfigMap+" differs from revision 2 at /data/version")
	expectError("a deleted object", checkComplete(ctx), "Service "+name+"/"+pkg+"-metrics is missing")

	unready := []byte(`{"spec":{"template":{"metadata":{"labels":{"` + samples.NeverReadyLabel + `":"true"}}}}}`)
	if _, err := h.admin.AppsV1().Deployments(name).Patch(ctx, pkg, types.MergePatchType, unready, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	monitor := h.inspector.MonitorStatus(ctx, name, faults.StatusTolerance)
	for began := time.Now(); time.Since(began) < 3*time.Second; { // longer than the tolerance
		if err := h.inspector.CheckInstalled(ctx, name); err != nil {
			t.Fatalf("the status changed while no manager runs: %v", err)
		}
	}
	violations := monitor.Stop()
	for what, want := range map[string]string{
		"Installed=True with an object missing":           "has Installed=True for revision 2, and Service " + name + "/" + pkg + "-metrics is missing",
		"Healthy=True with a Deployment without its Pod":  "has Healthy=True for revision 2, and Deployment.apps " + name + "/" + pkg + " has spec.replicas=1",
		"Drifted=False with a value edited":               "has Drifted=False, and ConfigMap " + name + "/" + second.ExtraConfigMap + " differs from its declaration at /data/version",
		"Progressing=False with an object left to remove": "has Progressing=False, and ConfigMap " + name + "/" + first.ExtraConfigMap + " exists, which revision 2 does not contain",
	} {
		expectError("a false status: "+what, violations, want)
	}
	if monitor.MaxLag() < faults.StatusTolerance {
		t.Errorf("MaxLag is %s, and the status was false all the time", monitor.MaxLag())
	}
	expectError("a BundleDeployment that exists", h.inspector.CheckRemoved(ctx, name), "still exists")
	for _, orphan := range []string{"stray", first.ExtraConfigMap} {
		if err := maps.Delete(ctx, orphan, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}
