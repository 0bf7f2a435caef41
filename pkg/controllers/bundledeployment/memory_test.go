package bundledeployment

import (
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/lastwrite"
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

// After the restore of a backup of etcd, a BundleDeployment is older than the memory at the API server as well, and revisions in memory may
// not be stored. If it is older in the informer only, the informer is behind, and nothing is done before it has the current version.
func TestAnOlderBundleDeploymentGetsANewMemory(t *testing.T) {
	down := errors.New("the API server is down")
	for name, test := range map[string]struct {
		cached, uid string // in the informer
		current     string // the version at the API server; empty if the BundleDeployment is deleted there
		replaced    bool   // by another BundleDeployment of that name, at the API server
		err         error
		isNew       bool
		waits       bool
		reads       int // of three syncs, of which the third is after StaleCachePeriod
	}{
		"the same version":                   {cached: "7", uid: "uid", current: "7"},
		"a newer version":                    {cached: "8", uid: "uid", current: "8"},
		"an older version":                   {cached: "6", uid: "uid", current: "6", isNew: true, reads: 1},
		"an older version, the informer too": {cached: "5", uid: "uid", current: "6", isNew: true, reads: 2},
		"another object, newer":              {cached: "8", uid: "other", current: "8", isNew: true, reads: 1},
		"the informer is behind":             {cached: "6", uid: "uid", current: "7", waits: true, reads: 2},
		"the informer is behind others":      {cached: "6", uid: "uid", current: "9", waits: true, reads: 2},
		"the informer is behind a deletion":  {cached: "6", uid: "uid", waits: true, reads: 2},
		"the informer has a former object":   {cached: "6", uid: "uid", current: "5", replaced: true, waits: true, reads: 2},
		"the read fails":                     {cached: "6", uid: "uid", err: down, waits: true, reads: 3},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.c.revisions = store.NewRevisions(fake.NewClientset().CoreV1().Secrets("system")) // none is stored any more
			before := f.memory
			before.version = "7"
			cached := f.before.DeepCopy()
			cached.ResourceVersion, cached.UID = test.cached, types.UID(test.uid)
			f.c.deployments = deploymentsNamed(t, cached)
			current := cached.DeepCopy()
			current.ResourceVersion = test.current
			if test.replaced {
				current.UID = "other"
			}
			reads := 0
			f.api.PrependReactor("get", "bundledeployments", func(clienttesting.Action) (bool, runtime.Object, error) {
				reads++
				if test.err == nil && test.current == "" {
					return true, nil, apierrors.NewNotFound(corev1alpha2.SchemeGroupVersion.WithResource("bundledeployments").GroupResource(), "memo")
				}
				return true, current.DeepCopy(), test.err
			})
			written := 0
			f.api.PrependReactor("update", "bundledeployments", func(action clienttesting.Action) (bool, runtime.Object, error) {
				written++
				update, _ := action.(clienttesting.UpdateAction)
				return true, update.GetObject(), nil // in the same version
			})
			for _, wait := range []time.Duration{0, time.Second, lastwrite.StaleCachePeriod} {
				f.clock.SetTime(f.clock.Now().Add(wait))
				if err := f.c.sync(t.Context(), queueOf("memo")); test.err != nil && !errors.Is(err, test.err) {
					t.Errorf("the error is %v", err) // without test.err, there is one, because nothing can be fetched
				}
			}
			after := f.c.memories["memo"]
			if isNew := after != before; isNew != test.isNew {
				t.Errorf("the memory is new: %t", isNew)
			}
			if want := map[bool]int{true: 0, false: 2}[test.isNew]; len(after.history.Stored) != want || !after.loaded {
				t.Errorf("the memory has %d revisions, want %d; loaded %t", len(after.history.Stored), want, after.loaded)
			}
			if after.uid != cached.UID {
				t.Errorf("the memory is of UID %q", after.uid)
			}
			if test.waits && (written > 0 || f.engine.applied > 0 || after.version != "7") {
				t.Errorf("it did not wait: %d writes of the status, %d applies, version %q", written, f.engine.applied, after.version)
			}
			if reads != test.reads {
				t.Errorf("%d reads, want %d", reads, test.reads)
			}
		})
	}
}

// The informer of a process that has just started may be behind what the process before wrote. The history in memory begins with the first
// sync: an older status would be in it for ever.
func TestTheFirstSyncIsOfTheVersionAtTheAPIServer(t *testing.T) {
	for name, test := range map[string]struct {
		current types.UID // at the API server; empty if it is gone
		isBegun bool
	}{
		"the informer is behind":              {"uid", true},
		"the BundleDeployment is gone":        {"", false},
		"the BundleDeployment is another one": {"other", false},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.c.revisions = store.NewRevisions(fake.NewClientset().CoreV1().Secrets("system"))
			f.c.memories = map[string]*memory{}
			cached := f.before.DeepCopy()
			cached.ResourceVersion, cached.UID = "6", "uid"
			cached.Status.Revisions = []corev1alpha2.Revision{{Number: 1, State: corev1alpha2.RevisionActive}}
			f.c.deployments = deploymentsNamed(t, cached)
			current := cached.DeepCopy()
			current.ResourceVersion, current.UID = "8", test.current
			current.Status.Revisions = append(current.Status.Revisions, corev1alpha2.Revision{Number: 2, State: corev1alpha2.RevisionActive})
			reads := 0
			f.api.PrependReactor("get", "bundledeployments", func(clienttesting.Action) (bool, runtime.Object, error) {
				reads++
				if test.current == "" {
					return true, nil, apierrors.NewNotFound(corev1alpha2.SchemeGroupVersion.WithResource("bundledeployments").GroupResource(), "memo")
				}
				return true, current.DeepCopy(), nil
			})
			for range 2 { // the second one waits for the informer
				_ = f.c.sync(t.Context(), queueOf("memo")) // without content to fetch, there is an error
			}
			begun := f.c.memories["memo"]
			if begun.loaded != test.isBegun || test.isBegun && (begun.version != "8" || len(begun.history.Lost) != 2 || reads != 1) {
				t.Errorf("loaded: %t, version %q, %d revisions, after %d reads", begun.loaded, begun.version, len(begun.history.Lost), reads)
			}
		})
	}
}

// The restore of a backup of etcd may leave a BundleDeployment as it is and bring back parts of revisions that were collected as garbage.
func TestGarbageIsCollectedAgainAfterARestore(t *testing.T) {
	f := newFixture(t)
	f.engine.report = apply.Report{Total: 1, Ready: 1, Complete: true}
	f.one.Stored, f.two.Stored = corev1alpha2.RevisionArchived, corev1alpha2.RevisionActive
	f.one.Pruned, f.before.Status.ActiveRevision = true, 2
	secrets := fake.NewClientset().CoreV1().Secrets("system")
	f.c.revisions = store.NewRevisions(secrets)
	part := &corev1.Secret{Type: store.SecretType, ObjectMeta: metav1.ObjectMeta{
		Name: "revision.memo.r9.p0", OwnerReferences: []metav1.OwnerReference{{UID: "uid"}},
		Labels: map[string]string{store.LabelDeployment: "memo", store.LabelNumber: "9", store.LabelRole: "part"},
	}}
	for i, test := range []struct {
		cacheVersion string
		isCollected  bool
	}{{"5", true}, {"9", false}, {"10", false}, {"10", false}, {"7", true}, {"8", false}} {
		if _, err := secrets.Create(t.Context(), part, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		f.c.cacheVersion = func() string { return test.cacheVersion }
		if err := f.syncs(t, 2); err != nil {
			t.Fatal(err)
		}
		_, err := secrets.Get(t.Context(), part.Name, metav1.GetOptions{})
		if isCollected := apierrors.IsNotFound(err); isCollected != test.isCollected {
			t.Errorf("sync %d, version %s: the part is collected: %t", i, test.cacheVersion, isCollected)
		}
		if err := secrets.Delete(t.Context(), part.Name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			t.Fatal(err)
		}
	}
}
