package invariants

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

func TestABundleForbidsTheNextMinorVersion(t *testing.T) {
	for name, test := range map[string]struct {
		cluster string
		raw     []string
		want    bool
	}{
		"the maximum is the cluster's version": {"4.21.3", []string{`"4.21"`}, true},
		"the maximum is the next version":      {"4.21.3", []string{`"4.22"`}, false},
		"a number":                             {"4.21.3", []string{`4.21`}, true},
		"with v and patch 0":                   {"4.21.3", []string{`"v4.22.0"`}, false},
		"nothing is declared":                  {"4.21.3", nil, false},
		"two maxima":                           {"4.21.3", []string{`"4.22"`, `"4.22"`}, true},
		"a maximum that cannot be read":        {"4.21.3", []string{`"next"`}, true},
		"5.0 is 4.23":                          {"4.22.0", []string{`"5.0"`}, false},
		"5.1 follows 4.23":                     {"4.23.0", []string{`"4.23"`}, true},
		"5.1 follows 5.0":                      {"5.0.1", []string{`"5.1"`}, false},
	} {
		next, err := nextMinor(test.cluster)
		if err != nil {
			t.Fatal(err)
		}
		if got := forbidAny(test.raw, next); got != test.want {
			t.Errorf("%s: on %s, %q forbids %s: %t", name, test.cluster, test.raw, next, got)
		}
	}
}

func TestAnOverridePermitsOneVersionUntilItExpires(t *testing.T) {
	expiresIn := func(d time.Duration) *metav1.Time { return &metav1.Time{Time: time.Now().Add(d)} }
	for name, test := range map[string]struct {
		version, reason string
		expires         *metav1.Time
		want            bool
	}{
		"in effect":                      {"4.22", "a trial", expiresIn(time.Hour), true},
		"without a reason":               {"4.22", "", expiresIn(time.Hour), false},
		"without an end":                 {"4.22", "a trial", nil, false},
		"for another version":            {"4.23", "a trial", expiresIn(time.Hour), false},
		"expired":                        {"4.22", "a trial", expiresIn(-time.Hour), false},
		"expired less than a second ago": {"4.22", "a trial", expiresIn(-observationDelay / 2), true},
	} {
		override := corev1alpha2.CompatibilityOverride{OpenShiftVersion: test.version, Reason: test.reason, Expires: test.expires}
		if got := isOverridden([]corev1alpha2.CompatibilityOverride{override}, minor{4, 22}); got != test.want {
			t.Errorf("%s: an override permits 4.22: %t", name, got)
		}
	}
}
