package content

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/crane"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/google/go-containerregistry/pkg/v1/validate"

	"github.com/openshift/platform-operators/pkg/source"
	"github.com/openshift/platform-operators/pkg/source/image"
)

const repository = "registry.example.test/bundles/memo"

// inputWithImages returns an input directory with an empty OCI layout, and the layout.
func inputWithImages(t *testing.T) (string, layout.Path) {
	t.Helper()
	root := t.TempDir()
	written, err := layout.Write(filepath.Join(root, "content", "images"), empty.Index)
	must(t, err)
	return root, written
}

// imageWith returns an image with one layer for each of the texts, which writes it to manifests/NUMBER.yaml.
func imageWith(t *testing.T, texts ...string) v1.Image {
	t.Helper()
	built := mutate.MediaType(empty.Image, types.OCIManifestSchema1)
	for i, text := range texts {
		layer, err := crane.Layer(map[string][]byte{fmt.Sprintf("manifests/%d.yaml", i): []byte(text)})
		must(t, err)
		built, err = mutate.AppendLayers(built, layer)
		must(t, err)
	}
	return built
}

// indexOf returns an index of images.
func indexOf(images ...v1.Image) v1.ImageIndex {
	var index v1.ImageIndex = empty.Index
	for _, each := range images {
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: each})
	}
	return index
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func digestOf(t *testing.T, of interface{ Digest() (v1.Hash, error) }) v1.Hash {
	t.Helper()
	digest, err := of.Digest()
	must(t, err)
	return digest
}

func reference(t *testing.T, text string) name.Reference {
	t.Helper()
	parsed, err := name.ParseReference(text)
	must(t, err)
	return parsed
}

func named(ref string) layout.Option {
	return layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": ref})
}

func TestAnImageIsFoundByItsDigestAndByItsNameInTheIndex(t *testing.T) {
	root, written := inputWithImages(t)
	plain, tagged := imageWith(t, "plain"), imageWith(t, "tagged", "in two layers")
	short, docker := imageWith(t, "short"), mutate.MediaType(imageWith(t, "docker"), types.DockerManifestSchema2)
	full, index := imageWith(t, "full"), indexOf(imageWith(t, "inner"))
	must(t, errors.Join(
		written.WriteImage(plain), // index.json does not have it
		written.AppendImage(tagged, named(repository+":v1")), written.AppendImage(short, named("memo:v1")),
		written.AppendImage(full, named("index.docker.io/library/diary:v1")),
		written.AppendImage(docker, named(repository+":docker")), written.AppendIndex(index, named(repository+":index")),
	))
	type described interface {
		Digest() (v1.Hash, error)
		MediaType() (types.MediaType, error)
		RawManifest() ([]byte, error)
	}
	for ref, want := range map[string]described{
		repository + "@" + digestOf(t, plain).String():       plain,
		"elsewhere.test/memo@" + digestOf(t, plain).String(): plain, // a mirror has the same content
		repository + ":v1@" + digestOf(t, plain).String():    plain, // the digest counts
		repository + ":v1":     tagged,
		"memo:v1":              short, // index.docker.io/library/memo:v1
		"diary:v1":             full,
		repository + ":docker": docker,
		repository + ":index":  index,
		repository + "@" + digestOf(t, index).String():                 index,
		repository + "@" + digestOf(t, imageWith(t, "inner")).String(): imageWith(t, "inner"),
	} {
		t.Run(ref, func(t *testing.T) {
			images := NewImages(os.DirFS(root))
			got, err := images.Find(reference(t, ref))
			must(t, err)
			mediaType, err := want.MediaType()
			must(t, err)
			manifest, err := want.RawManifest()
			must(t, err)
			descriptor := v1.Descriptor{Digest: digestOf(t, want), MediaType: mediaType, Size: int64(len(manifest))}
			if diff := cmp.Diff(descriptor, got.Descriptor); diff != "" {
				t.Errorf("descriptor (-want +got):\n%s", diff)
			}
			if string(got.Manifest) != string(manifest) {
				t.Errorf("got manifest %s, want %s", got.Manifest, manifest)
			}
			if !got.MediaType.IsIndex() {
				found, err := got.Image()
				must(t, err)
				must(t, validate.Image(found)) // its configuration and layers can be read, and have their digests
			}
			if missing := images.Missing(); len(missing) > 0 {
				t.Errorf("missing: %q", missing)
			}
		})
	}
}

func TestTheFilesOfAnImageAreUnpackedFromTheLayout(t *testing.T) {
	root, written := inputWithImages(t)
	must(t, errors.Join(
		written.AppendImage(imageWith(t, "one", "two"), named(repository+":v1")),
		written.AppendIndex(indexOf(imageWith(t, "inner")), named(repository+":index")),
	))
	for ref, want := range map[string]map[string]string{
		repository + ":v1":    {"manifests/0.yaml": "one", "manifests/1.yaml": "two"},
		repository + ":index": {"manifests/0.yaml": "inner"}, // an index with one image
	} {
		t.Run(ref, func(t *testing.T) {
			images := NewImages(os.DirFS(root))
			dir, err := unpack(t, images, ref)
			must(t, err)
			got := map[string]string{}
			must(t, fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
				if err != nil || entry.IsDir() {
					return err
				}
				content, err := os.ReadFile(filepath.Join(dir, name))
				got[name] = string(content)
				return err
			}))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// unpack resolves and unpacks an image as the manager does, and returns the folder of its files.
func unpack(t *testing.T, images *Images, ref string) (string, error) {
	t.Helper()
	fetcher := image.New(image.Config{Find: images.Find})
	resolved, err := fetcher.Resolve(t.Context(), image.Source{Ref: ref})
	if err != nil {
		return "", err
	}
	dir := t.TempDir()
	_, err = fetcher.Unpack(t.Context(), image.Source{Ref: resolved}, source.Target{Dir: dir})
	return dir, err
}

func TestWhatTheLayoutLacksIsNotFoundAndListed(t *testing.T) {
	memo := imageWith(t, "one", "two")
	layers, err := memo.Layers()
	must(t, err)
	memoRef, index := repository+"@"+digestOf(t, memo).String(), indexOf(memo)
	for name, test := range map[string]struct {
		// remove is the path in the input directory that is removed.
		remove, ref string
		missing     string
	}{
		"a tag that is not in the index":        {"", repository + ":v2", repository + ":v2"},
		"a tag of another repository":           {"", "elsewhere.test/memo:v1", "elsewhere.test/memo:v1"},
		"an input directory without images":     {"content", repository + ":v1", repository + ":v1"},
		"no images, and a digest":               {"content", memoRef, memoRef},
		"an index.json that is missing":         {"content/images/index.json", repository + ":v1", repository + ":v1"},
		"the manifest of a name in the index":   {blobPath(digestOf(t, memo)), repository + ":v1", repository + ":v1"},
		"a manifest":                            {blobPath(digestOf(t, memo)), memoRef, memoRef},
		"the image of an index, not its index":  {blobPath(digestOf(t, memo)), repository + ":index", memoRef},
		"the second layer of an image":          {blobPath(digestOf(t, layers[1])), repository + ":v1", memoRef},
		"a layer of the image in an index":      {blobPath(digestOf(t, layers[0])), repository + ":index", memoRef},
		"the index that a tag in the index has": {blobPath(digestOf(t, index)), repository + ":index", repository + ":index"},
	} {
		t.Run(name, func(t *testing.T) {
			root, written := inputWithImages(t)
			must(t, errors.Join(written.AppendImage(memo, named(repository+":v1")), written.AppendIndex(index, named(repository+":index"))))
			if test.remove != "" {
				must(t, os.RemoveAll(filepath.Join(root, test.remove)))
			}
			images := NewImages(os.DirFS(root))
			for range 2 { // it is listed once
				_, err := unpack(t, images, test.ref)
				var found *image.Error
				if !errors.As(err, &found) || found.Class != image.NotFound || found.Ref != test.missing {
					t.Fatalf("got %v, want an image.Error of class NotFound about %s", err, test.missing)
				}
				if !strings.Contains(err.Error(), "add it to the OCI layout in content/images") {
					t.Errorf("the error has no remedy: %v", err)
				}
			}
			if diff := cmp.Diff([]string{test.missing}, images.Missing()); diff != "" {
				t.Errorf("missing (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMissingImagesAreSorted(t *testing.T) {
	images := NewImages(fstest.MapFS{})
	for _, each := range []string{"c", "a", "d", "b"} {
		if _, err := images.Find(reference(t, repository+"-"+each+":v1")); err == nil {
			t.Errorf("%s was found", each)
		}
	}
	want := []string{repository + "-a:v1", repository + "-b:v1", repository + "-c:v1", repository + "-d:v1"}
	if diff := cmp.Diff(want, images.Missing()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDamagedContentIsAnErrorThatNamesTheFile(t *testing.T) {
	memo := imageWith(t, "one")
	layers, err := memo.Layers()
	must(t, err)
	manifest, layer := blobPath(digestOf(t, memo)), blobPath(digestOf(t, layers[0]))
	add := func(content []byte) []byte { return append(content, "\n"...) }
	for name, test := range map[string]struct {
		file   string
		damage func([]byte) []byte
	}{
		"a manifest with another end":   {manifest, add},
		"a manifest that is cut short":  {manifest, func(content []byte) []byte { return content[:len(content)-1] }},
		"a manifest that is empty":      {manifest, func([]byte) []byte { return nil }},
		"a layer with another end":      {layer, add},
		"a layer that is cut short":     {layer, func(content []byte) []byte { return content[:len(content)-4] }},
		"a layer that is empty":         {layer, func([]byte) []byte { return nil }},
		"an index.json that is no JSON": {imageFolder + "/index.json", func(content []byte) []byte { return content[:10] }},
	} {
		t.Run(name, func(t *testing.T) {
			root, written := inputWithImages(t)
			must(t, written.AppendImage(memo, named(repository+":v1")))
			file := filepath.Join(root, test.file)
			content, err := os.ReadFile(file)
			must(t, err)
			must(t, os.WriteFile(file, test.damage(content), 0o600))
			images := NewImages(os.DirFS(root))
			if _, err := unpack(t, images, repository+":v1"); err == nil || !strings.Contains(err.Error(), test.file) {
				t.Errorf("got %v, want an error that names %s", err, test.file)
			}
			if missing := images.Missing(); len(missing) > 0 {
				t.Errorf("what is damaged is not missing: %q", missing)
			}
			if err := images.Err(); err == nil || !strings.Contains(err.Error(), test.file) {
				t.Errorf("got %v, want an error that names %s", err, test.file)
			}
		})
	}
}

func TestADamagedLayerFailsWhenItIsReadToItsEnd(t *testing.T) {
	root, written := inputWithImages(t)
	memo := imageWith(t, "one")
	must(t, written.AppendImage(memo, named(repository+":v1")))
	layers, err := memo.Layers()
	must(t, err)
	path := blobPath(digestOf(t, layers[0]))
	must(t, os.WriteFile(filepath.Join(root, path), []byte("something else"), 0o600))
	found, err := NewImages(os.DirFS(root)).Find(reference(t, repository+":v1"))
	must(t, err)
	img, err := found.Image()
	must(t, err)
	layer, err := img.LayerByDigest(digestOf(t, layers[0]))
	must(t, err)
	blob, err := layer.Compressed()
	must(t, err)
	defer blob.Close()
	content, err := io.ReadAll(blob)
	if string(content) != "something else" || err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("got %q, %v, want an error that names %s", content, err, path)
	}
}

// blobs returns an input with blobs, and their references.
func blobs(contents ...string) (input fstest.MapFS, refs []string) {
	input = fstest.MapFS{}
	for _, content := range contents {
		sum := fmt.Sprintf("%x", sha256.Sum256([]byte(content)))
		input["content/images/blobs/sha256/"+sum] = &fstest.MapFile{Data: []byte(content)}
		refs = append(refs, repository+"@sha256:"+sum)
	}
	return input, refs
}

func TestAManifestThatIsTooLargeIsRefused(t *testing.T) {
	sized := func(size int) string { return "{" + strings.Repeat(" ", size-2) + "}" }
	input, refs := blobs(sized(maxManifest), sized(maxManifest+1))
	images := NewImages(input)
	if _, err := images.Find(reference(t, refs[0])); err != nil {
		t.Errorf("a manifest of %d bytes: %v", maxManifest, err)
	}
	_, err := images.Find(reference(t, refs[1]))
	digest := strings.TrimPrefix(refs[1], repository+"@sha256:")
	if err == nil || !strings.Contains(err.Error(), "blobs/sha256/"+digest) || !strings.Contains(err.Error(), "more than 4194304 bytes") {
		t.Errorf("a manifest of %d bytes: %v", maxManifest+1, err)
	}
}

func TestTheMediaTypeOfAManifestWithoutOneFollowsFromItsContent(t *testing.T) {
	input, refs := blobs(`{"manifests":[]}`, `{"layers":[]}`, `{"mediaType":"`+string(types.DockerManifestList)+`","manifests":[]}`, `no JSON`)
	images := NewImages(input)
	for i, want := range []types.MediaType{types.OCIImageIndex, types.OCIManifestSchema1, types.DockerManifestList} {
		if got, err := images.Find(reference(t, refs[i])); err != nil || got.MediaType != want {
			t.Errorf("manifest %d: got %s, %v, want %s", i, got.MediaType, err, want)
		}
	}
	_, err := images.Find(reference(t, refs[3]))
	if digest := strings.TrimPrefix(refs[3], repository+"@sha256:"); err == nil || !strings.Contains(err.Error(), "blobs/sha256/"+digest) {
		t.Errorf("a manifest that is no JSON: %v", err)
	}
}

func TestALayerThatTheManifestDoesNotHaveIsAnError(t *testing.T) {
	root, written := inputWithImages(t)
	must(t, written.AppendImage(imageWith(t, "one"), named(repository+":v1")))
	other, err := imageWith(t, "other").Layers()
	must(t, err)
	found, err := NewImages(os.DirFS(root)).Find(reference(t, repository+":v1"))
	must(t, err)
	img, err := found.Image()
	must(t, err)
	if _, err := img.LayerByDigest(digestOf(t, other[0])); err == nil || !strings.Contains(err.Error(), digestOf(t, other[0]).String()) {
		t.Errorf("got %v", err)
	}
}
