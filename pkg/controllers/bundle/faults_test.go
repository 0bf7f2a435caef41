package bundle

import (
	"context"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	clocktesting "k8s.io/utils/clock/testing"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/client/clientset/versioned/fake"
	"github.com/openshift/platform-operators/pkg/source/image"
	"github.com/openshift/platform-operators/pkg/store"
)

// hostile is an image that sets off a fault of the program.
type hostile struct{ registry }

func (hostile) Unpack(context.Context, image.Source, image.Target) error { panic("index out of range") }

func TestABundleThatSetsOffAPanicIsToldSo(t *testing.T) {
	_, changes := run(t, hostile{}, memo(), func(client *fake.Clientset) {
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

// brokenDisk gives files that cannot be read.
type brokenDisk struct{}

func (brokenDisk) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.EIO}
}

func TestADiskFaultIsNotToldToWhoeverMakesTheBundle(t *testing.T) {
	for _, format := range []string{corev1alpha2.FormatRegistryV1, corev1alpha2.FormatPlainV0} {
		err := (&contents{format: format}).read(brokenDisk{})
		if err == nil || strings.Contains(err.Error(), "whoever makes the bundle") {
			t.Errorf("%s: got %v", format, err)
		}
	}
}

func TestABundleWhoseContentWasRemovedIsFetchedAgain(t *testing.T) {
	dir := t.TempDir()
	content, err := store.NewContent(store.ContentConfig{Dir: dir, Budget: 1 << 30, Clock: clocktesting.NewFakePassiveClock(time.Unix(1000, 0))})
	if err != nil {
		t.Fatal(err)
	}
	reading := reader{images: registry{}, content: content}
	first, err := reading.read(t.Context(), wish{source: image.Source{Ref: "memo"}, format: corev1alpha2.FormatRegistryV1})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	again, err := reading.read(t.Context(), wish{source: image.Source{Ref: "memo"}, format: corev1alpha2.FormatRegistryV1})
	if err != nil || again.bytes != first.bytes || again.objects != first.objects {
		t.Errorf("got %+v, %v; want what was there before, %+v", again, err, first)
	}
}
