package bundledeployment

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/bundle/registryv1"
	"github.com/openshift/platform-operators/pkg/source"
	"github.com/openshift/platform-operators/pkg/source/image"
	"github.com/openshift/platform-operators/pkg/store"
)

func TestFetchesWakeUpWhoAsked(t *testing.T) {
	woken := make(chan string)
	fault := errors.New("registry down")
	asked, err := newFetches(t.Context(), fetchConfig{
		slots: 1, backoff: source.Backoff{First: 5 * time.Second, Last: 5 * time.Minute},
		clock: clocktesting.NewFakePassiveClock(time.Unix(1000, 0)),
		done:  func(name string) { woken <- name },
		fetch: func(_ context.Context, request fetchRequest) (*fetched, error) {
			if request.source.Ref == "broken" {
				return nil, fault
			}
			return &fetched{resolved: request.source.Ref + "@sha256:1"}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	memo, broken := fetchRequest{source: image.Source{Ref: "memo:v1"}, namespace: "memo"}, fetchRequest{source: image.Source{Ref: "broken"}}
	if got := asked.ask("memo", memo); got != (answer{}) {
		t.Errorf("first answer is %+v, want nothing yet", got)
	}
	if name := <-woken; name != "memo" {
		t.Errorf("woke up %q", name)
	}
	if got := asked.ask("memo", memo); got.result == nil || got.result.resolved != "memo:v1@sha256:1" {
		t.Errorf("answer is %+v", got)
	}
	asked.ask("broken", broken)
	<-woken
	if got := asked.ask("broken", broken); !errors.Is(got.err, fault) || got.retry != 5*time.Second {
		t.Errorf("answer is %+v, want the fault and another try after 5 s", got)
	}
}

// folder serves directories as images; the reference's part before "@" is the directory.
type folder struct{ unpacked atomic.Int32 }

func (f *folder) Resolve(_ context.Context, source image.Source) (string, error) {
	return "registry.example/" + source.Ref + "@sha256:" + strings.Repeat("a", 64), nil
}

func (f *folder) Unpack(_ context.Context, _ image.Source, target image.Target) error {
	f.unpacked.Add(1)
	return os.CopyFS(target.Dir, os.DirFS(filepath.Join("..", "..", "bundle", "registryv1", "testdata", "bundles", "minimal")))
}

func noCertificates() (registryv1.Certificates, error) { return "", nil }

func newContent(t *testing.T) *store.Content {
	t.Helper()
	content, err := store.NewContent(store.ContentConfig{Dir: t.TempDir(), Budget: 1 << 30, Clock: clocktesting.NewFakePassiveClock(time.Unix(1000, 0))})
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestReaderRendersABundleAndUnpacksItOnce(t *testing.T) {
	content := newContent(t)
	images := &folder{}
	for range 2 {
		got, err := reader{images: images, content: content, certificates: noCertificates}.read(t.Context(), fetchRequest{source: image.Source{Ref: "minimal"}, format: corev1alpha2.FormatRegistryV1, namespace: "somewhere"})
		if err != nil || got.invalid != nil {
			t.Fatalf("reading: %v, %v", err, got.invalid)
		}
		if len(got.objects) == 0 || got.metadata.Name == "" {
			t.Errorf("rendered %d objects of bundle %q", len(got.objects), got.metadata.Name)
		}
	}
	if unpacked := images.unpacked.Load(); unpacked != 1 {
		t.Errorf("unpacked %d times what two want one after the other", unpacked)
	}
}

// squatter is an image whose bundle has a ClusterRole of a name that the manager keeps for its own.
type squatter struct{ folder }

func (s *squatter) Unpack(ctx context.Context, source image.Source, target image.Target) error {
	if err := s.folder.Unpack(ctx, source, target); err != nil {
		return err
	}
	role := "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: 'platform-operators:memo:custom-resources'}, rules: []}"
	return os.WriteFile(filepath.Join(target.Dir, "manifests", "role.yaml"), []byte(role), 0o600)
}

func TestReaderRefusesABundleWithANameOfTheManagers(t *testing.T) {
	content := newContent(t)
	got, err := reader{images: &squatter{}, content: content, certificates: noCertificates}.read(t.Context(), fetchRequest{source: image.Source{Ref: "squatter"}, format: corev1alpha2.FormatRegistryV1, namespace: "memo"})
	if err != nil {
		t.Fatal(err)
	}
	if got.invalid == nil || !strings.Contains(got.invalid.Error(), `"platform-operators:memo:custom-resources"`) {
		t.Errorf("got %v, want a refusal that names the role: with it the revision could neither be applied nor removed", got.invalid)
	}
}

// empty is an image without files.
type empty struct{ folder }

func (e *empty) Unpack(context.Context, image.Source, image.Target) error { return nil }

func TestReaderTellsContentThatIsNoBundleFromContentThatCannotBeRead(t *testing.T) {
	content := newContent(t)
	got, err := reader{images: &empty{}, content: content, certificates: noCertificates}.read(t.Context(), fetchRequest{source: image.Source{Ref: "empty"}, format: corev1alpha2.FormatRegistryV1, namespace: "memo"})
	if err != nil {
		t.Fatalf("got error %v; fetching succeeded", err)
	}
	if got.invalid == nil {
		t.Error("an empty image was taken for a bundle")
	}
}
