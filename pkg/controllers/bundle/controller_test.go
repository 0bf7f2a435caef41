package bundle

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/record"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/events"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/background"
	"github.com/openshift/platform-operators/pkg/client/clientset/versioned/fake"
	"github.com/openshift/platform-operators/pkg/client/informers/externalversions"
	"github.com/openshift/platform-operators/pkg/source"
	"github.com/openshift/platform-operators/pkg/store"
)

const digest = "sha256:" + "abababababababababababababababababababababababababababababababab"

// registry is a registry with one bundle. It fails with fault, serves no content if empty is set, or one manifest if flat is set. It opens
// every source as an image in it.
type registry struct {
	fault error
	empty bool
	flat  bool
	// panics makes a fetch panic.
	panics bool
}

func (r registry) Open(spec corev1alpha2.BundleSource, _ source.Namespaces) (source.Opened, error) {
	return source.Opened{Name: spec.Image.Ref, Source: served{registry: r, ref: spec.Image.Ref, secret: spec.Image.PullSecret}}, nil
}

// served is an image in the registry.
type served struct {
	registry    registry
	ref, secret string
}

func (s served) Host() string                   { return "registry.example" }
func (s served) At(pinned string) source.Source { return served{s.registry, pinned, s.secret} }
func (s served) Resolve(context.Context) (source.Pinned, error) {
	return source.Pinned{Reference: "registry.example/" + s.ref + "@" + digest, Digest: digest}, s.registry.fault
}
func (s served) Spec() corev1alpha2.BundleSource {
	return corev1alpha2.BundleSource{Type: corev1alpha2.SourceTypeImage, Image: &corev1alpha2.ImageSource{Ref: s.ref, PullSecret: s.secret}}
}
func (s served) CheckAccess(context.Context) error           { return nil }
func (s served) Verify(context.Context, source.Origin) error { return nil }
func (s served) Fetch(_ context.Context, to source.Target) (source.Origin, error) {
	switch {
	case s.registry.panics:
		panic("index out of range")
	case s.registry.empty:
		return source.Origin{}, nil
	case s.registry.flat:
		return source.Origin{}, os.CopyFS(to.Dir, fstest.MapFS{"manifests/a.yaml": {Data: []byte("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}")}})
	}
	return source.Origin{}, os.CopyFS(to.Dir, os.DirFS(filepath.Join("..", "..", "bundle", "registryv1", "testdata", "bundles", "minimal")))
}

// sent is an Event that was sent. about is the type and the name of its object.
type sent struct{ about, kind, reason, message string }

// eventRecorder is a recorder that sends each Event to a channel. It implements only the method that the controller uses.
type eventRecorder struct {
	record.EventRecorder
	events chan sent
}

func (r eventRecorder) Event(object runtime.Object, kind, reason, message string) {
	r.events <- sent{fmt.Sprintf("%T %s", object, factory.ObjectNameToKey(object)), kind, reason, message}
}

func TestEventsAreOnTheBundle(t *testing.T) {
	events := make(chan sent, 10)
	c := &controller{events: eventRecorder{events: events}}
	before := memo()
	for _, step := range []struct{ reason, message, kind string }{
		{corev1alpha2.ReasonProvisionerNotFound, "No class.", corev1.EventTypeWarning},
		{corev1alpha2.ReasonUnpackFailed, "It cannot be read.", corev1.EventTypeWarning},
		{corev1alpha2.ReasonUnpackSuccessful, "It is read.", corev1.EventTypeNormal},
	} {
		after := before.DeepCopy()
		meta.SetStatusCondition(&after.Status.Conditions, metav1.Condition{Type: corev1alpha2.ConditionUnpacked, Status: metav1.ConditionTrue, Reason: step.reason, Message: step.message})
		c.sendEvent(before, after)
		c.sendEvent(after, after) // nothing has changed
		if got, want := <-events, (sent{"*v1alpha2.Bundle memo", step.kind, step.reason, step.message}); got != want {
			t.Errorf("sent %+v, want %+v", got, want)
		}
		before = after
	}
	if len(events) > 0 {
		t.Errorf("sent %+v beside", <-events)
	}
}

// run runs the controller with a fake API server until the test ends. It returns the client and the watch events of the Bundle.
func run(t *testing.T, sources source.Opener, bundle *corev1alpha2.Bundle, before func(*fake.Clientset)) (*fake.Clientset, <-chan watch.Event) {
	t.Helper()
	client := fake.NewSimpleClientset(bundle)
	if before != nil {
		before(client)
	}
	changes, err := client.CoreV1alpha2().Bundles().Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	clock := clocktesting.NewFakePassiveClock(time.Unix(1000, 0))
	content, err := store.NewContent(store.ContentConfig{Dir: t.TempDir(), Budget: 1 << 30, Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	informers := externalversions.NewSharedInformerFactory(client, 0)
	controller, err := New(t.Context(), Config{
		Client:  client.CoreV1alpha2().Bundles(),
		Bundles: informers.Core().V1alpha2().Bundles(), Classes: informers.Core().V1alpha2().ProvisionerClasses(),
		Content: content, Sources: sources, Fetches: 1,
		BackoffFirst: time.Second, BackoffLast: time.Minute,
		Clock: clock, SyncContext: factory.NewSyncContext(ControllerName, events.NewInMemoryRecorder("test", clock)), Events: record.NewFakeRecorder(100), Tasks: &background.Tasks{},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	informers.Start(ctx.Done())
	go func() {
		controller.Run(ctx, 1)
		close(ended)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	return client, changes.ResultChan()
}

// until waits until the Bundle has a reason, and returns its status. The test fails after 30 seconds.
func until(t *testing.T, changes <-chan watch.Event, reason string) corev1alpha2.BundleStatus {
	t.Helper()
	for {
		select {
		case event := <-changes:
			found, ok := event.Object.(*corev1alpha2.Bundle)
			if !ok {
				continue
			}
			if condition := meta.FindStatusCondition(found.Status.Conditions, corev1alpha2.ConditionUnpacked); condition != nil && condition.Reason == reason {
				return found.Status
			}
		case <-time.After(30 * time.Second):
			t.Fatalf("the Bundle never had reason %s", reason)
		}
	}
}

func memo() *corev1alpha2.Bundle {
	return &corev1alpha2.Bundle{
		ObjectMeta: metav1.ObjectMeta{Name: "memo", UID: "1", Generation: 1},
		Spec: corev1alpha2.BundleSpec{
			ProvisionerClassName: corev1alpha2.ProvisionerClassRegistry,
			Source: corev1alpha2.BundleSource{
				Type: corev1alpha2.SourceTypeImage, Image: &corev1alpha2.ImageSource{Ref: "memo:v1", PullSecret: "robot"},
			},
		},
	}
}

func class(provisioner string) *corev1alpha2.ProvisionerClass {
	return &corev1alpha2.ProvisionerClass{
		ObjectMeta: metav1.ObjectMeta{Name: corev1alpha2.ProvisionerClassRegistry},
		Spec:       corev1alpha2.ProvisionerClassSpec{Provisioner: provisioner},
	}
}

func TestBundleWaitsForItsClassAndIsUnpackedWhenThatAppears(t *testing.T) {
	client, changes := run(t, registry{}, memo(), nil)
	waits := until(t, changes, corev1alpha2.ReasonProvisionerNotFound)
	if waits.Phase != corev1alpha2.BundlePending || waits.Conditions[0].Status != metav1.ConditionUnknown {
		t.Errorf("without its class its status is %+v", waits)
	}
	if _, err := client.CoreV1alpha2().ProvisionerClasses().Create(t.Context(), class(corev1alpha2.ProvisionerRegistry), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	got := until(t, changes, corev1alpha2.ReasonUnpackSuccessful)
	if got.Bytes <= 0 || got.Objects <= 0 {
		t.Errorf("it has %d objects in %d bytes", got.Objects, got.Bytes)
	}
	got.Conditions, got.Bytes, got.Objects = nil, 0, 0
	want := corev1alpha2.BundleStatus{
		ObservedGeneration: 1, Phase: corev1alpha2.BundleUnpacked, Digest: digest, Format: "registry+v1",
		Package: got.Package, Version: got.Version,
		ResolvedSource: &corev1alpha2.BundleSource{
			Type: corev1alpha2.SourceTypeImage, Image: &corev1alpha2.ImageSource{Ref: "registry.example/memo:v1@" + digest, PullSecret: "robot"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" || got.Package == "" || got.Version == "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
}

func TestBundleOfAClassThatNobodyReadsWaits(t *testing.T) {
	_, changes := run(t, registry{}, memo(), func(client *fake.Clientset) {
		if err := client.Tracker().Add(class("core.rukpak.io/helm")); err != nil {
			t.Fatal(err)
		}
	})
	until(t, changes, corev1alpha2.ReasonProvisionerNotFound)
}

func TestBundlesAreReadAsTheirClassSays(t *testing.T) {
	for format, c := range map[string]struct {
		images      registry
		provisioner string
		refused     string
	}{
		"plain+v0":    {registry{flat: true}, corev1alpha2.ProvisionerPlain, ""},
		"registry+v1": {registry{}, corev1alpha2.ProvisionerPlain, `the provisioner class reads only "plain+v0". Delete the Bundle and create it again with "core-rukpak-io-registry" in spec.provisionerClassName`},
	} {
		t.Run(format, func(t *testing.T) {
			_, changes := run(t, c.images, memo(), func(client *fake.Clientset) {
				if err := client.Tracker().Add(class(c.provisioner)); err != nil {
					t.Fatal(err)
				}
			})
			if c.refused != "" {
				if got := until(t, changes, corev1alpha2.ReasonUnpackFailed); !strings.Contains(got.Conditions[0].Message, c.refused) {
					t.Errorf("the message is %s", got.Conditions[0].Message)
				}
				return
			}
			if got := until(t, changes, corev1alpha2.ReasonUnpackSuccessful); got.Format != format || got.Objects != 1 || got.Package != "" {
				t.Errorf("status is %+v", got)
			}
		})
	}
}

func TestBundleThatCannotBeReadSaysWhy(t *testing.T) {
	cases := map[string]struct {
		images registry
		want   string
	}{
		"a registry that is down":   {registry{fault: errors.New("registry down")}, "registry down."},
		"content that is no bundle": {registry{empty: true}, "metadata/annotations.yaml"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, changes := run(t, c.images, memo(), func(client *fake.Clientset) {
				if err := client.Tracker().Add(class(corev1alpha2.ProvisionerRegistry)); err != nil {
					t.Fatal(err)
				}
			})
			got := until(t, changes, corev1alpha2.ReasonUnpackFailed)
			if got.Phase != corev1alpha2.BundleFailing || !strings.Contains(got.Conditions[0].Message, c.want) {
				t.Errorf("status is %+v, want a message with %q", got, c.want)
			}
		})
	}
}

func TestABundleThatSetsOffAPanicIsToldSo(t *testing.T) {
	_, changes := run(t, registry{panics: true}, memo(), func(client *fake.Clientset) {
		if err := client.Tracker().Add(class(corev1alpha2.ProvisionerRegistry)); err != nil {
			t.Fatal(err)
		}
	})
	status := until(t, changes, corev1alpha2.ReasonUnpackFailed)
	message := meta.FindStatusCondition(status.Conditions, corev1alpha2.ConditionUnpacked).Message
	if status.Phase != corev1alpha2.BundleFailing || !strings.Contains(message, "index out of range") || !strings.Contains(message, "log") {
		t.Errorf("phase %q: %q", status.Phase, message)
	}
}

func TestABundleOfASourceThatIsNotReadSaysSo(t *testing.T) {
	_, changes := run(t, source.Types{}, memo(), func(client *fake.Clientset) {
		if err := client.Tracker().Add(class(corev1alpha2.ProvisionerRegistry)); err != nil {
			t.Fatal(err)
		}
	})
	if got := until(t, changes, corev1alpha2.ReasonUnpackFailed); got.Phase != corev1alpha2.BundleFailing || !strings.Contains(got.Conditions[0].Message, `type "image"`) {
		t.Errorf("status is %+v", got)
	}
}
