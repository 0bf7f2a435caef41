package bundledeployment

import (
	"errors"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/store"
)

// exceedQuota has the namespace of stored revisions take no more Secrets, until the quota is lifted.
func exceedQuota(f *fixture) (tries func() int, lift func()) {
	client := fake.NewClientset()
	refuse, asked := true, 0
	client.PrependReactor("create", "secrets", func(clienttesting.Action) (bool, runtime.Object, error) {
		asked++
		return refuse, nil, apierrors.NewForbidden(corev1alpha2.Resource("secrets"), "revision", errors.New("exceeded quota"))
	})
	f.c.revisions = store.NewRevisions(client.CoreV1().Secrets("system"))
	return func() int { return asked }, func() { refuse = false }
}

func TestARevisionThatCannotBeStoredIsTriedAgainWithBackoff(t *testing.T) {
	f := settledFixture(t)
	tries, lift := exceedQuota(f)
	poll := fetchRequest{known: f.two.Resolved}
	moved := &fetched{resolved: "r/memo@sha256:3", objects: rendered("y")}
	take := func() {
		t.Helper()
		if err := f.takePoll(t.Context(), f.two, poll, moved); err != nil || f.machine.Desired() != f.two || f.fault != nil {
			t.Fatalf("error %v, fault %v, desired is %s: the active revision is not kept", err, f.fault, f.machine.Desired())
		}
	}
	for range 10 { // syncs come as events do
		take()
	}
	if tries() != 1 || len(f.memory.events) != 0 {
		t.Errorf("tried %d times within a moment, with Events %+v", tries(), f.memory.events)
	}
	for range 6 {
		f.clock.SetTime(f.clock.Now().Add(2 * time.Minute))
		take()
	}
	if tries() != 7 || len(f.memory.events) != 1 || !strings.Contains(f.memory.events[0].Message, "exceeded quota") {
		t.Errorf("tried %d times, with Events %+v; want one Event after it has lasted", tries(), f.memory.events)
	}
	lift()
	f.clock.SetTime(f.clock.Now().Add(2 * time.Minute))
	if err := f.takePoll(t.Context(), f.two, poll, moved); err != nil || f.machine.Desired().Number != 3 {
		t.Errorf("error %v, desired is %s when there is space", err, f.machine.Desired())
	}
}

func TestAnotherSourceIsStoredAtOnceWhateverWasRefusedBefore(t *testing.T) {
	f := newFixture(t)
	_, lift := exceedQuota(f)
	large := f.revisionOf(&fetched{resolved: "r/memo@sha256:3", objects: rendered("y")})
	if stored, _, err := f.storeNew(t.Context(), fetchRequest{namespace: "one"}, large); stored != nil || err != nil {
		t.Fatalf("stored %v, %v", stored, err)
	}
	lift()
	if stored, _, err := f.storeNew(t.Context(), fetchRequest{namespace: "two"}, large); stored == nil || err != nil {
		t.Errorf("stored %v, %v", stored, err)
	}
}

func TestALostRevisionIsReportedOnceHoweverOftenItsRestCannotBeDeleted(t *testing.T) {
	f := newFixture(t)
	client := fake.NewClientset()
	fail := true
	client.PrependReactor("*", "secrets", func(clienttesting.Action) (bool, runtime.Object, error) {
		return fail, nil, apierrors.NewInternalError(errors.New("not now"))
	})
	f.c.revisions = store.NewRevisions(client.CoreV1().Secrets("system"))
	if err := f.lose(t.Context(), f.one, errors.New("a part is missing")); err == nil {
		t.Fatal("nothing fails")
	}
	fail = false
	if err := f.lose(t.Context(), f.one, errors.New("a part is missing")); err != nil {
		t.Fatal(err)
	}
	f.machine.Report(&f.deployment.Status)
	seen := map[int64]bool{}
	for _, each := range f.deployment.Status.Revisions {
		if seen[each.Number] {
			t.Errorf("status has revision %d twice, which the API server refuses", each.Number)
		}
		seen[each.Number] = true
	}
	if len(f.memory.events) != 1 {
		t.Errorf("Events %+v", f.memory.events)
	}
}

func TestMetadataFitsTheStatus(t *testing.T) {
	long := strings.Repeat("9", 1000)
	got := metadataOf(bundle.Metadata{Name: "memo.v1", Version: "1.0.0-" + long, MinKubeVersion: long, MaxOpenShiftVersions: []string{long, "1", "2", "3", "4"}})
	if len(got.Version) > 128 || len(got.MinKubeVersion) > 128 || len(got.MaxOpenShiftVersions) > 4 || len(got.MaxOpenShiftVersions[0]) > 128 {
		t.Errorf("recorded %+v, which the schema refuses, and the whole status with it", got)
	}
	if len(got.MaxOpenShiftVersions) < 2 {
		t.Error("that there was more than one value has to be seen")
	}
}

func TestARevisionIsLoadedOnceAndForgottenWhenItIsDamaged(t *testing.T) {
	f := newFixture(t)
	f.memory.unload(f.one)
	if err := f.loadRevision(t.Context(), f.one); err != nil || !f.one.Loaded || f.one.Objects != 1 || f.memory.sets[1].Len() != 1 {
		t.Fatalf("loaded %v with %d objects, %v", f.one.Loaded, f.one.Objects, err)
	}
	f.memory.unload(f.one)
	f.one.Digest = "sha256:else"
	if err := f.loadRevision(t.Context(), f.one); err != nil || f.one.Loaded || len(f.memory.history.Stored) != 1 || len(f.memory.history.Lost) != 1 {
		t.Errorf("loaded %v, stored %v, lost %v, %v", f.one.Loaded, f.memory.history.Stored, f.memory.history.Lost, err)
	}
	if _, kept := f.memory.sets[1]; kept {
		t.Error("its objects are still in memory")
	}
}
