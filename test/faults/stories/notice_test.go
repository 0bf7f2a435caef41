package stories

import (
	"context"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// TestWhatIsWrongIsNoticed spoils what an installed BundleDeployment has while no manager runs: checks that let all this pass
// would let anything pass.
func TestWhatIsWrongIsNoticed(t *testing.T) {
	ctx, h := needs(t, "long")
	const name = pkg + "-spoilt"
	h.cleared(t, name)
	if err := h.create(ctx, name, h.ref(t, first)); err != nil {
		t.Fatal(err)
	}
	if err := h.until(ctx, h.installed(name)); err != nil {
		t.Fatal(err)
	}
	if err := h.kill(); err != nil {
		t.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(h.env.Admin)
	if err != nil {
		t.Fatal(err)
	}
	maps := client.CoreV1().ConfigMaps(name)
	labels := map[string]string{corev1alpha2.LabelOwnerKind: corev1alpha2.OwnerKindBundleDeployment, corev1alpha2.LabelOwnerName: name}
	noticed := func(what string, err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: noticed %v, want %q", what, err, want)
		}
	}
	whole := func(ctx context.Context) error { _, err := h.estate.Whole(ctx, name); return err }

	orphan := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "stray", Labels: labels}}
	if _, err := maps.Create(ctx, orphan, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	noticed("a labelled object that no revision has", whole(ctx), "ConfigMap "+name+"/stray is an orphan")

	bare := []byte(`{"metadata":{"labels":null}}`)
	if _, err := client.CoreV1().Services(name).Patch(ctx, pkg+"-metrics", types.MergePatchType, bare, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	noticed("an applied object without labels", whole(ctx), pkg+"-metrics was applied for BundleDeployment \""+name+"\" and has no owner labels")

	if err := maps.Delete(ctx, first.ExtraConfigMap, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	noticed("an object that is gone", whole(ctx), "ConfigMap "+name+"/"+first.ExtraConfigMap+" is missing")

	witness := h.estate.Witness(ctx, name)
	for began := time.Now(); time.Since(began) < 3*time.Second; { // as long as a lie has to last, and some looks more
		if err := h.estate.Settled(ctx, name); err != nil {
			t.Fatalf("without a manager status has changed: %v", err)
		}
	}
	noticed("a status that claims what is not so", witness.Stop(), "says Installed=True of revision 1, and ConfigMap "+name+"/"+first.ExtraConfigMap+" is missing")
	noticed("a BundleDeployment that is not gone", h.estate.Gone(ctx, name), "is still there")
	if err := maps.Delete(ctx, "stray", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
}
