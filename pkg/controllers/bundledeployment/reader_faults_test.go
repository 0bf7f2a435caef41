package bundledeployment

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	clocktesting "k8s.io/utils/clock/testing"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/bundle/registryv1"
	"github.com/openshift/platform-operators/pkg/source/image"
	"github.com/openshift/platform-operators/pkg/store"
)

const bundles = "../../bundle/registryv1/testdata/bundles"

func TestReaderFetchesAgainWhatSomebodyRemovedFromTheContentDirectory(t *testing.T) {
	dir := t.TempDir()
	content, err := store.NewContent(store.ContentConfig{Dir: dir, Budget: 1 << 30, Clock: clocktesting.NewFakePassiveClock(time.Unix(1000, 0))})
	if err != nil {
		t.Fatal(err)
	}
	images := &folder{}
	for i, remove := range []func() error{
		func() error { return nil },
		func() error { return os.RemoveAll(dir) },
		func() error {
			manifests, err := filepath.Glob(filepath.Join(dir, "*", "files", "manifests", "*"))
			if err != nil || len(manifests) == 0 {
				return errors.Join(err, errors.New("no manifest is there"))
			}
			return os.Remove(manifests[0])
		},
	} {
		if err := remove(); err != nil {
			t.Fatal(err)
		}
		got, err := reader{images: images, content: content, certificates: noCertificates}.read(t.Context(), fetchRequest{source: image.Source{Ref: "minimal"}, format: corev1alpha2.FormatRegistryV1, namespace: "memo"})
		if err != nil || got.invalid != nil || len(got.objects) == 0 {
			t.Errorf("got %+v, %v", got, err)
		}
		if unpacked := images.unpacked.Load(); unpacked != int32(i+1) {
			t.Errorf("unpacked %d times, want %d", unpacked, i+1)
		}
	}
}

// brokenDisk gives files of a good bundle, one of which cannot be read.
type brokenDisk struct {
	fs.FS
	name string
	err  error
}

func (b brokenDisk) Open(name string) (fs.File, error) {
	if strings.HasPrefix(name, b.name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: b.err}
	}
	return b.FS.Open(name)
}

func TestReaderTellsTheDisksFaultsFromTheBundles(t *testing.T) {
	cases := map[string]struct {
		files fs.FS
		// theirs says that it is the bundle's.
		theirs bool
	}{
		"the disk cannot be read":             {brokenDisk{os.DirFS(bundles + "/minimal"), "metadata", syscall.EIO}, false},
		"too many files are open":             {brokenDisk{os.DirFS(bundles + "/minimal"), "manifests", syscall.EMFILE}, false},
		"a link leads in a circle":            {brokenDisk{os.DirFS(bundles + "/minimal"), "manifests", syscall.ELOOP}, true},
		"there are no files":                  {fstest.MapFS{}, true},
		"the manifests are a file themselves": {fstest.MapFS{"metadata/annotations.yaml": {Data: []byte("annotations: {operators.operatorframework.io.bundle.package.v1: a}")}, "manifests": {}}, true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := &fetched{}
			err := reader{certificates: noCertificates}.judge(got, c.files, fetchRequest{format: corev1alpha2.FormatRegistryV1, namespace: "memo"})
			if (got.invalid != nil) != c.theirs || (err == nil) != c.theirs {
				t.Errorf("refused for good: %v; error of the moment: %v", got.invalid, err)
			}
		})
	}
}

func TestReaderMakesAPanicTheFaultOfItsBundle(t *testing.T) {
	needy := reader{certificates: func() (registryv1.Certificates, error) { panic("index out of range") }}
	got := &fetched{resolved: "r/memo@sha256:1"}
	if err := needy.judge(got, os.DirFS(bundles+"/webhooks"), fetchRequest{format: corev1alpha2.FormatRegistryV1, namespace: "memo"}); err != nil {
		t.Fatalf("got error %v, which would be tried again and again", err)
	}
	if got.invalid == nil || !strings.Contains(got.invalid.Error(), "index out of range") || !strings.Contains(got.invalid.Error(), got.resolved) {
		t.Errorf("refused for %v, want the panic and the image", got.invalid)
	}
}

func TestReadersRenderTwoAtOnceHoweverManyAreFetched(t *testing.T) {
	content := newContent(t)
	entered, release := make(chan struct{}, 100), make(chan struct{})
	busy := reader{images: webhooks{}, content: content, certificates: func() (registryv1.Certificates, error) {
		entered <- struct{}{}
		<-release
		return registryv1.CertificatesByServiceCA, nil
	}}
	done := make(chan error, 10)
	for range 10 {
		go func() {
			_, err := busy.read(t.Context(), fetchRequest{source: image.Source{Ref: "webhooks"}, format: corev1alpha2.FormatRegistryV1, namespace: "memo"})
			done <- err
		}()
	}
	<-entered
	<-entered
	for range 8 { // whoever waits for a place can leave
		ctx, leave := context.WithCancel(t.Context())
		leave()
		if _, err := busy.read(ctx, fetchRequest{source: image.Source{Ref: "webhooks"}, format: corev1alpha2.FormatRegistryV1, namespace: "memo"}); !errors.Is(err, context.Canceled) {
			t.Errorf("a third one rendered: %v", err)
		}
	}
	if len(entered) != 0 {
		t.Error("more than two rendered at once")
	}
	close(release)
	for range 10 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// webhooks serves a bundle that needs certificates.
type webhooks struct{}

func (webhooks) Resolve(_ context.Context, source image.Source) (string, error) {
	return "registry.example/" + source.Ref + "@sha256:" + strings.Repeat("b", 64), nil
}

func (webhooks) Unpack(_ context.Context, _ image.Source, target image.Target) error {
	return os.CopyFS(target.Dir, os.DirFS(bundles+"/webhooks"))
}

func TestStoredContentOfNoRevisionIsDeletedOnce(t *testing.T) {
	f := settledFixture(t)
	client := fake.NewClientset()
	f.c.revisions = store.NewRevisions(client.CoreV1().Secrets("system"))
	for _, number := range []int64{f.two.Number, 7} {
		stored := &store.Revision{Header: store.Header{Number: number}, Objects: rendered("x")}
		if err := f.c.revisions.Save(t.Context(), ownerOf(f.deployment), stored); err != nil {
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
