package applyconfiguration

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/kubernetes/fake"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/openshift/library-go/pkg/operator/events"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// noon is the time of the runs.
var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// recorded returns the Events that record creates at a time.
func recorded(t *testing.T, now time.Time, record func(recorder)) []corev1.Event {
	t.Helper()
	client := fake.NewClientset()
	about := &corev1.ObjectReference{APIVersion: "v1", Kind: "Namespace", Name: "manager", Namespace: "manager"}
	record(recorder{ctx: t.Context(), client: client.CoreV1(), clock: frozenClock{now: now}, component: "test", involved: about})
	list, err := client.CoreV1().Events("").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return list.Items
}

// nameOf returns the name of the only Event that record creates at a time.
func nameOf(t *testing.T, now time.Time, record func(recorder)) string {
	t.Helper()
	all := recorded(t, now, record)
	if len(all) != 1 {
		t.Fatalf("%d Events", len(all))
	}
	return all[0].Name
}

func operatorNamed(name string) *platformv1alpha1.PlatformOperator {
	return &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

func TestTheNameOfAnEventDependsOnItsContentOnly(t *testing.T) {
	event := func(object runtime.Object, eventType, reason, message string) func(recorder) {
		return func(r recorder) { r.Event(object, eventType, reason, message) }
	}
	memo := event(operatorNamed("memo"), "Normal", "Installed", "version 1")
	want := nameOf(t, noon, memo)
	if !strings.HasPrefix(want, "memo.") || len(want) != len("memo.")+16 || len(validation.IsDNS1123Subdomain(want)) > 0 {
		t.Errorf("the name is %q", want)
	}
	for name, got := range map[string]string{
		"again":       nameOf(t, noon, memo),
		"at midnight": nameOf(t, noon.Add(12*time.Hour), memo),
		"after another": recorded(t, noon, func(r recorder) {
			memo(r)
			r.Event(operatorNamed("zzz"), "Normal", "A", "b")
		})[0].Name,
		"with a format": nameOf(t, noon, func(r recorder) {
			r.Eventf(operatorNamed("memo"), "Normal", "Installed", "version %d", 1)
		}),
		"with annotations": nameOf(t, noon, func(r recorder) {
			r.AnnotatedEventf(operatorNamed("memo"), map[string]string{"a": "b"}, "Normal", "Installed", "version %d", 1)
		}),
		"of an object with a UID": nameOf(t, noon, event(&platformv1alpha1.PlatformOperator{
			ObjectMeta: metav1.ObjectMeta{Name: "memo", UID: "1", ResourceVersion: "7"}}, "Normal", "Installed", "version 1")),
	} {
		if got != want {
			t.Errorf("%s: the name is %q, want %q", name, got, want)
		}
	}
	deployment := &corev1alpha2.BundleDeployment{ObjectMeta: metav1.ObjectMeta{Name: "memo"}}
	seen := map[string]string{want: "the first one"}
	for name, record := range map[string]func(recorder){
		"another object":       event(operatorNamed("diary"), "Normal", "Installed", "version 1"),
		"another kind":         event(deployment, "Normal", "Installed", "version 1"),
		"another type":         event(operatorNamed("memo"), "Warning", "Installed", "version 1"),
		"another reason":       event(operatorNamed("memo"), "Normal", "Upgraded", "version 1"),
		"another message":      event(operatorNamed("memo"), "Normal", "Installed", "version 2"),
		"another reason's end": event(operatorNamed("memo"), "Normal", "Installedversion", " 1"),
	} {
		got := nameOf(t, noon, record)
		if other, isKnown := seen[got]; isKnown {
			t.Errorf("%s has the name of %s, %q", name, other, got)
		}
		seen[got] = name
	}
}

func TestAnEventIsAboutItsObjectAtTheTimeOfTheRun(t *testing.T) {
	about := corev1.ObjectReference{APIVersion: "platform.openshift.io/v1alpha1", Kind: "PlatformOperator", Name: "memo"}
	manager := corev1.ObjectReference{APIVersion: "v1", Kind: "Namespace", Name: "manager", Namespace: "manager"}
	event := func(namespace string, about corev1.ObjectReference, eventType, message, component string) corev1.Event {
		now := metav1.NewTime(noon)
		return corev1.Event{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace}, InvolvedObject: about, Type: eventType, Reason: "Reason", Message: message,
			Source: corev1.EventSource{Component: component}, FirstTimestamp: now, LastTimestamp: now, Count: 1,
		}
	}
	managed := func(r recorder) events.Recorder { return managerRecorder{r} }
	for name, test := range map[string]struct {
		record func(recorder)
		want   []corev1.Event
	}{
		"of a cluster-scoped object": {
			func(r recorder) { r.Event(operatorNamed("memo"), "Normal", "Reason", "text") },
			[]corev1.Event{event("default", about, "Normal", "text", "test")}},
		"of an object of another component, which has none": {func(r recorder) { r.Event(&corev1.Namespace{}, "Normal", "Reason", "text") }, nil},
		"that was created before": {
			func(r recorder) {
				for range 2 {
					r.Event(operatorNamed("memo"), "Normal", "Reason", "text")
				}
			}, []corev1.Event{event("default", about, "Normal", "text", "test")}},
		"of the manager": {
			func(r recorder) { managed(r).Eventf("Reason", "text %d", 1) },
			[]corev1.Event{event("manager", manager, "Normal", "text 1", "test")}},
		"that warns of the manager": {
			func(r recorder) { managed(r).Warningf("Reason", "text %d", 1) },
			[]corev1.Event{event("manager", manager, "Warning", "text 1", "test")}},
		"of a part of the manager": {
			func(r recorder) { managed(r).WithComponentSuffix("part").Event("Reason", "text") },
			[]corev1.Event{event("manager", manager, "Normal", "text", "test-part")}},
		"of another component": {
			func(r recorder) { managed(r).ForComponent("other").WithContext(t.Context()).Warning("Reason", "text") },
			[]corev1.Event{event("manager", manager, "Warning", "text", "other")}},
	} {
		t.Run(name, func(t *testing.T) {
			got := recorded(t, noon, test.record)
			for i := range got {
				// Another test is about the name, and the fake sets the others.
				got[i].Name, got[i].TypeMeta, got[i].ManagedFields = "", metav1.TypeMeta{}, nil
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// contextual is a client of Events that records the contexts of requests.
type contextual struct {
	corev1client.EventInterface
	contexts []context.Context
}

// Events implements corev1client.EventsGetter.
func (c *contextual) Events(string) corev1client.EventInterface { return c }

// Create implements corev1client.EventInterface.
func (c *contextual) Create(ctx context.Context, event *corev1.Event, _ metav1.CreateOptions) (*corev1.Event, error) {
	c.contexts = append(c.contexts, ctx)
	return event, nil
}

func TestARecorderWithAContextCreatesItsEventsWithIt(t *testing.T) {
	client, about := &contextual{}, &corev1.ObjectReference{Name: "x"}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	made := managerRecorder{recorder{ctx: t.Context(), client: client, clock: frozenClock{now: noon}, involved: about}}
	made.WithContext(ctx).Event("Reason", "text")
	made.Event("Reason", "text")
	if len(client.contexts) != 2 || client.contexts[0] != ctx || client.contexts[1] != t.Context() {
		t.Errorf("got contexts %v", client.contexts)
	}
}

func TestTheClockOfARunShowsOneTime(t *testing.T) {
	clock := frozenClock{now: noon}
	if got := clock.Now(); !got.Equal(noon) {
		t.Errorf("it is %s", got)
	}
	if got := clock.Since(noon.Add(-time.Hour)); got != time.Hour {
		t.Errorf("since an hour ago, %s have passed", got)
	}
	timer := clock.NewTimer(time.Nanosecond)
	defer timer.Stop()
	<-timer.C() // what waits goes on, although the time stands still
	if got := clock.Now(); !got.Equal(noon) {
		t.Errorf("after a timer it is %s", got)
	}
}
