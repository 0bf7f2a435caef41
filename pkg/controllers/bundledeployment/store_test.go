package bundledeployment

import (
	"errors"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/revisions"
	"github.com/openshift/platform-operators/pkg/store"
	"github.com/openshift/platform-operators/pkg/unpack"
)

// exceedQuota makes the API server reject new Secrets for stored revisions until lift is called. tries returns the number of attempts.
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
	poll := unpack.Request{Known: f.two.Resolved}
	moved := &unpack.Rendering{Resolved: "r/memo@sha256:3", Objects: rendered("y")}
	take := func() {
		t.Helper()
		if err := f.takePoll(t.Context(), f.two, poll, moved); err != nil || f.machine.Desired() != f.two || f.fault != nil {
			t.Fatalf("error %v, fault %v, desired is %s: the active revision is not kept", err, f.fault, f.machine.Desired())
		}
	}
	for range 10 { // each event causes a sync
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
	large := f.revisionOf(&unpack.Rendering{Resolved: "r/memo@sha256:3", Objects: rendered("y")})
	if stored, _, err := f.storeNew(t.Context(), unpack.Request{Namespace: "one"}, large); stored != nil || err != nil {
		t.Fatalf("stored %v, %v", stored, err)
	}
	lift()
	if stored, _, err := f.storeNew(t.Context(), unpack.Request{Namespace: "two"}, large); stored == nil || err != nil {
		t.Errorf("stored %v, %v", stored, err)
	}
}

func TestALostRevisionIsReportedOnceHoweverOftenItsRestCannotBeDeleted(t *testing.T) {
	f := newFixture(t)
	client := fake.NewClientset()
	f.c.revisions = store.NewRevisions(client.CoreV1().Secrets("system"))
	if err := f.c.revisions.Save(t.Context(), revisions.OwnerOf(f.deployment), &store.Revision{Header: f.one.Header, Objects: rendered("1.0.0")}); err != nil {
		t.Fatal(err)
	}
	f.memory.sets.Unload(f.one)
	f.one.Digest = "sha256:else"
	fail := true
	client.PrependReactor("delete", "secrets", func(clienttesting.Action) (bool, runtime.Object, error) {
		return fail, nil, apierrors.NewInternalError(errors.New("not now"))
	})
	if err := f.loadRevision(t.Context(), f.one); err == nil || len(f.memory.events) != 0 {
		t.Fatalf("error %v, Events %+v", err, f.memory.events)
	}
	fail = false
	if err := f.loadRevision(t.Context(), f.one); err != nil {
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

func TestARevisionIsLoadedOnceAndForgottenWhenItIsDamaged(t *testing.T) {
	f := newFixture(t)
	f.memory.sets.Unload(f.one)
	if err := f.loadRevision(t.Context(), f.one); err != nil || !f.one.Loaded || f.one.Objects != 1 || f.memory.sets[1].Len() != 1 {
		t.Fatalf("loaded %v with %d objects, %v", f.one.Loaded, f.one.Objects, err)
	}
	f.memory.sets.Unload(f.one)
	f.one.Digest = "sha256:else"
	if err := f.loadRevision(t.Context(), f.one); err != nil || f.one.Loaded || len(f.memory.history.Stored) != 1 || len(f.memory.history.Lost) != 1 {
		t.Errorf("loaded %v, stored %v, lost %v, %v", f.one.Loaded, f.memory.history.Stored, f.memory.history.Lost, err)
	}
	if _, kept := f.memory.sets[1]; kept {
		t.Error("its objects are still in memory")
	}
}

func TestStoredContentOfNoRevisionIsDeletedOnce(t *testing.T) {
	f := settledFixture(t)
	client := fake.NewClientset()
	f.c.revisions = store.NewRevisions(client.CoreV1().Secrets("system"))
	for _, number := range []int64{f.two.Number, 7} {
		stored := &store.Revision{Header: store.Header{Number: number}, Objects: rendered("x")}
		if err := f.c.revisions.Save(t.Context(), revisions.OwnerOf(f.deployment), stored); err != nil {
			t.Fatal(err)
		}
	}
	if err := client.CoreV1().Secrets("system").Delete(t.Context(), "revision."+f.deployment.Name+".r7", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	f.memory.history.Remove(f.one.Number)
	f.decide(t)
	list, err := client.CoreV1().Secrets("system").List(t.Context(), metav1.ListOptions{})
	if err != nil || len(list.Items) != 2 {
		t.Errorf("%d Secrets are there, want the index and the part of revision %d; %v", len(list.Items), f.two.Number, err)
	}
	client.ClearActions()
	f.decide(t)
	if asked := client.Actions(); len(asked) != 0 {
		t.Errorf("asked again: %v", asked)
	}
}
