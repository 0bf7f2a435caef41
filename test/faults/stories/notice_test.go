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

// TestWhatIsWrongIsNoticed spoils what an installed BundleDeployment has while no manager runs: checks that let all this pass
// would let anything pass.
func TestWhatIsWrongIsNoticed(t *testing.T) {
	ctx, h := needs(t, "sample")
	const name = pkg + "-spoilt"
	h.cleared(t, name)
	if err := h.create(ctx, name, h.ref(t, first)); err != nil {
		t.Fatal(err)
	}
	if err := h.until(ctx, h.installed(name)); err != nil {
		t.Fatal(err)
	}
	h.converges(ctx, t, name, h.ref(t, second))
	if err := h.kill(); err != nil {
		t.Fatal(err)
	}
	maps := h.admin.CoreV1().ConfigMaps(name)
	noticed := func(what string, err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: noticed %v, want %q", what, err, want)
		}
	}
	whole := func(ctx context.Context) error { _, err := h.estate.Whole(ctx, name); return err }

	labels := map[string]string{corev1alpha2.LabelOwnerKind: corev1alpha2.OwnerKindBundleDeployment, corev1alpha2.LabelOwnerName: name}
	for _, orphan := range []string{"stray", first.ExtraConfigMap} { // of no revision, and of the one before
		if _, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: orphan, Labels: labels}}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	noticed("a labeled object that no revision has", whole(ctx), "ConfigMap "+name+"/stray is an orphan")

	bare := []byte(`{"metadata":{"labels":null}}`)
	if _, err := h.admin.CoreV1().Services(name).Patch(ctx, pkg+"-metrics", types.MergePatchType, bare, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	noticed("an applied object without labels", whole(ctx), pkg+"-metrics was applied for BundleDeployment \""+name+"\" and has no owner labels")

	if err := h.tamper(ctx, name, second); err != nil {
		t.Fatal(err)
	}
	noticed("an edited value", whole(ctx), "ConfigMap "+name+"/"+second.ExtraConfigMap+" is not as revision 2 has it at /data/version")
	noticed("an object that is gone", whole(ctx), "Service "+name+"/"+pkg+"-metrics is missing")

	unready := []byte(`{"spec":{"template":{"metadata":{"labels":{"` + samples.NeverReadyLabel + `":"true"}}}}}`)
	if _, err := h.admin.AppsV1().Deployments(name).Patch(ctx, pkg, types.MergePatchType, unready, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	witness := h.estate.Witness(ctx, name, faults.Moment)
	for began := time.Now(); time.Since(began) < 3*time.Second; { // as long as a lie has to last, and some looks more
		if err := h.estate.Settled(ctx, name); err != nil {
			t.Fatalf("without a manager status has changed: %v", err)
		}
	}
	lies := witness.Stop()
	for what, want := range map[string]string{
		"Installed=True with an object missing":           "says Installed=True of revision 2, and Service " + name + "/" + pkg + "-metrics is missing",
		"Healthy=True with a Deployment without its Pod":  "says Healthy=True of revision 2, and Deployment.apps " + name + "/" + pkg + " wants 1 replicas",
		"Drifted=False with a value edited":               "says Drifted=False, and ConfigMap " + name + "/" + second.ExtraConfigMap + " is not as declared at /data/version",
		"nothing under way with something left to remove": "says that nothing is under way, and ConfigMap " + name + "/" + first.ExtraConfigMap + " is there, which revision 2 does not have",
	} {
		noticed("a status that claims "+what, lies, want)
	}
	if witness.Behind() < faults.Moment {
		t.Errorf("status was behind for %s, and it was wrong for as long as it was looked at", witness.Behind())
	}
	noticed("a BundleDeployment that is not gone", h.estate.Gone(ctx, name), "is still there")
	for _, orphan := range []string{"stray", first.ExtraConfigMap} {
		if err := maps.Delete(ctx, orphan, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}
