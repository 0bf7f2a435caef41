package bundledeployment

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/store"
)

func TestAMemoryIsNewerThanAnOlderBundleDeployment(t *testing.T) {
	for name, test := range map[string]struct {
		memory, deployment string
		want               bool
	}{
		"the same version":                         {"7", "7", false},
		"the BundleDeployment is newer":            {"7", "8", false},
		"the BundleDeployment has more digits":     {"9", "10", false},
		"the BundleDeployment is older":            {"8", "7", true},
		"the BundleDeployment has fewer digits":    {"10", "9", true},
		"an empty memory":                          {"", "7", false},
		"a BundleDeployment without a version":     {"7", "", false},
		"a BundleDeployment with another notation": {"7", "v1", false},
	} {
		m := &memory{version: test.memory}
		deployment := &corev1alpha2.BundleDeployment{ObjectMeta: metav1.ObjectMeta{ResourceVersion: test.deployment}}
		if got := m.isNewerThan(deployment); got != test.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}

func TestAWriteSetsTheVersionOfTheMemory(t *testing.T) {
	m := &memory{version: "7"}
	m.wrote(&corev1alpha2.BundleDeployment{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "9"}}, time.Unix(1000, 0))
	if m.version != "9" {
		t.Errorf("the version is %q", m.version)
	}
}

// After the restore of a backup of etcd, a BundleDeployment is older than the memory, and revisions in memory may not be stored.
func TestAnOlderBundleDeploymentGetsANewMemory(t *testing.T) {
	for name, test := range map[string]struct {
		version string
		uid     string
		isNew   bool
	}{
		"the same version":      {"7", "uid", false},
		"a newer version":       {"8", "uid", false},
		"an older version":      {"6", "uid", true},
		"another object, newer": {"8", "other", true},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.c.revisions = store.NewRevisions(fake.NewClientset().CoreV1().Secrets("system")) // none is stored any more
			before := f.memory
			before.version = "7"
			live := f.before.DeepCopy()
			live.ResourceVersion, live.UID = test.version, types.UID(test.uid)
			f.c.deployments = deploymentsNamed(t, live)
			_ = f.c.sync(t.Context(), queueOf("memo")) // nothing can be fetched
			after := f.c.memories["memo"]
			if isNew := after != before; isNew != test.isNew {
				t.Errorf("the memory is new: %t", isNew)
			}
			if want := map[bool]int{true: 0, false: 2}[test.isNew]; len(after.history.Stored) != want || !after.loaded {
				t.Errorf("the memory has %d revisions, want %d; loaded %t", len(after.history.Stored), want, after.loaded)
			}
			if after.uid != live.UID {
				t.Errorf("the memory is of UID %q", after.uid)
			}
		})
	}
}
