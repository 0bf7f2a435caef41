package bundledeployment

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// An operator that was installed in a namespace stays there, even if the namespace is one that a first installation must not use. A first
// installation that was refused must not become an installed one because its revision is lost.
func TestALostRevisionWasInstalledOnlyIfItsRolloutHasBegun(t *testing.T) {
	began := metav1.Unix(1000, 0)
	for name, test := range map[string]struct {
		lost []corev1alpha2.Revision
		want bool
	}{
		"nothing is lost":                       {nil, false},
		"a revision whose namespace is refused": {[]corev1alpha2.Revision{{Number: 1}}, false},
		"a revision whose rollout has begun":    {[]corev1alpha2.Revision{{Number: 1}, {Number: 2, StartedTime: &began}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			f := firstFixture(t)
			f.memory.history.Lost = test.lost
			if got := f.knownNamespace().Installed; got != test.want {
				t.Errorf("Installed is %t, want %t", got, test.want)
			}
		})
	}
}
