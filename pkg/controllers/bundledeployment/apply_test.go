package bundledeployment

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply/object"
	corefake "github.com/openshift/platform-operators/pkg/client/clientset/versioned/fake"
)

func TestObjectsAreWrittenOnlyForThePresentBundleDeployment(t *testing.T) {
	const confirmed, waits, fails = "confirmed", "waits", "fails"
	for name, test := range map[string]struct {
		live func(*corev1alpha2.BundleDeployment)
		want string
	}{
		"it is as in the cache": {func(*corev1alpha2.BundleDeployment) {}, confirmed},
		"its status is newer":   {func(d *corev1alpha2.BundleDeployment) { d.ResourceVersion = "9" }, confirmed},
		"its spec is newer":     {func(d *corev1alpha2.BundleDeployment) { d.Generation++ }, waits},
		"it was replaced":       {func(d *corev1alpha2.BundleDeployment) { d.UID = "next" }, fails},
		"it is being deleted":   {func(d *corev1alpha2.BundleDeployment) { d.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)} }, fails},
		"it does not exist":     {func(d *corev1alpha2.BundleDeployment) { d.Name = "other" }, fails},
	} {
		t.Run(name, func(t *testing.T) {
			cached := &corev1alpha2.BundleDeployment{ObjectMeta: metav1.ObjectMeta{Name: "memo", UID: "this", Generation: 2, ResourceVersion: "7"}}
			live := cached.DeepCopy()
			test.live(live)
			s := &reconciliation{c: &controller{client: corefake.NewSimpleClientset(live).CoreV1alpha2().BundleDeployments()}, deployment: cached}
			got, err := confirmed, s.confirmCurrent(t.Context())
			if err != nil {
				got = fails
			}
			if object.IsWait(err) {
				got = waits
			}
			if got != test.want {
				t.Errorf("%s: %v, want %s", got, err, test.want)
			}
		})
	}
}
