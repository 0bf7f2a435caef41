package bundledeployment

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/attempt"
	"github.com/openshift/platform-operators/pkg/background"
	"github.com/openshift/platform-operators/pkg/revision"
	"github.com/openshift/platform-operators/pkg/revisions"
	"github.com/openshift/platform-operators/pkg/source"
	"github.com/openshift/platform-operators/pkg/store"
	"github.com/openshift/platform-operators/pkg/unpack"
)

// renderWith makes the fetches of a fixture call render. The result waits until all fetches have ended.
func renderWith(t *testing.T, f *fixture, render func(unpack.Request) (*unpack.Rendering, error)) (wait func()) {
	t.Helper()
	tasks := &background.Tasks{}
	var err error
	f.c.fetches, err = source.NewJobs(t.Context(), source.JobsConfig[unpack.Request, unpack.Rendering]{
		PerHost: 1, Total: 1, Backoff: f.c.backoff, Clock: f.clock, Tasks: tasks, Done: func(string) {},
		Host: func(unpack.Request) string { return "" },
		Do:   func(_ context.Context, request unpack.Request) (*unpack.Rendering, error) { return render(request) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		if err := tasks.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// storeRevisions stores the fixture's revisions with a new client, which it returns.
func storeRevisions(t *testing.T, f *fixture) *fake.Clientset {
	t.Helper()
	client := fake.NewClientset()
	f.c.revisions = store.NewRevisions(client.CoreV1().Secrets("system"))
	for _, each := range f.memory.history.Stored {
		saved := &store.Revision{Header: each.Header, Objects: rendered(each.Bundle.Version)}
		if err := f.c.revisions.Save(t.Context(), revisions.OwnerOf(f.deployment), saved); err != nil {
			t.Fatal(err)
		}
		each.Header = saved.Header
	}
	return client
}

// rolledBackFixture returns a fixture whose revision 2 was rolled back to revision 1.
func rolledBackFixture(t *testing.T) *fixture {
	t.Helper()
	f := newFixture(t)
	f.two.Stored, f.two.Pruned, f.two.FailedGeneration = corev1alpha2.RevisionFailed, true, 3
	f.two.FailedAttempt, f.two.FailureMessage = attempt.Of(f.deployment), "Revision 2 was slow"
	f.before.Status.ObservedGeneration = 3
	f.before.Status.Revisions = []corev1alpha2.Revision{
		{Number: 1, State: corev1alpha2.RevisionActive}, {Number: 2, State: corev1alpha2.RevisionFailed, Presence: corev1alpha2.Absent},
	}
	f.before.Status.Conditions = []metav1.Condition{{
		Type: corev1alpha2.ConditionProgressing, Status: metav1.ConditionFalse, Reason: corev1alpha2.ReasonDeadlineExceeded, ObservedGeneration: 3,
	}}
	f.engine.report = apply.Report{Total: 1, Ready: 1, Complete: true}
	f.deployment = f.before.DeepCopy()
	return f
}

func TestHRD_U5_ALostStoredCopyIsRestoredFromTheRecordedContentOnly(t *testing.T) {
	for name, test := range map[string]struct {
		// lost is the number of the revision whose Secrets are deleted, and unloaded is true if its objects are not in memory.
		lost     int64
		unloaded bool
		objects  string
		err      error
		config   string
		// want is a part of the Progressing condition's message; empty if the revision is stored again.
		want string
	}{
		"the active revision after a rollback":       {lost: 1, objects: "1.0.0"},
		"the active revision, with another renderer": {lost: 1, objects: "else", want: "this manager renders other objects from its source"},
		"the active revision, with an unread source": {lost: 1, err: errors.New("503"), want: "503"},
		"the active revision, with another config": {lost: 1, objects: "1.0.0", config: "sha256:else",
			want: "another configuration. It is stored again when the spec has the former configuration; restore its Secrets from a backup, "},
		"the failed revision":                         {lost: 2, objects: "2.0.0"},
		"the failed revision, when it is not loaded":  {lost: 2, unloaded: true, objects: "2.0.0"},
		"the failed revision, with another renderer":  {lost: 2, objects: "else", want: "this manager renders other objects from its source"},
		"the failed revision, with an unread source":  {lost: 2, err: errors.New("503"), want: "503"},
		"the failed revision, not loaded, and unread": {lost: 2, unloaded: true, err: errors.New("503"), want: "503"},
	} {
		t.Run(name, func(t *testing.T) {
			f := rolledBackFixture(t)
			client := storeRevisions(t, f)
			f.recordRevisions(t)
			lost := f.memory.history.Stored[test.lost-1]
			if test.unloaded {
				f.memory.sets.Unload(lost)
			}
			if test.config != "" {
				lost.Config = test.config
			}
			wait := renderWith(t, f, func(request unpack.Request) (*unpack.Rendering, error) {
				if request.Source != named(lost.Resolved) || request.Known != "" {
					return nil, errors.New("an unexpected request")
				}
				return &unpack.Rendering{Resolved: lost.Resolved, Objects: rendered(test.objects)}, test.err
			})
			if err := f.c.revisions.Delete(t.Context(), revisions.OwnerOf(f.deployment), lost.Header); err != nil {
				t.Fatal(err)
			}
			f.c.markChanged("memo", test.lost)
			if _, err := checkStored(t.Context(), f.reconciliation); err != nil || lost.Unstored == nil {
				t.Fatalf("the loss is not noticed: %v", err)
			}
			for range 3 {
				f.decide(t)
				wait()
			}
			secrets, err := client.CoreV1().Secrets("system").List(t.Context(), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if restored := len(secrets.Items) == 4; restored != (test.want == "") || restored != (lost.Unstored == nil) {
				t.Errorf("%d Secrets are there, and the revision is not stored because of %v", len(secrets.Items), lost.Unstored)
			}
			if f.machine.Newest() != f.two || f.machine.Active() != f.one || len(f.memory.history.Stored) != 2 {
				t.Errorf("%s is the newest of %d, and %s is active", f.machine.Newest(), len(f.memory.history.Stored), f.machine.Active())
			}
			progressing := conditionOf(t, f.deployment, corev1alpha2.ConditionProgressing)
			if progressing.Reason != corev1alpha2.ReasonDeadlineExceeded || !strings.Contains(progressing.Message, test.want) || strings.Contains(progressing.Message, "stored copy") != (test.want != "") {
				t.Errorf("Progressing is %s: %s", progressing.Reason, progressing.Message)
			}
		})
	}
}

func TestARevisionWhoseStoredCopyIsLostIsNotRenderedAgainAsAnotherOne(t *testing.T) {
	f := settledFixture(t)
	f.two.Renderer, f.two.Unstored = "earlier", errors.New("lost")
	if _, due := f.dueRendering(f.two); due {
		t.Error("the rendering of this manager replaces a revision that is not stored")
	}
}

// deleteStoredCopy deletes the Secrets of a revision, and returns a function that brings them back, as from a backup.
func deleteStoredCopy(t *testing.T, f *fixture, client *fake.Clientset, lost *revision.Revision) (bringBack func(change func(*corev1.Secret))) {
	t.Helper()
	secrets := client.CoreV1().Secrets("system")
	all, err := secrets.List(t.Context(), metav1.ListOptions{LabelSelector: fmt.Sprintf("%s=%d", store.LabelNumber, lost.Number)})
	if err != nil || len(all.Items) != 2 {
		t.Fatalf("%d Secrets, %v", len(all.Items), err)
	}
	for _, each := range all.Items {
		if err := secrets.Delete(t.Context(), each.Name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	f.c.markChanged("memo", lost.Number)
	if _, err := checkStored(t.Context(), f.reconciliation); err != nil || lost.Unstored == nil {
		t.Fatalf("the loss is not noticed: %v", err)
	}
	return func(change func(*corev1.Secret)) {
		t.Helper()
		for _, each := range all.Items {
			change(&each)
			if _, err := secrets.Create(t.Context(), &each, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			f.c.markChanged("memo", lost.Number)
			if _, err := checkStored(t.Context(), f.reconciliation); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestHRD_U5_AStoredCopyThatIsBroughtBackIsNoticed(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*corev1.Secret)
		want   string
	}{
		"as it was":          {func(*corev1.Secret) {}, corev1alpha2.ReasonAsExpected},
		"with other objects": {func(s *corev1.Secret) { s.Data["objects.jsonl.gz.part"] = []byte("else") }, corev1alpha2.ReasonBlocked},
	} {
		t.Run(name, func(t *testing.T) {
			f := settledFixture(t)
			client := storeRevisions(t, f)
			f.two.Renderer = registryRenderer
			renderWith(t, f, func(unpack.Request) (*unpack.Rendering, error) { return nil, errors.New("503") })
			bringBack := deleteStoredCopy(t, f, client, f.two)
			f.decide(t)
			if progressing := conditionOf(t, f.deployment, corev1alpha2.ConditionProgressing); progressing.Reason != corev1alpha2.ReasonBlocked {
				t.Fatalf("Progressing is %s: %s", progressing.Reason, progressing.Message)
			}
			bringBack(test.change)
			f.decide(t)
			if progressing := conditionOf(t, f.deployment, corev1alpha2.ConditionProgressing); progressing.Reason != test.want {
				t.Errorf("Progressing is %s: %s", progressing.Reason, progressing.Message)
			}
			isBack := false
			for _, each := range f.memory.events {
				isBack = isBack || each.Reason == corev1alpha2.EventRevisionRestored
			}
			if isBack != (test.want == corev1alpha2.ReasonAsExpected) {
				t.Errorf("Events %+v", f.memory.events)
			}
		})
	}
}

func TestHRD_U5_ADeletionOfTheManagerIsNoLossIfItFailsHalfway(t *testing.T) {
	for name, remove := range map[string]func(*testing.T, *fixture) error{
		"of a surplus revision": func(t *testing.T, f *fixture) error { return f.revisions().Delete(t.Context(), f.one) },
		"of a damaged revision": func(t *testing.T, f *fixture) error {
			f.memory.sets.Unload(f.one)
			f.one.Digest = "sha256:else"
			err := f.loadRevision(t.Context(), f.one)
			f.one.Loaded = true // another sync has loaded it before
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			client := storeRevisions(t, f)
			deletions := 0
			client.PrependReactor("delete", "secrets", func(clienttesting.Action) (bool, runtime.Object, error) {
				deletions++
				return deletions == 2, nil, apierrors.NewInternalError(errors.New("not now"))
			})
			if err := remove(t, f); err == nil {
				t.Fatal("the second deletion does not fail")
			}
			f.c.markChanged("memo", f.one.Number)
			if _, err := checkStored(t.Context(), f.reconciliation); err != nil || f.one.Unstored != nil || len(f.memory.events) > 0 {
				t.Errorf("error %v, lost because of %v, Events %+v", err, f.one.Unstored, f.memory.events)
			}
		})
	}
}

func TestRepairGoesOnWhileAChangedStoredRevisionCannotBeRead(t *testing.T) {
	f := settledFixture(t)
	client := storeRevisions(t, f)
	refusal := apierrors.NewForbidden(corev1.Resource("secrets"), "revision.memo.r2", errors.New("the Role was edited"))
	isRefused := true
	client.PrependReactor("get", "secrets", func(clienttesting.Action) (bool, runtime.Object, error) { return isRefused, nil, refusal })
	f.c.markChanged("memo", f.two.Number)
	if err := f.syncs(t, 2); !errors.Is(err, refusal) || f.engine.applied == 0 {
		t.Errorf("applied %d times, error %v", f.engine.applied, err)
	}
	live, err := f.c.client.Get(t.Context(), "memo", metav1.GetOptions{})
	if err != nil || len(live.Status.Conditions) == 0 {
		t.Errorf("the status is not written: %v, %v", live.Status, err)
	}
	isRefused = false
	if err := f.syncs(t, 1); err != nil || f.two.Unstored != nil || len(f.c.takeChanged("memo")) > 0 {
		t.Errorf("when it can be read again, the error is %v, and it is not stored because of %v", err, f.two.Unstored)
	}
}

func TestAChangeOfASecretWhileNoManagerRanIsNoticedWhenTheRevisionIsLoaded(t *testing.T) {
	for name, change := range map[string]func(*corev1.Secret){
		"its labels are changed": func(s *corev1.Secret) { delete(s.Labels, store.LabelNumber) },
		"it is mutable":          func(s *corev1.Secret) { s.Immutable = nil },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			secrets := storeRevisions(t, f).CoreV1().Secrets("system")
			part, err := secrets.Get(t.Context(), "revision.memo.r1.p0", metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			change(part)
			if _, err := secrets.Update(t.Context(), part, metav1.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
			f.c.revisions = store.NewRevisions(secrets) // of the next process
			f.memory.sets.Unload(f.one)
			load := executors[revision.Load].run
			if err := load(f.reconciliation, t.Context(), revision.Action{Revision: f.one}); err != nil || !f.one.Loaded || f.one.Unstored == nil {
				t.Errorf("error %v, loaded: %t, not stored because of %v", err, f.one.Loaded, f.one.Unstored)
			}
		})
	}
}
