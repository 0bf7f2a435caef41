package bundledeployment

import (
	"errors"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/unpack"
)

// restored runs syncs, with a time between them, until all fetches have ended.
func restored(t *testing.T, f *fixture, wait func(), count int, after time.Duration) {
	t.Helper()
	for range count {
		f.clock.SetTime(f.clock.Now().Add(after))
		f.decide(t)
		wait()
	}
}

func TestTheRemedyOfALostStoredCopyFitsItsCause(t *testing.T) {
	for name, test := range map[string]struct {
		rendering *unpack.Rendering
		err       error
		want      string
	}{
		"the source cannot be read": {err: errors.New("503"), want: "It is stored again when its source can be read. Make the source readable; "},
		"other objects are rendered": {rendering: &unpack.Rendering{Objects: rendered("else")},
			want: "It is stored again when this manager renders the same objects. Restore its Secrets from a backup; "},
		"the bundle cannot be rendered": {rendering: &unpack.Rendering{Invalid: errors.New("no objects")},
			want: "no objects. It is stored again when this manager can render it. Restore its Secrets from a backup; "},
		"nothing issues certificates": {rendering: &unpack.Rendering{Invalid: bundle.ErrNoCertificates},
			want: "It is stored again when a component of the cluster issues certificates. Install cert-manager; "},
	} {
		t.Run(name, func(t *testing.T) {
			f := settledFixture(t)
			client := storeRevisions(t, f)
			f.two.Renderer = registryRenderer
			wait := renderWith(t, f, func(unpack.Request) (*unpack.Rendering, error) {
				if test.rendering != nil {
					test.rendering.Resolved = f.two.Resolved
				}
				return test.rendering, test.err
			})
			deleteStoredCopy(t, f, client, f.two)
			restored(t, f, wait, 3, 0)
			got := conditionOf(t, f.deployment, corev1alpha2.ConditionProgressing)
			if got.Reason != corev1alpha2.ReasonBlocked || !strings.Contains(got.Message, test.want) {
				t.Errorf("Progressing is %s: %s", got.Reason, got.Message)
			}
		})
	}
}

func TestALostStoredCopyIsRestoredWhenWhatPreventedItIsGone(t *testing.T) {
	for name, first := range map[string]*unpack.Rendering{
		"other objects were rendered":      {Objects: rendered("else")},
		"the bundle could not be rendered": {Invalid: errors.New("no objects")},
		"nothing issued certificates":      {Invalid: bundle.ErrNoCertificates},
	} {
		t.Run(name, func(t *testing.T) {
			f := settledFixture(t)
			client := storeRevisions(t, f)
			f.recordRevisions(t)
			f.two.Renderer, first.Resolved = registryRenderer, f.two.Resolved
			renderings, isGone := 0, false
			wait := renderWith(t, f, func(unpack.Request) (*unpack.Rendering, error) {
				if renderings++; !isGone {
					return first, nil
				}
				return &unpack.Rendering{Resolved: f.two.Resolved, Objects: rendered("2.0.0")}, nil
			})
			deleteStoredCopy(t, f, client, f.two)
			restored(t, f, wait, 5, 0)
			if renderings != 1 || f.retryAfter == 0 {
				t.Errorf("it is rendered %d times at once, and the next sync is in %s", renderings, f.retryAfter)
			}
			isGone, f.c.certificates = true, provider("service-ca")
			restored(t, f, wait, 3, time.Hour)
			if f.two.Unstored != nil || renderings != 2 {
				t.Errorf("after %d renderings, it is not stored because of %v", renderings, f.two.Unstored)
			}
		})
	}
}

func TestALostStoredCopyIsRestoredOnlyIfTheAPIServersStatusListsTheRevision(t *testing.T) {
	for name, other := range map[string]func(live *corev1alpha2.BundleDeployment){
		"a backup from before the revision was restored": func(live *corev1alpha2.BundleDeployment) { live.Status.Revisions = live.Status.Revisions[:1] },
		"its number has other objects":                   func(live *corev1alpha2.BundleDeployment) { live.Status.Revisions[1].Digest = "sha256:else" },
		"the BundleDeployment was replaced":              func(live *corev1alpha2.BundleDeployment) { live.UID = "next" },
	} {
		t.Run(name, func(t *testing.T) {
			f := settledFixture(t)
			client := storeRevisions(t, f)
			f.two.Renderer = registryRenderer
			wait := renderWith(t, f, func(unpack.Request) (*unpack.Rendering, error) {
				return &unpack.Rendering{Resolved: f.two.Resolved, Objects: rendered("2.0.0")}, nil
			})
			f.recordRevisions(t)
			present, err := f.api.CoreV1alpha2().BundleDeployments().Get(t.Context(), "memo", metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			live := present.DeepCopy()
			other(live)
			if _, err := f.api.CoreV1alpha2().BundleDeployments().UpdateStatus(t.Context(), live, metav1.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
			deleteStoredCopy(t, f, client, f.two)
			restored(t, f, wait, 3, time.Hour)
			if f.two.Unstored == nil {
				t.Error("it is stored")
			}
			f.recordRevisions(t)
			restored(t, f, wait, 1, time.Hour)
			if f.two.Unstored != nil {
				t.Errorf("when the status lists it, it is not stored because of %v", f.two.Unstored)
			}
		})
	}
}

func TestTheRenderingOfALostRevisionIsNotKeptWhenItIsNotRestoredAnyMore(t *testing.T) {
	f := settledFixture(t)
	client := storeRevisions(t, f)
	f.two.Renderer = registryRenderer
	wait := renderWith(t, f, func(unpack.Request) (*unpack.Rendering, error) {
		return &unpack.Rendering{Resolved: f.two.Resolved, Objects: rendered("2.0.0")}, nil
	})
	deleteStoredCopy(t, f, client, f.two)
	f.decide(t)
	wait()
	request := f.requestFrom(f.source.opened.Source.At(f.two.Resolved))
	job := restoreJob("memo", f.two.Number)
	if f.c.fetches.Request(job, request).Result == nil {
		t.Fatal("it is not rendered")
	}
	f.two.Unstored = nil // as if an admin had restored its Secrets
	f.decide(t)
	if f.c.fetches.Request(job, request).Result != nil {
		t.Error("the objects stay in memory")
	}
	wait()
}

func TestALostRevisionThatThisManagerRendersToOtherObjectsIsReplacedByAnotherRevision(t *testing.T) {
	f := settledFixture(t)
	client := storeRevisions(t, f)
	f.two.Renderer = "earlier"
	wait := renderWith(t, f, func(unpack.Request) (*unpack.Rendering, error) {
		return &unpack.Rendering{Resolved: f.two.Resolved, Objects: rendered("else")}, nil
	})
	deleteStoredCopy(t, f, client, f.two)
	restored(t, f, wait, 4, time.Second)
	if newest := f.machine.Newest(); newest.Number != 3 || newest.Unstored != nil {
		t.Errorf("%s is the newest, and is not stored because of %v", newest, newest.Unstored)
	}
}
