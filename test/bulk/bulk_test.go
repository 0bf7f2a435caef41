package bulk

import (
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/bundle/registryv1"
	"github.com/openshift/platform-operators/pkg/source"
	"github.com/openshift/platform-operators/pkg/source/image"
)

func TestBundleHasItsObjectsAndBallast(t *testing.T) {
	registry := StartRegistry()
	defer registry.Close()
	large := Bundle{Name: "bulk", Objects: 25, Ballast: 3<<20 + 5}
	made, err := large.Image()
	if err != nil {
		t.Fatal(err)
	}
	ref, err := registry.Push(t.Context(), "bulk", made)
	if err != nil {
		t.Fatal(err)
	}
	before := registry.Pulls()
	dir := t.TempDir()
	if _, err := image.New(image.Config{}).Unpack(t.Context(), image.Source{Ref: ref}, source.Target{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	if got := registry.Pulls().Since(before); got != (Pulls{Manifests: 1, Blobs: 2}) {
		t.Errorf("after one pull of two layers the counts are %+v", got)
	}
	var ballast int64
	if err := filepath.WalkDir(filepath.Join(dir, "ballast"), func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		ballast += info.Size()
		return err
	}); err != nil || ballast != large.Ballast {
		t.Errorf("the ballast has %d bytes, %v; want %d", ballast, err, large.Ballast)
	}
	loaded, err := registryv1.Load(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	objects, err := loaded.Render(bundle.Options{InstallNamespace: "bulk"})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, object := range objects {
		if object.GetNamespace() != "bulk" {
			t.Errorf("%s %q is cluster-scoped, so that a second BundleDeployment would conflict", object.GetKind(), object.GetName())
		}
		if object.GetName() != large.Deployment() {
			found++
		}
	}
	if found != large.Objects {
		t.Errorf("got %d objects beside the Deployment, want %d", found, large.Objects)
	}
}

func TestImageIsReproducible(t *testing.T) {
	var digests []string
	for range 2 {
		made, err := Bundle{Name: "same", Objects: 3, Ballast: 10}.Image()
		if err != nil {
			t.Fatal(err)
		}
		digest, err := made.Digest()
		if err != nil {
			t.Fatal(err)
		}
		digests = append(digests, digest.String())
	}
	if digests[0] != digests[1] {
		t.Errorf("got %v", digests)
	}
}

func TestSetDownMakesRequestsFail(t *testing.T) {
	registry := StartRegistry()
	defer registry.Close()
	made, err := Bundle{Name: "gone"}.Image()
	if err != nil {
		t.Fatal(err)
	}
	ref, err := registry.Push(t.Context(), "gone", made)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := name.NewDigest(ref)
	if err != nil {
		t.Fatal(err)
	}
	pull := func() error {
		_, err := remote.Get(parsed, remote.WithTransport(&http.Transport{}), remote.WithRetryBackoff(remote.Backoff{Steps: 1}))
		return err
	}
	if err := pull(); err != nil {
		t.Errorf("while the registry is up: %v", err)
	}
	registry.SetDown(true)
	if err := pull(); err == nil || registry.Refused() == 0 {
		t.Errorf("while the registry is down: error %v, refused %d", err, registry.Refused())
	}
}
