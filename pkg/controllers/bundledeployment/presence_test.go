package bundledeployment

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/client/clientset/versioned/fake"
)

// HRD-G1: a revision of which nothing was written is absent, though it was begun; in doubt it is present.
func TestHRD_G1_ARevisionIsPresentUnlessNothingOfItWasWritten(t *testing.T) {
	refused := apply.Report{Writes: 1} // a namespace for it
	wrote := apply.Report{Writes: 1, Written: true}
	for name, c := range map[string]struct {
		earlier, reloaded bool // something of it was there before; an earlier process has noted that nothing was written
		reports           []apply.Report
		state             corev1alpha2.RevisionState
		want              corev1alpha2.Presence
	}{
		"begun":                              {want: corev1alpha2.Present},
		"its first object is refused":        {reports: []apply.Report{refused}, want: corev1alpha2.Absent},
		"again and again":                    {reports: []apply.Report{refused, refused}, want: corev1alpha2.Absent},
		"written after that":                 {reports: []apply.Report{refused, wrote}, want: corev1alpha2.Present},
		"written, and refused after that":    {reports: []apply.Report{wrote, refused}, want: corev1alpha2.Present},
		"a write without an answer":          {reports: []apply.Report{{Written: true}, refused}, want: corev1alpha2.Present},
		"all of it was there as it is":       {reports: []apply.Report{{Seen: true, Complete: true}}, want: corev1alpha2.Present},
		"what another revision has too":      {reports: []apply.Report{{Seen: true}}, want: corev1alpha2.Absent},
		"something of it was there before":   {earlier: true, reports: []apply.Report{refused}, want: corev1alpha2.Present},
		"given up, and not looked through":   {reports: []apply.Report{refused}, state: corev1alpha2.RevisionFailed, want: corev1alpha2.Present},
		"after a restart":                    {reloaded: true, want: corev1alpha2.Absent},
		"after a restart, refused again":     {reloaded: true, reports: []apply.Report{refused}, want: corev1alpha2.Absent},
		"after a restart, something is seen": {reloaded: true, reports: []apply.Report{{Seen: true}}, want: corev1alpha2.Present},
	} {
		t.Run(name, func(t *testing.T) {
			s, _, two := given(t)
			s.client = fake.NewSimpleClientset(s.before).CoreV1alpha2().BundleDeployments()
			two.started = nil
			if c.earlier {
				two.started, two.state = &metav1.Time{}, corev1alpha2.RevisionFailed
			}
			if _, err := begin(t.Context(), s); err != nil || !two.begun() {
				t.Fatalf("begun %t: %v", two.begun(), err)
			}
			if c.reloaded {
				two.fresh, two.unwritten, two.reloaded = true, true, true
			}
			for _, each := range c.reports {
				two.tried(each)
			}
			if c.state != "" {
				two.state = c.state
			}
			if got := two.entry(two.state).Presence; got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}
